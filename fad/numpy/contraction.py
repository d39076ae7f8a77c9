"""Products of arrays: dot, matmul, einsum and their relatives.

All are multilinear: the derivative with respect to one factor is the same kind of
product of the others, and nothing but the factors is kept.

>>> import fad, fad.numpy as fnp
>>> import numpy as np
>>> a = np.arange(4.0).reshape(2, 2)
>>> fad.grad(lambda a: fnp.einsum("ii->", a) ** 2)(a)
array([[6., 0.],
       [0., 6.]])

Public names: `dot vdot inner outer matmul vecdot matvec vecmat tensordot einsum
einsum_path kron cross trace`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from ..ops import contraction as ops
from ..ops.arithmetic import conj, mul
from ..ops.cross_product import cross as cross3
from ..ops.einsum import einsum as sum_products
from ..ops.einsum import parse
from ..ops.indexing import slice_along
from ..ops.infer_rules import normalize_axes
from ..ops.reductions import reduce_sum
from ..ops.shape import concatenate, diagonal, move_axis, reshape
from .convert import cast, no_out, operand, result_dtype
from .dispatch import implements
from .ufunc import Ufunc, register

__all__ = [
    "cross",
    "dot",
    "einsum",
    "einsum_path",
    "inner",
    "kron",
    "matmul",
    "outer",
    "tensordot",
    "trace",
    "vdot",
    "vecdot",
]


def flat(x: Any) -> Any:
    """Return `x` with one axis."""
    aval = aval_of(x)
    if len(aval.shape) == 1:
        return x
    return reshape(_strong(x), shape=(aval.size,))


def _conj(x: Any) -> Any:
    return conj(x) if aval_of(x).dtype.kind == "c" else x


@implements(np.dot)
def dot(a: Any, b: Any, out: Any = None) -> Any:
    """Sum products over the last axis of `a` and the last but one of `b`."""
    no_out("dot", out)
    a, b = operand(a), operand(b)
    rank_a, rank_b = aval_of(a).ndim, aval_of(b).ndim
    if rank_a == 0 or rank_b == 0:
        return mul(a, b)
    if rank_b == 1 or (rank_a <= 2 and rank_b == 2):
        return ops.matmul(a, b)
    return ops.tensordot(a, b, ((rank_a - 1,), (rank_b - 2,)))


@implements(np.vdot)
def vdot(a: Any, b: Any, /) -> Any:
    """Sum the products of conj(a) and b over all elements."""
    return ops.matmul(_conj(flat(operand(a))), flat(operand(b)))


@implements(np.inner)
def inner(a: Any, b: Any, /) -> Any:
    """Sum products over the last axes of `a` and `b`."""
    a, b = operand(a), operand(b)
    rank_a, rank_b = aval_of(a).ndim, aval_of(b).ndim
    if rank_a == 0 or rank_b == 0:
        return mul(a, b)
    if rank_b == 1:
        return ops.matmul(a, b)
    return ops.tensordot(a, b, ((rank_a - 1,), (rank_b - 1,)))


@implements(np.outer)
def outer(a: Any, b: Any, out: Any = None) -> Any:
    """Multiply every element of `a` by every element of `b`."""
    no_out("outer", out)
    return ops.outer(flat(operand(a)), flat(operand(b)))


@implements(np.tensordot)
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Sum products over `axes`: a number of last and first axes, or a pair of lists."""
    a, b = operand(a), operand(b)
    rank_a, rank_b = aval_of(a).ndim, aval_of(b).ndim
    if isinstance(axes, Sequence) or isinstance(axes, np.ndarray):
        axes_a, axes_b = (np.atleast_1d(np.asarray(s, int)).tolist() for s in axes)
    else:
        axes_a, axes_b = list(range(rank_a - axes, rank_a)), list(range(axes))
    if len(axes_a) != len(axes_b):
        raise ValueError(
            f"shape-mismatch for sum: tensordot got {len(axes_a)} axes of a and "
            f"{len(axes_b)} of b"
        )
    for chosen, rank in ((axes_a, rank_a), (axes_b, rank_b)):
        normalize_axes(tuple(chosen), rank)
    axes_a = [i % rank_a for i in axes_a]
    axes_b = [i % rank_b for i in axes_b]
    shape_a, shape_b = aval_of(a).shape, aval_of(b).shape
    if [shape_a[i] for i in axes_a] != [shape_b[i] for i in axes_b]:
        raise ValueError(
            f"shape-mismatch for sum: tensordot over axes {axes_a} of {shape_a} and "
            f"{axes_b} of {shape_b}"
        )
    return ops.tensordot(a, b, (axes_a, axes_b))


@implements(np.einsum)
def einsum(
    *operands: Any,
    out: Any = None,
    optimize: Any = False,
    dtype: Any = None,
    order: Any = "K",
    casting: Any = "safe",
) -> Any:
    """Sum products as the subscripts say, in NumPy's two call forms.

    Subscripts may repeat (diagonals), be summed alone, be left to "..." and broadcast.
    More than two operands are contracted pair by pair, in the order that
    `optimize="greedy"` finds unless another path is given.
    """
    no_out("einsum", out)
    spec: Any
    if isinstance(operands[0], str):
        spec, arrays, target = operands[0], operands[1:], None
    else:
        paired = len(operands) // 2 * 2
        spec, arrays = operands[1:paired:2], operands[:paired:2]
        target = operands[-1] if len(operands) % 2 else None
    arrays = tuple([_strong(operand(a)) for a in arrays])
    if dtype is None and len({aval_of(a).dtype for a in arrays}) > 1:
        dtype = result_dtype(*arrays)
    arrays = tuple([cast(a, dtype) for a in arrays])
    summation = parse(spec, [aval_of(a).ndim for a in arrays], target)
    return sum_products(summation, arrays, optimize)


def _strong(x: Any) -> Any:
    return cast(x, aval_of(x).dtype)


@implements(np.einsum_path)
def einsum_path(
    *operands: Any, optimize: Any = "greedy", einsum_call: Any = False
) -> Any:
    """Find the order of contractions; only shapes matter."""
    shown = [
        np.broadcast_to(np.empty((), x.dtype), x.shape) if isinstance(x, Tracer) else x
        for x in operands
    ]
    return np.einsum_path(*shown, optimize=optimize, einsum_call=einsum_call)


@implements(np.kron)
def kron(a: Any, b: Any) -> Any:
    """Multiply `b` as a block by every element of `a`."""
    a, b = _strong(operand(a)), _strong(operand(b))
    rank = max(aval_of(a).ndim, aval_of(b).ndim)
    a, b = _at_rank(a, rank), _at_rank(b, rank)
    xs, ys = ops.LABELS[:rank], ops.LABELS[rank : 2 * rank]
    pairs = "".join(x + y for x, y in zip(xs, ys, strict=True))
    shapes = zip(aval_of(a).shape, aval_of(b).shape, strict=True)
    blocks = ops.contract(a, b, spec=f"{xs},{ys}->{pairs}")
    return reshape(blocks, shape=tuple(m * n for m, n in shapes))


def _at_rank(x: Any, rank: int) -> Any:
    shape = aval_of(x).shape
    return (
        x
        if len(shape) == rank
        else reshape(x, shape=(1,) * (rank - len(shape)) + shape)
    )


@implements(np.cross)
def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None
) -> Any:
    """Return the vector product of vectors along `axis` (or `axisa`, `axisb`)."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = _at_end(operand(a), axisa), _at_end(operand(b), axisb)
    sizes = aval_of(a).shape[-1], aval_of(b).shape[-1]
    if not set(sizes) <= {2, 3}:
        raise ValueError(
            "incompatible dimensions for cross product (dimension must be 2 or 3), "
            f"got vectors of sizes {sizes}"
        )
    if 2 in sizes:
        warnings.warn(
            "Arrays of 2-dimensional vectors are deprecated. Use arrays of "
            "3-dimensional vectors instead.",
            DeprecationWarning,
            stacklevel=3,
        )
    out = cross3(_third(a), _third(b))
    last = aval_of(out).ndim - 1
    if sizes == (2, 2):
        z = slice_along(out, 2, 3, last)
        return reshape(z, shape=aval_of(out).shape[:-1])
    (target,) = normalize_axes(axisc, last + 1)
    return move_axis(out, last, target)


def _at_end(x: Any, axis: int) -> Any:
    rank = aval_of(x).ndim
    (source,) = normalize_axes(axis, rank)
    return move_axis(x, source, rank - 1)


def _third(x: Any) -> Any:
    """Give vectors of two components a third, zero."""
    aval = aval_of(x)
    if aval.shape[-1] == 3:
        return x
    zero = np.zeros((*aval.shape[:-1], 1), aval.dtype)
    return concatenate(x, zero, axis=len(aval.shape) - 1)


@implements(np.trace)
def trace(
    a: Any,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    """Sum a diagonal."""
    no_out("trace", out)
    a = operand(a)
    rank = aval_of(a).ndim
    (first,), (second,) = normalize_axes(axis1, rank), normalize_axes(axis2, rank)
    d = diagonal(a, offset=int(offset), axis1=first, axis2=second)
    return reduce_sum(cast(d, dtype), axis=(rank - 2,))


class _AxisUfunc(Ufunc):
    """A product of vectors, which may lie along another axis than the last."""

    def traced(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        kwargs = dict(kwargs)
        axis = kwargs.pop("axis", -1)
        if axis != -1:
            args = (*[_at_end(operand(a), axis) for a in args[:2]], *args[2:])
        return super().traced(args, kwargs)


def _broadcast_product(spec: str, a: Any, b: Any) -> Any:
    summation = parse(spec, (aval_of(a).ndim, aval_of(b).ndim))
    return sum_products(summation, (a, b))


def _matvec(a: Any, b: Any) -> Any:
    if aval_of(b).ndim == 1:
        return ops.matmul(a, b)
    return _broadcast_product("...mn,...n->...m", a, b)


def _vecmat(a: Any, b: Any) -> Any:
    if aval_of(a).ndim == 1:
        return ops.matmul(_conj(a), b)
    return _broadcast_product("...m,...mn->...n", _conj(a), b)


matmul = register(np.matmul, ops.matmul)
vecdot = register(
    np.vecdot,
    lambda a, b: _broadcast_product("...i,...i->...", _conj(a), b),
    kind=_AxisUfunc,
)
for _name, _product in (("matvec", _matvec), ("vecmat", _vecmat)):
    if _name in vars(np):  # NumPy 2.2 and later
        globals()[_name] = register(vars(np)[_name], _product)
        __all__.append(_name)
del _name, _product

Tracer.dot = lambda self, b, out=None: dot(self, b, out)  # type: ignore[attr-defined]
Tracer.trace = (  # type: ignore[attr-defined]
    lambda self, offset=0, axis1=0, axis2=1, dtype=None, out=None: trace(
        self, offset, axis1, axis2, dtype, out
    )
)
