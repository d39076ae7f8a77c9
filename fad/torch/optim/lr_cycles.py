"""Schedules that go up and down: `CyclicLR`, `OneCycleLR`, and warm restarts.

The first two move the momentum the other way.

Public names: `CosineAnnealingWarmRestarts`, `CyclicLR`, `OneCycleLR`.
"""

from __future__ import annotations

import math
import types
import warnings
from collections.abc import Callable
from typing import Any

from .lr_base import LRScheduler, check_optimizer, per_group, set_option, values_of
from .optimizer import Optimizer

__all__ = ["CosineAnnealingWarmRestarts", "CyclicLR", "OneCycleLR"]


class _WithMomentum(LRScheduler):
    """A schedule of learning rate and momentum."""

    cycle_momentum: bool
    use_beta1: bool

    def _begin_momentum(self, base: Any, most: Any, last_epoch: int) -> None:
        """Take the bounds of the momentum, and start at the upper one."""
        optimizer = self.optimizer
        if not {"momentum", "betas"} & set(optimizer.defaults):
            raise ValueError(
                "optimizer must support momentum or beta1 with `cycle_momentum` option "
                "enabled"
            )
        self.use_beta1 = "betas" in optimizer.defaults
        self.base_momentums = per_group("base_momentum", optimizer, base)
        self.max_momentums = per_group("max_momentum", optimizer, most)
        if last_epoch != -1:
            return
        for group, low, high in zip(
            optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True
        ):
            self._set_momentum(group, high)
            group["max_momentum"], group["base_momentum"] = high, low

    def _set_momentum(self, group: dict[str, Any], value: Any) -> None:
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value


def _triangular(x: float) -> float:
    return 1.0


def _triangular2(x: float) -> float:
    return 1 / (2.0 ** (x - 1))


class CyclicLR(_WithMomentum):
    """Go up and down between two rates (Smith 2017)."""

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[Any], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = per_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups, strict=True):
                set_option(group, "lr", lr)
        self.max_lrs = per_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        known = mode in ("triangular", "triangular2", "exp_range")
        if not known and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma = mode, gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x: Any) -> float:
        """Return the height of a cycle, or at an iteration, relative to the first."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "exp_range":
            return float(self.gamma**x)
        return _triangular(x) if self.mode == "triangular" else _triangular2(x)

    def get_lr(self) -> list[Any]:
        self.warn_if_asked_outside()
        done = self.last_epoch / self.total_size
        cycle = math.floor(1 + done)
        x = 1.0 + done - cycle
        ratio = self.step_ratio
        height = x / ratio if x <= ratio else (x - 1) / (ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for group, low, high in zip(
                self.optimizer.param_groups,
                self.base_momentums,
                self.max_momentums,
                strict=True,
            ):
                self._set_momentum(group, high - (high - low) * height * scale)
        bounds = zip(self.base_lrs, self.max_lrs, strict=True)
        return [low + (high - low) * height * scale for low, high in bounds]

    def state_dict(self) -> dict[str, Any]:
        """Return the state; of a custom scale, only the attributes of an object."""
        state = super().state_dict()
        scale = state.pop("_scale_fn_custom")
        is_object = scale is not None and not isinstance(scale, types.FunctionType)
        state["_scale_fn_custom"] = scale.__dict__.copy() if is_object else None
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        rest = {k: v for k, v in state_dict.items() if k != "_scale_fn_custom"}
        super().load_state_dict(rest)
        attributes = state_dict.get("_scale_fn_custom")
        if attributes is not None and self._scale_fn_custom is not None:
            self._scale_fn_custom.__dict__.update(attributes)


def _cosine(start: Any, end: Any, share: float) -> Any:
    return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)


def _linear(start: Any, end: Any, share: float) -> Any:
    return (end - start) * share + start


_UP = ("initial_lr", "max_lr", "max_momentum", "base_momentum")
_DOWN = ("max_lr", "min_lr", "base_momentum", "max_momentum")
_BACK = ("max_lr", "initial_lr", "base_momentum", "max_momentum")
_OUT = ("initial_lr", "min_lr", "max_momentum", "max_momentum")


class OneCycleLR(_WithMomentum):
    """Go up to a high rate and down far below the first (Smith & Topin 2018)."""

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: Any,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.85,
        max_momentum: Any = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = total = _total(total_steps, epochs, steps_per_epoch)
        up = float(pct_start * total) - 1
        self._phases: list[tuple[Any, ...]] = [(up, *_UP), (total - 1, *_DOWN)]
        if three_phase:
            down = float(2 * pct_start * total) - 2
            self._phases[1:] = [(down, *_BACK), (total - 1, *_OUT)]
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(
                f"Expected float between 0 and 1 pct_start, but got {pct_start}"
            )
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                "anneal_strategy must be one of 'cos' or 'linear', instead got "
                f"{anneal_strategy}"
            )
        self._anneal_func_type = anneal_strategy
        rates = per_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                group["initial_lr"] = rate / div_factor
                group["max_lr"] = rate
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self.warn_if_asked_outside()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The specified number of total steps is "
                f"{self.total_steps}"
            )
        start, i = 0.0, 0
        while step > self._phases[i][0] and i < len(self._phases) - 1:
            start, i = self._phases[i][0], i + 1
        end, lr_from, lr_to, momentum_from, momentum_to = self._phases[i]
        share = (step - start) / (end - start)
        between = _cosine if self._anneal_func_type == "cos" else _linear
        groups = self.optimizer.param_groups
        if self.cycle_momentum:
            for group in groups:
                value = between(group[momentum_from], group[momentum_to], share)
                self._set_momentum(group, value)
        return [between(group[lr_from], group[lr_to], share) for group in groups]


def _total(total_steps: Any, epochs: Any, steps_per_epoch: Any) -> int:
    """Return the number of steps, given in one of two ways."""
    if total_steps is not None:
        given = {"total_steps": total_steps}
    elif epochs is not None and steps_per_epoch is not None:
        given = {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
    else:
        raise ValueError(
            "You must define either total_steps OR (epochs AND steps_per_epoch)"
        )
    for name, value in given.items():
        if not isinstance(value, int) or value <= 0:
            raise ValueError(f"Expected positive integer {name}, but got {value}")
    return math.prod(given.values())


class CosineAnnealingWarmRestarts(LRScheduler):
    """Go down half a cosine again and again, each `T_mult` times as long."""

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(
                f"Expected float or int eta_min, but got {eta_min} of type "
                f"{type(eta_min)}"
            )
        self.T_0 = self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: Any = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self.warn_if_asked_outside()
        height = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [
            self.eta_min + (base - self.eta_min) * height / 2 for base in self.base_lrs
        ]

    def step(self, epoch: Any = None) -> None:
        """Go on by one epoch, or to an epoch, which may be a fraction."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            self._go_to(epoch)
        self.last_epoch = math.floor(epoch)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rates = self.get_lr()
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            set_option(group, "lr", lr)
        self._last_lr = values_of(self.optimizer, "lr")

    def _go_to(self, epoch: Any) -> None:
        """Find the period that an epoch lies in."""
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        self.T_i, self.T_cur, m = self.T_0, epoch, self.T_mult
        if epoch >= self.T_0 and m == 1:
            self.T_cur = epoch % self.T_0
        elif epoch >= self.T_0:
            n = int(math.log(epoch / self.T_0 * (m - 1) + 1, m))
            self.T_cur = epoch - self.T_0 * (m**n - 1) / (m - 1)
            self.T_i = self.T_0 * m**n
