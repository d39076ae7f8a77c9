"""Constraints: which values a parameter or a sample may have.

`c.check(x)` returns where they hold, with the event dimensions reduced. The classes are
what `biject_to` and `transform_to` look transforms up by.

Public names: `Constraint`, the objects and the classes that `__all__` lists.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..declare import functions
from .constraints_of_matrices import (
    Constraint,
    _CorrCholesky,
    _LowerCholesky,
    _LowerTriangular,
    _PositiveDefinite,
    _PositiveSemidefinite,
    _Square,
    _Symmetric,
)

__all__ = [
    "Constraint",
    "MixtureSameFamilyConstraint",
    "boolean",
    "cat",
    "corr_cholesky",
    "dependent",
    "dependent_property",
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "independent",
    "integer_interval",
    "interval",
    "is_dependent",
    "less_than",
    "lower_cholesky",
    "lower_triangular",
    "multinomial",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_definite",
    "positive_integer",
    "positive_semidefinite",
    "real",
    "real_vector",
    "simplex",
    "square",
    "stack",
    "symmetric",
    "unit_interval",
]


class _Dependent(Constraint):
    """A set that depends on the parameters of a distribution."""

    def __init__(self, *, is_discrete: Any = None, event_dim: Any = None) -> None:
        self._is_discrete, self._event_dim = is_discrete, event_dim

    @property
    def is_discrete(self) -> Any:  # type: ignore[override]
        return _known(self._is_discrete, "is_discrete")

    @property
    def event_dim(self) -> Any:  # type: ignore[override]
        return _known(self._event_dim, "event_dim")

    def __call__(self, *, is_discrete: Any = None, event_dim: Any = None) -> _Dependent:
        """Return the constraint with properties that are known."""
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is None else is_discrete,
            event_dim=self._event_dim if event_dim is None else event_dim,
        )

    def check(self, value: Any) -> Any:
        raise ValueError("Cannot determine validity of dependent constraint")


def _known(value: Any, name: str) -> Any:
    if value is None:
        raise NotImplementedError(f".{name} cannot be determined statically")
    return value


def is_dependent(constraint: Constraint) -> bool:
    """Tell whether a constraint is known for an instance of a distribution only."""
    return isinstance(constraint, _Dependent)


class dependent_property(property, _Dependent):
    """A property of distributions that is a constraint."""

    def __init__(
        self,
        fn: Callable[[Any], Any] | None = None,
        *,
        is_discrete: Any = None,
        event_dim: Any = None,
    ) -> None:
        super().__init__(fn)
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def __call__(self, fn: Callable[[Any], Any]) -> Any:  # type: ignore[override]
        """Decorate a method, when properties were given first."""
        return dependent_property(
            fn, is_discrete=self._is_discrete, event_dim=self._event_dim
        )


class _Independent(Constraint):
    """A constraint that has to hold along the last dimensions too."""

    def __init__(self, base_constraint: Any, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim + reinterpreted_batch_ndims

    def check(self, value: Any) -> Any:
        inside = self.base_constraint.check(value)
        n = self.reinterpreted_batch_ndims
        if inside.ndim < n:
            expected = self.base_constraint.event_dim + n
            raise ValueError(f"Expected value.dim() >= {expected} but got {value.ndim}")
        return inside.reshape(*inside.shape[: inside.ndim - n], -1).all(-1)

    def __repr__(self) -> str:
        shown = f"{self.base_constraint!r}, {self.reinterpreted_batch_ndims}"
        return f"IndependentConstraint({shown})"


class MixtureSameFamilyConstraint(Constraint):
    """What the components of a mixture draw."""

    def __init__(self, base_constraint: Constraint) -> None:
        self.base_constraint = base_constraint
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim

    def check(self, value: Any) -> Any:
        inside = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        return inside.all(dim=-1)

    def __repr__(self) -> str:
        return f"MixtureSameFamilyConstraint({self.base_constraint!r})"


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value == 0) | (value == 1)


class _OneHot(Constraint):
    is_discrete, event_dim = True, 1

    def check(self, value: Any) -> Any:
        return ((value == 0) | (value == 1)).all(-1) & value.sum(-1).eq(1)


class _Bounded(Constraint):
    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound, self.upper_bound = lower_bound, upper_bound

    def _shown(self) -> str:
        return f"lower_bound={self.lower_bound}, upper_bound={self.upper_bound}"


class _Interval(_Bounded):
    def check(self, value: Any) -> Any:
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_Bounded):
    def check(self, value: Any) -> Any:
        return (self.lower_bound <= value) & (value < self.upper_bound)


class _IntegerInterval(_Bounded):
    is_discrete = True

    def check(self, value: Any) -> Any:
        inside = (self.lower_bound <= value) & (value <= self.upper_bound)
        return (value % 1 == 0) & inside


class _Above(Constraint):
    def __init__(self, lower_bound: Any) -> None:
        self.lower_bound = lower_bound

    def _shown(self) -> str:
        return f"lower_bound={self.lower_bound}"


class _GreaterThan(_Above):
    def check(self, value: Any) -> Any:
        return self.lower_bound < value


class _GreaterThanEq(_Above):
    def check(self, value: Any) -> Any:
        return self.lower_bound <= value


class _IntegerGreaterThan(_Above):
    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value % 1 == 0) & (value >= self.lower_bound)


class _LessThan(Constraint):
    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Any) -> Any:
        return value < self.upper_bound

    def _shown(self) -> str:
        return f"upper_bound={self.upper_bound}"


class _Real(Constraint):
    def check(self, value: Any) -> Any:
        return value == value


class _Simplex(Constraint):
    event_dim = 1

    def check(self, value: Any) -> Any:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(Constraint):
    is_discrete, event_dim = True, 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Any) -> Any:
        return (value >= 0).all(-1) & (value.sum(-1) <= self.upper_bound)


class _Joined(Constraint):
    def __init__(self, cseq: Sequence[Constraint], dim: int) -> None:
        self.cseq, self.dim = list(cseq), dim
        self.is_discrete = any(c.is_discrete for c in self.cseq)


class _Cat(_Joined):
    """Constraints of parts that lie one after another along a dimension."""

    def __init__(
        self, cseq: Sequence[Constraint], dim: int = 0, lengths: Any = None
    ) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        self.event_dim = max(c.event_dim for c in self.cseq)

    def check(self, value: Any) -> Any:
        parts = value.split(self.lengths, self.dim)
        checks = [c.check(v) for c, v in zip(self.cseq, parts, strict=True)]
        return functions["cat"](checks, self.dim)


class _Stack(_Joined):
    """Constraints of parts that are stacked along a dimension."""

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0) -> None:
        super().__init__(cseq, dim)
        widest = max(c.event_dim for c in self.cseq)
        self.event_dim = widest + (dim + widest < 0)

    def check(self, value: Any) -> Any:
        parts = value.unbind(self.dim)
        checks = [c.check(v) for c, v in zip(self.cseq, parts, strict=True)]
        return functions["stack"](checks, self.dim)


dependent = _Dependent()
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
real = _Real()
real_vector = _Independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex = _Simplex()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
independent = _Independent
cat = _Cat
stack = _Stack
