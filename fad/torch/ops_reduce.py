"""Reductions: sums, means, products, truth, counts.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.primitive import Primitive
from ..core.trace import aval_of
from ..ops import comparison, reductions
from ..ops.arithmetic import convert
from ..ops.means import reduce_mean
from ..ops.shape import reshape
from .conversion import cast
from .declare import composite, function, functions
from .dims import axes_of, axis_of, kept_shape
from .dtypes import DTYPES, dtype, to_numpy
from .node import node_type
from .tape import record
from .tensor import Tensor

__all__ = ["as_dims", "keeping", "noted", "reduced", "widened", "without_axes"]

_SUM_ALL = node_type("SumBackward0")
_SUM_SOME = node_type("SumBackward1")
_INT64 = DTYPES["int64"].numpy


def widened(x: Tensor, dtype: dtype | None) -> Tensor:
    """Return the tensor in the dtype asked for, or with integers as int64."""
    if dtype is not None:
        return cast(x, to_numpy(dtype))
    return cast(x, _INT64) if x.aval.dtype.kind in "biu" else x


@function("sum")
def sum_(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """Return the sum of all elements, or along dimensions."""
    input = widened(input, dtype)
    axes = axes_of(dim, input.ndim)
    if dim is None and not keepdim:
        return record(reductions.reduce_sum, _SUM_ALL, (input,), {"axis": axes})
    out = reduced(input, _SUM_SOME, _sum_kept, axes, keepdim)
    return noted(out, dim=as_dims(dim), keepdim=keepdim)


def noted(out: Tensor, **names: Any) -> Tensor:
    """Let the node of a result show parameters: ``node._saved_dim`` and the like.

    Dimensions are shown as PyTorch does: as they were given, modulo 2**64.
    """
    if out.grad_fn is None:
        return out
    for name in ("dim", "dim0", "dim1"):
        if name in names:
            names[name] = _unsigned(names[name])
    node = out.payload.eqn
    node.extra = names if node.extra is None else node.extra | names
    return out


def _unsigned(dim: Any) -> Any:
    if isinstance(dim, (tuple, list)):
        return tuple(int(d) % 2**64 for d in dim)
    return None if dim is None else int(dim) % 2**64


def as_dims(dim: Any) -> Any:
    """Return one dimension as a tuple, where a node shows several."""
    return dim if dim is None or isinstance(dim, (tuple, list)) else (dim,)


def reduced(
    x: Tensor, cls: type, kept: Any, axes: tuple[int, ...], keepdim: bool
) -> Tensor:
    """Reduce by a primitive, whose composite `kept` keeps the dimensions."""
    prim, apply = kept
    axes = tuple(sorted(axes))
    if not keepdim:
        return record(prim, cls, (x,), {"axis": axes})
    out: Tensor = apply(x, axis=axes, shape=kept_shape(x.shape, axes))
    return out


def keeping(node: str, prim: Primitive) -> tuple[Primitive, Any]:
    def run(x: Any, *, axis: Any, shape: Any) -> Any:
        return reshape(prim(x, axis=axis), shape=shape)

    return prim, composite(node, run)


_sum_kept = keeping("SumBackward1", reductions.reduce_sum)


def without_axes(x: Any, axes: tuple[int, ...], keepdim: bool) -> Any:
    """Drop dimensions of length 1, or keep them."""
    if keepdim:
        return x
    shape = aval_of(x).shape
    return reshape(x, shape=tuple(n for i, n in enumerate(shape) if i not in axes))


_MEAN_ALL, _MEAN_SOME = node_type("MeanBackward0"), node_type("MeanBackward1")
_mean_kept = keeping("MeanBackward1", reduce_mean)


@function("mean")
def mean(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """Return the mean of all elements, or along dimensions."""
    if dtype is not None:
        input = cast(input, to_numpy(dtype))
    if input.aval.dtype.kind not in "fc":
        whose = "Input" if dtype is None else "Optional"
        raise RuntimeError(
            f"mean(): could not infer output dtype. {whose} dtype must be either a "
            f"floating point or complex dtype. Got: {input.dtype.title}"
        )
    axes = axes_of(dim, input.ndim)
    if dim is None and not keepdim:
        return record(reduce_mean, _MEAN_ALL, (input,), {"axis": axes})
    out = reduced(input, _MEAN_SOME, _mean_kept, axes, keepdim)
    return noted(out, dim=as_dims(dim), keepdim=keepdim)


_PROD_ALL = node_type("ProdBackward0")
_PROD_ONE = node_type("ProdBackward1")
_prod_kept = keeping("ProdBackward1", reductions.reduce_prod)


@function("prod")
def prod(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """Return the product of all elements, or along a dimension."""
    input = widened(input, dtype)
    if dim is None:
        axes = tuple(range(input.ndim))
        return record(reductions.reduce_prod, _PROD_ALL, (input,), {"axis": axes})
    axes = _one(dim, input)
    out = reduced(input, _PROD_ONE, _prod_kept, axes, keepdim)
    return noted(out, dim=dim, keepdim=keepdim)


def _one(dim: Any, x: Tensor) -> tuple[int, ...]:
    axis = axis_of(dim, x.ndim)
    return (axis,) if x.ndim else ()


def _truth(name: str, prim: Primitive) -> None:
    kept = keeping("TruthBackward0", prim)

    def call(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        axes = axes_of(dim, input.ndim) if dim != () else ()
        if dim is None:
            axes = tuple(range(input.ndim))
        out = reduced(input, node_type("TruthBackward0"), kept, axes, keepdim)
        return out.to(DTYPES["uint8"]) if input.aval.dtype == np.uint8 else out  # type: ignore[attr-defined]

    call.__doc__ = f"Tell whether {name} elements are true."
    function(name)(call)


_truth("all", reductions.reduce_and)
_truth("any", reductions.reduce_or)


def _nonzeros(x: Any, *, axis: Any) -> Any:
    return reductions.reduce_sum(comparison.ne(x, 0), axis=axis)


_count = composite("CountBackward0", _nonzeros)


@function("count_nonzero", out=False)
def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """Return the number of elements that are not zero."""
    out: Tensor = _count(input, axis=tuple(sorted(axes_of(dim, input.ndim))))
    return out


def _numbers_sum(x: Any, *, axis: Any, keepdim: bool) -> Any:
    if aval_of(x).dtype.kind in "fc":
        x = comparison.where(comparison.isnan(x), 0, x)
    total = reductions.reduce_sum(x, axis=axis)
    shape = kept_shape(aval_of(x).shape, axis)
    return reshape(total, shape=shape) if keepdim else total


_nansum = composite("NansumBackward0", _numbers_sum)


@function("nansum")
def nansum(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """Return the sum of the elements that are numbers."""
    axes = tuple(sorted(axes_of(dim, input.ndim)))
    out: Tensor = _nansum(widened(input, dtype), axis=axes, keepdim=keepdim)
    return out


@function("nanmean")
def nanmean(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """Return the mean of the elements that are numbers."""
    if input.aval.dtype.kind not in "fc":
        raise RuntimeError(
            "nanmean(): expected input to have floating point or complex dtype but got "
            f"{input.dtype.title}"
        )
    numbers = functions["logical_not"](functions["isnan"](input))
    count = sum_(numbers, dim, keepdim)
    return functions["div"](nansum(input, dim, keepdim, dtype=dtype), count)


def as_dtype(x: Any, d: np.dtype[Any]) -> Any:
    """Return a value in a dtype."""
    return x if aval_of(x).dtype == d else convert(x, dtype=d)
