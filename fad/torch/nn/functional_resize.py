"""Resizing and rearranging images: interpolation, pixel shuffles, blocks.

Interpolation is linear along one dimension after the other: with a matrix of weights,
or, for the nearest neighbour, by reading at a table of positions.

Public names: `interpolate upsample upsample_nearest upsample_bilinear pixel_shuffle
pixel_unshuffle channel_shuffle unfold fold`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import numpy as fnp
from ...core.trace import aval_of
from ..declare import composite
from ..tensor import Tensor
from .functional_adaptive import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
)

__all__ = [
    "interpolate",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
]

_LINEAR = {1: "linear", 2: "bilinear", 3: "trilinear"}
_RANKS = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}
_AREA = {1: adaptive_avg_pool1d, 2: adaptive_avg_pool2d, 3: adaptive_avg_pool3d}


def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Return the input resized to a size or by a factor.

    Args:
        input: shape ``(n, channels, *sizes)`` with one to three sizes.
        size: of the result.
        scale_factor: of the result to the input.
        mode: ``"nearest"``, ``"nearest-exact"``, ``"linear"``, ``"bilinear"``,
            ``"trilinear"``, ``"bicubic"`` or ``"area"``.
        align_corners: the centres of the corner elements stay where they are.
        recompute_scale_factor: take the factor from the sizes.
    """
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError(
                "align_corners option can only be set with the interpolating modes: "
                "linear | bilinear | bicubic | trilinear"
            )
    rank = input.ndim - 2
    sizes = tuple(input.shape[2:])
    outs, factors = _target(sizes, size, scale_factor, rank, recompute_scale_factor)
    known = mode in ("nearest", "nearest-exact", "area", *_RANKS)
    if not known or not 1 <= rank <= 3:
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.ndim}D) "
            "for the modes: nearest | linear | bilinear | bicubic | trilinear | lanczos | "
            f"area | nearest-exact (got {mode})"
        )
    if _RANKS.get(mode, rank) != rank:
        raise NotImplementedError(
            f"Got {input.ndim}D input, but {mode} mode needs {_RANKS[mode] + 2}D input"
        )
    if any(o <= 0 for o in outs) or any(n <= 0 for n in sizes):
        names = "DHW"[-rank:] if rank > 1 else "W"
        shown = [
            ", ".join(f"{a}: {n}" for a, n in zip(names, s, strict=True))
            for s in (sizes, outs)
        ]
        raise RuntimeError(
            "Input and output sizes should be greater than 0, but got input "
            f"({shown[0]}) output ({shown[1]})"
        )
    if mode == "area":
        return _AREA[rank](input, outs)
    return _resized(input, outs, factors, mode, bool(align_corners), antialias)


def _target(
    sizes: tuple[int, ...], size: Any, factor: Any, rank: int, recompute: bool | None
) -> tuple[tuple[int, ...], tuple[float | None, ...]]:
    """Return the sizes of the result, and the factors that the caller gave."""
    if size is not None and factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and factor is None:
        raise ValueError("either size or scale_factor should be defined")
    what, given = ("output size", size) if factor is None else ("scale_factor", factor)
    many = tuple(given) if isinstance(given, (tuple, list)) else (given,) * rank
    if len(many) != rank:
        of = "output size of" if factor is None else "scale_factor of shape"
        form = "output size" if factor is None else "scale_factor"
        letter = "o" if factor is None else "s"
        raise ValueError(
            "Input and "
            + ("output" if factor is None else "scale_factor")
            + " must have the same number of spatial dimensions, but got input with "
            f"spatial dimensions of {list(sizes)} and {of} {given}. Please provide input "
            f"tensor in (N, C, d1, d2, ...,dK) format and {form} in "
            f"({letter}1, {letter}2, ...,{letter}K) format."
        )
    if factor is None:
        return tuple(int(n) for n in many), (None,) * rank
    outs = tuple(math.floor(n * f) for n, f in zip(sizes, many, strict=True))
    return outs, (None,) * rank if recompute else tuple(float(f) for f in many)


def _nearest_table(n: int, out: int, factor: float | None, exact: bool) -> Any:
    scale = np.float32(1 / factor if factor else n / out)
    i = np.arange(out, dtype=np.float32) + np.float32(0.5 if exact else 0)
    return np.minimum((i * scale).astype(np.int64), n - 1)


def _centres(n: int, out: int, factor: float | None, align: bool) -> Any:
    """Return where the elements of the result lie among those of the input."""
    i = np.arange(out)
    if align:
        return i * ((n - 1) / (out - 1) if out > 1 else 0.0)
    return (i + 0.5) * (1 / factor if factor else n / out) - 0.5


def _linear_matrix(n: int, out: int, factor: float | None, align: bool) -> Any:
    place = np.maximum(_centres(n, out, factor, align), 0)
    low = np.minimum(place.astype(np.int64), n - 1)
    part = place - low
    matrix = np.zeros((out, n))
    rows = np.arange(out)
    np.add.at(matrix, (rows, low), 1 - part)
    np.add.at(matrix, (rows, np.minimum(low + 1, n - 1)), part)
    return matrix


def _cubic(x: Any, a: float) -> Any:
    """Return Keys's cubic convolution kernel."""
    x = np.abs(x)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0))


def _cubic_matrix(n: int, out: int, factor: float | None, align: bool) -> Any:
    place = _centres(n, out, factor, align)
    low = np.floor(place).astype(np.int64)
    matrix = np.zeros((out, n))
    rows = np.arange(out)
    for j in range(-1, 3):
        weights = _cubic(place - (low + j), -0.75)
        np.add.at(matrix, (rows, np.clip(low + j, 0, n - 1)), weights)
    return matrix


def _smooth_matrix(
    n: int, out: int, factor: float | None, align: bool, cubic: bool
) -> Any:
    """Return weights of a kernel as wide as the result is smaller: no aliasing."""
    if align:
        scale = (n - 1) / (out - 1) if out > 1 else 0.0
    else:
        scale = 1 / factor if factor else n / out
    stretch = max(scale, 1.0)
    centre = scale * (np.arange(out) + 0.5)
    offset = (np.arange(n) + 0.5 - centre[:, None]) / stretch
    weights = _cubic(offset, -0.5) if cubic else np.maximum(0, 1 - np.abs(offset))
    return weights / weights.sum(1, keepdims=True)


def _by_matrices(x: Any, *, matrices: Sequence[Any]) -> Any:
    dtype = aval_of(x).dtype
    for i, matrix in enumerate(matrices):
        moved = fnp.tensordot(x, matrix.astype(dtype), (2 + i, 1))
        x = fnp.moveaxis(moved, -1, 2 + i)
    return x


def _at_places(x: Any, *, tables: Sequence[Any]) -> Any:
    for i, table in enumerate(tables):
        x = fnp.take(x, table, axis=2 + i)
    return x


def _resized(
    input: Tensor,
    outs: Sequence[int],
    factors: Sequence[float | None],
    mode: str,
    align: bool,
    antialias: bool,
) -> Tensor:
    rank = len(outs)
    geometry = list(zip(input.shape[2:], outs, factors, strict=True))
    if mode.startswith("nearest"):
        exact = mode == "nearest-exact"
        if input.aval.dtype.kind not in "fc" and input.aval.dtype != np.uint8:
            raise NotImplementedError(
                f'"upsample_nearest{rank}d_channels_last" not implemented for '
                f"'{input.dtype.title}'"
            )
        tables = [_nearest_table(*g, exact) for g in geometry]
        name = f"UpsampleNearest{'Exact' if exact else ''}{rank}DBackward0"
        found: Tensor = composite(name, _at_places)(input, tables=tables)
        return found
    cubic = mode == "bicubic"
    if antialias:
        matrices = [_smooth_matrix(*g, align, cubic) for g in geometry]
    else:
        make = _cubic_matrix if cubic else _linear_matrix
        matrices = [make(*g, align) for g in geometry]
    name = f"Upsample{mode.capitalize()}{rank}D{'Aa' if antialias else ''}Backward0"
    found = composite(name, _by_matrices)(input, matrices=matrices)
    return found


def upsample(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """Return the input resized; the old name of `interpolate`."""
    warnings.warn(
        "`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=2,
    )
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(
    input: Tensor, size: Any = None, scale_factor: Any = None
) -> Tensor:
    """Return the input resized by the nearest neighbour."""
    warnings.warn(
        "`nn.functional.upsample_nearest` is deprecated. Use "
        "`nn.functional.interpolate` instead.",
        stacklevel=2,
    )
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(
    input: Tensor, size: Any = None, scale_factor: Any = None
) -> Tensor:
    """Return the input resized bilinearly, with aligned corners."""
    warnings.warn(
        "`nn.functional.upsample_bilinear` is deprecated. Use "
        "`nn.functional.interpolate` instead.",
        stacklevel=2,
    )
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)
