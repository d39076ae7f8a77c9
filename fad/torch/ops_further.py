"""Less common functions: frexp, windows, Vandermonde matrices, sums to a size.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ops import piecewise
from .creation import finish
from .declare import composite, function, functions, method
from .dtypes import default_float, dtype, to_numpy
from .return_types import returned
from .tensor import Tensor

__all__: list[str] = []

_frexp = composite(
    "FrexpBackward0",
    lambda x: (piecewise.frexp_mantissa(x), piecewise.frexp_exponent(x)),
)


@function("frexp")
def frexp(input: Tensor) -> Any:
    """Return mantissas and exponents of 2."""
    if input.aval.dtype.kind != "f":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    return returned("frexp", *_frexp(input))


@method()
def sum_to_size(self: Tensor, *size: Any) -> Tensor:
    """Return the sum over the dimensions that broadcasting from a size repeats."""
    if len(size) == 1 and isinstance(size[0], (tuple, list)):
        size = tuple(size[0])
    surplus = self.ndim - len(size)
    kept = [a for a, n in enumerate(size, surplus) if n == 1 != self.shape[a]]
    fits = surplus >= 0 and all(
        n in (1, self.shape[a]) for a, n in enumerate(size, surplus)
    )
    if not fits:
        raise RuntimeError(
            f"size {{{list(size)}}} is not expandable to size {{{list(self.shape)}}}."
        )
    out: Any = self
    if kept:
        out = out.sum(kept, keepdim=True)
    return out.sum(list(range(surplus))) if surplus else out  # type: ignore[no-any-return]


@method()
def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Replace each element by a Python function of it."""
    if self.requires_grad:
        raise TypeError(
            "Can't call apply_() on Variable that requires grad. Use "
            "var.detach().apply_() instead."
        )
    flat = [callable(v) for v in self.value.ravel().tolist()]
    self.value[...] = np.asarray(flat, self.value.dtype).reshape(self.value.shape)
    self.storage.version += 1
    return self


@function("vander", methods=False, out=False)
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """Return the matrix of powers of a vector."""
    count = x.shape[0] if N is None else N
    powers = functions["arange"](count)
    powers = powers if increasing else powers.flip(0)
    return functions["pow"](x.unsqueeze(-1), powers)  # type: ignore[attr-defined,no-any-return]


def _cosines(*weights: float) -> Callable[[np.ndarray], np.ndarray]:
    """Return a window: an alternating sum of cosines over one period."""

    def window(phase: np.ndarray) -> np.ndarray:
        terms = [(-1) ** k * a * np.cos(k * phase) for k, a in enumerate(weights)]
        return np.asarray(sum(terms))

    return window


def _window(name: str, shape: Callable[..., np.ndarray], **defaults: float) -> None:
    def call(
        window_length: int,
        periodic: bool = True,
        *args: float,
        dtype: dtype | None = None,
        layout: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        **named: float,
    ) -> Tensor:
        d = default_float() if dtype is None else to_numpy(dtype)
        given = dict(zip(defaults, args, strict=False)) | named
        steps = window_length if periodic else window_length - 1
        phase = 2 * np.pi * np.arange(window_length) / max(steps, 1)
        values = shape(phase, **(defaults | given))
        if window_length == 1:
            values = np.ones(1)
        return finish(values.astype(d), requires_grad, device)

    call.__doc__ = f"Return the window {name}."
    function(name, methods=False, out=False)(call)


def _hamming(phase: np.ndarray, *, alpha: float, beta: float) -> np.ndarray:
    return _cosines(alpha, beta)(phase)


_window("hann_window", _cosines(0.5, 0.5))
_window("hamming_window", _hamming, alpha=0.54, beta=0.46)
_window("blackman_window", _cosines(0.42, 0.5, 0.08))
_window("bartlett_window", lambda phase: 1 - np.abs(phase / np.pi - 1))
_window(
    "kaiser_window",
    lambda phase, *, beta: (
        np.i0(beta * np.sqrt(1 - (phase / np.pi - 1) ** 2)) / np.i0(beta)
    ),
    beta=12.0,
)


def _detached(name: str) -> None:
    def call(input: Tensor) -> Any:
        return getattr(input, name)()

    call.__doc__ = f"Return `input.{name}()`."
    function(name, methods=False, out=False)(call)


_detached("detach")
_detached("detach_")
_detached("zero_")


@function("fill", methods=False, out=False)
def fill(input: Tensor, value: Any) -> Tensor:
    """Return a tensor of the shape of another, filled with a value."""
    return functions["clone"](input).fill_(value)  # type: ignore[no-any-return]


_RANGE = (
    "torch.range is deprecated and will be removed in a future release because its "
    "behavior is inconsistent with Python's range builtin. Instead, use torch.arange, "
    "which produces values in [start, end)."
)


@function("range", methods=False)
def range_(start: Any, end: Any = None, step: Any = 1, **options: Any) -> Tensor:
    """Return the numbers from `start` to `end`, which is included."""
    warnings.warn(_RANGE, UserWarning, stacklevel=3)
    start, end = (0, start) if end is None else (start, end)
    count = int((end - start) / step) + 1
    values = start + step * np.arange(count, dtype=np.float64)
    wanted = options.pop("dtype", None)
    d = default_float() if wanted is None else to_numpy(wanted)
    return finish(values.astype(d), options.get("requires_grad", False))
