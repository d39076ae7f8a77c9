"""Running sums, products and extrema; differences and integrals along a dimension.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.primitive import Primitive
from ..core.trace import aval_of
from ..ops import comparison, cumulative
from ..ops.arithmetic import stop_gradient
from ..ops.elementary import exp, log
from ..ops.indexing import slice_along, take_along_axis
from ..ops.shape import concatenate, reshape
from .declare import composite, function, functions
from .dims import axis_of
from .dtypes import dtype
from .node import node_type
from .ops_elementary import as_floating
from .ops_reduce import noted, widened
from .return_types import returned
from .tape import record
from .tensor import Tensor

__all__: list[str] = []


def _lifted(fun: Any) -> Any:
    """Return a function along an axis that takes 0-dim values too."""

    def run(x: Any, *, axis: int) -> Any:
        if aval_of(x).shape:
            return fun(x, axis)
        out = fun(reshape(x, shape=(1,)), 0)
        if isinstance(out, tuple):
            return tuple(reshape(o, shape=()) for o in out)
        return reshape(out, shape=())

    return run


_CUMSUM, _CUMPROD = node_type("CumsumBackward0"), node_type("CumprodBackward0")
_cumsum = composite(
    "CumsumBackward0",
    _lifted(lambda x, axis: cumulative.cumsum(x, axis=axis, reverse=False)),
)
_cumprod = composite(
    "CumprodBackward0", _lifted(lambda x, axis: cumulative.cumprod(x, axis=axis))
)


@function("cumsum", inplace=True)
def cumsum(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """Return running sums along a dimension."""
    axis, x = axis_of(dim, input.ndim), widened(input, dtype)
    if not x.ndim:
        return noted(_cumsum(x, axis=axis), dim=dim)
    params = {"axis": axis, "reverse": False}
    return noted(record(cumulative.cumsum, _CUMSUM, (x,), params), dim=dim)


@function("cumprod", inplace=True)
def cumprod(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """Return running products along a dimension."""
    axis, x = axis_of(dim, input.ndim), widened(input, dtype)
    if not x.ndim:
        return noted(_cumprod(x, axis=axis), dim=dim)
    return noted(record(cumulative.cumprod, _CUMPROD, (x,), {"axis": axis}), dim=dim)


def _running(name: str, position: Primitive) -> None:
    def run(x: Any, axis: int) -> tuple[Any, Any]:
        at = position(x, axis=axis)
        return take_along_axis(x, at, axis=axis), at

    apply = composite(f"{name.capitalize()}Backward0", _lifted(run))

    def call(input: Tensor, dim: int) -> Any:
        return returned(name, *apply(input, axis=axis_of(dim, input.ndim)))

    call.__doc__ = f"Return {name} along a dimension, and where; the last of ties."
    function(name)(call)


_running("cummax", cumulative.cumargmax)
_running("cummin", cumulative.cumargmin)


def _running_log_sum(x: Any, axis: int) -> Any:
    """Return log of running sums of exp, each relative to its running maximum.

    The elements before position k are weighed by exp(x - top[k]); moving from one top
    to the next is a factor exp(top[k-1] - top[k]) <= 1, a linear recurrence.
    """
    fixed = stop_gradient(x)
    top = cumulative.cummax(fixed, axis)
    top = comparison.where(comparison.isfinite(top), top, 0)
    n = aval_of(x).shape[axis]
    if not n:
        return x
    before = slice_along(top, 0, n - 1, axis)
    steps = exp(before - slice_along(top, 1, n, axis))
    first = slice_along(top, 0, 1, axis) * 0
    sums = cumulative.recurrence(
        concatenate(first, steps, axis=axis), exp(x - top), axis=axis, reverse=False
    )
    return log(sums) + top


_log_sums = composite("LogcumsumexpBackward0", _lifted(_running_log_sum))


@function("logcumsumexp")
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """Return log of running sums of exp along a dimension."""
    axis = axis_of(dim, input.ndim)
    out: Tensor = _log_sums(as_floating(input), axis=axis)
    return out


@function("diff")
def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """Return the n-th differences along a dimension."""
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    if not input.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    axis = axis_of(dim, input.ndim)
    parts = [p for p in (prepend, input, append) if p is not None]
    x = functions["cat"](parts, axis) if len(parts) > 1 else input
    for _ in range(n):
        length = x.shape[axis]
        count = max(length - 1, 0)
        late = x.narrow(axis, length - count, count)
        early = x.narrow(axis, 0, count)
        combine = "logical_xor" if x.aval.dtype.kind == "b" else "sub"
        x = functions[combine](late, early)
    return x


def _heights(y: Tensor, dim: int) -> tuple[int, Tensor, Tensor]:
    axis = axis_of(dim, y.ndim)
    count = max(y.shape[axis] - 1, 0)
    left = y.narrow(axis, 0, count)  # type: ignore[attr-defined]
    return axis, left, y.narrow(axis, y.shape[axis] - count, count)  # type: ignore[attr-defined]


def _areas(y: Tensor, x: Tensor | None, dx: Any, dim: int) -> tuple[int, Any]:
    """Return twice the areas of the trapezia under a curve."""
    axis, left, right = _heights(y, dim)
    heights = functions["add"](left, right)
    if x is None:
        return axis, functions["mul"](heights, dx)
    if x.ndim == 1 and y.ndim > 1:
        x = x.reshape([-1 if a == axis else 1 for a in range(y.ndim)])  # type: ignore[attr-defined]
    widths = diff(x, dim=axis if x.ndim == y.ndim else -1)
    return axis, functions["mul"](heights, widths)


@function("trapezoid", "trapz", methods=False, out=False)
def trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: Any = 1, dim: int = -1
) -> Tensor:
    """Return the integral along a dimension by the trapezoidal rule."""
    axis, areas = _areas(y, x, dx, dim)
    return areas.sum(axis) * 0.5  # type: ignore[no-any-return]


@function("cumulative_trapezoid", methods=False, out=False)
def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: Any = 1, dim: int = -1
) -> Tensor:
    """Return the running integral along a dimension by the trapezoidal rule."""
    axis, areas = _areas(y, x, dx, dim)
    return areas.cumsum(axis) * 0.5  # type: ignore[no-any-return]


@function("gradient", methods=False, out=False)
def gradient(
    input: Tensor, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1
) -> tuple[Tensor, ...]:
    """Return the slope along each dimension, by central differences."""
    from .. import numpy as fnp

    dims = range(input.ndim) if dim is None else dim
    axes = [
        axis_of(d, input.ndim) for d in (dims if isinstance(dims, Sequence) else [dims])
    ]
    steps = spacing if isinstance(spacing, (tuple, list)) else [spacing] * len(axes)
    steps = [s.numpy() if isinstance(s, Tensor) else s for s in steps]
    apply = composite(
        "CatBackward0",
        lambda x, *, axis, step: fnp.gradient(
            x, step, axis=axis, edge_order=edge_order
        ),
    )
    return tuple(apply(input, axis=a, step=s) for a, s in zip(axes, steps, strict=True))
