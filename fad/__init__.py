"""fad: functional automatic differentiation of NumPy code by composable transforms.

>>> import fad, fad.numpy as fnp
>>> float(fad.grad(lambda x: fnp.sin(x) ** 2)(0.0))
0.0

Transforms: `grad value_and_grad elementwise_grad vjp jvp linearize linear_transpose
jacfwd jacrev jacobian hessian hvp vmap jit checkpoint`. Rules of one's own: `custom_jvp
custom_vjp custom_gradient custom_vmap closure_convert`. Programs: `make_jaxpr
eval_jaxpr eval_shape`; control flow and collectives are in `fad.lax`, activations in
`fad.nn`, random numbers in `fad.random`, SciPy's functions in `fad.scipy`; a tree as a
vector: `fad.flatten_util`. Python from programs:
`pure_callback io_callback debug`. To find faults: `disable_jit debug_nans debug_infs
checking_leaks named_call named_scope print_saved_residuals`.

What most programs need is imported at once; the modules named in `_LATER` when one of
their names is first used, so that `import fad` stays light.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING
from typing import Any as _Any

from . import numpy, tree, tree_util
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
from .core.array import Array
from .core.avals import ShapeDtypeStruct

if TYPE_CHECKING:
    from . import (
        checkpoint_policies,
        debug,
        flatten_util,
        lax,
        nn,
        random,
        scipy,
        testing,
        torch,
    )
    from .control import custom_jvp, custom_vjp
    from .control.callback import io_callback, pure_callback
    from .control.checkpoint import checkpoint, checkpoint_name, remat
    from .control.closures import closure_convert, custom_gradient
    from .control.custom_vmap import custom_vmap, sequential_vmap
    from .control.debugging import (
        checking_leaks,
        debug_infs,
        debug_nans,
        named_call,
        named_scope,
    )
    from .control.disabling import disable_jit, ensure_compile_time_eval
    from .control.jit import jit
    from .control.residuals import print_saved_residuals, saved_residuals

__version__ = "0.1.0"

_LATER = {
    "checkpoint_policies": "",
    "debug": "",
    "flatten_util": "",
    "lax": "",
    "nn": "",
    "random": "",
    "scipy": "",
    "testing": "",
    "torch": "",
    "checking_leaks": "control.debugging",
    "checkpoint": "control.checkpoint",
    "checkpoint_name": "control.checkpoint",
    "closure_convert": "control.closures",
    "custom_gradient": "control.closures",
    "custom_jvp": "control",
    "custom_vjp": "control",
    "custom_vmap": "control.custom_vmap",
    "debug_infs": "control.debugging",
    "debug_nans": "control.debugging",
    "disable_jit": "control.disabling",
    "ensure_compile_time_eval": "control.disabling",
    "io_callback": "control.callback",
    "jit": "control.jit",
    "named_call": "control.debugging",
    "named_scope": "control.debugging",
    "print_saved_residuals": "control.residuals",
    "pure_callback": "control.callback",
    "remat": "control.checkpoint",
    "saved_residuals": "control.residuals",
    "sequential_vmap": "control.custom_vmap",
}
"""Names that are looked up on first use, and their modules; "" for a submodule."""


def __getattr__(name: str) -> _Any:
    module = _LATER.get(name)
    if module is None:
        raise AttributeError(f"module 'fad' has no attribute {name!r}")
    if not module:
        return _import_module(f"fad.{name}")
    value = getattr(_import_module(f"fad.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


__all__ = [
    "Array",
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
    "ensure_compile_time_eval",
    "eval_jaxpr",
    "eval_shape",
    "flatten_util",
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
    "named_call",
    "named_scope",
    "nn",
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
    "torch",
    "tree",
    "tree_util",
    "value_and_grad",
    "vjp",
    "vmap",
]
