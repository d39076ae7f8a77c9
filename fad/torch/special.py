"""torch.special: special functions, with fad's derivatives.

Derivatives exist for more of them than in PyTorch: Bessel functions and orthogonal
polynomials have theirs, and incomplete gamma functions have one for each argument.
Bessel functions, `zeta` and the incomplete gamma functions need SciPy.

>>> from fad import torch
>>> x = torch.tensor(0., requires_grad=True)
>>> torch.special.ndtr(x).backward()
>>> x.grad
tensor(0.3989)

Public names: those of `torch.special`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..core.trace import aval_of
from ..ops import bessel_functions as bessel
from ..ops import entropies, error_functions
from ..ops import special as ops
from ..scipy import special as scipy_names
from .declare import as_operand, function, functions, operation, promoted, with_sizes
from .dtypes import default_float
from .missing import no_name
from .special_polynomials import (
    chebyshev_polynomial_t,
    chebyshev_polynomial_u,
    chebyshev_polynomial_v,
    chebyshev_polynomial_w,
    hermite_polynomial_h,
    hermite_polynomial_he,
    laguerre_polynomial_l,
    legendre_polynomial_p,
    shifted_chebyshev_polynomial_t,
    shifted_chebyshev_polynomial_u,
    shifted_chebyshev_polynomial_v,
    shifted_chebyshev_polynomial_w,
)
from .tensor import Tensor

_UNARY: dict[str, Any] = {
    "entr": scipy_names.entr,
    "erfcx": error_functions.erfcx,
    "i0e": bessel.i0e,
    "i1": bessel.i1,
    "i1e": bessel.i1e,
    "ndtr": error_functions.ndtr,
    "ndtri": error_functions.ndtri,
    "log_ndtr": error_functions.log_ndtr,
    "bessel_j0": bessel.j0,
    "bessel_j1": bessel.j1,
    "bessel_y0": bessel.y0,
    "bessel_y1": bessel.y1,
    "modified_bessel_i0": scipy_names.i0,
    "modified_bessel_i1": bessel.i1,
    "modified_bessel_k0": bessel.k0,
    "modified_bessel_k1": bessel.k1,
    "spherical_bessel_j0": lambda x: ops.sinc(x * (1 / math.pi)),
    "scaled_modified_bessel_k0": lambda x: bessel.kve(0, x),
    "scaled_modified_bessel_k1": lambda x: bessel.kve(1, x),
}
_BINARY: dict[str, Any] = {
    "xlog1py": entropies.xlog1py,
    "zeta": scipy_names.zeta,
}
_ELSEWHERE = {
    "digamma": "digamma",
    "erf": "erf",
    "erfc": "erfc",
    "erfinv": "erfinv",
    "exp2": "exp2",
    "expit": "sigmoid",
    "expm1": "expm1",
    "gammainc": "igamma",
    "gammaincc": "igammac",
    "gammaln": "lgamma",
    "i0": "i0",
    "log1p": "log1p",
    "log_softmax": "log_softmax",
    "logit": "logit",
    "logsumexp": "logsumexp",
    "multigammaln": "mvlgamma",
    "polygamma": "polygamma",
    "psi": "digamma",
    "sinc": "sinc",
    "softmax": "softmax",
    "xlogy": "xlogy",
}
_NODES = {
    "i0e": "SpecialI0EBackward0",
    "i1e": "SpecialI1EBackward0",
    "ndtr": "MulBackward1",
}

__all__ = [
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "round",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
]


def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Return the nearest numbers with so many decimals, ties to even."""
    return functions["round"](input, decimals=decimals)  # type: ignore[no-any-return]


def _same_dtype(fun: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose result has the dtype of its first argument."""
    from ..ops.arithmetic import convert

    def run(*args: Any) -> Any:
        out, dtype = fun(*args), aval_of(args[0]).dtype
        return out if aval_of(out).dtype == dtype else convert(out, dtype=dtype)

    return run


def _node(name: str) -> str:
    name = "xlog1Py" if name == "xlog1py" else name
    return f"Special{''.join(p[:1].upper() + p[1:] for p in name.split('_'))}Backward0"


def _of_one(name: str, fun: Callable[..., Any]) -> Callable[..., Any]:
    apply = operation(_NODES.get(name) or _node(name), _same_dtype(fun))

    def call(input: Tensor) -> Any:
        whole = input.aval.dtype.kind in "biu"
        return apply((input,), default_float() if whole else None)

    call.__doc__ = f"Return {name} of every element of a tensor."
    return function(name, methods=False, namespace=False)(call)


def _of_two(name: str, fun: Callable[..., Any]) -> Callable[..., Any]:
    apply = operation(_node(name), fun)

    def call(input: Any, other: Any) -> Any:
        x, y = as_operand(input), as_operand(other)
        return with_sizes(apply, x, y, promoted(x, y, True))

    call.__doc__ = f"Return {name} of two tensors, element by element."
    return function(name, methods=False, namespace=False)(call)


def _declare() -> None:
    for name, fun in _UNARY.items():
        globals()[name] = _of_one(name, fun)
    for name, fun in _BINARY.items():
        globals()[name] = _of_two(name, fun)
    for name, other in _ELSEWHERE.items():
        globals()[name] = functions[other]
    __all__.extend([*_UNARY, *_BINARY, *_ELSEWHERE])


_declare()


def __getattr__(name: str) -> Any:
    raise no_name(__name__, name, __all__)
