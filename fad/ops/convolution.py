"""Convolution: `conv_general` in any number of dimensions, and NumPy's 1-D `convolve`.

    conv_general    x (N, C, *size), w (O, C / groups, *kernel) -> (N, O, *out):
                    out[n, o, p] = sum_{c,k} x'[n, c, stride p + dilation k] w[o, c, k]

where x' is x with `lhs_dilation` - 1 zeros between neighbours, then padded (or, where
`padding` is negative, cropped) at both ends. This is the correlation that deep learning
and XLA call convolution. Windows are strided views of x', multiplied by w in one matrix
product per example ("im2col").

Both transposes are convolutions again. Strides and dilations change places: the
cotangent of x is ct, dilated by the stride, with w flipped and its channels swapped;
that of w is x, its batch axis taken for channels, with ct for a kernel.

Public names: `conv_general convolve Window`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.trace import aval_of
from .batching_rules import at_front, move_to_front
from .kinds import multilinear
from .shape import expand_dims, flip, move_axis, reshape, transpose

__all__ = ["conv_general", "convolve"]

Ints = tuple[int, ...]
Pads = tuple[tuple[int, int], ...]


def dilated(n: int, step: int) -> int:
    """Return the size of an axis after `step` - 1 zeros went between neighbours."""
    return (n - 1) * step + 1 if n > 0 else 0


def _out_size(n: int, k: int, stride: int, pad: tuple[int, int], lhs: int, rhs: int) -> int:
    room = dilated(n, lhs) + sum(pad) - dilated(k, rhs)
    return room // stride + 1 if room >= 0 else 0


def _infer(
    x: Aval,
    w: Aval,
    *,
    strides: Ints,
    padding: Pads,
    lhs_dilation: Ints,
    rhs_dilation: Ints,
    groups: int,
) -> Aval:
    if len(x.shape) != len(w.shape) or len(x.shape) != len(strides) + 2:
        raise ValueError(
            f"conv_general: x {x} must be (batch, channels, *size) and w {w} (features, "
            f"channels, *kernel) with {len(strides)} axes of sizes, as `strides` has"
        )
    channels, features = x.shape[1], w.shape[0]
    if channels != w.shape[1] * groups or features % groups:
        raise ValueError(
            f"conv_general: x {x} has {channels} channels and w {w} takes "
            f"{w.shape[1]} in each of {groups} groups of its {features} features"
        )
    sizes = zip(
        x.shape[2:],
        w.shape[2:],
        strides,
        padding,
        lhs_dilation,
        rhs_dilation,
        strict=True,
    )
    out = tuple(_out_size(*s) for s in sizes)
    return Aval((x.shape[0], features, *out), np.result_type(x.dtype, w.dtype))


def _spread_and_pad(x: Any, padding: Pads, lhs_dilation: Ints) -> Any:
    """Put zeros between neighbours of x and around it, or crop it."""
    if all(p == (0, 0) for p in padding) and all(d == 1 for d in lhs_dilation):
        return x
    sizes = [dilated(n, d) for n, d in zip(x.shape[2:], lhs_dilation, strict=True)]
    shape = [max(0, n + lo + hi) for n, (lo, hi) in zip(sizes, padding, strict=True)]
    out = np.zeros((*x.shape[:2], *shape), x.dtype)
    target, source = [slice(None)] * 2, [slice(None)] * 2
    for n, size, (lo, _), d in zip(x.shape[2:], shape, padding, lhs_dilation, strict=True):
        first = max(0, -(lo // d))  # the first element at or after the start
        last = min(n, (size - 1 - lo) // d + 1)
        last = max(first, last)
        source.append(slice(first, last))
        start = lo + first * d
        target.append(slice(start, max(start, lo + last * d), d))
    out[tuple(target)] = x[tuple(source)]
    return out


def _conv(
    x: Any,
    w: Any,
    *,
    strides: Ints,
    padding: Pads,
    lhs_dilation: Ints,
    rhs_dilation: Ints,
    groups: int,
) -> Any:
    aval = _infer(
        Aval(x.shape, x.dtype),
        Aval(w.shape, w.dtype),
        strides=strides,
        padding=padding,
        lhs_dilation=lhs_dilation,
        rhs_dilation=rhs_dilation,
        groups=groups,
    )
    n, features, *out = aval.shape
    if aval.size == 0 or w.size == 0:
        return np.zeros(aval.shape, aval.dtype)
    x = _spread_and_pad(x, padding, lhs_dilation)
    kernel = w.shape[2:]
    steps = x.strides[2:]
    windows = np.lib.stride_tricks.as_strided(
        x,
        (n, x.shape[1], *kernel, *out),
        (
            *x.strides[:2],
            *[s * d for s, d in zip(steps, rhs_dilation, strict=True)],
            *[s * d for s, d in zip(steps, strides, strict=True)],
        ),
        writeable=False,
    )
    depth = w[0].size
    columns = windows.reshape(n, groups, depth, -1)
    rows = w.reshape(groups, features // groups, depth)
    return np.matmul(rows, columns).reshape(aval.shape)


def _regroup(x: Any, groups: int) -> Any:
    """Exchange batch and channels within groups: (N, G*C, ...) -> (C, G*N, ...)."""
    n, c, *size = aval_of(x).shape
    x = reshape(x, shape=(n, groups, c // groups, *size))
    x = transpose(x, axes=(2, 1, 0, *range(3, len(size) + 3)))
    return reshape(x, shape=(c // groups, groups * n, *size))


def _spatial(rank: int) -> Ints:
    return tuple(range(2, rank))


def _transpose_x(
    ct: Any,
    w: Any,
    like: Aval,
    *,
    strides: Ints,
    padding: Pads,
    lhs_dilation: Ints,
    rhs_dilation: Ints,
    groups: int,
) -> Any:
    kernel = [
        dilated(k, d) for k, d in zip(aval_of(w).shape[2:], rhs_dilation, strict=True)
    ]
    pads = []
    for i, k in enumerate(kernel):
        before = k - 1 - padding[i][0]
        size = dilated(like.shape[i + 2], lhs_dilation[i])
        filled = dilated(aval_of(ct).shape[i + 2], strides[i])
        pads.append((before, size + k - 1 - before - filled))
    turned = flip(w, axis=_spatial(len(like.shape)))
    # (G * O, C, ...) -> (C, G * O, ...) -> (G * C, O, ...): see `_regroup`
    turned = _swap_channels(turned, groups)
    return conv_general(
        ct,
        turned,
        strides=lhs_dilation,
        padding=tuple(pads),
        lhs_dilation=strides,
        rhs_dilation=rhs_dilation,
        groups=groups,
    )


def _swap_channels(w: Any, groups: int) -> Any:
    """Exchange features and channels within groups: (G*O, C, ...) -> (G*C, O, ...)."""
    features, c, *kernel = aval_of(w).shape
    w = reshape(w, shape=(groups, features // groups, c, *kernel))
    w = transpose(w, axes=(0, 2, 1, *range(3, len(kernel) + 3)))
    return reshape(w, shape=(groups * c, features // groups, *kernel))


def _transpose_w(
    ct: Any,
    x: Any,
    like: Aval,
    *,
    strides: Ints,
    padding: Pads,
    lhs_dilation: Ints,
    rhs_dilation: Ints,
    groups: int,
) -> Any:
    pads = []
    for i, k in enumerate(like.shape[2:]):
        before = padding[i][0]
        size = dilated(aval_of(x).shape[i + 2], lhs_dilation[i])
        window = dilated(aval_of(ct).shape[i + 2], strides[i])
        pads.append((before, window + (k - 1) * rhs_dilation[i] - before - size))
    kernels = _swap_channels(_regroup_features(ct, groups), groups)
    out = conv_general(
        _regroup(x, groups),
        kernels,
        strides=rhs_dilation,
        padding=tuple(pads),
        lhs_dilation=lhs_dilation,
        rhs_dilation=strides,
        groups=groups,
    )
    return move_axis(out, 0, 1)
