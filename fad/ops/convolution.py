"""Convolution: `conv_general` in any number of dimensions, and NumPy's 1-D `convolve`.

    conv_general    x (N, C, *size), w (O, C / groups, *kernel) -> (N, O, *out):
                    out[n, o, p] = sum_{c,k} x'[n, c, stride p + dilation k] w[o, c, k]

where x' is x with zeros put in by the `Window`. This is the correlation that deep
learning and XLA call convolution. `convolution_kernels` computes it.

Both transposes are convolutions again, in which strides and dilations change places:
the cotangent of x is ct convolved with w flipped, its channels swapped; that of w is x,
its batch axis taken for channels, convolved with ct. Likewise the transposes of a full
1-D convolution are valid ones, and the other way round.

Public names: `Window`, `conv_general`, `convolve`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.trace import aval_of
from .batching_rules import move_to_front
from .convolution_kernels import Window, correlate, extent
from .kinds import multilinear
from .shape import expand_dims, flip, move_axis, reshape, transpose

__all__ = ["Window", "conv_general", "convolve"]


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
    return correlate(x, w, out, window, groups)


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
