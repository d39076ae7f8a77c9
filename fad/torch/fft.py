"""torch.fft: discrete Fourier transforms.

Every function is one of fad's, so derivatives are transforms again.

>>> from fad import torch
>>> torch.fft.ifft(torch.fft.fft(torch.tensor([1., 2., 3., 4.]))).real
tensor([1., 2., 3., 4.])

Public names: those of `torch.fft`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.trace import aval_of
from ..numpy import fft as transforms
from ..ops.arithmetic import conj
from ..ops.fft import rotate
from .conversion import cast
from .declare import composite
from .dims import axes_of, axis_of
from .dtypes import default_float, dtype, to_numpy
from .missing import no_name
from .size import check_device
from .tensor import Tensor, wrap

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]


def _points(x: Tensor, name: str) -> Tensor:
    """Return the operand as floating or complex numbers."""
    if not isinstance(x, Tensor):
        raise TypeError(
            f"fft_{name}(): argument 'input' (position 1) must be Tensor, not "
            f"{type(x).__name__}"
        )
    kind = x.aval.dtype.kind
    if x.aval.dtype.name == "float16":
        raise RuntimeError("Unsupported dtype Half")
    if kind == "c" and name in ("rfft", "rfft2", "rfftn", "ihfft", "ihfft2", "ihfftn"):
        raise RuntimeError(
            f"{name} expects a real input tensor, but got {x.dtype.title}"
        )
    return x if kind in "fc" else cast(x, default_float())


def _normalized(norm: Any) -> str:
    if norm not in (None, "backward", "ortho", "forward"):
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    return norm or "backward"


def _node(name: str, kind: str) -> str:
    """Return the name of the node of a transform, by the kind of its input."""
    if name.startswith(("irfft", "hfft")):
        return "FftC2RBackward0"
    if name == "ihfft":
        return "ConjBackward0"
    if name.startswith("rfft"):
        return "FftR2CBackward0"
    if kind == "c" or name not in ("fft", "ifft"):
        return "FftC2CBackward0"
    return "FftR2CBackward0" if name == "fft" else "ConjBackward0"


def _check_size(n: Any) -> None:
    if n is not None and n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")


def _one(name: str, run: Callable[..., Any]) -> Callable[..., Tensor]:
    """Return a transform along one dimension."""
    nodes = {
        kind: composite(
            _node(name, kind), lambda x, *, n, axis, norm: run(x, n, axis, norm)
        )
        for kind in "fc"
    }

    def transform(
        input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None
    ) -> Tensor:
        x = _points(input, name)
        norm = _normalized(norm)
        if not x.ndim:
            raise IndexError(
                f"Dimension specified as {dim} but tensor has no dimensions"
            )
        axis = axis_of(dim, x.ndim)
        if n is None and name in ("irfft", "hfft"):
            n = 2 * (x.shape[axis] - 1)
        _check_size(x.shape[axis] if n is None else n)
        return nodes[x.aval.dtype.kind](x, n=n, axis=axis, norm=norm)  # type: ignore[no-any-return]

    return _documented(transform, name)


def _documented(transform: Callable[..., Tensor], name: str) -> Callable[..., Tensor]:
    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = f"Compute the transform {name} of a tensor."
    return transform


def _axes(x: Tensor, s: Any, dim: Any, halved: bool) -> tuple[Any, tuple[int, ...]]:
    """Return the sizes and the dimensions of a transform along several dimensions."""
    if isinstance(dim, int):
        dim = (dim,)
    if isinstance(s, int):
        s = (s,)
    if dim is None:
        dim = range(x.ndim) if s is None else range(x.ndim - len(s), x.ndim)
    elif s is not None and len(s) != len(dim):
        raise RuntimeError(
            "When given, dim and shape arguments must have the same length"
        )
    axes = [axis_of(d, x.ndim) for d in dim]
    if len(set(axes)) != len(axes):
        raise RuntimeError("FFT dims must be unique")
    sizes = [x.shape[a] for a in axes]
    if halved and sizes and (s is None or s[-1] == -1):
        sizes[-1] = 2 * (sizes[-1] - 1)
    if s is not None:
        sizes = [own if n == -1 else n for own, n in zip(sizes, s, strict=True)]
    for n in sizes:
        _check_size(n)
    return tuple(sizes), tuple(axes)


def _several(name: str, run: Callable[..., Any], default: Any) -> Callable[..., Tensor]:
    """Return a transform along several dimensions."""
    apply = composite(
        _node(name, "c"), lambda x, *, s, axes, norm: run(x, s, axes, norm)
    )
    halved = name.startswith(("irfft", "hfft"))

    def transform(
        input: Tensor, s: Any = None, dim: Any = default, norm: str | None = None
    ) -> Tensor:
        x = _points(input, name)
        norm = _normalized(norm)
        sizes, axes = _axes(x, s, dim, halved)
        return apply(x, s=sizes, axes=axes, norm=norm)  # type: ignore[no-any-return]

    return _documented(transform, name)


_SWAPPED = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def _conj(x: Any) -> Any:
    return conj(x) if aval_of(x).dtype.kind == "c" else x


def _hermitian(x: Any, s: Any, axes: Any, norm: str) -> Any:
    return transforms.irfftn(_conj(x), s, axes, _SWAPPED[norm])


def _inverse_hermitian(x: Any, s: Any, axes: Any, norm: str) -> Any:
    return conj(transforms.rfftn(x, s, axes, _SWAPPED[norm]))


fft = _one("fft", transforms.fft)
ifft = _one("ifft", transforms.ifft)
rfft = _one("rfft", transforms.rfft)
irfft = _one("irfft", transforms.irfft)
hfft = _one("hfft", transforms.hfft)
ihfft = _one("ihfft", transforms.ihfft)
fft2 = _several("fft2", transforms.fftn, (-2, -1))
ifft2 = _several("ifft2", transforms.ifftn, (-2, -1))
rfft2 = _several("rfft2", transforms.rfftn, (-2, -1))
irfft2 = _several("irfft2", transforms.irfftn, (-2, -1))
hfft2 = _several("hfft2", _hermitian, (-2, -1))
ihfft2 = _several("ihfft2", _inverse_hermitian, (-2, -1))
fftn = _several("fftn", transforms.fftn, None)
ifftn = _several("ifftn", transforms.ifftn, None)
rfftn = _several("rfftn", transforms.rfftn, None)
irfftn = _several("irfftn", transforms.irfftn, None)
hfftn = _several("hfftn", _hermitian, None)
ihfftn = _several("ihfftn", _inverse_hermitian, None)


def _rolled(x: Any, *, axes: Any, inverse: bool) -> Any:
    for axis in axes:
        n = aval_of(x).shape[axis]
        x = rotate(x, (n + 1) // 2 if inverse else n // 2, axis)
    return x


_shifted = composite("RollBackward0", _rolled)


def fftshift(input: Tensor, dim: Any = None) -> Tensor:
    """Move the zero frequency to the middle."""
    axes = axes_of(dim, input.ndim)
    return _shifted(input, axes=axes, inverse=False)  # type: ignore[no-any-return]


def ifftshift(input: Tensor, dim: Any = None) -> Tensor:
    """Undo `fftshift`."""
    axes = axes_of(dim, input.ndim)
    return _shifted(input, axes=axes, inverse=True)  # type: ignore[no-any-return]


def _frequencies(name: str, run: Callable[..., Any]) -> Callable[..., Tensor]:
    def frequencies(
        n: int,
        d: float = 1.0,
        *,
        dtype: dtype | None = None,
        device: Any = None,
        requires_grad: bool = False,
        layout: Any = None,
        out: Any = None,
    ) -> Tensor:
        check_device(device)
        kind = default_float() if dtype is None else to_numpy(dtype)
        if kind.kind not in "fc":
            raise RuntimeError(f"{name} requires a floating point or complex dtype")
        found = wrap(run(n, d).astype(kind))
        return found.requires_grad_(requires_grad)

    frequencies.__name__ = frequencies.__qualname__ = name
    frequencies.__doc__ = f"Return the frequencies of {name[:-4]}, in cycles per unit."
    return frequencies


fftfreq = _frequencies("fftfreq", np.fft.fftfreq)
rfftfreq = _frequencies("rfftfreq", np.fft.rfftfreq)


def __getattr__(name: str) -> Any:
    raise no_name(__name__, name, __all__)
