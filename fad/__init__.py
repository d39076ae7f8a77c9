"""fad: functional automatic differentiation of NumPy code by composable transforms.

>>> import fad, fad.numpy as fnp
>>> float(fad.grad(lambda x: fnp.sin(x) ** 2)(0.0))
0.0

Transforms: `grad value_and_grad elementwise_grad vjp jvp linearize linear_transpose
jacfwd jacrev jacobian hessian hvp vmap`. Rules of one's own: `custom_jvp custom_vjp`.
Programs: `jit make_jaxpr eval_jaxpr
eval_shape disable_jit`; control flow is in `fad.lax`.
"""

from . import checkpoint_policies, lax, numpy, testing, tree, tree_util
from .api import (
    elementwise_grad,
    eval_jaxpr,
    eval_shape,
    float0,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linear_transpose,
    linearize,
    make_jaxpr,
    stop_gradient,
    value_and_grad,
    vjp,
    vmap,
)
from .control import custom_jvp, custom_vjp
from .control.checkpoint import checkpoint, checkpoint_name
from .control.disabling import disable_jit
from .control.jit import jit
from .control.residuals import print_saved_residuals, saved_residuals
from .core.avals import ShapeDtypeStruct

remat = checkpoint
__version__ = "0.1.0"

__all__ = [
    "ShapeDtypeStruct",
    "checkpoint",
    "checkpoint_name",
    "checkpoint_policies",
    "custom_jvp",
    "custom_vjp",
    "disable_jit",
    "elementwise_grad",
    "eval_jaxpr",
    "eval_shape",
    "float0",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jit",
    "jvp",
    "lax",
    "linear_transpose",
    "linearize",
    "make_jaxpr",
    "numpy",
    "print_saved_residuals",
    "remat",
    "saved_residuals",
    "stop_gradient",
    "testing",
    "tree",
    "tree_util",
    "value_and_grad",
    "vjp",
    "vmap",
]
