"""Constraints: which values a parameter or a sample may have.

`c.check(x)` returns where they hold, with the event dimensions reduced.

Public names: `Constraint`, `real`, `boolean`, `positive`, `nonnegative`,
`nonnegative_integer`, `unit_interval`, `simplex`, `interval`, `greater_than`, `less_than`,
`integer_interval`, `independent`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = [
    "Constraint",
    "boolean",
    "greater_than",
    "independent",
    "integer_interval",
    "interval",
    "less_than",
    "nonnegative",
    "nonnegative_integer",
    "positive",
    "real",
    "simplex",
    "unit_interval",
]


class Constraint:
    """A set of values.

    Attributes:
        text: how it prints.
        test: returns where its argument lies in the set.
        is_discrete: the set is countable.
        event_dim: how many of the last dimensions make up one value.
    """

    def __init__(
        self,
        text: str,
        test: Callable[[Any], Any],
        is_discrete: bool = False,
        event_dim: int = 0,
    ) -> None:
        self.text = text
        self.test = test
        self.is_discrete = is_discrete
        self.event_dim = event_dim

    def check(self, value: Any) -> Any:
        """Return where a value satisfies the constraint."""
        return self.test(value)

    def __repr__(self) -> str:
        return self.text


def interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """Return the constraint lower_bound <= x <= upper_bound."""
    return Constraint(
        f"Interval(lower_bound={lower_bound}, upper_bound={upper_bound})",
        lambda x: (lower_bound <= x) & (x <= upper_bound),
    )


def integer_interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """Return the constraint of being an integer in an interval."""
    return Constraint(
        f"IntegerInterval(lower_bound={lower_bound}, upper_bound={upper_bound})",
        lambda x: (x % 1 == 0) & (lower_bound <= x) & (x <= upper_bound),
        is_discrete=True,
    )


def greater_than(lower_bound: Any) -> Constraint:
    """Return the constraint x > lower_bound."""
    return Constraint(
        f"GreaterThan(lower_bound={lower_bound})", lambda x: lower_bound < x
    )


def less_than(upper_bound: Any) -> Constraint:
    """Return the constraint x < upper_bound."""
    return Constraint(f"LessThan(upper_bound={upper_bound})", lambda x: x < upper_bound)


def _greater_than_eq(lower_bound: Any) -> Constraint:
    return Constraint(
        f"GreaterThanEq(lower_bound={lower_bound})", lambda x: lower_bound <= x
    )


def independent(base: Constraint, reinterpreted_batch_ndims: int) -> Constraint:
    """Return a constraint that has to hold along the last dimensions too."""
    n = reinterpreted_batch_ndims

    def test(x: Any) -> Any:
        inside = base.check(x)
        return inside.reshape(*inside.shape[: inside.ndim - n], -1).all(-1)

    return Constraint(
        f"IndependentConstraint({base}, {n})",
        test,
        base.is_discrete,
        base.event_dim + n,
    )


real = Constraint("Real()", lambda x: x == x)
boolean = Constraint("Boolean()", lambda x: (x == 0) | (x == 1), is_discrete=True)
positive = greater_than(0.0)
nonnegative = _greater_than_eq(0.0)
nonnegative_integer = Constraint(
    "IntegerGreaterThan(lower_bound=0)",
    lambda x: (x % 1 == 0) & (x >= 0),
    is_discrete=True,
)
unit_interval = interval(0.0, 1.0)
simplex = Constraint(
    "Simplex()",
    lambda x: (x >= 0).all(-1) & ((x.sum(-1) - 1).abs() < 1e-6),
    event_dim=1,
)
real_vector = independent(real, 1)
