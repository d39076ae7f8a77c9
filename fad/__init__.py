"""fad: functional automatic differentiation of NumPy code by composable transforms.

>>> import fad, fad.numpy as fnp
>>> float(fad.grad(lambda x: fnp.sin(x) ** 2)(0.0))
0.0

Transforms: `grad value_and_grad elementwise_grad vjp jvp linearize linear_transpose
jacfwd jacrev jacobian hessian hvp vmap jit checkpoint`. Rules of one's own: `custom_jvp
custom_vjp custom_gradient custom_vmap closure_convert`. Programs: `make_jaxpr
eval_jaxpr eval_shape`; control flow and collectives are in `fad.lax`, random numbers in
`fad.random`, SciPy's functions in `fad.scipy`. Python from programs:
`pure_callback io_callback debug`. To find faults: `disable_jit debug_nans debug_infs
checking_leaks named_scope print_saved_residuals`.
"""

from . import (
    checkpoint_policies,
    debug,
    lax,
    numpy,
    random,
    scipy,
    testing,
    tree,
    tree_util,
)
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
from .control.callback import io_callback, pure_callback
from .control.checkpoint import checkpoint, checkpoint_name
from .control.closures import closure_convert, custom_gradient
from .control.custom_vmap import custom_vmap, sequential_vmap
from .control.debugging import checking_leaks, debug_infs, debug_nans, named_scope
from .control.disabling import disable_jit
from .control.jit import jit
from .control.residuals import print_saved_residuals, saved_residuals
from .core.avals import ShapeDtypeStruct

remat = checkpoint
__version__ = "0.1.0"

__all__ = [
    "ShapeDtypeStruct",
    "checking_leaks",
    "checkpoint",
    "checkpoint_name",
    "checkpoint_policies",
    "closure_convert",
    "custom_gradient",
    "custom_jvp",
    "custom_vjp",
    "custom_vmap",
    "debug",
    "debug_infs",
    "debug_nans",
    "disable_jit",
    "elementwise_grad",
    "eval_jaxpr",
    "eval_shape",
    "float0",
    "grad",
    "hessian",
    "hvp",
    "io_callback",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jit",
    "jvp",
    "lax",
    "linear_transpose",
    "linearize",
    "make_jaxpr",
    "named_scope",
    "numpy",
    "print_saved_residuals",
    "pure_callback",
    "random",
    "remat",
    "saved_residuals",
    "scipy",
    "sequential_vmap",
    "stop_gradient",
    "testing",
    "tree",
    "tree_util",
    "value_and_grad",
    "vjp",
    "vmap",
]
