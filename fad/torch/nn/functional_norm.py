"""Normalisation over batches, layers, groups and instances.

Each is (x - mean) / sqrt(variance + eps), times a weight, plus a bias; they differ in
what the mean runs over. float16 is computed in float32.

Public names: the functions, as in `torch.nn.functional`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import numpy as fnp
from ...core.trace import aval_of
from ...ops.arithmetic import convert
from ...transforms.batching import Batch
from ..declare import composite
from ..modes import no_grad
from ..tensor import Tensor
from .checks import require_floating

__all__ = [
    "batch_norm",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "local_response_norm",
    "normalize",
    "rms_norm",
]


def _wide(x: Any) -> Any:
    half = x is not None and aval_of(x).dtype == np.float16
    return convert(x, dtype=np.dtype(np.float32)) if half else x


def _normalized(x: Any, axes: tuple[int, ...], eps: float) -> Any:
    """Return x less its mean over axes, divided by its deviation."""
    centred = x - fnp.mean(x, axis=axes, keepdims=True)
    variance = fnp.mean(centred * centred, axis=axes, keepdims=True)
    return centred / fnp.sqrt(variance + eps)


def _affine(x: Any, weight: Any, bias: Any, shape: tuple[int, ...]) -> Any:
    if weight is not None:
        x = x * fnp.reshape(weight, shape)
    return x if bias is None else x + fnp.reshape(bias, shape)


def _layer_norm(x: Any, weight: Any, bias: Any, *, rank: int, eps: float) -> Any:
    dtype, axes = aval_of(x).dtype, tuple(range(-rank, 0))
    sizes = tuple(aval_of(x).shape[-rank:])
    out = _affine(_normalized(_wide(x), axes, eps), _wide(weight), _wide(bias), sizes)
    return convert(out, dtype=dtype) if aval_of(out).dtype != dtype else out


_layer_node = composite("NativeLayerNormBackward0", _layer_norm)


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalise over the last dimensions, of the shape given.

    Raises:
        RuntimeError: the shapes do not fit.
    """
    sizes = _checked_shape(normalized_shape)
    for what, x in (("weight", weight), ("bias", bias)):
        if x is not None and tuple(x.shape) != sizes:
            raise RuntimeError(
                f"Expected {what} to be of same shape as normalized_shape, but got {what} "
                f"of shape {list(x.shape)} and normalized_shape = {list(sizes)}"
            )
    if tuple(input.shape[-len(sizes) :]) != sizes:
        shown = ", ".join(map(str, sizes))
        raise RuntimeError(
            f"Given normalized_shape={list(sizes)}, expected input with shape [*, "
            f"{shown}], but got input of size{list(input.shape)}"
        )
    require_floating(input, "LayerNormKernelImpl")
    if any(x is not None and x.aval.dtype != input.aval.dtype for x in (weight, bias)):
        raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
    found: Tensor = _layer_node(input, weight, bias, rank=len(sizes), eps=eps)
    return found


def _checked_shape(shape: Any) -> tuple[int, ...]:
    if isinstance(shape, int):
        raise TypeError(
            "layer_norm(): argument 'normalized_shape' (position 2) must be tuple of ints, "
            "not int"
        )
    sizes = tuple(int(n) for n in shape)
    if not sizes:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at "
            "least one element, but got normalized_shape = []"
        )
    return sizes


def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Divide by the root of the mean square over the last dimensions."""
    sizes = _checked_shape(normalized_shape)
    if weight is not None and tuple(weight.shape) != sizes:
        raise RuntimeError(
            "Expected weight to be of same shape as normalized_shape, but got weight of "
            f"shape {list(weight.shape)} and normalized_shape = {list(sizes)}"
        )
    if tuple(input.shape[-len(sizes) :]) != sizes:
        shown = ", ".join(map(str, sizes))
        raise RuntimeError(
            f"Given normalized_shape={list(sizes)}, expected input with shape [*{shown}], "
            f"but got input of size{list(input.shape)}"
        )
    if eps is None:
        eps = float(np.finfo(input.aval.dtype).eps)
    x: Any = input
    dims = tuple(range(-len(sizes), 0))
    out: Tensor = x * (x.pow(2).mean(dims, True) + eps).rsqrt()
    return out if weight is None else out * weight


def _channels(shape: Sequence[int]) -> tuple[int, ...]:
    return (1, shape[1], *[1] * (len(shape) - 2))


def _batch_norm(
    x: Any, weight: Any, bias: Any, mean: Any, variance: Any, *, eps: float
) -> Any:
    shape, dtype = aval_of(x).shape, aval_of(x).dtype
    channels = _channels(shape)
    if mean is None:
        axes = (0, *range(2, len(shape)))
        out = _normalized(_wide(x), axes, eps)
    else:
        centred = _wide(x) - fnp.reshape(mean, channels)
        out = centred / fnp.sqrt(fnp.reshape(variance, channels) + eps)
    out = _affine(out, _wide(weight), _wide(bias), channels)
    return convert(out, dtype=dtype) if aval_of(out).dtype != dtype else out


_batch_train = composite(
    "NativeBatchNormBackward0",
    lambda x, w, b, *, eps: _batch_norm(x, w, b, None, None, eps=eps),
)
_batch_eval = composite(
    "NativeBatchNormBackward0",
    lambda x, w, b, *, mean, variance, eps: _batch_norm(
        x, w, b, mean, variance, eps=eps
    ),
)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalise each channel over the batch, or by running statistics.

    When training, the running statistics move towards the batch's by `momentum`.

    Raises:
        ValueError: a channel has one value only when training.
        RuntimeError: the sizes do not fit.
    """
    if training:
        _check_enough(input)
    channels = input.shape[1] if input.ndim > 1 else 0
    if not training and running_mean is None:
        raise RuntimeError("running_mean must be defined in evaluation mode")
    if not training and running_var is None:
        raise RuntimeError("running_var must be defined in evaluation mode")
    for what, x in (
        ("running_mean", running_mean),
        ("running_var", running_var),
        ("weight", weight),
        ("bias", bias),
    ):
        if x is not None and x.aval.size != channels:
            raise RuntimeError(
                f"{what} should contain {channels} elements not {x.aval.size}"
            )
    require_floating(input, "batch_norm")
    found: Tensor
    if training:
        found = _batch_train(input, weight, bias, eps=eps)
        _update(input, running_mean, running_var, momentum)
    else:
        assert running_mean is not None and running_var is not None
        found = _batch_eval(
            input,
            weight,
            bias,
            mean=running_mean.value,
            variance=running_var.value,
            eps=eps,
        )
    return found


def _check_enough(x: Tensor) -> None:
    if math.prod([n for i, n in enumerate(x.shape) if i != 1]) == 1:
        raise ValueError(
            "Expected more than 1 value per channel when training, got input size "
            f"{x.shape}"
        )


_MAPPED = (
    "Batch norm got a batched tensor as input while the running_mean or running_var, "
    "which will be updated in place, were not batched.\nIf you are using a module and "
    "do not need eval mode, please set `track_running_stats` to be False.If you are "
    "using a prebuilt module and do not need eval mode, please see the functorch "
    "website for resources on how to patch your module to work with vmap"
)


def _is_outer(running: Tensor) -> bool:
    """Tell whether a tensor belongs to no transform."""
    return isinstance(running.value, np.ndarray)


def _update(
    x: Tensor, mean: Tensor | None, variance: Tensor | None, momentum: float
) -> None:
    """Move running statistics towards those of a batch."""
    if mean is None and variance is None:
        return
    if isinstance(getattr(x.value, "owner", None), Batch):
        if any(r is not None and _is_outer(r) for r in (mean, variance)):
            raise RuntimeError(_MAPPED)
    with no_grad():
        values: Any = x.detach()  # type: ignore[attr-defined]
        dims = tuple(i for i in range(x.ndim) if i != 1)
        for running, new in (
            (mean, values.mean(dims)),
            (variance, values.var(dims, correction=1)),
        ):
            if running is not None:
                running.mul_(1 - momentum).add_(  # type: ignore[attr-defined]
                    new.to(running.dtype), alpha=momentum
                )


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalise each channel of each example."""
    n, c, *sizes = input.shape
    if use_input_stats and math.prod(sizes) == 1:
        raise ValueError(
            "Expected more than 1 spatial element when training, got input size "
            f"{input.shape}"
        )
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError(
            "Expected running_mean and running_var to be defined when use_input_stats is "
            "false"
        )
    wide: Any = input.reshape(1, n * c, *sizes)
    repeated: list[Any] = [
        None if t is None else t.repeat(n)  # type: ignore[attr-defined]
        for t in (running_mean, running_var, weight, bias)
    ]
    out: Any = batch_norm(wide, *repeated, use_input_stats, momentum, eps)
    if use_input_stats:
        with no_grad():
            pairs = zip((running_mean, running_var), repeated, strict=False)
            for running, copies in pairs:
                if running is not None:
                    running.copy_(copies.view(n, c).mean(0))  # type: ignore[attr-defined]
    return out.view(input.shape)  # type: ignore[no-any-return]


def _group_norm(x: Any, weight: Any, bias: Any, *, groups: int, eps: float) -> Any:
    shape, dtype = aval_of(x).shape, aval_of(x).dtype
    blocks = fnp.reshape(_wide(x), (shape[0], groups, -1))
    out = fnp.reshape(_normalized(blocks, (2,), eps), shape)
    out = _affine(out, _wide(weight), _wide(bias), _channels(shape))
    return convert(out, dtype=dtype) if aval_of(out).dtype != dtype else out


_group_node = composite("NativeGroupNormBackward0", _group_norm)


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalise groups of channels of each example."""
    n, c, *sizes = input.shape
    if n * c // num_groups * math.prod(sizes) == 1:
        shape = [n * c // num_groups, num_groups, *sizes]
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {shape}"
        )
    if c % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got "
            f"input of shape {list(input.shape)} and num_groups={num_groups}"
        )
    for what, x in (("weight", weight), ("bias", bias)):
        if x is not None and tuple(x.shape) != (c,):
            raise RuntimeError(
                f"Expected {what} to be a vector of size equal to the number of channels "
                f"in input, but got {what} of shape {list(x.shape)} and input of shape "
                f"{list(input.shape)}"
            )
    require_floating(input, "GroupNormKernelImpl")
    found: Tensor = _group_node(input, weight, bias, groups=num_groups, eps=eps)
    return found


def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Divide by a power of the mean square over neighbouring channels."""
    from .functional_pool import avg_pool2d

    if input.ndim < 3:
        raise ValueError(
            "Expected 3D or higher dimensionality                          input (got "
            f"{input.ndim} dimensions)"
        )
    from .functional_pad import pad

    n, c, *sizes = input.shape
    squares: Any = (input * input).view(n, 1, c, math.prod(sizes))
    squares = pad(squares, (0, 0, size // 2, (size - 1) // 2))
    mean: Any = avg_pool2d(squares, (size, 1), stride=1)
    scale = (mean.squeeze(1).view(input.shape) * alpha + k).pow(beta)
    return input / scale


def normalize(
    input: Tensor,
    p: float = 2.0,
    dim: Any = 1,
    eps: float = 1e-12,
    out: Tensor | None = None,
) -> Tensor:
    """Divide by the p-norm along a dimension, which counts as at least eps."""
    size: Any = input.norm(p, dim, keepdim=True)  # type: ignore[attr-defined]
    found = input / size.clamp_min(eps).expand_as(input)
    if out is not None:
        with no_grad():
            out.copy_(found)  # type: ignore[attr-defined]
        return out
    return found
