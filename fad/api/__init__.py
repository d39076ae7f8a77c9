"""The transforms as users call them, on pytrees of arrays."""

from .arguments import float0
from .functional import jvp, linear_transpose, linearize, stop_gradient, vjp
from .gradients import elementwise_grad, grad, value_and_grad
from .jacobians import hessian, hvp, jacfwd, jacobian, jacrev
from .programs import eval_jaxpr, eval_shape, make_jaxpr
from .vectorize import vmap

__all__ = [
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
    "jvp",
    "linear_transpose",
    "linearize",
    "make_jaxpr",
    "stop_gradient",
    "value_and_grad",
    "vjp",
    "vmap",
]
