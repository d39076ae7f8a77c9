"""From constraints to transforms that reach them from all real numbers.

    biject_to(constraint)       a bijection
    transform_to(constraint)    any transform, good for optimising parameters

Public names: `ConstraintRegistry`, `biject_to`, `transform_to`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import constraints
from .constraints import Constraint
from .transforms import ComposeTransform
from .transforms_elementwise import (
    AffineTransform,
    ExpTransform,
    SigmoidTransform,
    identity_transform,
)
from .transforms_of_shapes import IndependentTransform
from .transforms_of_vectors import (
    CatTransform,
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    SoftmaxTransform,
    StackTransform,
    StickBreakingTransform,
)

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]

Factory = Callable[[Any], Any]


class ConstraintRegistry:
    """Transforms by classes of constraints.

    >>> from fad import torch
    >>> d = torch.distributions
    >>> d.transform_to(d.constraints.positive)(torch.tensor(0.))
    tensor(1.)
    """

    def __init__(self) -> None:
        self._registry: dict[type, Factory] = {}

    def register(self, constraint: Any, factory: Factory | None = None) -> Any:
        """Declare what makes the transform for a constraint; also a decorator.

        Raises:
            TypeError: it is no constraint.
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        if isinstance(constraint, Constraint):
            constraint = type(constraint)
        if not (isinstance(constraint, type) and issubclass(constraint, Constraint)):
            raise TypeError(
                "Expected constraint to be either a Constraint subclass or instance, "
                f"but got {constraint}"
            )
        self._registry[constraint] = factory
        return factory

    def __call__(self, constraint: Constraint) -> Any:
        """Return a transform from real numbers to a constraint.

        Raises:
            NotImplementedError: none is declared.
        """
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(
                f"Cannot transform {type(constraint).__name__} constraints"
            )
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _both(*kinds: Any) -> Callable[[Factory], Factory]:
    def declare(factory: Factory) -> Factory:
        for kind in kinds:
            biject_to.register(kind, factory)
            transform_to.register(kind, factory)
        return factory

    return declare


@_both(constraints.real)
def _to_real(constraint: Any) -> Any:
    return identity_transform


@_both(constraints.positive, constraints.nonnegative)
def _above(constraint: Any) -> Any:
    shift = AffineTransform(constraint.lower_bound, 1)
    return ComposeTransform([ExpTransform(), shift])


@_both(constraints.less_than)
def _below(constraint: Any) -> Any:
    shift = AffineTransform(constraint.upper_bound, -1)
    return ComposeTransform([ExpTransform(), shift])


@_both(constraints.interval, constraints.half_open_interval)
def _between(constraint: Any) -> Any:
    low, high = constraint.lower_bound, constraint.upper_bound
    if (low, high) == (0, 1):
        return SigmoidTransform()
    return ComposeTransform([SigmoidTransform(), AffineTransform(low, high - low)])


@_both(constraints.corr_cholesky)
def _correlation(constraint: Any) -> Any:
    return CorrCholeskyTransform()


def _inside(registry: ConstraintRegistry) -> None:
    """Declare the constraints that are made of others."""

    @registry.register(constraints.independent)
    def independent(constraint: Any) -> Any:
        inner = registry(constraint.base_constraint)
        return IndependentTransform(inner, constraint.reinterpreted_batch_ndims)

    @registry.register(constraints.cat)
    def cat(constraint: Any) -> Any:
        parts = [registry(c) for c in constraint.cseq]
        return CatTransform(parts, constraint.dim, constraint.lengths)

    @registry.register(constraints.stack)
    def stack(constraint: Any) -> Any:
        return StackTransform([registry(c) for c in constraint.cseq], constraint.dim)


_inside(biject_to)
_inside(transform_to)
biject_to.register(constraints.simplex, lambda c: StickBreakingTransform())
transform_to.register(constraints.simplex, lambda c: SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda c: LowerCholeskyTransform())
for _matrix in (constraints.positive_definite, constraints.positive_semidefinite):
    transform_to.register(_matrix, lambda c: PositiveDefiniteTransform())
