"""Rearranging images: pixel shuffles, sliding blocks as columns, sampling at a grid.

Public names: `pixel_shuffle pixel_unshuffle channel_shuffle unfold fold grid_sample
affine_grid`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import numpy as fnp
from ...core.trace import aval_of
from ...ops.index_layout import ARRAY
from ...ops.indexing import getitem, scatter_add
from ...ops.shape import reshape, transpose
from ..declare import composite
from ..tensor import Tensor
from .checks import many

__all__ = [
    "affine_grid",
    "channel_shuffle",
    "fold",
    "grid_sample",
    "pixel_shuffle",
    "pixel_unshuffle",
    "unfold",
]


def _shuffled(x: Any, *, r: int) -> Any:
    *lead, c, h, w = aval_of(x).shape
    k = len(lead)
    x = reshape(x, shape=(*lead, c // (r * r), r, r, h, w))
    x = transpose(x, axes=(*range(k), k, k + 3, k + 1, k + 4, k + 2))
    return reshape(x, shape=(*lead, c // (r * r), h * r, w * r))


def _unshuffled(x: Any, *, r: int) -> Any:
    *lead, c, h, w = aval_of(x).shape
    k = len(lead)
    x = reshape(x, shape=(*lead, c, h // r, r, w // r, r))
    x = transpose(x, axes=(*range(k), k, k + 2, k + 4, k + 1, k + 3))
    return reshape(x, shape=(*lead, c * r * r, h // r, w // r))


def _channels_shuffled(x: Any, *, groups: int) -> Any:
    n, c, *rest = aval_of(x).shape
    x = reshape(x, shape=(n, groups, c // groups, *rest))
    x = transpose(x, axes=(0, 2, 1, *range(3, len(rest) + 3)))
    return reshape(x, shape=(n, c, *rest))


_shuffle = composite("PixelShuffleBackward0", _shuffled)
_unshuffle = composite("PixelUnshuffleBackward0", _unshuffled)
_shuffle_channels = composite("ChannelShuffleBackward0", _channels_shuffled)


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Move channels into space: ``(*, C r^2, H, W)`` to ``(*, C, H r, W r)``."""
    if input.shape[-3] % upscale_factor**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the "
            f"square of upscale_factor, but input.size(-3)={input.shape[-3]} is not "
            f"divisible by {upscale_factor**2}"
        )
    found: Tensor = _shuffle(input, r=upscale_factor)
    return found


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Move space into channels: ``(*, C, H r, W r)`` to ``(*, C r^2, H, W)``."""
    for what, axis in (("height", -2), ("width", -1)):
        if input.shape[axis] % downscale_factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {what} to be divisible by downscale_factor, but "
                f"input.size({axis})={input.shape[axis]} is not divisible by "
                f"{downscale_factor}"
            )
    found: Tensor = _unshuffle(input, r=downscale_factor)
    return found


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Interleave groups of channels."""
    found: Tensor = _shuffle_channels(input, groups=groups)
    return found


native_channel_shuffle = channel_shuffle


def _block_table(
    sizes: Sequence[int],
    kernel: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
) -> tuple[Any, tuple[int, ...]]:
    """Return flat positions in the padded image, ``(kernel, blocks)``, and its size."""
    padded = tuple(n + 2 * p for n, p in zip(sizes, padding, strict=True))
    per_axis = []
    for n, k, d, s in zip(padded, kernel, dilation, stride, strict=True):
        blocks = (n - d * (k - 1) - 1) // s + 1
        per_axis.append(np.arange(k)[:, None] * d + np.arange(blocks) * s)
    rows, columns = per_axis
    flat = rows[:, None, :, None] * padded[1] + columns[None, :, None, :]
    return flat.reshape(math.prod(kernel), -1), padded


def _columns(x: Any, *, table: Any, padding: Any) -> Any:
    n, c = aval_of(x).shape[:2]
    if any(padding):
        x = fnp.pad(x, [(0, 0), (0, 0), *[(p, p) for p in padding]])
    x = reshape(x, shape=(n, c, math.prod(aval_of(x).shape[2:])))
    blocks = getitem(x, table, index=(slice(None), slice(None), ARRAY))
    return reshape(blocks, shape=(n, c * table.shape[0], table.shape[1]))


def _folded(x: Any, *, table: Any, sizes: Any, padded: Any, padding: Any) -> Any:
    n, rows, blocks = aval_of(x).shape
    c = rows // table.shape[0]
    x = reshape(x, shape=(n, c, table.shape[0], blocks))
    image = np.zeros((n, c, math.prod(padded)), aval_of(x).dtype)
    image = scatter_add(image, x, table, index=(slice(None), slice(None), ARRAY))
    image = reshape(image, shape=(n, c, *padded))
    inner = [slice(p, p + s) for p, s in zip(padding, sizes, strict=True)]
    return getitem(image, index=(slice(None), slice(None), *inner))


_im2col = composite("Im2ColBackward0", _columns)
_col2im = composite("Col2ImBackward0", _folded)


def unfold(
    input: Tensor,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Tensor:
    """Return sliding blocks as columns, shape ``(n, channels * kernel, blocks)``."""
    k, d, p, s = (many(v, 2) for v in (kernel_size, dilation, padding, stride))
    image: Any = input if input.ndim == 4 else input.unsqueeze(0)  # type: ignore[attr-defined]
    sizes = tuple(image.shape[2:])
    blocks = tuple(
        (n + 2 * pi - di * (ki - 1) - 1) // si + 1
        for n, ki, di, pi, si in zip(sizes, k, d, p, s, strict=True)
    )
    if any(b < 1 for b in blocks):
        raise RuntimeError(
            f"Given input with spatial size {sizes}, kernel_size={k}, dilation={d}, "
            f"padding={p}, calculated shape of the array of sliding blocks as {blocks}, "
            "but its components must be at least one."
        )
    table, _ = _block_table(sizes, k, d, p, s)
    out: Any = _im2col(image, table=table, padding=p)
    return out if input.ndim == 4 else out.squeeze(0)  # type: ignore[no-any-return]


def fold(
    input: Tensor,
    output_size: Any,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Tensor:
    """Add up columns that are sliding blocks of an image: the adjoint of `unfold`."""
    k, d, p, s = (many(v, 2) for v in (kernel_size, dilation, padding, stride))
    sizes = many(output_size, 2)
    columns: Any = input if input.ndim == 3 else input.unsqueeze(0)  # type: ignore[attr-defined]
    if columns.shape[1] % math.prod(k):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of "
            f"kernel_size, but got input.size(1)={columns.shape[1]} and kernel_size={k}."
        )
    table, padded = _block_table(sizes, k, d, p, s)
    if columns.shape[2] != table.shape[1]:
        counts = [
            (n - di * (ki - 1) - 1) // si + 1
            for n, ki, di, si in zip(padded, k, d, s, strict=True)
        ]
        raise RuntimeError(
            f"Given output_size={sizes}, kernel_size={k}, dilation={d}, padding={p}, "
            f"stride={s}, expected size of input's dimension 2 to match the calculated "
            f"number of sliding blocks {counts[0]} * {counts[1]} = {table.shape[1]}, but "
            f"got input.size(2)={columns.shape[2]}."
        )
    out: Any = _col2im(columns, table=table, sizes=sizes, padded=padded, padding=p)
    return out if input.ndim == 3 else out.squeeze(0)  # type: ignore[no-any-return]


def _base_grid(n: int, align: bool) -> Any:
    if n <= 1:
        return np.zeros(n)
    grid = np.linspace(-1, 1, n)
    return grid if align else grid * (n - 1) / n


def affine_grid(
    theta: Tensor, size: Sequence[int], align_corners: bool | None = None
) -> Tensor:
    """Return where affine maps send the points of a grid, for `grid_sample`.

    Args:
        theta: maps, shape ``(n, 2, 3)`` or ``(n, 3, 4)``.
        size: of the images to make, ``(n, channels, *sizes)``.
    """
    align = _corners("affine_grid", align_corners)
    sizes = tuple(size[2:])
    axes = [_base_grid(n, align) for n in sizes]
    mesh = np.meshgrid(*axes, indexing="ij")[::-1]
    points = np.stack([*mesh, np.ones(sizes)], -1).astype(theta.aval.dtype)
    found: Tensor = _affine(theta, points=points)
    return found


_affine = composite(
    "AffineGridGeneratorBackward0",
    lambda theta, *, points: fnp.einsum("...k,njk->n...j", points, theta),
)


def _corners(name: str, align: bool | None) -> bool:
    if align is None:
        warnings.warn(
            f"Default {name} behavior has changed to align_corners=False since 1.3.0. "
            "Please specify align_corners=True if the old behavior is desired. See the "
            f"documentation of {name} for details.",
            stacklevel=3,
        )
    return bool(align)


def _unnormalized(x: Any, n: int, align: bool) -> Any:
    return (x + 1) / 2 * (n - 1) if align else ((x + 1) * n - 1) / 2


def _reflected(x: Any, low: float, high: float) -> Any:
    """Reflect positions at two bounds until they lie between them."""
    if high == low:
        return x * 0
    span = high - low
    away = fnp.abs(x - low)
    flips = fnp.floor(away / span)
    rest = away - flips * span
    return fnp.where(flips % 2 == 0, rest + low, high - rest)


def _placed(x: Any, n: int, padding: str, align: bool) -> Any:
    x = _unnormalized(x, n, align)
    if padding == "reflection":
        x = _reflected(x, 0 if align else -0.5, n - 1 if align else n - 0.5)
    return x if padding == "zeros" else _clipped(x, n)


def _clipped(x: Any, n: int) -> Any:
    """Limit positions; the slope is 0 on the bounds."""
    return fnp.where((x > 0) & (x < n - 1), x, fnp.clip(_still(x), 0, n - 1))


def _still(x: Any) -> Any:
    from ...ops.arithmetic import stop_gradient

    return stop_gradient(x)


def _sampled(image: Any, grid: Any, *, mode: str, padding: str, align: bool) -> Any:
    """Return the image at points, whose last entries are x, y (and z)."""
    sizes = aval_of(image).shape[2:]
    rank = len(sizes)
    places = [
        _placed(grid[..., rank - 1 - i], n, padding, align) for i, n in enumerate(sizes)
    ]
    lows = [fnp.floor(p) if mode == "bilinear" else fnp.rint(p) for p in places]
    total: Any = 0
    corners = range(2**rank) if mode == "bilinear" else [0]
    for corner in corners:
        weight: Any = 1
        ids = []
        for i, (place, low) in enumerate(zip(places, lows, strict=True)):
            bit = corner >> i & 1
            at = _still(low) + bit
            if mode == "bilinear":
                weight = weight * ((place - at + 1) if bit else (at + 1 - place))
            inside = (at >= 0) & (at <= sizes[i] - 1)
            weight = weight * inside
            ids.append(fnp.clip(at, 0, sizes[i] - 1).astype(np.int64))
        n = np.arange(aval_of(image).shape[0]).reshape(-1, *[1] * rank)
        index = (ARRAY, slice(None), *[ARRAY] * rank)
        values = getitem(image, n, *ids, index=index)
        total = total + values * fnp.expand_dims(weight, -1)
    return fnp.moveaxis(total.astype(aval_of(image).dtype), -1, 1)


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Return images read at the points of a grid, between -1 and 1.

    Args:
        input: shape ``(n, channels, *sizes)`` with two or three sizes.
        grid: points, x first, shape ``(n, *out, 2 or 3)``.
        mode: ``"bilinear"`` or ``"nearest"``.
        padding_mode: ``"zeros"``, ``"border"`` or ``"reflection"``.
    """
    if mode not in ("bilinear", "nearest"):
        raise ValueError(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or "
            f"'bicubic', but got: '{mode}'"
        )
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', "
            f"or 'reflection', but got: '{padding_mode}'"
        )
    align = _corners("grid_sample", align_corners)
    name = f"GridSampler{input.ndim - 2}DBackward0"
    found: Tensor = composite(name, _sampled)(
        input, grid, mode=mode, padding=padding_mode, align=align
    )
    return found
