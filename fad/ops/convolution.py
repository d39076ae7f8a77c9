"""Convolution: `conv_general` in any number of dimensions, and NumPy's 1-D `convolve`.

    conv_general    x (N, C, *size), w (O, C / groups, *kernel) -> (N, O, *out):
                    out[n, o, p] = sum_{c,k} x'[n, c, stride p + dilation k] w[o, c, k]

where x' is x with zeros put in by the `Window`. This is the correlation that deep
learning and XLA call convolution. The windows are strided views of x', multiplied by w
in one matrix product per example ("im2col").

Both transposes are convolutions again, in which strides and dilations change places:
the cotangent of x is ct convolved with w flipped, its channels swapped; that of w is x,
its batch axis taken for channels, convolved with ct. Likewise the transposes of a full
1-D convolution are valid ones, and the other way round.

Public names: `Window`, `conv_general`, `convolve`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..core.avals import Aval
from ..core.trace import aval_of
from .batching_rules import move_to_front
from .kinds import multilinear
from .shape import expand_dims, flip, move_axis, reshape, transpose

__all__ = ["Window", "conv_general", "convolve"]


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


def _infer(x: Aval, w: Aval, *, window: Window, groups: int) -> Aval:
    rank = len(window.strides) + 2
    if len(x.shape) != rank or len(w.shape) != rank:
        raise ValueError(
            f"conv_general: with {rank - 2} strides x must be (batch, channels, *size) "
            f"and w (features, channels, *kernel) of {rank} axes; got {x} and {w}"
        )
    if x.shape[1] != w.shape[1] * groups or w.shape[0] % groups:
        raise ValueError(
            f"conv_general: x {x} has {x.shape[1]} channels and w {w} takes "
            f"{w.shape[1]} in each of {groups} groups of its {w.shape[0]} features"
        )
    out = window.out_sizes(x.shape[2:], w.shape[2:])
    return Aval((x.shape[0], w.shape[0], *out), np.result_type(x.dtype, w.dtype))


def _conv(x: Any, w: Any, *, window: Window, groups: int) -> Any:
    avals = Aval(x.shape, x.dtype), Aval(w.shape, w.dtype)
    out = _infer(*avals, window=window, groups=groups)
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


def _left(ct: Any, y: Any, like: Aval, *, window: Window, groups: int) -> Any:
    """Return the cotangent of x; y is the kernel."""
    padding = []
    for n, k, m, step, (lo, _), s, d in zip(
        like.shape[2:],
        aval_of(y).shape[2:],
        aval_of(ct).shape[2:],
        *window,
        strict=True,
    ):
        before = extent(k, d) - 1 - lo
        after = extent(n, s) + extent(k, d) - 1 - before - extent(m, step)
        padding.append((before, after))
    turned = flip(y, axis=tuple(range(2, len(like.shape))))
    back = Window(window.spread, tuple(padding), window.strides, window.dilation)
    return conv_general(ct, _swap_channels(turned, groups), window=back, groups=groups)


def _right(ct: Any, x: Any, like: Aval, *, window: Window, groups: int) -> Any:
    """Return the cotangent of w."""
    padding = []
    for n, k, m, step, (lo, _), s, d in zip(
        aval_of(x).shape[2:],
        like.shape[2:],
        aval_of(ct).shape[2:],
        *window,
        strict=True,
    ):
        after = extent(m, step) + (k - 1) * d - lo - extent(n, s)
        padding.append((lo, after))
    back = Window(window.dilation, tuple(padding), window.spread, window.strides)
    kernels = move_axis(ct, 0, 1)
    out = conv_general(_swap_batch(x, groups), kernels, window=back, groups=groups)
    return move_axis(out, 0, 1)


def _swap_channels(w: Any, groups: int) -> Any:
    """Exchange features and channels in each group: (G O, C, ...) -> (G C, O, ...)."""
    features, c, *kernel = aval_of(w).shape
    w = reshape(w, shape=(groups, features // groups, c, *kernel))
    w = transpose(w, axes=(0, 2, 1, *range(3, len(kernel) + 3)))
    return reshape(w, shape=(groups * c, features // groups, *kernel))


def _swap_batch(x: Any, groups: int) -> Any:
    """Exchange batch and channels in each group: (N, G C, ...) -> (C, G N, ...)."""
    n, c, *size = aval_of(x).shape
    x = reshape(x, shape=(n, groups, c // groups, *size))
    x = transpose(x, axes=(2, 1, 0, *range(3, len(size) + 3)))
    return reshape(x, shape=(c // groups, groups * n, *size))


def _batch(
    size: int, args: Sequence[Any], dims: Sequence[Any], *, window: Window, groups: int
) -> tuple[Any, int]:
    """Take the batch of x for examples, that of w for features, both for groups."""
    (x, w), (dx, dw) = args, dims
    if dw is None:
        x = move_to_front(x, dx)
        n = aval_of(x).shape[1]
        out = conv_general(_merge(x, 0), w, window=window, groups=groups)
        return _split(out, 0, size, n), 0
    w = move_to_front(w, dw)
    if dx is None:
        features, *rest = aval_of(w).shape[1:]
        w = reshape(w, shape=(size, groups, features // groups, *rest))
        w = move_axis(w, 0, 1)
        w = reshape(w, shape=(size * features, *rest))
        out = conv_general(x, w, window=window, groups=groups)
        n, _, *sizes = aval_of(out).shape
        shape = (n, groups, size, features // groups, *sizes)
        out = move_axis(reshape(out, shape=shape), 2, 0)
        return reshape(out, shape=(size, n, features, *sizes)), 0
    x = _merge(move_axis(x, dx, 1), 1)
    features = aval_of(w).shape[1]
    out = conv_general(x, _merge(w, 0), window=window, groups=groups * size)
    return _split(out, 1, size, features), 1


def _merge(x: Any, axis: int) -> Any:
    """Join axes `axis` and `axis` + 1."""
    shape = aval_of(x).shape
    joined = shape[axis] * shape[axis + 1]
    return reshape(x, shape=(*shape[:axis], joined, *shape[axis + 2 :]))


def _split(x: Any, axis: int, m: int, n: int) -> Any:
    """Split an axis of size m n in two."""
    shape = aval_of(x).shape
    return reshape(x, shape=(*shape[:axis], m, n, *shape[axis + 1 :]))


conv_general = multilinear(
    "conv_general", _conv, [_left, _right], infer=_infer, batch=_batch
)


def _infer_convolve(x: Aval, y: Aval, *, mode: str) -> Aval:
    if len(x.shape) != 1 or len(y.shape) != 1:
        raise ValueError(f"object too deep for desired array: convolve of {x} and {y}")
    small, large = sorted((x.shape[0], y.shape[0]))
    if small == 0:
        raise ValueError(f"convolve: {'a' if not x.shape[0] else 'v'} cannot be empty")
    size = large + small - 1 if mode == "full" else large - small + 1
    return Aval((size,), np.result_type(x.dtype, y.dtype))


def _flip(x: Any) -> Any:
    return flip(x, axis=(0,))


def _other(ct: Any, x: Any, like: Aval, *, mode: str) -> Any:
    """Return the cotangent of the factor that is not x."""
    if mode == "full":
        return convolve(ct, _flip(x), mode="valid")
    if like.shape[0] >= aval_of(x).shape[0]:
        return convolve(ct, _flip(x), mode="full")
    return _flip(convolve(x, _flip(ct), mode="valid"))


def _batch_convolve(
    size: int, args: Sequence[Any], dims: Sequence[Any], *, mode: str
) -> tuple[Any, int]:
    x, y = (
        a if d is None else move_to_front(a, d) for a, d in zip(args, dims, strict=True)
    )
    batched_x, batched_y = (d is not None for d in dims)
    if aval_of(x).shape[-1] < aval_of(y).shape[-1]:
        x, y, batched_x, batched_y = y, x, batched_y, batched_x
    last = aval_of(y).shape[-1]
    y = flip(y, axis=(int(batched_y),))
    window = Window.plain(1, last - 1 if mode == "full" else 0)
    if batched_x and batched_y:  # (1, size, n) with (size, 1, k), in groups of one
        out = conv_general(
            expand_dims(x, 0), expand_dims(y, 1), window=window, groups=size
        )
    else:
        x = expand_dims(x if batched_x else expand_dims(x, 0), 1)
        y = expand_dims(y if batched_y else expand_dims(y, 0), 1)
        out = conv_general(x, y, window=window, groups=1)
    return reshape(out, shape=(size, aval_of(out).shape[-1])), 0


convolve = multilinear(
    "convolve",
    lambda x, y, *, mode: np.convolve(x, y, mode),
    [
        lambda ct, y, like, *, mode: _other(ct, y, like, mode=mode),
        lambda ct, x, like, *, mode: _other(ct, x, like, mode=mode),
    ],
    infer=_infer_convolve,
    batch=_batch_convolve,
)
