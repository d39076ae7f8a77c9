"""Where the windows of pooling lie, and the checks of their sizes.

Public names: `sizes_for`, `out_size`, `window_table`, `region_table`, `regions`, `covered`,
`outer`, `check_pool`, `check_1d`, `unbatched`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..tensor import Tensor

__all__ = [
    "check_1d",
    "check_pool",
    "covered",
    "out_size",
    "outer",
    "region_table",
    "regions",
    "sizes_for",
    "unbatched",
    "window_table",
]

_WORDS = {1: "one int", 2: "two ints", 3: "three ints"}
_AXES = {2: "HW", 3: "THW"}


def sizes_for(name: str, what: str, value: Any, rank: int) -> tuple[int, ...]:
    """Return a size for each dimension.

    Raises:
        RuntimeError: there is another number of them.
    """
    if isinstance(value, (tuple, list)):
        found = tuple(int(v) for v in value)
        found = found * rank if len(found) == 1 else found
    else:
        found = (int(value),) * rank
    if len(found) != rank:
        raise RuntimeError(
            f"{name}: {what} must either be a single int, or a tuple of {_WORDS[rank]}"
        )
    return found


def out_size(n: int, k: int, s: int, p: int, d: int, ceil: bool) -> int:
    """Return the number of windows along a dimension.

    With `ceil`, a last window may hang over the end if it begins before it.
    """
    out = (n + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil else 0)) // s + 1
    if ceil and (out - 1) * s >= n + p:
        out -= 1
    return out


def window_table(n: int, out: int, k: int, s: int, p: int, d: int) -> Any:
    """Return the positions that windows read, shape ``(out, k)``, all of them inside.

    One in the padding is replaced by the nearest of its window that is not.
    """
    table = np.arange(out)[:, None] * s - p + np.arange(k) * d
    inside = (table >= 0) & (table < n)
    first = np.where(inside, table, n).min(1, keepdims=True)
    last = np.where(inside, table, -1).max(1, keepdims=True)
    return np.clip(table, first, last)


def region_table(n: int, out: int) -> Any:
    """Return the positions that adaptive regions read; short ones repeat their last."""
    starts, ends = regions(n, out)
    longest = int((ends - starts).max()) if out else 1
    return np.minimum(starts[:, None] + np.arange(longest), ends[:, None] - 1)


def regions(n: int, out: int) -> tuple[Any, Any]:
    """Return where each of `out` regions of n positions begins and ends."""
    i = np.arange(out)
    return i * n // out, -((i + 1) * n // -out)


def covered(n: int, out: int, k: int, s: int, p: int, count_pad: bool) -> Any:
    """Return how many positions each window counts."""
    start = np.arange(out) * s - p
    end = np.minimum(start + k, n + p)
    if count_pad:
        return end - start
    return np.minimum(end, n) - np.maximum(start, 0)


def check_pool(
    x: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    outs: Sequence[int],
) -> None:
    """Raise if windows make no sense.

    Raises:
        RuntimeError: saying which size does not fit.
    """
    rank = len(kernel)
    if any(k <= 0 for k in kernel):
        shown = _named("k", kernel)
        raise RuntimeError(f"kernel size should be greater than zero, but got {shown}")
    if any(d <= 0 for d in dilation):
        raise RuntimeError(
            f"dilation should be greater than zero, but got {_named('dilation', dilation)}"
        )
    for p, k, d in zip(padding, kernel, dilation, strict=True):
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > ((k - 1) * d + 1) // 2:
            raise RuntimeError(
                "pad should be at most half of effective kernel size, but got "
                f"pad={p}, kernel_size={k} and dilation={d}"
            )
    if any(o < 1 for o in outs):
        sizes = (*x.shape[-rank - 1 :],)
        before = "x".join(map(str, sizes))
        after = "x".join(map(str, (sizes[0], *outs)))
        raise RuntimeError(
            f"Given input size: ({before}). Calculated output size: ({after}). Output "
            "size is too small"
        )


def _named(what: str, values: Sequence[int]) -> str:
    return " ".join(
        f"{what}{axis}: {v}" for axis, v in zip(_AXES[len(values)], values, strict=True)
    )


def unbatched(x: Tensor, rank: int) -> None:
    """Raise unless there are one or two dimensions before the pooled ones."""
    sizes = x.shape[1:] if x.ndim == rank + 2 else x.shape
    if x.ndim not in (rank + 1, rank + 2) or 0 in sizes:
        raise RuntimeError(
            f"non-empty {rank + 1}D or {rank + 2}D (batch mode) tensor expected for input"
        )


def outer(counts: Sequence[Any]) -> Any:
    """Return the products of counts along dimensions; one number if all are equal."""
    total = counts[0]
    for count in counts[1:]:
        total = total[..., None] * count
    return total.flat[0] if (total == total.flat[0]).all() else total


def check_1d(name: str, x: Tensor) -> None:
    if x.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {x.ndim}-dimensional tensor for "
            f"argument #1 'self' (while checking arguments for {name})"
        )
