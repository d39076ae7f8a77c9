"""How a convolution is computed: as products of matrices, on NumPy arrays.

Where many outputs come of few inputs, and where many channels become few, each element
is multiplied by the whole kernel and the products are added up where they land. Else
the windows are strided views of x, laid out as columns or rows ("im2col") a few
examples at a time, so that the copies stay in the cache.

Public names: `Window`, `correlate`, `extent`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..core.avals import Aval

__all__ = ["Window", "correlate", "extent"]


class Window(NamedTuple):
    """How a kernel slides: a tuple for each field, with an entry for each dimension.

    Attributes:
        strides: steps between neighbouring outputs.
        padding: (before, after), numbers of zeros at the ends; negative ones crop.
        spread: x gets `spread` - 1 zeros between neighbours, before the padding.
        dilation: steps between neighbouring elements of the kernel.
    """

    strides: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]
    spread: tuple[int, ...]
    dilation: tuple[int, ...]

    @classmethod
    def plain(cls, rank: int, pad: int = 0) -> Window:
        """Return the window of steps of one, with equal padding everywhere."""
        ones = (1,) * rank
        return cls(ones, ((pad, pad),) * rank, ones, ones)

    def out_sizes(self, sizes: Sequence[int], kernel: Sequence[int]) -> tuple[int, ...]:
        """Return the sizes of the output."""
        return tuple(
            max(0, (extent(n, s) + lo + hi - extent(k, d)) // step + 1)
            for n, k, step, (lo, hi), s, d in zip(sizes, kernel, *self, strict=True)
        )


def extent(n: int, step: int) -> int:
    """Return the length that `n` elements take at distances of `step`."""
    return (n - 1) * step + 1 if n > 0 else 0


def correlate(x: Any, w: Any, out: Aval, window: Window, groups: int) -> Any:
    """Return the correlation of x with w, whose aval is `out`."""
    if 0 in (out.size, w.size, x.size):
        return np.zeros(out.shape, out.dtype)
    if set(window.strides) == {1} and 2 * prod(x.shape[2:]) < prod(out.shape[2:]):
        return _spread_products(x, w, out, window, groups)
    narrow = w.shape[-1] <= out.shape[-1]
    steps = {*window.strides, *window.spread}
    if narrow and steps == {1} and 2 * len(w) <= x.shape[1]:
        return _overlapping_products(x, w, out, window, groups)
    x = _fill(x, window)
    inside = [s * d for s, d in zip(x.strides[2:], window.dilation, strict=True)]
    between = [s * d for s, d in zip(x.strides[2:], window.strides, strict=True)]
    windows = np.lib.stride_tricks.as_strided(
        x,
        (*x.shape[:2], *w.shape[2:], *out.shape[2:]),
        (*x.strides[:2], *inside, *between),
        writeable=False,
    )
    if groups == 1 and not narrow:
        return _rows_product(windows, w)
    return _columns_product(windows, w, groups)


_BLOCK = 1 << 18
"""The bytes of copied windows that are at hand at a time: they fit into the cache."""


def _columns_product(windows: Any, w: Any, groups: int) -> Any:
    """Multiply w by the windows, laid out as columns, a few examples at a time."""
    n, outs, depth = len(windows), windows.shape[w.ndim :], w[0].size
    shape = (n, groups, len(w) // groups, prod(outs))
    result = np.empty(shape, np.result_type(windows, w))
    w = w.reshape(groups, -1, depth)
    step = max(1, _BLOCK * n // windows.nbytes)
    for i in range(0, n, step):
        columns = windows[i : i + step].reshape(-1, groups, depth, prod(outs))
        np.matmul(w, columns, result[i : i + step])
    return result.reshape(n, -1, *outs)


def _spread_products(x: Any, w: Any, out: Aval, window: Window, groups: int) -> Any:
    """Multiply each element of x by the kernel and add up where the products land.

    This is for more outputs than inputs, as the transpose of a convolution has them:
    the zeros between and around the elements of x are never multiplied.
    """
    n, c, *size = x.shape
    features, depth = len(w) // groups, c // groups
    taps = list(np.ndindex(*w.shape[2:]))
    w = w.reshape(groups, features, depth, -1).transpose(0, 3, 1, 2)
    w = w.reshape(groups, -1, depth)  # for each group (taps features, depth)
    result = np.zeros((n, groups, features, *out.shape[2:]), out.dtype)
    step = max(1, _BLOCK // max(1, w[..., 0].nbytes * prod(size)))
    places = [_landing(k, size, out.shape[2:], window) for k in taps]
    for i in range(0, n, step):
        columns = x[i : i + step].reshape(-1, groups, depth, prod(size))
        products = np.matmul(w, columns).reshape(-1, groups, len(taps), features, *size)
        for k, (source, target) in enumerate(places):
            landing = result[i : i + step][target]
            np.add(landing, products[:, :, k][source], out=landing)
    return result.reshape(out.shape)


def _overlapping_products(
    x: Any, w: Any, out: Aval, window: Window, groups: int
) -> Any:
    """Do as `_spread_products` for steps of one, where channels are many.

    The products land on a grid that holds them all. Rows of x get the length of its
    rows, so that the products of a tap land in one run, at a distance of its own.
    """
    n, c, *size = x.shape
    features, depth = len(w) // groups, c // groups
    reach = [
        extent(k, d) - 1 for k, d in zip(w.shape[2:], window.dilation, strict=True)
    ]
    grid = [m + r for m, r in zip(size, reach, strict=True)]
    steps = [prod(grid[i + 1 :]) for i in range(len(grid))]
    run = 1 + sum((m - 1) * s for m, s in zip(size, steps, strict=True))
    weights = w.reshape(groups, features, depth, -1).transpose(0, 3, 1, 2)
    weights = weights.reshape(groups, -1, depth)  # of each group (taps features, depth)
    full = np.zeros((n, groups, features, prod(grid)), out.dtype)
    block = max(1, _BLOCK // (weights[0, :, 0].nbytes * groups * run))
    block = min(block, n)
    rows = np.zeros((block, groups, depth, size[0], *grid[1:]), x.dtype)
    products = np.empty((block, *weights.shape[:2], run), out.dtype)
    inside = (..., *[slice(m) for m in size])
    for i in range(0, n, block):
        part = x[i : i + block].reshape(-1, groups, depth, *size)
        rows[: len(part)][inside] = part
        lines = rows[: len(part)].reshape(len(part), groups, depth, -1)[..., :run]
        np.matmul(weights, lines, products[: len(part)])
        taps = products[: len(part)].reshape(len(part), groups, -1, features, run)
        for k, tap in enumerate(np.ndindex(*w.shape[2:])):
            far = zip(reach, tap, window.dilation, steps, strict=True)
            start = sum((r - j * d) * s for r, j, d, s in far)
            landing = full[i : i + block, :, :, start : start + run]
            np.add(landing, taps[:, :, k], out=landing)
    edges = [
        (lo - r, m - g - lo + r)
        for (lo, _), r, m, g in zip(
            window.padding, reach, out.shape[2:], grid, strict=True
        )
    ]
    plain = Window.plain(len(size))._replace(padding=tuple(edges))
    return np.ascontiguousarray(_fill(full.reshape(n, -1, *grid), plain))


def _landing(
    tap: Sequence[int], sizes: Sequence[int], outs: Sequence[int], window: Window
) -> tuple[Any, Any]:
    """Return which elements one tap of the kernel sends into the output, and where."""
    source, target = [slice(None)] * 3, [slice(None)] * 3
    for k, n, m, (lo, _), s, d in zip(
        tap, sizes, outs, window.padding, window.spread, window.dilation, strict=True
    ):
        start = lo - k * d  # element i lands at start + i s
        first = max(0, -(start // s))
        last = max(first, min(n, (m - 1 - start) // s + 1))
        source.append(slice(first, last))
        stop = start + last * s if last > first else start + first * s
        target.append(slice(start + first * s, stop, s))
    return tuple(source), tuple(target)


def _rows_product(windows: Any, w: Any) -> Any:
    """Multiply the windows, laid out as rows, by w: for few windows, of long rows.

    A few channels have their turn at a time, and their products are added up.
    """
    n, outs = len(windows), windows.shape[w.ndim :]
    inner = range(1, w.ndim)
    rows = windows.transpose(0, *range(w.ndim, windows.ndim), *inner)
    step = max(1, _BLOCK * w.shape[1] // windows.nbytes)
    result = None
    for i in range(0, w.shape[1], step):
        weights = w[:, i : i + step]
        chosen = (..., slice(i, i + step), *[slice(None)] * (w.ndim - 2))
        part = rows[chosen].reshape(-1, weights[0].size)
        product = part.dot(weights.reshape(len(w), -1).T)
        result = product if result is None else np.add(result, product, out=result)
    result = result.reshape(n, prod(outs), len(w)).swapaxes(1, 2)
    return np.ascontiguousarray(result).reshape(n, len(w), *outs)


def _fill(x: Any, window: Window) -> Any:
    """Put the window's zeros between and around the elements of x, or crop it."""
    if all(p == (0, 0) for p in window.padding) and all(s == 1 for s in window.spread):
        return x
    target, source, sizes = [slice(None)] * 2, [slice(None)] * 2, list(x.shape[:2])
    for n, (lo, hi), s in zip(x.shape[2:], window.padding, window.spread, strict=True):
        size = max(0, lo + extent(n, s) + hi)
        first = max(0, -(lo // s))  # element i lands at lo + i s
        last = max(first, min(n, (size - 1 - lo) // s + 1))
        source.append(slice(first, last))
        target.append(slice(lo + first * s, lo + last * s, s))
        sizes.append(size)
    out = np.zeros(sizes, x.dtype)
    out[tuple(target)] = x[tuple(source)]
    return out
