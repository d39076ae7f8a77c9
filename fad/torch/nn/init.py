"""Initialisation of parameters, drawn as PyTorch draws it.

Every function fills a tensor in place, without a record, and returns it. With `fan` the
number of terms that each output (or input) of a layer sums, the scaled ones keep the
variance: Glorot's by sqrt(2 / (fan_in + fan_out)), He's by gain / sqrt(fan).

Public names: `calculate_gain`, and the functions, as in `torch.nn.init`.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..declare import functions
from ..generator import Generator
from ..modes import no_grad
from ..sampling import normal_ as draw_normal
from ..sampling import uniform_ as draw_uniform
from ..tensor import Tensor, wrap
from .checks import source

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

_LINEAR = frozenset(
    "linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d "
    "sigmoid".split()
)
_GAINS = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """Return the gain that makes up for what a nonlinearity loses.

    Args:
        nonlinearity: the name of its function.
        param: the slope of ``"leaky_relu"``.
    """
    if nonlinearity in _LINEAR:
        return 1
    if nonlinearity in _GAINS:
        return _GAINS[nonlinearity]
    if nonlinearity != "leaky_relu":
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    slope = 0.01 if param is None else param
    if isinstance(slope, bool) or not isinstance(slope, (int, float)):
        raise ValueError(f"negative_slope {param} not a valid number")
    return math.sqrt(2.0 / (1 + slope**2))


def _write(tensor: Tensor, value: Any) -> Tensor:
    with no_grad():
        return tensor.copy_(wrap(value))  # type: ignore[attr-defined,no-any-return]


def _like(tensor: Tensor) -> Any:
    return np.empty_like(tensor.value)


def uniform_(
    tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill with values uniform on [a, b)."""
    return _write(tensor, draw_uniform(generator or source(), _like(tensor), a, b))


def normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    generator: Generator | None = None,
) -> Tensor:
    """Fill with normal values."""
    return _write(tensor, draw_normal(generator or source(), _like(tensor), mean, std))


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Fill with normal values that lie in [a, b]: others are drawn again."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The "
            "distribution of values may be incorrect.",
            stacklevel=2,
        )
    share = _normal_cdf((b - mean) / std) - _normal_cdf((a - mean) / std)
    draw = _redrawn_normal if share > 0.3 else _rejected_uniform
    return _write(tensor, draw(generator or source(), _like(tensor), mean, std, a, b))


def _normal_cdf(x: float) -> float:
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _redrawn_normal(
    stream: Generator, out: Any, mean: float, std: float, a: float, b: float
) -> Any:
    low, high = out.dtype.type(a), out.dtype.type(b)
    result = draw_normal(stream, out, mean, std)
    while (outside := (result < low) | (result > high)).any():
        again = draw_normal(stream, np.empty_like(result), mean, std)
        result = np.where(outside, again, result)
    return result


def _rejected_uniform(
    stream: Generator, out: Any, mean: float, std: float, a: float, b: float
) -> Any:
    """Draw evenly from [a, b], and accept by the density."""
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    result = out
    pending = np.ones(out.shape, bool)
    while pending.any():
        candidates = draw_uniform(stream, np.empty_like(out), a, b)
        result = np.where(pending, candidates, result)
        density = ((candidates - mean) / std) ** 2 * -0.5 - peak
        with np.errstate(divide="ignore"):
            accept = np.log(draw_uniform(stream, np.empty_like(out)))
        pending = pending & (accept > density)
    return result


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one value."""
    with no_grad():
        return tensor.fill_(val)  # type: ignore[attr-defined,no-any-return]


def ones_(tensor: Tensor) -> Tensor:
    """Fill with 1."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with 0."""
    return constant_(tensor, 0.0)


def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with the identity."""
    _need_matrix(tensor)
    return _write(tensor, np.eye(*tensor.shape, dtype=tensor.aval.dtype))


def _need_matrix(tensor: Tensor) -> None:
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill a kernel so that the convolution keeps as many channels as it can."""
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    features, channels, *kernel = tensor.shape
    if features % groups:
        raise ValueError("dim 0 must be divisible by groups")
    size = features // groups
    middle = tuple(n // 2 for n in kernel)
    value = np.zeros_like(tensor.value)
    for group in range(groups):
        for d in range(min(size, channels)):
            value[(group * size + d, d, *middle)] = 1
    return _write(tensor, value)


def _fans(tensor: Tensor) -> tuple[int, int]:
    """Return how many terms an output sums, and how many outputs use an input."""
    if tensor.ndim < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 "
            "dimensions"
        )
    features, channels, *kernel = tensor.shape
    size = math.prod(kernel)
    return channels * size, features * size


_calculate_fan_in_and_fan_out = _fans


def _fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(
            f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']"
        )
    return _fans(tensor)[mode == "fan_out"]


def xavier_uniform_(
    tensor: Tensor, gain: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill with uniform values, scaled after Glorot and Bengio (2010)."""
    bound = math.sqrt(3.0) * (gain * math.sqrt(2.0 / float(sum(_fans(tensor)))))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(
    tensor: Tensor, gain: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill with normal values, scaled after Glorot and Bengio (2010)."""
    std = gain * math.sqrt(2.0 / float(sum(_fans(tensor))))
    return normal_(tensor, 0.0, std, generator)


def _is_empty(tensor: Tensor) -> bool:
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return True
    return False


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill with uniform values, scaled after He et al. (2015).

    Args:
        a: the slope of a leaky relu that follows.
        mode: keep the variance forward (``"fan_in"``) or backward (``"fan_out"``).
        nonlinearity: what follows.
    """
    if _is_empty(tensor):
        return tensor
    fan = _fan(tensor, mode)
    std = calculate_gain(nonlinearity, a) / math.sqrt(fan)
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill with normal values, scaled after He et al. (2015)."""
    if _is_empty(tensor):
        return tensor
    fan = _fan(tensor, mode)
    std = calculate_gain(nonlinearity, a) / math.sqrt(fan)
    return normal_(tensor, 0.0, std, generator)


def orthogonal_(
    tensor: Tensor, gain: float = 1, generator: Generator | None = None
) -> Tensor:
    """Fill with orthonormal rows or columns, whichever are fewer, times `gain`."""
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if not tensor.aval.size:
        return tensor
    rows = tensor.shape[0]
    shape = (rows, tensor.aval.size // rows)
    values = draw_normal(generator or source(), np.empty(shape, tensor.aval.dtype))
    wide = shape[0] < shape[1]
    q, r = np.linalg.qr(values.T if wide else values)
    q = q * np.sign(np.diag(r))
    q = (q.T if wide else q) * q.dtype.type(gain)
    return _write(tensor, q.reshape(tensor.shape))


def sparse_(
    tensor: Tensor,
    sparsity: float,
    std: float = 0.01,
    generator: Generator | None = None,
) -> Tensor:
    """Fill a matrix with normal values, a share of each column with 0."""
    _need_matrix(tensor)
    rows, columns = tensor.shape
    value = draw_normal(generator or source(), _like(tensor), 0.0, std)
    for column in range(columns):
        order = functions["randperm"](rows).value
        value[order[: math.ceil(sparsity * rows)], column] = 0
    return _write(tensor, value)


def _old(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    new = function.__name__
    old = new[:-1]

    @functools.wraps(function)
    def renamed(*args: Any, **kwargs: Any) -> Tensor:
        warnings.warn(
            f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`.",
            FutureWarning,
            stacklevel=2,
        )
        return function(*args, **kwargs)

    renamed.__name__ = renamed.__qualname__ = old
    renamed.__doc__ = f"Do what `{new}` does; an old name."
    return renamed


uniform = _old(uniform_)
normal = _old(normal_)
constant = _old(constant_)
eye = _old(eye_)
dirac = _old(dirac_)
xavier_uniform = _old(xavier_uniform_)
xavier_normal = _old(xavier_normal_)
kaiming_uniform = _old(kaiming_uniform_)
kaiming_normal = _old(kaiming_normal_)
orthogonal = _old(orthogonal_)
sparse = _old(sparse_)
