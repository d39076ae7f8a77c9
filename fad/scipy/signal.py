"""Convolution and correlation in any number of dimensions, as in `scipy.signal`.

    full     every overlap            valid    only where one covers the other
    same     the middle of "full", of the shape of the first input

Small inputs are convolved directly, large ones by the fast Fourier transform; `method`
decides otherwise. SciPy is not needed.

>>> import fad, numpy as np
>>> x, kernel = np.arange(4.0), np.array([1.0, 2.0])
>>> fad.grad(lambda x: fad.scipy.signal.convolve(x, kernel, "valid").sum())(x)
array([2., 3., 3., 1.])

Public names: `convolve correlate fftconvolve convolve2d correlate2d`.
"""

from __future__ import annotations

from math import prod
from typing import Any

from ..core.trace import aval_of
from ..numpy import fft
from ..numpy.convert import operand, result_dtype
from ..numpy.manipulation import axis_of
from ..ops.arithmetic import conj, convert, real
from ..ops.convolution import Window, conv_general
from ..ops.indexing import getitem
from ..ops.piecewise import rint
from ..ops.shape import flip, reshape, transpose

__all__ = ["convolve", "convolve2d", "correlate", "correlate2d", "fftconvolve"]

MODES = ("full", "valid", "same")
_DIRECT = 1 << 22  # multiplications up to which "auto" is direct


def convolve(
    in1: Any,
    in2: Any,
    mode: str = "full",
    method: str = "auto",
    *,
    axes: Any = None,
    dot_axes: Any = ((), ()),
) -> Any:
    """Convolve two arrays, of equal rank unless `axes` are given.

    Args:
        in1, in2: arrays; with mode "valid" one must be at least as large as the other
            in every dimension.
        mode: "full", "valid" or "same" (of the shape of `in1`).
        method: "direct", "fft" or "auto".
        axes: a pair of lists: the axes of `in1` and `in2` to convolve along; then the
            result has the other axes of `in1`, those of `in2`, and these.
        dot_axes: a pair of lists: axes to sum products over, besides.

    Raises:
        ValueError: ranks differ, the mode or method is unknown, or neither input covers
            the other in mode "valid".
    """
    x, y = operand(in1), operand(in2)
    if axes is not None:
        return _along(x, y, axes, dot_axes, mode)
    shapes = aval_of(x).shape, aval_of(y).shape
    if len(shapes[0]) != len(shapes[1]):
        raise ValueError(
            "convolve: in1 and in2 should have the same dimensionality, got shapes "
            f"{shapes[0]} and {shapes[1]}"
        )
    if mode not in MODES:
        raise ValueError(f"convolve: mode is one of {MODES}, not {mode!r}")
    if method not in ("auto", "direct", "fft"):
        raise ValueError(f"convolve: method is auto, direct or fft, not {method!r}")
    if not shapes[0]:
        return x * y
    if method == "auto":
        method = "direct" if prod(shapes[0]) * prod(shapes[1]) <= _DIRECT else "fft"
    full = _direct(x, y) if method == "direct" else _by_fft(x, y)
    return getitem(full, index=_part(mode, *shapes))


def _along(x: Any, y: Any, axes: Any, dot_axes: Any, mode: str) -> Any:
    """Convolve along some axes of images x and kernels y, summing over others."""
    ranks = aval_of(x).ndim, aval_of(y).ndim
    space = [[axis_of(a, n) for a in own] for own, n in zip(axes, ranks, strict=True)]
    summed = [
        [axis_of(a, n) for a in own] for own, n in zip(dot_axes, ranks, strict=True)
    ]
    if len(space[0]) != len(space[1]) or len(summed[0]) != len(summed[1]):
        raise ValueError(
            f"convolve: axes {axes} and dot_axes {dot_axes} must name as many axes of "
            "both arrays"
        )
    x, rest_x, size = _in_order(x, space[0], summed[0])
    y, rest_y, kernel = _in_order(y, space[1], summed[1])
    window = Window.plain(len(size))._replace(
        padding=tuple([(n - 1, n - 1) for n in kernel])
    )
    dtype = result_dtype(x, y)
    y = flip(convert(y, dtype=dtype), axis=tuple(range(2, 2 + len(size))))
    full = conv_general(convert(x, dtype=dtype), y, window=window, groups=1)
    part = getitem(full, index=(slice(None), slice(None), *_part(mode, size, kernel)))
    return reshape(part, shape=(*rest_x, *rest_y, *aval_of(part).shape[2:]))


def _in_order(x: Any, space: list[int], summed: list[int]) -> tuple[Any, Any, Any]:
    """Return x as (rest, summed, *space), and the sizes of rest and space."""
    shape = aval_of(x).shape
    rest = [a for a in range(len(shape)) if a not in (*space, *summed)]
    counts = prod(shape[a] for a in rest), prod(shape[a] for a in summed)
    sizes = tuple(shape[a] for a in space)
    x = transpose(x, axes=(*rest, *summed, *space))
    return reshape(x, shape=(*counts, *sizes)), [shape[a] for a in rest], sizes


def _part(mode: str, first: tuple[int, ...], second: tuple[int, ...]) -> Any:
    """Return the slices of the full convolution that a mode keeps."""
    pairs = list(zip(first, second, strict=True))
    if mode == "full":
        return tuple([slice(None)] * len(pairs))
    if mode == "same":
        return tuple([slice((n - 1) // 2, (n - 1) // 2 + m) for m, n in pairs])
    if not (all(m >= n for m, n in pairs) or all(m <= n for m, n in pairs)):
        raise ValueError(
            "For 'valid' mode, one must be at least as large as the other in every "
            f"dimension, got shapes {first} and {second}"
        )
    return tuple([slice(min(m, n) - 1, max(m, n)) for m, n in pairs])


def _direct(x: Any, y: Any) -> Any:
    """Slide the smaller over the larger."""
    if aval_of(x).size < aval_of(y).size:
        x, y = y, x
    dtype = result_dtype(x, y)
    x, y = convert(x, dtype=dtype), convert(y, dtype=dtype)
    size, kernel = aval_of(x).shape, aval_of(y).shape
    rank = len(size)
    window = Window.plain(rank)._replace(
        padding=tuple([(n - 1, n - 1) for n in kernel])
    )
    out = conv_general(
        reshape(x, shape=(1, 1, *size)),
        reshape(flip(y, axis=tuple(range(rank))), shape=(1, 1, *kernel)),
        window=window,
        groups=1,
    )
    return reshape(out, shape=aval_of(out).shape[2:])


def _by_fft(x: Any, y: Any) -> Any:
    dtype = result_dtype(x, y)
    shapes = zip(aval_of(x).shape, aval_of(y).shape, strict=True)
    shape = tuple([m + n - 1 for m, n in shapes])
    axes = tuple(range(len(shape)))
    if dtype.kind == "c":
        product = fft.fftn(x, shape, axes) * fft.fftn(y, shape, axes)
        out = fft.ifftn(product, shape, axes)
    else:
        product = fft.rfftn(x, shape, axes) * fft.rfftn(y, shape, axes)
        out = fft.irfftn(product, shape, axes)
    if dtype.kind in "iub":
        out = rint(real(out))
    return convert(out, dtype=dtype)


def correlate(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    """Correlate two arrays: convolve with the conjugate of `in2` reversed."""
    y = operand(in2)
    y = flip(y, axis=tuple(range(aval_of(y).ndim)))
    return convolve(in1, conj(y) if aval_of(y).dtype.kind == "c" else y, mode, method)


def fftconvolve(in1: Any, in2: Any, mode: str = "full") -> Any:
    """Convolve by the fast Fourier transform."""
    return convolve(in1, in2, mode, "fft")


def _plane(name: str, x: Any) -> Any:
    x = operand(x)
    if aval_of(x).ndim != 2:
        raise ValueError(f"{name} inputs must both be 2-D arrays, got {aval_of(x)!r}")
    return x


def convolve2d(in1: Any, in2: Any, mode: str = "full") -> Any:
    """Convolve two matrices, with zeros beyond the boundary."""
    return convolve(_plane("convolve2d", in1), _plane("convolve2d", in2), mode)


def correlate2d(in1: Any, in2: Any, mode: str = "full") -> Any:
    """Correlate two matrices, with zeros beyond the boundary."""
    return correlate(_plane("correlate2d", in1), _plane("correlate2d", in2), mode)
