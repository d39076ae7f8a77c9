"""Dropout: multiplication with a random mask, drawn as PyTorch draws it.

Public names: the functions, as in `torch.nn.functional`.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..choosing import dropout_mask
from ..dtypes import default_float, of_numpy
from ..filling import empty_as
from ..mapped_random import drawn
from ..modes import current
from ..sampling import bernoulli_
from ..tensor import Tensor, tensor_of
from .checks import source

__all__ = [
    "alpha_dropout",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "feature_alpha_dropout",
]

_ALPHA = 1.7580993408473766  # the size of selu's lower limit


def _check(p: float) -> None:
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _mask(x: Tensor, p: float, shape: Any = None) -> Any:
    """Draw a mask of a shape, by default that of the tensor."""
    if shape is None and isinstance(x.value, np.ndarray) and not current().mapped:
        return dropout_mask(source(), x.value, p)
    dtype = x.aval.dtype
    return drawn(
        x.shape if shape is None else shape,
        lambda shape: dropout_mask(source(), np.empty(shape, dtype), p),
    )


def _times(x: Tensor, mask: Any, inplace: bool) -> Tensor:
    if inplace:
        return x.mul_(tensor_of(mask))  # type: ignore[attr-defined,no-any-return]
    return x * tensor_of(mask)


def dropout(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Return the input with elements set to 0 with probability p, the rest scaled.

    Raises:
        ValueError: p is no probability.
    """
    _check(p)
    if not training or p == 0 or not input.aval.size:
        return input
    _refuse_integers(input)
    return _times(input, _mask(input, p), inplace)


def _refuse_integers(x: Tensor) -> None:
    if x.aval.dtype.kind in "biu":
        title = of_numpy(default_float()).title
        raise RuntimeError(
            f"result type {title} can't be cast to the desired output type "
            f"{x.dtype.title}"
        )


def _features(input: Tensor) -> tuple[int, ...]:
    """Return the shape with one element a channel of every example."""
    return (*input.shape[:2], *[1] * (input.ndim - 2))


def _channel_dropout(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    if not training or p == 0 or not input.aval.size:
        return input
    return _times(input, _mask(input, p, _features(input)), inplace)


def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Set whole channels of sequences to 0 with probability p."""
    _check(p)
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input. "
            "Note that dropout1d exists to provide channel-wise dropout on inputs with 1 "
            "spatial dimension, a channel dimension, and an optional batch dimension "
            "(i.e. 2D or 3D inputs)."
        )
    if input.ndim == 3:
        return _channel_dropout(input, p, training, inplace)
    single: Any = _channel_dropout(
        input.unsqueeze(0),  # type: ignore[attr-defined]
        p,
        training,
        inplace,
    )
    return single.squeeze(0)  # type: ignore[no-any-return]


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Set whole channels of images to 0 with probability p."""
    _check(p)
    if input.ndim not in (3, 4):
        warnings.warn(
            f"dropout2d: Received a {input.ndim}-D input to dropout2d, which is "
            "deprecated and will result in an error in a future release. To retain the "
            "behavior and silence this warning, please use dropout instead. Note that "
            "dropout2d exists to provide channel-wise dropout on inputs with 2 spatial "
            "dimensions, a channel dimension, and an optional batch dimension.",
            stacklevel=2,
        )
    if input.ndim == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise "
            "1D dropout behavior is desired - input is interpreted as shape (N, C, L), "
            "where C is the channel dim. This behavior will change in a future release to "
            "interpret the input as one without a batch dimension, i.e. shape (C, H, W). "
            "To maintain the 1D channel-wise dropout behavior, please switch to using "
            "dropout1d instead.",
            stacklevel=2,
        )
    return _channel_dropout(input, p, training, inplace)


def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Set whole channels of volumes to 0 with probability p."""
    _check(p)
    if input.ndim not in (4, 5):
        warnings.warn(
            f"dropout3d: Received a {input.ndim}-D input to dropout3d, which is "
            "deprecated and will result in an error in a future release. To retain the "
            "behavior and silence this warning, please use dropout instead. Note that "
            "dropout3d exists to provide channel-wise dropout on inputs with 3 spatial "
            "dimensions, a channel dimension, and an optional batch dimension.",
            stacklevel=2,
        )
    return _channel_dropout(input, p, training, inplace)


def _alpha(input: Tensor, shape: Any, p: float, inplace: bool) -> Tensor:
    """Drop to selu's lower limit, and scale and shift to keep mean and variance."""
    dtype = input.aval.dtype
    kept: Any = tensor_of(_kept(input, shape, p))
    if p == 1:
        return _times(input, kept, inplace)
    a = 1.0 / float(np.sqrt((_ALPHA * _ALPHA * p + 1) * (1 - p)))
    shift = (kept - 1) * dtype.type(_ALPHA * a) + dtype.type(_ALPHA * a * p)
    scaled: Any = _times(input, kept * dtype.type(a), inplace)
    return scaled.add_(shift) if inplace else scaled + shift  # type: ignore[no-any-return]


def _kept(x: Tensor, shape: Any, p: float) -> Any:
    """Draw which elements are kept, as ones."""
    if p == 1:
        return np.zeros(x.shape if shape is None else shape, x.aval.dtype)
    if shape is None and isinstance(x.value, np.ndarray) and not current().mapped:
        return bernoulli_(source(), empty_as(x.value), 1 - p)
    dtype = x.aval.dtype
    return drawn(
        x.shape if shape is None else shape,
        lambda shape: bernoulli_(source(), np.empty(shape, dtype), 1 - p),
    )


def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Return dropout that keeps the mean and variance of what selu normalised."""
    _check(p)
    if not training or p == 0 or not input.aval.size:
        return input
    return _alpha(input, None, p, inplace)


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Return `alpha_dropout` of whole channels."""
    _check(p)
    if not training or p == 0 or not input.aval.size:
        return input
    return _alpha(input, _features(input), p, inplace)
