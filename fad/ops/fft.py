"""Discrete Fourier transforms along one axis.

    fft:   out_k = sum_j x_j w^(jk),  w = exp(-2 pi i / n)

All are linear. Cotangents pair with tangents by Re(ct * t), without conjugation, and
the matrix w^(jk) is symmetric; so `fft` is its own transpose. The transforms between
n real samples and n // 2 + 1 coefficients are each other's transposes but for
conjugation and for weights: every coefficient other than the first and, for even n,
the last stands for two of the full transform.

`norm` is NumPy's: which direction carries the factor 1/n. Transforms over several axes
are loops over these primitives, as they are in NumPy.

Public names: `fft ifft rfft irfft resize_axis rotate`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.trace import aval_of
from .arithmetic import conj
from .indexing import slice_along
from .kinds import linear
from .shape import concatenate

__all__ = ["fft", "ifft", "irfft", "resize_axis", "rfft", "rotate", "swap_norm"]

_SWAPPED = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def swap_norm(norm: str | None) -> str:
    """Return the norm under which the opposite direction has the same factor.

    Raises:
        ValueError: NumPy knows no such norm.
    """
    try:
        return _SWAPPED[norm or "backward"]
    except KeyError:
        raise ValueError(
            f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".'
        ) from None


@lru_cache(maxsize=256)
def _result_dtype(function: Any, dtype: np.dtype[Any]) -> np.dtype[Any]:
    return function(np.zeros(2, dtype)).dtype


def _resized(shape: tuple[int, ...], axis: int, n: int) -> tuple[int, ...]:
    return (*shape[:axis], n, *shape[axis + 1 :])


def _batch(prim: Any) -> Any:
    def rule(size: int, args: Any, dims: Any, *, axis: int, **params: Any) -> Any:
        (d,) = dims
        shifted = axis + (axis >= d)
        # the transform keeps every other axis where it is, the batch axis too
        return prim()(args[0], axis=shifted, **params), d

    return rule


def _full(name: str, function: Any) -> Any:
    """Declare a transform of n coefficients to n coefficients."""
    prim = linear(
        name,
        lambda x, *, axis, norm: function(x, None, axis, norm),
        lambda ct, *, axis, norm: prim(ct, axis=axis, norm=norm),
        infer=lambda x, *, axis, norm: Aval(x.shape, _result_dtype(function, x.dtype)),
        batch=_batch(lambda: prim),
    )
    return prim


fft = _full("fft", np.fft.fft)
ifft = _full("ifft", np.fft.ifft)


def _weights(aval: Aval, n: int, axis: int, inner: float) -> Any:
    """Return `inner` for the coefficients that stand for two, 1 for the others."""
    m = n // 2 + 1
    weights = np.full(m, inner, np.empty(0, aval.dtype).real.dtype)
    weights[0] = 1
    if n % 2 == 0:
        weights[-1] = 1
    return weights.reshape(m, *(1,) * (len(aval.shape) - axis - 1))


def _transpose_rfft(ct: Any, out: Aval, *, n: int, axis: int, norm: str) -> Any:
    halved = conj(ct) * _weights(out, n, axis, 0.5)
    return irfft(halved, n=n, axis=axis, norm=swap_norm(norm))


def _transpose_irfft(ct: Any, out: Aval, *, n: int, axis: int, norm: str) -> Any:
    folded = conj(rfft(ct, n=n, axis=axis, norm=swap_norm(norm)))
    return folded * _weights(out, n, axis, 2.0)


rfft = linear(
    "rfft",
    lambda x, *, n, axis, norm: np.fft.rfft(x, n, axis, norm),
    _transpose_rfft,
    infer=lambda x, *, n, axis, norm: Aval(
        _resized(x.shape, axis, n // 2 + 1), _result_dtype(np.fft.rfft, x.dtype)
    ),
    batch=_batch(lambda: rfft),
)
"""`n` is the number of real samples, which is the size of `axis`."""

irfft = linear(
    "irfft",
    lambda x, *, n, axis, norm: np.fft.irfft(x, n, axis, norm),
    _transpose_irfft,
    infer=lambda x, *, n, axis, norm: Aval(
        _resized(x.shape, axis, n), _result_dtype(np.fft.irfft, x.dtype)
    ),
    batch=_batch(lambda: irfft),
)
"""`n` is the number of real samples; the size of `axis` is n // 2 + 1."""


def resize_axis(x: Any, n: int, axis: int) -> Any:
    """Crop `axis` (non-negative) to n elements, or fill it up with zeros."""
    aval = aval_of(x)
    size = aval.shape[axis]
    if n < size:
        return slice_along(x, 0, n, axis)
    if n > size:
        fill = np.zeros(_resized(aval.shape, axis, n - size), aval.dtype)
        return concatenate(x, fill, axis=axis)
    return x


def rotate(x: Any, shift: int, axis: int) -> Any:
    """Move element i along `axis` (non-negative) to i + shift, modulo the size."""
    size = aval_of(x).shape[axis]
    cut = -shift % size if size else 0
    if cut == 0:
        return x
    parts = slice_along(x, cut, size, axis), slice_along(x, 0, cut, axis)
    return concatenate(*parts, axis=axis)
