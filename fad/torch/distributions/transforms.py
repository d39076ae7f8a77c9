"""Transforms: invertible functions of random numbers that know their Jacobians.

    y = t(x)    x = t.inv(y)    t.log_abs_det_jacobian(x, y) = log |dy/dx|

A transform maps its `domain` to its `codomain`, which are constraints. This file has
what all have in common, and composition. `transforms_elementwise` has those of single
numbers, `transforms_of_vectors` those whose events are vectors and matrices,
`transforms_of_shapes` those that say what an event is.

Public names: `Transform`, `ComposeTransform`; the others are found here, too.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from ..declare import functions
from ..missing import no_name
from . import constraints
from .constraints import Constraint
from .distribution import sum_rightmost

__all__ = ["ComposeTransform", "Transform"]


class Transform:
    """An invertible function.

    Attributes:
        bijective: it has one inverse.
        domain, codomain: constraints.
    """

    bijective = False
    domain: Any
    codomain: Any

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._inverse: Any = None
        self._last: Any = (None, None)

    @property
    def event_dim(self) -> int:
        """The dimensions of an event, where domain and codomain have the same."""
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim  # type: ignore[no-any-return]
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> Any:
        """The inverse."""
        found = self._inverse() if self._inverse is not None else None
        if found is None:
            found = _InverseTransform(self)
            self._inverse = weakref.ref(found)
        return found

    @property
    def sign(self) -> Any:
        """The sign of the derivative, where it is the same everywhere."""
        raise NotImplementedError

    def with_cache(self, cache_size: int = 1) -> Any:
        """Return the transform with another size of its cache."""
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def __call__(self, x: Any) -> Any:
        """Return the value at x."""
        if not self._cache_size:
            return self._call(x)
        if x is self._last[0]:
            return self._last[1]
        y = self._call(x)
        self._last = x, y
        return y

    def _inv_call(self, y: Any) -> Any:
        if not self._cache_size:
            return self._inv(y)
        if y is self._last[1]:
            return self._last[0]
        x = self._inv(y)
        self._last = x, y
        return x

    def _call(self, x: Any) -> Any:
        raise NotImplementedError

    def _inv(self, y: Any) -> Any:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """Return log |dy/dx|, summed over the dimensions of an event."""
        raise NotImplementedError

    def forward_shape(self, shape: Any) -> Any:
        """Return the shape of the value, from that of the argument."""
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        """Return the shape of the argument, from that of the value."""
        return shape

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class _InverseTransform(Transform):
    """The inverse of a transform."""

    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv_of = transform
        self.bijective = transform.bijective

    @property
    def domain(self) -> Any:  # type: ignore[override]
        return self._inv_of.codomain

    @property
    def codomain(self) -> Any:  # type: ignore[override]
        return self._inv_of.domain

    @property
    def sign(self) -> Any:
        return self._inv_of.sign

    @property
    def inv(self) -> Any:
        return self._inv_of

    def with_cache(self, cache_size: int = 1) -> Any:
        return self._inv_of.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv_of == other._inv_of

    __hash__ = object.__hash__

    def __call__(self, x: Any) -> Any:
        return self._inv_of._inv_call(x)

    def _inv_call(self, y: Any) -> Any:
        return self._inv_of(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -self._inv_of.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Any) -> Any:
        return self._inv_of.inverse_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self._inv_of.forward_shape(shape)

    def __repr__(self) -> str:
        return f"_InverseTransform({self._inv_of!r})"


class ComposeTransform(Transform):
    """Transforms one after another."""

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0) -> None:
        if cache_size:
            parts = [part.with_cache(cache_size) for part in parts]
        super().__init__(cache_size=cache_size)
        self.parts = list(parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__ = object.__hash__

    @property
    def domain(self) -> Any:  # type: ignore[override]
        if not self.parts:
            return constraints.real
        inner = self.parts[0].domain
        event_dim = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            event_dim += part.domain.event_dim - part.codomain.event_dim
            event_dim = max(event_dim, part.domain.event_dim)
        return _widened(inner, event_dim)

    @property
    def codomain(self) -> Any:  # type: ignore[override]
        if not self.parts:
            return constraints.real
        event_dim = self.parts[0].domain.event_dim
        for part in self.parts:
            event_dim += part.codomain.event_dim - part.domain.event_dim
            event_dim = max(event_dim, part.codomain.event_dim)
        return _widened(self.parts[-1].codomain, event_dim)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        return all(p.bijective for p in self.parts)

    @property
    def sign(self) -> Any:
        sign: Any = 1
        for p in self.parts:
            sign = sign * p.sign
        return sign

    @property
    def inv(self) -> Any:
        found = self._inverse() if self._inverse is not None else None
        if found is None:
            found = ComposeTransform([p.inv for p in reversed(self.parts)])
            self._inverse = weakref.ref(found)
            found._inverse = weakref.ref(self)
        return found

    def with_cache(self, cache_size: int = 1) -> Any:
        if self._cache_size == cache_size:
            return self
        return ComposeTransform(self.parts, cache_size=cache_size)

    def __call__(self, x: Any) -> Any:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        if not self.parts:
            return functions["zeros_like"](x)
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        values.append(y)
        total: Any = 0
        event_dim = self.domain.event_dim
        for part, a, b in zip(self.parts, values, values[1:]):  # noqa: B905
            term = part.log_abs_det_jacobian(a, b)
            total = total + sum_rightmost(term, event_dim - part.domain.event_dim)
            event_dim += part.codomain.event_dim - part.domain.event_dim
        return total

    def forward_shape(self, shape: Any) -> Any:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self) -> str:
        parts = ",\n    ".join(repr(p) for p in self.parts)
        return f"ComposeTransform(\n    {parts}\n)"


def _widened(constraint: Constraint, event_dim: int) -> Any:
    """Return a constraint on events of more dimensions."""
    more = event_dim - constraint.event_dim
    return constraints.independent(constraint, more) if more else constraint


def __getattr__(name: str) -> Any:
    from . import transforms_elementwise, transforms_of_shapes, transforms_of_vectors

    for module in (transforms_elementwise, transforms_of_shapes, transforms_of_vectors):
        if name in module.__all__:
            return getattr(module, name)
    raise no_name(__name__, name, __all__)
