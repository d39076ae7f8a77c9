"""Samplers: in what order a data set is visited.

Random orders are PyTorch's: without a generator of its own, a sampler takes one seed
from the default generator each epoch.

Public names: `Sampler`, `SequentialSampler`, `RandomSampler`, `SubsetRandomSampler`,
`WeightedRandomSampler`, `BatchSampler`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...choosing import draw_seed, multinomial, randint, randperm
from ...data import from_data
from ...generator import Generator
from ...random import default_generator

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]


class Sampler:
    """The base of samplers: iterates over indices, or lists of them."""

    def __class_getitem__(cls, item: Any) -> type:
        return cls

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError


class SequentialSampler(Sampler):
    """Visit the items in order."""

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


def _check_flag(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"{name} should be a boolean value, but got {name}={value}")


def _check_count(value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(
            "num_samples should be a positive integer value, but got "
            f"num_samples={value}"
        )


class RandomSampler(Sampler):
    """Visit the items in random order, or draw items with replacement.

    >>> from fad import torch
    >>> _ = torch.manual_seed(0)
    >>> list(RandomSampler(range(5)))
    [1, 3, 4, 2, 0]
    """

    def __init__(
        self,
        data_source: Any,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        _check_flag("replacement", replacement)
        _check_count(self.num_samples)

    @property
    def num_samples(self) -> int:
        """How many indices an epoch has."""
        if self._num_samples is None:
            return len(self.data_source)
        return self._num_samples

    def __iter__(self) -> Iterator[int]:
        n, count = len(self.data_source), self.num_samples
        generator = self.generator
        if generator is None:
            generator = Generator().manual_seed(draw_seed(default_generator))
        if self.replacement:
            for start in range(0, count, 32):
                size = min(32, count - start)
                yield from randint(generator, 0, n, (size,)).tolist()
            return
        for _ in range(count // n):
            yield from randperm(generator, n).tolist()
        yield from randperm(generator, n).tolist()[: count % n]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """Visit some of the items in random order."""

    def __init__(
        self, indices: Sequence[int], generator: Generator | None = None
    ) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        generator = default_generator if self.generator is None else self.generator
        for i in randperm(generator, len(self.indices)).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Draw items with given weights."""

    def __init__(
        self,
        weights: Any,
        num_samples: int,
        replacement: bool = True,
        generator: Generator | None = None,
    ) -> None:
        _check_count(num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(
                "replacement should be a boolean value, but got "
                f"replacement={replacement}"
            )
        self.weights = from_data(weights).astype(np.float64)
        if self.weights.ndim != 1:
            raise ValueError(
                "weights should be a 1d sequence but given weights have shape "
                f"{tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        generator = default_generator if self.generator is None else self.generator
        chosen = multinomial(
            generator, self.weights, self.num_samples, self.replacement
        )
        return iter(chosen.tolist())

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """Gather the indices of another sampler in lists of one length.

    >>> list(BatchSampler(range(5), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool) -> None:
        number = isinstance(batch_size, int) and not isinstance(batch_size, bool)
        if not number or batch_size <= 0:
            raise ValueError(
                "batch_size should be a positive integer value, but got "
                f"batch_size={batch_size}"
            )
        if not isinstance(drop_last, bool):
            raise ValueError(
                f"drop_last should be a boolean value, but got drop_last={drop_last}"
            )
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        count = len(self.sampler)
        return count // self.batch_size + (
            0 if self.drop_last else count % self.batch_size > 0
        )
