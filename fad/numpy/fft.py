"""Discrete Fourier transforms: the namespace `numpy.fft`, traced.

Every transform is differentiable in both modes, of every size, odd or even, and over
any axes; float32 and complex64 stay what they are. The transforms over several axes are
loops over one axis, exactly as in NumPy, so results agree to the bit.

>>> import fad, fad.numpy as fnp
>>> power = lambda x: fnp.sum(fnp.abs(fnp.fft.rfft(x)) ** 2)
>>> fad.grad(power)(fnp.array([1.0, 2.0, 4.0]))
array([10., 13., 19.])

Public names: those of `numpy.fft`.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from ..ops import fft as ops
from ..ops.arithmetic import conj
from ..ops.infer_rules import normalize_axes
from .convert import no_out, operand
from .dispatch import implements

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]


def _prepare(a: Any, n: Any, axis: Any, out: Any, name: str) -> tuple[Any, int, int]:
    """Return the operand, the number of points (its own if None) and the axis."""
    no_out(name, out)
    a = operand(a)
    shape = aval_of(a).shape
    (axis,) = normalize_axes(operator.index(axis), len(shape))
    n = shape[axis] if n is None else operator.index(n)
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    return a, n, axis


def _norm(norm: str | None) -> str:
    return ops.swap_norm(ops.swap_norm(norm))


@implements(np.fft.fft)
def fft(
    a: Any, n: Any = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> Any:
    """Compute the transform along one axis, cropped or padded to `n` points."""
    a, n, axis = _prepare(a, n, axis, out, "fft")
    return ops.fft(ops.resize_axis(a, n, axis), axis=axis, norm=_norm(norm))


@implements(np.fft.ifft)
def ifft(
    a: Any, n: Any = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> Any:
    """Compute the inverse transform along one axis."""
    a, n, axis = _prepare(a, n, axis, out, "ifft")
    return ops.ifft(ops.resize_axis(a, n, axis), axis=axis, norm=_norm(norm))


@implements(np.fft.rfft)
def rfft(
    a: Any, n: Any = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> Any:
    """Compute the n // 2 + 1 coefficients of the transform of real samples."""
    a, n, axis = _prepare(a, n, axis, out, "rfft")
    if aval_of(a).dtype.kind == "c":
        raise TypeError(
            f"rfft takes real samples, got {aval_of(a)}; use fft for complex ones"
        )
    return ops.rfft(ops.resize_axis(a, n, axis), n=n, axis=axis, norm=_norm(norm))


@implements(np.fft.irfft)
def irfft(
    a: Any, n: Any = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> Any:
    """Compute the n real samples that have the coefficients `a`.

    The imaginary parts of the first coefficient and, for even `n`, of the last have no
    influence, so their derivatives are zero.
    """
    if n is None:
        operand_shape = aval_of(operand(a)).shape
        (where,) = normalize_axes(operator.index(axis), len(operand_shape))
        n = 2 * (operand_shape[where] - 1)
    a, n, axis = _prepare(a, n, axis, out, "irfft")
    kept = ops.resize_axis(a, n // 2 + 1, axis)
    return ops.irfft(kept, n=n, axis=axis, norm=_norm(norm))


@implements(np.fft.hfft)
def hfft(
    a: Any, n: Any = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> Any:
    """Compute the real transform of a signal with Hermitian symmetry."""
    no_out("hfft", out)
    return irfft(conj(operand(a)), n, axis, ops.swap_norm(norm))


@implements(np.fft.ihfft)
def ihfft(
    a: Any, n: Any = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> Any:
    """Compute the inverse transform of a signal with Hermitian symmetry."""
    no_out("ihfft", out)
    return conj(rfft(a, n, axis, ops.swap_norm(norm)))


def _sizes_and_axes(
    a: Any, s: Any, axes: Any, real_inverse: bool = False
) -> tuple[list[Any], list[int]]:
    """Return the number of points and the axis of every one-axis transform."""
    shape = aval_of(a).shape
    if axes is not None:
        axes = [operator.index(i) for i in axes]
    elif s is None:
        axes = list(range(len(shape)))
    else:
        axes = _last_axes(s)
    axes = [normalize_axes(i, len(shape))[0] for i in axes]
    if s is None:
        sizes = [shape[i] for i in axes]
        if real_inverse:
            sizes[-1] = 2 * (sizes[-1] - 1)
        return sizes, axes
    if len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    return [shape[i] if n == -1 else n for n, i in zip(s, axes, strict=True)], axes


def _last_axes(s: Sequence[Any]) -> list[int]:
    warnings.warn(
        "`axes` should not be `None` if `s` is not `None` (deprecated in NumPy 2.0); "
        "pass the axes that the sizes belong to",
        DeprecationWarning,
        stacklevel=5,
    )
    return list(range(-len(s), 0))


def _over_axes(
    transform: Callable[..., Any], a: Any, s: Any, axes: Any, norm: str | None
) -> Any:
    a = operand(a)
    sizes, axes = _sizes_and_axes(a, s, axes)
    for n, axis in reversed(list(zip(sizes, axes, strict=True))):
        a = transform(a, n, axis, norm)
    return a


@implements(np.fft.fftn)
def fftn(
    a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None
) -> Any:
    """Compute the transform over several axes, all by default."""
    no_out("fftn", out)
    return _over_axes(fft, a, s, axes, norm)


@implements(np.fft.ifftn)
def ifftn(
    a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None
) -> Any:
    """Compute the inverse transform over several axes, all by default."""
    no_out("ifftn", out)
    return _over_axes(ifft, a, s, axes, norm)


@implements(np.fft.rfftn)
def rfftn(
    a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None
) -> Any:
    """Compute the transform of real samples over several axes, halved in the last."""
    no_out("rfftn", out)
    a = operand(a)
    sizes, axes = _sizes_and_axes(a, s, axes)
    a = rfft(a, sizes[-1], axes[-1], norm)
    return _over_axes(fft, a, sizes[:-1], axes[:-1], norm)


@implements(np.fft.irfftn)
def irfftn(
    a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None
) -> Any:
    """Compute the real samples that `rfftn` transforms to `a`."""
    no_out("irfftn", out)
    a = operand(a)
    sizes, axes = _sizes_and_axes(a, s, axes, real_inverse=True)
    for n, axis in zip(sizes[:-1], axes[:-1], strict=True):
        a = ifft(a, n, axis, norm)
    return irfft(a, sizes[-1], axes[-1], norm)


@implements(np.fft.fft2)
def fft2(
    a: Any,
    s: Any = None,
    axes: Any = (-2, -1),
    norm: str | None = None,
    out: Any = None,
) -> Any:
    """Compute the transform over two axes."""
    return fftn(a, s, axes, norm, out)


@implements(np.fft.ifft2)
def ifft2(
    a: Any,
    s: Any = None,
    axes: Any = (-2, -1),
    norm: str | None = None,
    out: Any = None,
) -> Any:
    """Compute the inverse transform over two axes."""
    return ifftn(a, s, axes, norm, out)


@implements(np.fft.rfft2)
def rfft2(
    a: Any,
    s: Any = None,
    axes: Any = (-2, -1),
    norm: str | None = None,
    out: Any = None,
) -> Any:
    """Compute the transform of real samples over two axes."""
    return rfftn(a, s, axes, norm, out)


@implements(np.fft.irfft2)
def irfft2(
    a: Any,
    s: Any = None,
    axes: Any = (-2, -1),
    norm: str | None = None,
    out: Any = None,
) -> Any:
    """Compute the real samples that `rfft2` transforms to `a`."""
    return irfftn(a, s, axes, norm, out)


def _shift(x: Any, axes: Any, shift: Callable[[int], int]) -> Any:
    x = operand(x)
    shape = aval_of(x).shape
    if axes is None:
        axes = range(len(shape))
    for axis in (axes,) if isinstance(axes, (int, np.integer)) else axes:
        (axis,) = normalize_axes(axis, len(shape))
        x = ops.rotate(x, shift(shape[axis]), axis)
    return x


@implements(np.fft.fftshift)
def fftshift(x: Any, axes: Any = None) -> Any:
    """Move the zero frequency to the middle of the spectrum."""
    return _shift(x, axes, lambda n: n // 2)


@implements(np.fft.ifftshift)
def ifftshift(x: Any, axes: Any = None) -> Any:
    """Undo `fftshift`."""
    return _shift(x, axes, lambda n: -(n // 2))


@implements(np.fft.fftfreq)
def fftfreq(n: int, d: Any = 1.0, device: Any = None) -> Any:
    """Return the frequencies of `fft`, differentiable in the sample spacing `d`."""
    return _frequencies(np.fft.fftfreq, n, d, device)


@implements(np.fft.rfftfreq)
def rfftfreq(n: int, d: Any = 1.0, device: Any = None) -> Any:
    """Return the frequencies of `rfft`, differentiable in the sample spacing `d`."""
    return _frequencies(np.fft.rfftfreq, n, d, device)


def _frequencies(function: Any, n: Any, d: Any, device: Any) -> Any:
    if not isinstance(d, Tracer):
        return function(n, d, device)
    n = operator.index(n)
    counts = np.round(function(n, 1.0, device) * n)
    return counts * (1.0 / (d * n))
