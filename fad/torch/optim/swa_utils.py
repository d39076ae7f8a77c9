"""torch.optim.swa_utils: averages of a model's weights over training.

    averaged = AveragedModel(model)       averaged.update_parameters(model)
    schedule = SWALR(optimizer, 0.05)     anneals the learning rate and keeps it there
    update_bn(loader, averaged)           running statistics of the averaged model

(Izmailov et al. 2018.) With `get_ema_multi_avg_fn` the average is exponential.

Public names: `AveragedModel`, `SWALR`, `update_bn`, `get_ema_avg_fn`,
`get_ema_multi_avg_fn`, `get_swa_avg_fn`, `get_swa_multi_avg_fn`.
"""

from __future__ import annotations

import copy
import itertools
import math
import warnings
from collections.abc import Callable
from typing import Any

from ..declare import functions
from ..modes import no_grad
from ..nn.module import Module
from ..nn.modules_running_norm import _BatchNorm
from .lr_base import LRScheduler, check_optimizer, per_group

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

Average = Callable[..., Any]


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(
            f"Invalid decay value {decay} provided. Please provide a value in [0,1] "
            "range."
        )


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """Return an exponential average of one tensor, for `AveragedModel`."""
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param: Any, current_param: Any, num_averaged: Any) -> Any:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Average:
    """Return the equal average of one tensor, for `AveragedModel`."""

    @no_grad()
    def swa_update(averaged: Any, current: Any, num_averaged: Any) -> Any:
        return averaged + (current - averaged) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay: float = 0.999) -> Average:
    """Return an exponential average of many tensors, for `AveragedModel`."""
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_params: Any, current_params: Any, num_averaged: Any) -> None:
        for ema, current in zip(ema_params, current_params, strict=True):
            if ema.is_differentiable():
                ema.lerp_(current, 1 - decay)
            else:
                ema.copy_(ema * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Average:
    """Return the equal average of many tensors, for `AveragedModel`."""

    @no_grad()
    def swa_update(averaged: Any, current: Any, num_averaged: Any) -> None:
        weight = float(1 / (num_averaged + 1))
        for a, c in zip(averaged, current, strict=True):
            if a.is_differentiable():
                a.lerp_(c, weight)
            else:
                a.copy_(a + (c - a) * weight)

    return swa_update


class AveragedModel(Module):
    """A copy of a model whose parameters are averages.

    Args:
        avg_fn: the new average of a tensor, from (average, tensor, number so far).
        multi_avg_fn: the same for lists of tensors, in place.
        use_buffers: average the buffers, too; else they are copied.

    >>> from fad import torch
    >>> model = torch.nn.Linear(2, 1)
    >>> averaged = torch.optim.swa_utils.AveragedModel(model)
    >>> averaged.update_parameters(model)
    >>> averaged.n_averaged
    tensor(1)
    """

    n_averaged: Any

    def __init__(
        self,
        model: Any,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: Average | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError(
                "Only one of avg_fn and multi_avg_fn should be provided"
            )
        self.module = copy.deepcopy(model)
        self.register_buffer("n_averaged", functions["tensor"](0))
        self.avg_fn, self.multi_avg_fn = avg_fn, multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    def _tensors(self, model: Any) -> list[Any]:
        parts = [model.parameters()]
        if self.use_buffers:
            parts.append(model.buffers())
        return list(itertools.chain(*parts))

    def update_parameters(self, model: Any) -> None:
        """Take the parameters of a model into the average."""
        own, new = (
            self._tensors(self.module),
            [t.detach() for t in self._tensors(model)],
        )
        averages = [t.detach() for t in own]
        if self.n_averaged == 0:
            for a, c in zip(averages, new, strict=True):
                a.copy_(c)
        elif self.avg_fn is not None:
            for a, c in zip(averages, new, strict=True):
                a.copy_(self.avg_fn(a, c, self.n_averaged))
        else:
            update = self.multi_avg_fn or get_swa_multi_avg_fn()
            update(averages, new, self.n_averaged)
        if not self.use_buffers:
            pairs = zip(self.module.buffers(), model.buffers(), strict=True)
            for a, c in pairs:
                a.detach().copy_(c.detach())
        self.n_averaged += 1


@no_grad()
def update_bn(loader: Any, model: Any, device: Any = None) -> None:
    """Compute the running statistics of a model's batch norms over a data set."""
    norms = [m for m in model.modules() if isinstance(m, _BatchNorm)]
    if not norms:
        return
    momenta = [m.momentum for m in norms]
    was_training = model.training
    model.train()
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
    for batch in loader:
        if isinstance(batch, (list, tuple)):
            batch = batch[0]
        model(batch)
    for norm, momentum in zip(norms, momenta, strict=True):
        norm.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Anneal the learning rate to a constant.

    Args:
        swa_lr: the constant; a list for the groups of parameters.
        anneal_epochs: how many epochs it takes.
        anneal_strategy: "cos" or "linear".
    """

    def __init__(
        self,
        optimizer: Any,
        swa_lr: Any,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        rates = per_group("swa_lr", optimizer, swa_lr)
        for rate, group in zip(rates, optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                "anneal_strategy must be one of 'cos' or 'linear', instead got "
                f"{anneal_strategy}"
            )
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(
                f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}"
            )
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _share(self, t: float) -> float:
        """Return how much of the way is done at a share t of the time."""
        if self._anneal_strategy == "linear":
            return t
        return (1 - math.cos(math.pi * t)) / 2

    def get_lr(self) -> list[Any]:
        """Return the learning rates of this epoch, by those of the last."""
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use "
                "`get_last_lr()`.",
                UserWarning,
                stacklevel=2,
            )
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        length = max(1, self.anneal_epochs)
        before = self._share(max(0.0, min(1.0, (step - 1) / length)))
        now = self._share(max(0.0, min(1.0, step / length)))
        found = []
        for group in self.optimizer.param_groups:
            rate, target = group["lr"], group["swa_lr"]
            done = before == 1
            first = target if done else (rate - before * target) / (1 - before)
            found.append(target * now + first * (1 - now))
        return found
