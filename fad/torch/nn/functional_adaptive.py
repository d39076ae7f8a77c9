"""Adaptive pooling: the size of the result is given, and the windows follow from it.

Region i of `out` along n positions is [floor(i n / out), ceil((i + 1) n / out)).

Public names: the functions, as in `torch.nn.functional`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import numpy as fnp
from ...core.trace import aval_of
from ..declare import composite
from ..tensor import Tensor
from .functional_pool import max_over, window_sums
from .pool_geometry import check_1d, outer, region_table, regions

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
]


def _region_sums(x: Any, axis: int, out: int) -> Any:
    """Return the sums of regions along an axis."""
    n, dtype = aval_of(x).shape[axis], aval_of(x).dtype
    if out and n % out == 0:
        return window_sums(x, axis, out, n // out, n // out, 0)
    starts, ends = regions(n, out)
    i = np.arange(n)
    member = (i >= starts[:, None]) & (i < ends[:, None])
    return fnp.moveaxis(fnp.tensordot(x, member.astype(dtype), (axis, 1)), -1, axis)


def _adaptive_avg(x: Any, *, outs: Sequence[int]) -> Any:
    shape = aval_of(x).shape
    first = len(shape) - len(outs)
    counts = []
    for i, out in enumerate(outs):
        starts, ends = regions(shape[first + i], out)
        counts.append(ends - starts)
        x = _region_sums(x, first + i, out)
    return x / np.asarray(outer(counts) if 0 not in outs else 1, aval_of(x).dtype)


_AVG = {
    rank: composite(f"AdaptiveAvgPool{rank}DBackward0", _adaptive_avg)
    for rank in (2, 3)
}


_MAX = {
    rank: composite(f"AdaptiveMaxPool{rank}DBackward0", max_over) for rank in (2, 3)
}


def _out_sizes(name: str, output_size: Any, x: Tensor, rank: int) -> tuple[int, ...]:
    """Return the sizes asked for; None is the input's."""
    given = (
        output_size if isinstance(output_size, (tuple, list)) else (output_size,) * rank
    )
    if len(given) != rank:
        raise RuntimeError(f"{name}: output_size must be {rank}")
    outs = tuple(
        [
            n if o is None else int(o)
            for o, n in zip(given, x.shape[-rank:], strict=True)
        ]
    )
    if any(o < 0 for o in outs):
        shown = ", ".join(map(str, outs))
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but "
            f"received {{{shown}}}"
        )
    return outs


def _adaptive_mean(name: str, rank: int) -> Callable[..., Tensor]:
    def pool(input: Tensor, output_size: Any) -> Tensor:
        if input.ndim not in (rank + 1, rank + 2):
            raise RuntimeError(
                f"{name}(): Expected {rank + 1}D or {rank + 2}D tensor, but got "
                f"{list(input.shape)}"
            )
        outs = _out_sizes(name, output_size, input, rank)
        if outs == (1,) * rank:
            dims = tuple(range(-rank, 0))
            return input.mean(dims, True)  # type: ignore[attr-defined,no-any-return]
        found: Tensor = _AVG[rank](input, outs=outs)
        return found

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = (
        f"Return means over regions so many that the size in {rank}-D is given."
    )
    return pool


adaptive_avg_pool2d = _adaptive_mean("adaptive_avg_pool2d", 2)
adaptive_avg_pool3d = _adaptive_mean("adaptive_avg_pool3d", 3)


def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """Return means over regions so many that the length is as given."""
    check_1d("adaptive_avg_pool1d", input)
    (out,) = _out_sizes("adaptive_avg_pool1d", output_size, input, 1)
    wide = input.unsqueeze(-2)  # type: ignore[attr-defined]
    found: Any = _AVG[2](wide, outs=(1, out))
    return found.squeeze(-2)  # type: ignore[no-any-return]


def _adaptive_max(name: str, rank: int) -> Callable[..., Any]:
    def pool(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
        if input.ndim not in (rank + 1, rank + 2):
            raise RuntimeError(
                f"{name}(): Expected {rank + 1}D or {rank + 2}D tensor, but got: "
                f"{list(input.shape)}"
            )
        outs = _out_sizes(name, output_size, input, rank)
        sizes = input.shape[-rank:]
        tables = [region_table(n, o) for n, o in zip(sizes, outs, strict=True)]
        values, indices = _MAX[rank](input, tables=tables)
        return (values, indices) if return_indices else values

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = f"Return the largest elements of regions, in {rank} dimensions."
    return pool


adaptive_max_pool2d = _adaptive_max("adaptive_max_pool2d", 2)
adaptive_max_pool3d = _adaptive_max("adaptive_max_pool3d", 3)


def adaptive_max_pool1d(
    input: Tensor, output_size: Any, return_indices: bool = False
) -> Any:
    """Return the largest elements of regions in one dimension."""
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"adaptive_max_pool1d(): Expected 2D or 3D tensor, but got: {list(input.shape)}"
        )
    (out,) = _out_sizes("adaptive_max_pool1d", output_size, input, 1)
    wide = input.unsqueeze(-2)  # type: ignore[attr-defined]
    values, indices = adaptive_max_pool2d(wide, (1, out), True)
    values = values.squeeze(-2)
    return (values, indices.squeeze(-2)) if return_indices else values
