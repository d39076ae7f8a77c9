"""Arithmetic: sums, products, quotients, complex parts, dtype.

    d(x + y) = dx + dy          d(x y) = dx y + x dy
    d(x / y) = dx / y - ans dy / y

Complex values follow the convention of `fad.grad`: a cotangent is the covector of the
real-linear pairing Re(ct * t), so holomorphic formulas serve both modes unchanged,
while `conj`, `real` and `imag` are real-linear maps with transposes of their own.

Formulas start from `t`, which is never a Python number, and go on with operators: on
plain arrays that is NumPy with no other cost, and 1 / 0 is inf and no exception.

`div0(x, y)` is x / y, and 0 with all its derivatives where y is 0: the quotient of
direction by length, which has no value at the origin.

Public names: `add sub mul div div0 neg square reciprocal positive real imag conj
complex_ convert copy stop_gradient is_complex`.
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
    "div0",
    "imag",
    "is_complex",
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
neg = elementwise("neg", np.negative, [lambda t: -t], scalar="neg")
sub = elementwise("sub", np.subtract, [_same, lambda t: -t], scalar="sub")
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
    [lambda t, y: t / y, lambda t, y, ans: -(t * ans / y)],
    scalar="div",
)
square = elementwise("square", np.square, [lambda t, x: t * (2 * x)], scalar="square")
reciprocal = elementwise(
    "reciprocal", np.reciprocal, [lambda t, ans: -(t * ans * ans)], scalar="reciprocal"
)
positive = elementwise("positive", np.positive, [_same], scalar="positive")


def _div0(x: Any, y: Any) -> Any:
    zero = np.equal(y, 0)
    if not zero.any():
        return np.divide(x, y)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.divide(x, y)
    return np.where(zero, ratio.dtype.type(0), ratio)[()]


div0 = elementwise(
    "div0",
    _div0,
    [lambda t, y: div0(t, y), lambda t, y, ans: -div0(t * ans, y)],
)


def is_complex(x: Any) -> bool:
    """Tell whether a tracer, an array or a number is complex."""
    dtype = getattr(x, "dtype", None)
    return isinstance(x, complex) if dtype is None else dtype.kind == "c"


def _real_aval(x: Aval) -> Aval:
    return Aval(x.shape, np.empty(0, x.dtype).real.dtype)


def _unary_batch(prim: Any) -> Any:
    def rule(size: int, args: Any, dims: Any, **params: Any) -> tuple[Any, Any]:
        return prim()(args[0], **params), dims[0]

    return rule


real = linear(
    "real",
    lambda x: x.real,
    _same,
    infer=_real_aval,
    batch=_unary_batch(lambda: real),
    structural=True,
    view=True,
)
imag = linear(
    "imag",
    lambda x: x.imag,
    lambda ct: complex_(0.0, -ct),
    infer=_real_aval,
    batch=_unary_batch(lambda: imag),
    structural=True,
    view=True,
)
conj = linear(
    "conj",
    np.conjugate,
    lambda ct: conj(ct),
    infer=same,
    batch=_unary_batch(lambda: conj),
    structural=True,
)


def _complex(x: Any, y: Any) -> Any:
    dtype = np.result_type(np.result_type(x, y), np.complex64)
    out = np.empty(np.broadcast_shapes(np.shape(x), np.shape(y)), dtype)
    out.real, out.imag = x, y
    return out if out.ndim else out[()]


complex_ = elementwise("complex", _complex, [_same, lambda t: t * 1j], scalar="complex")
"""`complex_(x, y)` is x + iy, with no arithmetic that could make infinities nan."""


def _convert(x: Any, *, dtype: Any) -> Any:
    if isinstance(x, (np.ndarray, np.generic)):
        return x.astype(dtype)
    return np.asarray(x).astype(dtype)[()]


convert = linear(
    "convert",
    _convert,
    _same,
    infer=lambda x, *, dtype: Aval(x.shape, np.dtype(dtype)),
    batch=_unary_batch(lambda: convert),
    structural=True,
)
copy = linear(
    "copy",
    lambda x: x.copy() if isinstance(x, np.ndarray) else np.asarray(x)[()],
    _same,
    infer=same,
    batch=_unary_batch(lambda: copy),
    structural=True,
)
stop_gradient = constant(
    "stop_gradient",
    lambda x: x.copy() if isinstance(x, np.ndarray) else x,  # callers may write to it
    infer=_same,
    batch=_unary_batch(lambda: stop_gradient),
)
