"""Transforms of single numbers.

Public names: as `__all__` lists.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..declare import functions
from ..nn import functional as F
from ..size import Size
from ..tensor import Tensor
from . import constraints
from .distribution import sum_rightmost
from .transforms import ComposeTransform, Transform

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "CumulativeDistributionTransform",
    "ExpTransform",
    "PowerTransform",
    "SigmoidTransform",
    "SoftplusTransform",
    "TanhTransform",
    "identity_transform",
]

identity_transform = ComposeTransform([])


class _Fixed(Transform):
    """A transform without parameters; all of one class are equal."""

    bijective = True
    domain = constraints.real

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    __hash__ = object.__hash__

    @property
    def sign(self) -> Any:
        return 1


class ExpTransform(_Fixed):
    """y = exp(x)."""

    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return x.exp()

    def _inv(self, y: Any) -> Any:
        return y.log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return x


class PowerTransform(Transform):
    """y = x ** exponent, of positive numbers."""

    bijective = True
    domain = codomain = constraints.positive

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.exponent = (
            exponent
            if isinstance(exponent, Tensor)
            else functions["tensor"](float(exponent))
        )

    def with_cache(self, cache_size: int = 1) -> Any:
        if self._cache_size == cache_size:
            return self
        return PowerTransform(self.exponent, cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PowerTransform):
            return False
        return bool(self.exponent.eq(other.exponent).all().item())  # type: ignore[attr-defined]

    __hash__ = object.__hash__

    @property
    def sign(self) -> Any:
        return self.exponent.sign()  # type: ignore[attr-defined]

    def _call(self, x: Any) -> Any:
        return x.pow(self.exponent)

    def _inv(self, y: Any) -> Any:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Any) -> Any:
        return Size(np.broadcast_shapes(shape, self.exponent.shape))

    inverse_shape = forward_shape


class SigmoidTransform(_Fixed):
    """y = 1 / (1 + exp(-x)), kept off 0 and 1."""

    codomain = constraints.unit_interval

    def _call(self, x: Any) -> Any:
        info = np.finfo(x.aval.dtype)
        return x.sigmoid().clamp(min=float(info.tiny), max=1.0 - float(info.eps))

    def _inv(self, y: Any) -> Any:
        info = np.finfo(y.aval.dtype)
        y = y.clamp(min=float(info.tiny), max=1.0 - float(info.eps))
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -F.softplus(-x) - F.softplus(x)


class SoftplusTransform(_Fixed):
    """y = log(1 + exp(x))."""

    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return F.softplus(x)

    def _inv(self, y: Any) -> Any:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -F.softplus(-x)


class TanhTransform(_Fixed):
    """y = tanh(x)."""

    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x: Any) -> Any:
        return x.tanh()

    def _inv(self, y: Any) -> Any:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))


class AbsTransform(Transform):
    """y = abs(x); its inverse is the positive one of two."""

    domain = constraints.real
    codomain = constraints.positive

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbsTransform)

    __hash__ = object.__hash__

    def _call(self, x: Any) -> Any:
        return x.abs()

    def _inv(self, y: Any) -> Any:
        return y


class AffineTransform(Transform):
    """y = loc + scale * x.

    Args:
        event_dim: how many dimensions belong to an event.
    """

    bijective = True

    def __init__(
        self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0
    ) -> None:
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    @property
    def event_dim(self) -> int:
        return self._event_dim

    @property
    def domain(self) -> Any:  # type: ignore[override]
        if not self.event_dim:
            return constraints.real
        return constraints.independent(constraints.real, self.event_dim)

    codomain = domain  # type: ignore[assignment]

    def with_cache(self, cache_size: int = 1) -> Any:
        if self._cache_size == cache_size:
            return self
        return AffineTransform(self.loc, self.scale, self.event_dim, cache_size)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AffineTransform)
            and _same(self.loc, other.loc)
            and _same(self.scale, other.scale)
        )

    __hash__ = object.__hash__

    @property
    def sign(self) -> Any:
        if isinstance(self.scale, Tensor):
            return self.scale.sign()  # type: ignore[attr-defined]
        return (self.scale > 0) - (self.scale < 0)

    def _call(self, x: Any) -> Any:
        return self.loc + self.scale * x

    def _inv(self, y: Any) -> Any:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        shape = x.shape
        if isinstance(self.scale, Tensor):
            found: Any = self.scale.abs().log()  # type: ignore[attr-defined]
        else:
            found = functions["full_like"](x, math.log(abs(self.scale)))
        if self.event_dim:
            found = found.expand(shape) if found.ndim < len(shape) else found
            found = sum_rightmost(found, self.event_dim)
            shape = shape[: -self.event_dim]
        return found.expand(shape)

    def forward_shape(self, shape: Any) -> Any:
        parts = [getattr(v, "shape", ()) for v in (self.loc, self.scale)]
        return Size(np.broadcast_shapes(shape, *parts))

    inverse_shape = forward_shape


def _same(a: Any, b: Any) -> bool:
    equal = a == b
    return bool(equal.all().item()) if isinstance(equal, Tensor) else bool(equal)  # type: ignore[attr-defined]


class CumulativeDistributionTransform(Transform):
    """y = the probability that a distribution gives to values below x."""

    bijective = True
    codomain = constraints.unit_interval

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Any:  # type: ignore[override]
        return self.distribution.support

    @property
    def sign(self) -> Any:
        return 1

    def _call(self, x: Any) -> Any:
        return self.distribution.cdf(x)

    def _inv(self, y: Any) -> Any:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return self.distribution.log_prob(x)

    def with_cache(self, cache_size: int = 1) -> Any:
        if self._cache_size == cache_size:
            return self
        return CumulativeDistributionTransform(self.distribution, cache_size)
