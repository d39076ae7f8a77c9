"""Activations and normalised exponentials, under the names of `jax.nn`.

All act element by element, or along an axis where they take one; none overflows, and
slopes are right in the tails. At their kinks `relu` and `relu6` have the slope 0.

Public names: `celu elu gelu glu hard_sigmoid hard_silu hard_swish hard_tanh identity
leaky_relu log_sigmoid log_softmax logmeanexp logsumexp mish one_hot relu relu6 selu
sigmoid silu soft_sign softmax softplus squareplus standardize swish tanh`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import numpy as fnp
from .core.trace import aval_of
from .numpy import logistic as sigmoid
from .numpy import logsumexp as logsumexp
from .numpy import relu as relu
from .numpy import softplus as softplus
from .numpy import tanh as tanh
from .numpy.convert import cast, operand, result_dtype
from .ops.error_functions import erf

__all__ = [
    "celu",
    "elu",
    "gelu",
    "glu",
    "hard_sigmoid",
    "hard_silu",
    "hard_swish",
    "hard_tanh",
    "identity",
    "leaky_relu",
    "log_sigmoid",
    "log_softmax",
    "logmeanexp",
    "logsumexp",
    "mish",
    "one_hot",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "soft_sign",
    "softmax",
    "softplus",
    "squareplus",
    "standardize",
    "swish",
    "tanh",
]


def _inexact(x: Any) -> Any:
    x = operand(x)
    return x if aval_of(x).dtype.kind in "fc" else cast(x, result_dtype(x, 1.0))


def identity(x: Any) -> Any:
    """Return x."""
    return operand(x)


def relu6(x: Any) -> Any:
    """Return x, between 0 and 6, with slope 0 at both."""
    x = operand(x)
    return fnp.where(x >= 6, 6, relu(x))


def hard_tanh(x: Any) -> Any:
    """Return x, between -1 and 1."""
    return fnp.clip(x, -1, 1)


def leaky_relu(x: Any, negative_slope: Any = 0.01) -> Any:
    """Return x, times `negative_slope` where it is negative."""
    x = _inexact(x)
    return fnp.where(x >= 0, x, negative_slope * x)


def elu(x: Any, alpha: Any = 1.0) -> Any:
    """Return x, and `alpha (exp(x) - 1)` below 0.

    >>> import fad
    >>> float(fad.grad(fad.nn.elu)(-1000.0))
    0.0
    """
    x = _inexact(x)
    return fnp.where(x > 0, x, alpha * fnp.expm1(fnp.where(x > 0, 0.0, x)))


def celu(x: Any, alpha: Any = 1.0) -> Any:
    """Return x, and `alpha (exp(x / alpha) - 1)` below 0, of slope 1 at 0."""
    return alpha * elu(_inexact(x) / alpha)


_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772, 1.0507009873554805


def selu(x: Any) -> Any:
    """Return a multiple of `elu` that keeps mean 0 and variance 1 of normal inputs."""
    return _SELU_SCALE * elu(x, _SELU_ALPHA)


def silu(x: Any) -> Any:
    """Return x sigmoid(x)."""
    x = _inexact(x)
    return x * sigmoid(x)


swish = silu


def mish(x: Any) -> Any:
    """Return x tanh(softplus(x))."""
    x = _inexact(x)
    return x * fnp.tanh(softplus(x))


def gelu(x: Any, approximate: bool = True) -> Any:
    """Return x P(Z <= x) for a standard normal Z.

    Args:
        x: an array.
        approximate: by a tanh, as most published networks were trained with.

    >>> import fad
    >>> float(fad.nn.gelu(1.0, approximate=False).round(4))
    0.8413
    """
    x = _inexact(x)
    if approximate:
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
        return 0.5 * x * (1.0 + fnp.tanh(inner))
    return 0.5 * x * (1.0 + erf(x / math.sqrt(2.0)))


def glu(x: Any, axis: int = -1) -> Any:
    """Return the first half along an axis, times the sigmoid of the second.

    Raises:
        ValueError: the axis has an odd size.
    """
    size = aval_of(operand(x)).shape[axis]
    if size % 2:
        raise ValueError(f"glu: the axis {axis} must have an even size, got {size}")
    first, second = fnp.split(_inexact(x), 2, axis=axis)
    return first * sigmoid(second)


def log_sigmoid(x: Any) -> Any:
    """Return log(sigmoid(x)).

    >>> import fad
    >>> float(fad.nn.log_sigmoid(-1000.0))
    -1000.0
    """
    return -softplus(-_inexact(x))


def soft_sign(x: Any) -> Any:
    """Return x / (1 + abs(x))."""
    x = _inexact(x)
    return x / (fnp.abs(x) + 1)


def squareplus(x: Any, b: Any = 4) -> Any:
    """Return (x + sqrt(x^2 + b)) / 2, a smooth `relu`."""
    x = _inexact(x)
    return (x + fnp.sqrt(fnp.square(x) + b)) / 2


def hard_sigmoid(x: Any) -> Any:
    """Return relu6(x + 3) / 6."""
    return relu6(_inexact(x) + 3.0) / 6


def hard_silu(x: Any) -> Any:
    """Return x hard_sigmoid(x)."""
    x = _inexact(x)
    return x * hard_sigmoid(x)


hard_swish = hard_silu


def log_softmax(x: Any, axis: Any = -1, where: Any = None) -> Any:
    """Return x - log(sum(exp(x))), the sum over an axis or several.

    Args:
        x: an array.
        axis: an int, a tuple of them, or None for all.
        where: a mask of the elements that take part; others get -inf.
    """
    x = _inexact(x)
    total = logsumexp(x, axis=axis, where=where, keepdims=True)
    if where is None:
        return x - total
    return fnp.where(where, fnp.where(where, x, 0.0) - total, -np.inf)


def softmax(x: Any, axis: Any = -1, where: Any = None) -> Any:
    """Return exp(x) / sum(exp(x)), the sum over an axis or several.

    Args:
        x: an array.
        axis: an int, a tuple of them, or None for all.
        where: a mask of the elements that take part; others get 0.

    >>> import fad, numpy as np
    >>> fad.nn.softmax(np.array([0.0, 0.0, 5.0]), where=np.array([True, True, False]))
    array([0.5, 0.5, 0. ])
    """
    return fnp.exp(log_softmax(x, axis, where))


def logmeanexp(
    x: Any, axis: Any = None, where: Any = None, keepdims: bool = False
) -> Any:
    """Return log(mean(exp(x))) over `axis`, of the elements in `where`."""
    x = _inexact(x)
    taken = np.ones(aval_of(x).shape, bool) if where is None else where
    count = fnp.sum(
        fnp.broadcast_to(taken, aval_of(x).shape), axis=axis, keepdims=keepdims
    )
    total = logsumexp(x, axis=axis, where=where, keepdims=keepdims)
    return total - fnp.log(cast(count, aval_of(total).dtype))


def one_hot(x: Any, num_classes: int, *, dtype: Any = None, axis: int = -1) -> Any:
    """Return rows with a 1 at the indices in x; out of range they are all 0.

    Args:
        x: integers.
        num_classes: the size of the new axis.
        dtype: float64 by default.
        axis: where the new axis goes.

    >>> import fad
    >>> fad.nn.one_hot([1, 3], 3)
    array([[0., 1., 0.],
           [0., 0., 0.]])
    """
    x = operand(x)
    rank = aval_of(x).ndim + 1
    shape = [1] * rank
    shape[axis] = num_classes
    classes = np.arange(num_classes).reshape(shape)
    hot = fnp.expand_dims(x, axis) == classes
    return cast(hot, float if dtype is None else dtype)


def standardize(
    x: Any,
    axis: Any = -1,
    mean: Any = None,
    variance: Any = None,
    epsilon: Any = 1e-5,
    where: Any = None,
) -> Any:
    """Return x moved and scaled to mean 0 and variance 1 along `axis`.

    Args:
        x: an array.
        axis: an int, a tuple of them, or None for all.
        mean, variance: taken instead of those of x.
        epsilon: added to the variance.
        where: a mask of the elements that count for mean and variance.
    """
    x = _inexact(x)
    mask = True if where is None else where
    if mean is None:
        mean = fnp.mean(x, axis=axis, keepdims=True, where=mask)
    if variance is None:
        variance = fnp.var(x, axis=axis, keepdims=True, where=mask)
    return (x - mean) / fnp.sqrt(variance + epsilon)
