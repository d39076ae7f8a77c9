"""Convolutions in one to three dimensions, and their transposes.

All are `fad.ops.convolution.conv_general`. A transposed convolution is the one that is
its adjoint: strides become gaps between the elements of the input, and the kernel is
turned round.

Public names: `conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.trace import aval_of
from ...ops.arithmetic import convert
from ...ops.convolution import Window, conv_general
from ...ops.shape import flip, reshape, transpose
from ..declare import composite
from ..filling import c_name, scalar_name
from ..tensor import Tensor

__all__ = [
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
]


def _with_bias(out: Any, bias: Any) -> Any:
    if bias is None:
        return out
    rank = len(aval_of(out).shape) - 2
    return out + reshape(bias, shape=(aval_of(bias).shape[0],) + (1,) * rank)


def _wide(x: Any) -> Any:
    """Compute with float16 in float32, as sums of many terms need."""
    return convert(x, dtype=np.dtype(np.float32))


def _convolve(x: Any, w: Any, bias: Any, *, window: Window, groups: int) -> Any:
    dtype = aval_of(x).dtype
    if dtype == np.float16:
        out = conv_general(_wide(x), _wide(w), window=window, groups=groups)
        return _with_bias(convert(out, dtype=dtype), bias)
    return _with_bias(conv_general(x, w, window=window, groups=groups), bias)


def _convolve_transposed(
    x: Any, w: Any, bias: Any, *, window: Window, groups: int
) -> Any:
    """Turn the kernel, exchange its channels, and convolve."""
    n, m, *kernel = aval_of(w).shape
    w = flip(w, axis=tuple(range(2, len(kernel) + 2)))
    w = reshape(w, shape=(groups, n // groups, m, *kernel))
    w = transpose(w, axes=(0, 2, 1, *range(3, len(kernel) + 3)))
    w = reshape(w, shape=(groups * m, n // groups, *kernel))
    return _convolve(x, w, bias, window=window, groups=groups)


_conv = composite("ConvolutionBackward0", _convolve)
_conv_transposed = composite("ConvolutionBackward0", _convolve_transposed)


def _steps(value: Any, rank: int, name: str) -> tuple[int, ...]:
    """Return a number for each dimension."""
    if isinstance(value, int):
        return (value,) * rank
    steps = tuple(int(v) for v in value)
    if len(steps) == 1:
        return steps * rank
    if len(steps) != rank:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {rank} values to "
            f"match the convolution dimensions, but got {name}={list(steps)}"
        )
    return steps


def _check_geometry(
    stride: tuple[int, ...], padding: tuple[int, ...], dilation: tuple[int, ...]
) -> None:
    if any(p < 0 for p in padding):
        raise RuntimeError("negative padding is not supported")
    if any(s <= 0 for s in stride):
        raise RuntimeError("non-positive stride is not supported")
    if any(d <= 0 for d in dilation):
        raise RuntimeError(
            f"dilation should be greater than zero, but got {list(dilation)}"
        )


def _check_dtypes(x: Tensor, w: Tensor, bias: Tensor | None) -> None:
    a, b = x.aval.dtype, w.aval.dtype
    if a != b:
        raise RuntimeError(
            f"expected scalar type {scalar_name(a)} but found {scalar_name(b)}"
        )
    if bias is not None and bias.aval.dtype != a:
        raise RuntimeError(
            f"Input type ({c_name(a)}) and bias type ({c_name(bias.aval.dtype)}) should "
            "be the same"
        )


def _check_channels(
    x: Tensor, w: Tensor, bias: Tensor | None, groups: int, transposed: bool
) -> None:
    wanted = w.shape[0] if transposed else w.shape[1] * groups
    sizes, input_sizes = list(w.shape), list(x.shape)
    given = "transposed=1" if transposed else f"groups={groups}"
    start = f"Given {given}, weight of size {sizes}, "
    if w.shape[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at "
            f"dimension 0, but got weight of size [{sizes}] instead"
        )
    if x.shape[1] != wanted:
        raise RuntimeError(
            f"{start}expected input{input_sizes} to have {wanted} channels, but got "
            f"{x.shape[1]} channels instead"
        )
    features = w.shape[1] * groups if transposed else w.shape[0]
    if bias is not None and bias.shape != (features,):
        if not transposed:
            start = f"Given weight of size {sizes}, "
        raise RuntimeError(
            f"{start}expected bias to be 1-dimensional with {features} elements, but "
            f"got bias of size {list(bias.shape)} instead"
        )


def _check_sizes(
    x: Tensor, w: Tensor, padding: tuple[int, ...], dilation: tuple[int, ...]
) -> None:
    sizes = [n + 2 * p for n, p in zip(x.shape[2:], padding, strict=True)]
    kernel = [d * (k - 1) + 1 for k, d in zip(w.shape[2:], dilation, strict=True)]
    if any(n < k for n, k in zip(sizes, kernel, strict=True)):
        shown = [" x ".join(map(str, s)) for s in (sizes, kernel)]
        raise RuntimeError(
            f"Calculated padded input size per channel: ({shown[0]}). Kernel size: "
            f"({shown[1]}). Kernel size can't be greater than actual input size"
        )


def _batched(name: str, x: Tensor, rank: int) -> Tensor:
    if x.ndim not in (rank + 1, rank + 2):
        raise RuntimeError(
            f"Expected {rank + 1}D (unbatched) or {rank + 2}D (batched) input to {name}, "
            f"but got input of size: {list(x.shape)}"
        )
    if x.ndim == rank + 1:
        return x.unsqueeze(0)  # type: ignore[attr-defined,no-any-return]
    return x


def _padded_for(
    padding: str, x: Tensor, w: Tensor, stride: Any, dilation: tuple[int, ...]
) -> tuple[Tensor, tuple[int, ...]]:
    """Return the input and padding that a name stands for."""
    rank = len(dilation)
    if padding == "valid":
        return x, (0,) * rank
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    totals = [d * (k - 1) for k, d in zip(w.shape[2:], dilation, strict=True)]
    if any(t % 2 for t in totals):
        from .functional_pad import pad

        x = pad(x, [n for t in totals[::-1] for n in (0, t % 2)])
    return x, tuple([t // 2 for t in totals])


def _convolution(name: str, rank: int) -> Callable[..., Tensor]:
    def conv(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        if weight.ndim < 3:
            raise RuntimeError("weight should have at least three dimensions")
        x = _batched(name, input, rank)
        steps = _steps(stride, rank, "stride")
        gaps = _steps(dilation, rank, "dilation")
        if isinstance(padding, str):
            x, pads = _padded_for(padding, x, weight, steps, gaps)
        else:
            pads = _steps(padding, rank, "padding")
        _check_geometry(steps, pads, gaps)
        if groups <= 0:
            raise RuntimeError("non-positive groups is not supported")
        _check_channels(x, weight, bias, groups, False)
        _check_dtypes(x, weight, bias)
        _check_sizes(x, weight, pads, gaps)
        window = Window(steps, tuple((p, p) for p in pads), (1,) * rank, gaps)
        out: Any = _conv(x, weight, bias, window=window, groups=groups)
        return out if x.ndim == input.ndim else out.squeeze(0)  # type: ignore[no-any-return]

    conv.__name__ = conv.__qualname__ = name
    conv.__doc__ = f"Return the {rank}-D convolution (correlation) with a kernel."
    return conv


conv1d = _convolution("conv1d", 1)
conv2d = _convolution("conv2d", 2)
conv3d = _convolution("conv3d", 3)


def _check_output_padding(
    extra: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]
) -> None:
    if all(e < s or e < d for e, s, d in zip(extra, stride, dilation, strict=True)):
        return
    axes = ["depth", "height", "width"][-max(2, len(extra)) :]
    shown = []
    for what, values in (
        ("output_padding", extra),
        ("stride", stride),
        ("dilation", dilation),
    ):
        padded = (values[0],) * (len(axes) - len(values)) + values
        shown += [f"{what}_{a}: {v}" for a, v in zip(axes, padded, strict=True)]
    raise RuntimeError(
        "output padding must be smaller than either stride or dilation, but got "
        + " ".join(shown)
    )


def _transposed(name: str, rank: int) -> Callable[..., Tensor]:
    def conv(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        dilation: Any = 1,
    ) -> Tensor:
        x = _batched(name, input, rank)
        steps = _steps(stride, rank, "stride")
        gaps = _steps(dilation, rank, "dilation")
        pads = _steps(padding, rank, "padding")
        extra = _steps(output_padding, rank, "output_padding")
        _check_geometry(steps, pads, gaps)
        _check_channels(x, weight, bias, groups, True)
        _check_dtypes(x, weight, bias)
        _check_output_padding(extra, steps, gaps)
        ends = []
        for k, p, d, e in zip(weight.shape[2:], pads, gaps, extra, strict=True):
            reach = d * (k - 1) - p
            ends.append((reach, reach + e))
        window = Window((1,) * rank, tuple(ends), steps, gaps)
        out: Any = _conv_transposed(x, weight, bias, window=window, groups=groups)
        return out if x.ndim == input.ndim else out.squeeze(0)  # type: ignore[no-any-return]

    conv.__name__ = conv.__qualname__ = name
    conv.__doc__ = f"Return the adjoint of a {rank}-D convolution."
    return conv


conv_transpose1d = _transposed("conv_transpose1d", 1)
conv_transpose2d = _transposed("conv_transpose2d", 2)
conv_transpose3d = _transposed("conv_transpose3d", 3)
