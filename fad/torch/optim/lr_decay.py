"""Schedules that follow a formula: each epoch's rate comes from the last one's.

The recursive form keeps changes that others made to the rates; the closed form serves
``step(epoch)``.

Public names: `LambdaLR`, `MultiplicativeLR`, `StepLR`, `MultiStepLR`, `ConstantLR`,
`LinearLR`, `ExponentialLR`, `PolynomialLR`, `CosineAnnealingLR`.
"""

from __future__ import annotations

import math
import types
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from .lr_base import LRScheduler, values_of
from .optimizer import Optimizer

__all__ = [
    "ConstantLR",
    "CosineAnnealingLR",
    "ExponentialLR",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "PolynomialLR",
    "StepLR",
]


class _ByFunction(LRScheduler):
    """A schedule given as functions of the epoch, one for each group."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1):
        self.optimizer = optimizer
        count = len(optimizer.param_groups)
        if not isinstance(lr_lambda, (list, tuple)):
            lr_lambda = [lr_lambda] * count
        elif len(lr_lambda) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas = list(lr_lambda)
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """Return the state; of functions, only the attributes of callable objects."""
        kept = {k: v for k, v in super().state_dict().items() if k != "lr_lambdas"}
        kept["lr_lambdas"] = [
            None if isinstance(f, types.FunctionType) else f.__dict__.copy()
            for f in self.lr_lambdas
        ]
        return kept

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        rest = {k: v for k, v in state_dict.items() if k != "lr_lambdas"}
        self.__dict__.update(rest)
        for f, attributes in zip(
            self.lr_lambdas, state_dict["lr_lambdas"], strict=False
        ):
            if attributes is not None:
                f.__dict__.update(attributes)


class LambdaLR(_ByFunction):
    """Multiply the initial rate by a function of the epoch."""

    def get_lr(self) -> list[Any]:
        self.warn_if_asked_outside()
        pairs = zip(self.lr_lambdas, self.base_lrs, strict=True)
        return [base * f(self.last_epoch) for f, base in pairs]


class MultiplicativeLR(_ByFunction):
    """Multiply the last rate by a function of the epoch."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1):
        for f in lr_lambda if isinstance(lr_lambda, (list, tuple)) else [lr_lambda]:
            if not callable(f):
                kind = type(f).__name__
                raise TypeError(f"lr_lambda should be a function, but got {kind}")
        super().__init__(optimizer, lr_lambda, last_epoch)

    def get_lr(self) -> list[Any]:
        self.warn_if_asked_outside()
        rates = values_of(self.optimizer, "lr")
        if self._is_initial:
            return rates
        pairs = zip(self.lr_lambdas, rates, strict=True)
        return [rate * f(self.last_epoch) for f, rate in pairs]


class _ByFormula(LRScheduler):
    """A schedule with a change from one epoch to the next, and a closed form."""

    change: Callable[..., Any]
    closed: Callable[..., Any]

    def get_lr(self) -> list[Any]:
        self.warn_if_asked_outside()
        pairs = zip(values_of(self.optimizer, "lr"), self.base_lrs, strict=True)
        return [self.change(rate, base) for rate, base in pairs]

    def _get_closed_form_lr(self) -> list[Any]:
        return [self.closed(base) for base in self.base_lrs]


class StepLR(_ByFormula):
    """Multiply the rate by `gamma` every `step_size` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        step_size: int,
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def change(self, lr: Any, base: Any) -> Any:  # type: ignore[override]
        epoch = self.last_epoch
        return lr if epoch == 0 or epoch % self.step_size else lr * self.gamma

    def closed(self, base: Any) -> Any:  # type: ignore[override]
        return base * self.gamma ** (self.last_epoch // self.step_size)


class MultiStepLR(_ByFormula):
    """Multiply the rate by `gamma` at each milestone."""

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Iterable[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def change(self, lr: Any, base: Any) -> Any:  # type: ignore[override]
        if self.last_epoch not in self.milestones:
            return lr
        return lr * self.gamma ** self.milestones[self.last_epoch]

    def closed(self, base: Any) -> Any:  # type: ignore[override]
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return base * self.gamma**passed


class ConstantLR(_ByFormula):
    """Multiply the rate by `factor` for the first `total_iters` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1.0 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError(
                "Constant multiplicative factor expected to be between 0 and 1."
            )
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def change(self, lr: Any, base: Any) -> Any:  # type: ignore[override]
        if self.last_epoch == 0:
            return lr * self.factor
        return lr if self.last_epoch != self.total_iters else lr * (1.0 / self.factor)

    def closed(self, base: Any) -> Any:  # type: ignore[override]
        over = self.last_epoch >= self.total_iters
        return base * (self.factor + over * (1 - self.factor))


class LinearLR(_ByFormula):
    """Go linearly from `start_factor` to `end_factor` times the rate."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less "
                "or equal to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError(
                "Ending multiplicative factor expected to be between 0 and 1."
            )
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def change(self, lr: Any, base: Any) -> Any:  # type: ignore[override]
        start, epoch, total = self.start_factor, self.last_epoch, self.total_iters
        rise = self.end_factor - start
        if epoch == 0:
            return lr * start
        if self._is_initial or epoch > total:
            return lr
        return lr * (1.0 + rise / (total * start + (epoch - 1) * rise))

    def closed(self, base: Any) -> Any:  # type: ignore[override]
        done = min(self.total_iters, self.last_epoch)
        rise = self.end_factor - self.start_factor
        return base * (self.start_factor + rise * done / self.total_iters)


class ExponentialLR(_ByFormula):
    """Multiply the rate by `gamma` every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def change(self, lr: Any, base: Any) -> Any:  # type: ignore[override]
        return lr if self._is_initial else lr * self.gamma

    def closed(self, base: Any) -> Any:  # type: ignore[override]
        return base * self.gamma**self.last_epoch


class PolynomialLR(_ByFormula):
    """Go to zero in `total_iters` epochs as a power of what is left."""

    def __init__(
        self,
        optimizer: Optimizer,
        total_iters: int = 5,
        power: float = 1.0,
        last_epoch: int = -1,
    ) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def change(self, lr: Any, base: Any) -> Any:  # type: ignore[override]
        epoch, total = self.last_epoch, self.total_iters
        if self._is_initial or epoch > total:
            return lr
        ratio = (1.0 - epoch / total) / (1.0 - (epoch - 1) / total)
        return lr * ratio**self.power

    def closed(self, base: Any) -> Any:  # type: ignore[override]
        done = min(self.total_iters, self.last_epoch)
        return base * (1.0 - done / self.total_iters) ** self.power


class CosineAnnealingLR(_ByFormula):
    """Go down to `eta_min` in `T_max` epochs along half a cosine, and up again."""

    def __init__(
        self,
        optimizer: Optimizer,
        T_max: int,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def change(self, lr: Any, base: Any) -> Any:  # type: ignore[override]
        epoch, period, least = self.last_epoch, self.T_max, self.eta_min
        if self._is_initial:
            return lr
        if self._step_count == 1 and epoch > 0:
            return self.closed(base)
        if (epoch - 1 - period) % (2 * period) == 0:
            return lr + (base - least) * (1 - math.cos(math.pi / period)) / 2
        now = 1 + math.cos(math.pi * epoch / period)
        before = 1 + math.cos(math.pi * (epoch - 1) / period)
        return now / before * (lr - least) + least

    def closed(self, base: Any) -> Any:  # type: ignore[override]
        height = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        return self.eta_min + (base - self.eta_min) * height / 2
