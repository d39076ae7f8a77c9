"""Arithmetic: sums, products, quotients, powers' building blocks, complex parts, dtype.

    d(x + y) = dx + dy          d(x y) = dx y + x dy
    d(x / y) = dx / y - ans dy / y

Complex values follow the convention of `fad.grad`: a cotangent is the covector of the
real-linear pairing Re(ct * t), so holomorphic formulas serve both modes unchanged,
while `conj`, `real` and `imag` are real-linear maps with transposes of their own.

Public names: `add sub mul div neg square reciprocal positive real imag conj complex_
convert stop_gradient copy`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.avals import Aval
from .infer_rules import same
from .kinds import constant, elementwise, linear, multilinear

__all__ = [
    "add",
    "complex_",
    "conj",
    "convert",
    "copy",
    "div",
    "imag",
    "mul",
    "neg",
    "positive",
    "real",
    "reciprocal",
    "square",
    "stop_gradient",
    "sub",
]


def _same(t: Any) -> Any:
    return t


add = elementwise("add", np.add, [_same, _same], scalar="add")
neg = elementwise("neg", np.negative, [lambda t: neg(t)], scalar="neg")
sub = elementwise("sub", np.subtract, [_same, lambda t: neg(t)], scalar="sub")
mul = multilinear(
    "mul",
    np.multiply,
    [lambda ct, y: ct * y, lambda ct, x: ct * x],
    pointwise=True,
    scalar="mul",
)
div = elementwise(
    "div",
    np.divide,
    [lambda t, y: div(t, y), lambda t, y, ans: neg(div(mul(t, ans), y))],
    scalar="div",
)
square = elementwise(
    "square", np.square, [lambda t, x: mul(t, mul(2, x))], scalar="square"
)
reciprocal = elementwise(
    "reciprocal",
    np.reciprocal,
    [lambda t, ans: neg(mul(t, square(ans)))],
    scalar="reciprocal",
)
positive = elementwise("positive", np.positive, [_same], scalar="positive")


def _real_aval(x: Aval) -> Aval:
    return Aval(x.shape, np.empty(0, x.dtype).real.dtype)


def _unary_batch(prim: Any) -> Any:
    def rule(size: int, args: Any, dims: Any, **params: Any) -> tuple[Any, Any]:
        return prim()(args[0], **params), dims[0]

    return rule


real = linear(
    "real",
    lambda x: np.real(x)[()] if np.ndim(x) == 0 else np.real(x),
    lambda ct: ct,
    infer=_real_aval,
    batch=_unary_batch(lambda: real),
    view=True,
)
imag = linear(
    "imag",
    lambda x: np.imag(x)[()] if np.ndim(x) == 0 else np.imag(x),
    lambda ct: mul(ct, -1j),
    infer=_real_aval,
    batch=_unary_batch(lambda: imag),
    view=True,
)
conj = linear(
    "conj",
    np.conjugate,
    lambda ct: conj(ct),
    infer=same,
    batch=_unary_batch(lambda: conj),
)


def _complex(x: Any, y: Any) -> Any:
    dtype = np.result_type(x, y, np.complex64)
    out = np.empty(np.broadcast_shapes(np.shape(x), np.shape(y)), dtype)
    out.real, out.imag = x, y
    return out[()]


complex_ = elementwise(
    "complex", _complex, [_same, lambda t: mul(t, 1j)], scalar="complex"
)
"""`complex_(x, y)` is x + iy, with no arithmetic that could make infinities nan."""


def _convert(x: Any, *, dtype: Any) -> Any:
    return x.astype(dtype) if isinstance(x, np.generic) else np.asarray(x).astype(dtype)


convert = linear(
    "convert",
    _convert,
    lambda ct: ct,
    infer=lambda x, *, dtype: Aval(x.shape, np.dtype(dtype)),
    batch=_unary_batch(lambda: convert),
)
copy = linear(
    "copy",
    lambda x: np.array(x)[()],
    lambda ct: ct,
    infer=same,
    batch=_unary_batch(lambda: copy),
)
stop_gradient = constant(
    "stop_gradient",
    lambda x: x,
    infer=lambda x: x,
    batch=_unary_batch(lambda: stop_gradient),
)
for _prim in (real, imag, conj, convert, copy):
    _prim.structural = True
del _prim
