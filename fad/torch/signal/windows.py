"""torch.signal.windows: windows by which signals are cut into pieces.

All take `M`, the number of points, and `sym`: symmetric, or one period.

Public names: as `__all__` lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..data import finish
from ..dtypes import default_float, to_numpy
from ..missing import no_name
from ..tensor import Tensor

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]


def _made(
    name: str, M: int, sym: bool, dtype: Any, requires_grad: bool, shape: Any
) -> Tensor:
    """Return a window.

    Args:
        shape: its values, from the positions and the length of the period.
    """
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    d = default_float() if dtype is None else to_numpy(dtype)
    if d.kind != "f" or d.itemsize < 4:
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
    period = M - 1 if sym else M
    values = np.ones(M) if M < 2 else shape(np.arange(M), period)
    return finish(np.asarray(values).astype(d), requires_grad)


def _simple(name: str, text: str, shape: Callable[..., Any], **defaults: Any) -> Any:
    def window(
        M: int,
        *,
        sym: bool = True,
        dtype: Any = None,
        layout: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        **options: Any,
    ) -> Tensor:
        unknown = [k for k in options if k not in defaults]
        if unknown:
            raise TypeError(
                f"{name}() got an unexpected keyword argument '{unknown[0]}'"
            )
        given = defaults | options
        return _made(
            name, M, sym, dtype, requires_grad, lambda k, n: shape(k, n, **given)
        )

    window.__name__ = window.__qualname__ = name
    window.__doc__ = text
    return window


def _cosines(k: Any, period: int, a: Iterable[float]) -> Any:
    return sum(
        (-1) ** i * w * np.cos(2 * np.pi * i * k / period) for i, w in enumerate(a)
    )


def _middle(period: int) -> float:
    return period / 2


def _exponential(k: Any, n: int, center: float | None, tau: float) -> Any:
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    return np.exp(-np.abs(k - (_middle(n) if center is None else center)) / tau)


def _gaussian(k: Any, n: int, std: float) -> Any:
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    return np.exp(-(((k - _middle(n)) / std) ** 2) / 2)


def _kaiser(k: Any, n: int, beta: float) -> Any:
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    inside = np.maximum(1 - (2 * k / n - 1) ** 2, 0)
    return np.i0(beta * np.sqrt(inside)) / np.i0(beta)


def general_cosine(
    M: int,
    *,
    a: Iterable[float],
    sym: bool = True,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return an alternating sum of cosines with weights `a`.

    >>> general_cosine(4, a=[0.5, 0.5], sym=False)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    weights = list(a)
    if not weights:
        raise ValueError("Coefficients cannot be empty")
    return _made(
        "general_cosine",
        M,
        sym,
        dtype,
        requires_grad,
        lambda k, n: _cosines(k, n, weights),
    )


hann = _simple("hann", "Return Hann's window.", lambda k, n: _cosines(k, n, [0.5, 0.5]))
hamming = _simple(
    "hamming", "Return Hamming's window.", lambda k, n: _cosines(k, n, [0.54, 0.46])
)
general_hamming = _simple(
    "general_hamming",
    "Return alpha minus (1 - alpha) times a cosine.",
    lambda k, n, alpha: _cosines(k, n, [alpha, 1.0 - alpha]),
    alpha=0.54,
)
blackman = _simple(
    "blackman",
    "Return Blackman's window.",
    lambda k, n: _cosines(k, n, [0.42, 0.5, 0.08]),
)
nuttall = _simple(
    "nuttall",
    "Return Nuttall's window.",
    lambda k, n: _cosines(k, n, [0.3635819, 0.4891775, 0.1365995, 0.0106411]),
)
bartlett = _simple(
    "bartlett", "Return a triangle.", lambda k, n: 1 - np.abs(2 * k / n - 1)
)
cosine = _simple(
    "cosine",
    "Return half a period of a sine.",
    lambda k, n: np.sin(np.pi * (k + 0.5) / (n + 1)),
)
exponential = _simple(
    "exponential",
    "Return exp(-|k - center| / tau).",
    _exponential,
    center=None,
    tau=1.0,
)
gaussian = _simple("gaussian", "Return a normal density's shape.", _gaussian, std=1.0)
kaiser = _simple("kaiser", "Return Kaiser's window.", _kaiser, beta=12.0)


def __getattr__(name: str) -> Any:
    raise no_name(__name__, name, __all__)
