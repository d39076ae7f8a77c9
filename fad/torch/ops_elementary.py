"""Elementary functions of one tensor, rounding, and the parts of complex numbers.

Where PyTorch differs from fad at an edge: the sign of nan is 0.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.primitive import Primitive
from ..core.trace import aval_of
from ..ops import activations, arithmetic, comparison, elementary, piecewise, special
from ..ops import error_functions as errors
from ..ops import gamma_functions as gammas
from .declare import composite, flat, function, method, operation, unary
from .dtypes import default_float
from .tensor import Tensor

__all__ = ["as_floating"]

_FLOATING: dict[str, tuple[Primitive, tuple[str, ...]]] = {
    "sin": (elementary.sin, ()),
    "cos": (elementary.cos, ()),
    "tan": (elementary.tan, ()),
    "asin": (elementary.arcsin, ("arcsin",)),
    "acos": (elementary.arccos, ("arccos",)),
    "atan": (elementary.arctan, ("arctan",)),
    "sinh": (elementary.sinh, ()),
    "cosh": (elementary.cosh, ()),
    "tanh": (elementary.tanh, ()),
    "asinh": (elementary.arcsinh, ("arcsinh",)),
    "acosh": (elementary.arccosh, ("arccosh",)),
    "atanh": (elementary.arctanh, ("arctanh",)),
    "exp": (elementary.exp, ()),
    "exp2": (elementary.exp2, ()),
    "expm1": (elementary.expm1, ()),
    "log": (elementary.log, ()),
    "log2": (elementary.log2, ()),
    "log1p": (elementary.log1p, ()),
    "sqrt": (elementary.sqrt, ()),
    "reciprocal": (arithmetic.reciprocal, ()),
    "sigmoid": (activations.sigmoid, ()),
    "erf": (errors.erf, ()),
    "erfc": (errors.erfc, ()),
    "erfinv": (errors.erfinv, ()),
    "lgamma": (gammas.gammaln, ()),
    "digamma": (gammas.digamma, ()),
    "sinc": (special.sinc, ()),
}
for _name, (_prim, _aliases) in _FLOATING.items():
    unary(_name, _prim, *_aliases, floating=True)

unary("rsqrt", lambda x: arithmetic.reciprocal(elementary.sqrt(x)), floating=True)


def _in_double(fun: Any) -> Any:
    """Return a function that computes float32 in double precision, for its accuracy."""

    def run(x: Any) -> Any:
        d = aval_of(x).dtype
        if d != np.float32:
            return fun(x)
        wide = arithmetic.convert(x, dtype=np.dtype(np.float64))
        return arithmetic.convert(fun(wide), dtype=d)

    return run


unary("log10", _in_double(elementary.log10), floating=True)
unary("i0", _in_double(special.i0), floating=True)
unary("deg2rad", lambda x: x * (math.pi / 180), floating=True)
unary("rad2deg", lambda x: x * (180 / math.pi), floating=True)
unary("abs", piecewise.abs_, "absolute")

_relu = operation("ReluBackward0", activations.relu)


@function("relu", inplace=True)
def relu(input: Tensor) -> Tensor:
    """Return the elements that are positive, and 0 for the others."""
    if input.value.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    return _relu((input,))


_square = operation("PowBackward0", arithmetic.square)


@function("square", inplace=True)
def square(input: Tensor) -> Tensor:
    """Return the square of every element."""
    dtype = np.dtype(np.int64) if input.aval.dtype.kind == "b" else None
    return _square((input,), dtype)


@function("positive", out=False)
def positive(input: Tensor) -> Tensor:
    """Return the tensor itself."""
    if input.aval.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


_neg = operation("NegBackward0", arithmetic.neg)


@function("neg", "negative", inplace=True)
def neg(input: Tensor) -> Tensor:
    """Return the negative of every element."""
    if input.value.dtype.kind == "b":
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are "
            "trying to invert a mask, use the `~` or `logical_not()` operator instead."
        )
    return _neg((input,))


def as_floating(x: Tensor) -> Tensor:
    """Return a tensor with integers and booleans as the default dtype."""
    from .conversion import cast

    return cast(x, default_float()) if x.aval.dtype.kind in "biu" else x


def _real_sign(x: Any) -> Any:
    sign = piecewise.sign(x)
    return comparison.where(comparison.ne(x, x), 0, sign) if _is_inexact(x) else sign


def _is_inexact(x: Any) -> bool:
    return aval_of(x).dtype.kind in "fc"


def _sgn(x: Any) -> Any:
    if aval_of(x).dtype.kind == "c":
        return piecewise.unit(x)
    return flat(_real_sign)(x)


def _bool_or(fun: Any) -> Any:
    return lambda x: x if aval_of(x).dtype.kind == "b" else fun(x)


unary("sign", _bool_or(flat(_real_sign)))
unary("sgn", _bool_or(_sgn))


def _whole(fun: Any) -> Any:
    """Return a rounding that leaves integers as they are, with gradient zero."""
    return lambda x: flat(fun)(x) if _is_inexact(x) else x


unary("floor", _whole(piecewise.floor))
unary("ceil", _whole(piecewise.ceil))
unary("trunc", _whole(piecewise.trunc), "fix", node="TruncBackward0")
unary("frac", lambda x: x - piecewise.trunc(x))


@function("round", inplace=True)
def round_(input: Tensor, *, decimals: int | None = None) -> Tensor:
    """Return the nearest whole numbers, ties to even, or with so many decimals."""
    if decimals is None:
        return _round(input)
    return _round_to(input, decimals=decimals)


_round = composite("RoundBackward0", _whole(piecewise.rint))


def _decimals(x: Any, *, decimals: int) -> Any:
    if not _is_inexact(x):
        return x
    scale = 10.0 ** abs(decimals)

    def rounded(x: Any) -> Any:
        if decimals < 0:
            return piecewise.rint(x / scale) * scale
        return piecewise.rint(x * scale) / scale

    return flat(rounded)(x)


_round_to = composite("RoundBackward1", _decimals)


@function("logit", inplace=True)
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """Return log(x / (1 - x)), with x held between eps and 1 - eps if given."""
    return _logit(as_floating(input), eps=eps)


def _logit_of(x: Any, *, eps: float | None) -> Any:
    if eps is not None and eps >= 0:
        held = comparison.where(x > 1 - eps, 1 - eps, x)
        x = comparison.where(x < eps, eps, held)
    else:
        outside = comparison.logical_or(x < 0, x > 1)
        x = comparison.where(outside, x * math.nan, x)
    return special.logit(x)


_logit = composite("LogitBackward0", _logit_of)


@function("polygamma", methods=False)
def polygamma(n: int, input: Tensor) -> Tensor:
    """Return the n-th derivative of digamma."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return _polygamma(as_floating(input), n=int(n))


def _polygamma_of(x: Any, *, n: int) -> Any:
    return gammas.digamma(x) if n == 0 else gammas.polygamma(x, n=n)


_polygamma = composite("PolygammaBackward0", _polygamma_of)


@method("polygamma")
def polygamma_of(self: Tensor, n: int) -> Tensor:
    """Return the n-th derivative of digamma."""
    return polygamma(n, self)


@function("mvlgamma", inplace=True)
def mvlgamma(input: Tensor, p: int) -> Tensor:
    """Return the logarithm of the multivariate gamma function of dimension p."""
    return _mvlgamma(as_floating(input), p=p)


def _mvlgamma_of(x: Any, *, p: int) -> Any:
    total = gammas.gammaln(x)
    for i in range(1, p):
        total = total + gammas.gammaln(x - i / 2)
    return total + p * (p - 1) / 4 * math.log(math.pi)


_mvlgamma = composite("MvlgammaBackward0", _mvlgamma_of)


def _finite(x: Any, *, nan: float, high: float, low: float) -> Any:
    out = comparison.where(comparison.isnan(x), nan, x)
    out = comparison.where(x == np.inf, high, out)
    return comparison.where(x == -np.inf, low, out)


_nan_to_num = composite("NanToNumBackward0", _finite)


@function("nan_to_num", inplace=True)
def nan_to_num(
    input: Tensor,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Tensor:
    """Return finite numbers: 0 for nan, the greatest and least ones for infinities."""
    dtype = input.aval.dtype
    if dtype.kind != "f":
        return input.clone()
    most = np.finfo(dtype)
    return _nan_to_num(
        input,
        nan=0.0 if nan is None else nan,
        high=float(most.max) if posinf is None else posinf,
        low=float(most.min) if neginf is None else neginf,
    )
