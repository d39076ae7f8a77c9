"""Pooling: extrema and means over windows.

Where a window of max pooling lies is a table per dimension, (outputs, kernel), of the
positions it reads; positions in the padding are replaced by the nearest ones inside.
The largest element is found without a derivative, its position is one number into the
flat input, and the result is read from there: so ties go to the first element, and
adaptive pooling, whose windows differ in length, is the same operation.

Means are sums along one dimension after the other, divided by how much they cover.

Public names: the functions, as in `torch.nn.functional`; `max_over`, `window_sums`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import numpy as fnp
from ...core.trace import aval_of
from ...ops.index_layout import ARRAY
from ...ops.indexing import getitem, take_along_axis
from ...ops.reductions import argmax
from ...ops.shape import reshape
from ..declare import composite
from ..tensor import Tensor
from .pool_geometry import (
    check_1d,
    check_pool,
    covered,
    out_size,
    outer,
    sizes_for,
    unbatched,
    window_table,
)

__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
]


def _at_tables(x: Any, tables: Sequence[Any]) -> Any:
    """Return what all windows read, shape ``(*lead, *outs, prod(kernel))``."""
    rank, shape = len(tables), aval_of(x).shape
    ids = []
    for i, table in enumerate(tables):
        sizes = [1] * (2 * rank)
        sizes[i], sizes[rank + i] = table.shape
        ids.append(table.reshape(sizes))
    block = getitem(x, *ids, index=(Ellipsis, *[ARRAY] * rank))
    outs = [len(t) for t in tables]
    count = math.prod(t.shape[1] for t in tables)
    return reshape(block, shape=(*shape[:-rank], *outs, count))


def _flat_positions(sizes: Sequence[int], tables: Sequence[Any]) -> Any:
    """Return the flat positions that windows read, shape ``(*outs, prod(kernel))``."""
    rank = len(tables)
    flat: Any = 0
    for i, (n, table) in enumerate(zip(sizes, tables, strict=True)):
        shape = [1] * (2 * rank)
        shape[i], shape[rank + i] = table.shape
        flat = flat * n + table.reshape(shape)
    return flat.reshape(*[len(t) for t in tables], -1)


def max_over(x: Any, *, tables: Sequence[Any]) -> tuple[Any, Any]:
    """Return the largest elements of windows and their flat positions."""
    rank, shape = len(tables), aval_of(x).shape
    lead, sizes = shape[:-rank], shape[-rank:]
    outs = tuple([len(t) for t in tables])
    best = argmax(_at_tables(x, tables), axis=len(lead) + rank)
    places = np.ix_(*[np.arange(o) for o in outs])
    flat = getitem(
        _flat_positions(sizes, tables), *places, best, index=(ARRAY,) * (rank + 1)
    )
    found = take_along_axis(
        reshape(x, shape=(*lead, math.prod(sizes))),
        reshape(flat, shape=(*lead, math.prod(outs))),
        axis=len(lead),
    )
    return reshape(found, shape=(*lead, *outs)), flat


_MAX = {
    rank: composite(f"MaxPool{rank}DWithIndicesBackward0", max_over) for rank in (2, 3)
}


def _max_pooling(name: str, rank: int) -> Callable[..., Any]:
    def pool(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        kernel = sizes_for(name, "kernel_size", kernel_size, rank)
        steps = kernel
        if stride is not None and stride != ():
            steps = sizes_for(name, "stride", stride, rank)
        pads = sizes_for(name, "padding", padding, rank)
        gaps = sizes_for(name, "dilation", dilation, rank)
        if 0 in steps:
            raise RuntimeError("stride should not be zero")
        unbatched(input, rank)
        geometry = list(
            zip(input.shape[-rank:], kernel, steps, pads, gaps, strict=True)
        )
        outs = [out_size(*g, ceil_mode) for g in geometry]
        check_pool(input, kernel, steps, pads, gaps, outs)
        tables = [
            window_table(n, o, *rest)
            for (n, *rest), o in zip(geometry, outs, strict=True)
        ]
        values, indices = _MAX[rank](input, tables=tables)
        return (values, indices) if return_indices else values

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = f"Return the largest elements of windows in {rank} dimensions."
    return pool


max_pool2d = _max_pooling("max_pool2d", 2)
max_pool3d = _max_pooling("max_pool3d", 3)


def max_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the largest elements of windows in one dimension."""
    if input.ndim not in (2, 3):
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch "
            f"size for input, but got:{list(input.shape)}"
        )
    k, p, d = (
        sizes_for("max_pool1d", what, value, 1)[0]
        for what, value in (
            ("kernel_size", kernel_size),
            ("padding", padding),
            ("dilation", dilation),
        )
    )
    s = k
    if stride is not None and stride != ():
        (s,) = sizes_for("max_pool1d", "stride", stride, 1)
    _check_max_pool1d(input.shape[-1], k, s, p, d, ceil_mode)
    wide = input.unsqueeze(-2)  # type: ignore[attr-defined]
    values, indices = max_pool2d(
        wide, (1, k), (1, s), (0, p), (1, d), ceil_mode, return_indices=True
    )
    values = values.squeeze(-2)
    return (values, indices.squeeze(-2)) if return_indices else values


def _check_max_pool1d(n: int, k: int, s: int, p: int, d: int, ceil: bool) -> None:
    for what, value in (("kernel_size", k), ("stride", s), ("dilation", d)):
        if value <= 0:
            raise RuntimeError(
                f"max_pool1d() {what} must be greater than zero, but got {value}"
            )
    if p < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {p}")
    if p > k // 2:
        raise RuntimeError(
            "max_pool1d() padding should be at most half of kernel size, but got "
            f"padding={p} and kernel_size={k}"
        )
    out = out_size(n, k, s, p, d, ceil)
    if out <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {out}")


def window_sums(x: Any, axis: int, out: int, k: int, s: int, p: int) -> Any:
    """Return the sums of windows along an axis, counting the padding as 0."""
    n = aval_of(x).shape[axis]
    over = max(0, (out - 1) * s + k - p - n)
    if p or over:
        widths = [(0, 0)] * len(aval_of(x).shape)
        widths[axis] = (p, over)
        x = fnp.pad(x, widths)
    before = (slice(None),) * axis
    total = None
    for j in range(k):
        part = getitem(x, index=(*before, slice(j, j + s * (out - 1) + 1, s)))
        total = part if total is None else total + part
    return total


def _avg_pool(x: Any, *, windows: Sequence[Any], divisor: Any) -> Any:
    """Return sums of windows, divided."""
    first = len(aval_of(x).shape) - len(windows)
    integer = aval_of(x).dtype.kind in "iu"
    for i, window in enumerate(windows):
        x = window_sums(x, first + i, *window)
    if integer:
        return x // np.asarray(divisor, np.int64)
    return x / np.asarray(divisor, aval_of(x).dtype)


_AVG = {rank: composite(f"AvgPool{rank}DBackward0", _avg_pool) for rank in (2, 3)}


def _avg_pooling(name: str, rank: int) -> Callable[..., Tensor]:
    def pool(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Tensor:
        kernel = sizes_for(name, "kernel_size", kernel_size, rank)
        steps = kernel
        if stride is not None and stride != ():
            steps = sizes_for(name, "stride", stride, rank)
        pads = sizes_for(name, "padding", padding, rank)
        if 0 in steps:
            raise RuntimeError("stride should not be zero")
        if divisor_override == 0:
            raise RuntimeError("divisor must be not zero")
        if input.ndim <= rank:
            raise IndexError(
                "Dimension out of range (expected to be in range of "
                f"[{-input.ndim}, {input.ndim - 1}], but got {-rank - 1})"
            )
        unbatched(input, rank)
        sizes = input.shape[-rank:]
        geometry = list(zip(sizes, kernel, steps, pads, strict=True))
        outs = [out_size(*g, 1, ceil_mode) for g in geometry]
        check_pool(input, kernel, steps, pads, (1,) * rank, outs)
        divisor: Any = divisor_override
        if divisor is None:
            divisor = outer(
                [
                    covered(n, o, *rest, count_include_pad)
                    for (n, *rest), o in zip(geometry, outs, strict=True)
                ]
            )
        windows = [(o, *g[1:]) for g, o in zip(geometry, outs, strict=True)]
        found: Tensor = _AVG[rank](input, windows=windows, divisor=divisor)
        return found

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = f"Return the means of windows in {rank} dimensions."
    return pool


avg_pool2d = _avg_pooling("avg_pool2d", 2)
avg_pool3d = _avg_pooling("avg_pool3d", 3)


def avg_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Return the means of windows in one dimension."""
    check_1d("avg_pool1d", input)
    (k,) = sizes_for("avg_pool1d", "kernel_size", kernel_size, 1)
    (p,) = sizes_for("avg_pool1d", "padding", padding, 1)
    s = k
    if stride is not None and stride != ():
        (s,) = sizes_for("avg_pool1d", "stride", stride, 1)
    wide = input.unsqueeze(-2)  # type: ignore[attr-defined]
    out: Any = avg_pool2d(wide, (1, k), (1, s), (0, p), ceil_mode, count_include_pad)
    return out.squeeze(-2)  # type: ignore[no-any-return]
