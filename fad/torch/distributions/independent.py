"""Distributions whose last batch dimensions are part of the event.

Public names: `Independent`.
"""

from __future__ import annotations

from typing import Any

from ..size import Size
from . import constraints
from .distribution import Distribution, sum_rightmost

__all__ = ["Independent"]


class Independent(Distribution):
    """A distribution with some of its batch dimensions taken into the event.

    >>> from fad import torch
    >>> d = torch.distributions
    >>> d.Independent(d.Normal(torch.zeros(3), torch.ones(3)), 1).event_shape
    torch.Size([3])
    """

    def __init__(
        self,
        base_distribution: Any,
        reinterpreted_batch_ndims: int,
        validate_args: bool | None = None,
    ) -> None:
        batch = base_distribution.batch_shape
        if reinterpreted_batch_ndims > len(batch):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape)"
                f", actual {reinterpreted_batch_ndims} vs {len(batch)}"
            )
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        shape = (*batch, *base_distribution.event_shape)
        cut = len(batch) - reinterpreted_batch_ndims
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distribution with a larger batch."""
        shape = Size(batch_shape)
        inner = self._event_shape[: self.reinterpreted_batch_ndims]
        return self._copied(shape, base_dist=self.base_dist.expand((*shape, *inner)))

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return self.base_dist.has_rsample  # type: ignore[no-any-return]

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]
        if self.reinterpreted_batch_ndims:
            return False
        return self.base_dist.has_enumerate_support  # type: ignore[no-any-return]

    @property
    def support(self) -> Any:
        found = self.base_dist.support
        n = self.reinterpreted_batch_ndims
        return constraints.independent(found, n) if n else found

    @property
    def mean(self) -> Any:
        return self.base_dist.mean

    @property
    def mode(self) -> Any:
        return self.base_dist.mode

    @property
    def variance(self) -> Any:
        return self.base_dist.variance

    def sample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Any) -> Any:
        found = self.base_dist.log_prob(value)
        return sum_rightmost(found, self.reinterpreted_batch_ndims)

    def entropy(self) -> Any:
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Any:
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError(
                "Enumeration over cartesian product is not implemented"
            )
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self) -> str:
        shown = f"{self.base_dist}, {self.reinterpreted_batch_ndims}"
        return f"{type(self).__name__}({shown})"
