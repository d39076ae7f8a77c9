"""The base of learning-rate schedules.

Public names: `LRScheduler`, `values_of`, `set_option`, `per_group`,
`check_optimizer`, `EPOCH`.
"""

from __future__ import annotations

import functools
import types
import warnings
import weakref
from typing import Any

from ..inplace import store
from ..tensor import Tensor, tensor_of, wrap
from .optimizer import Optimizer

__all__ = [
    "EPOCH",
    "LRScheduler",
    "check_optimizer",
    "per_group",
    "set_option",
    "values_of",
]

_SEE = (
    "See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
_OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler "
    "initialization. Please, make sure to call `optimizer.step()` before "
    f"`lr_scheduler.step()`. {_SEE}"
)
_TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch "
    "1.1.0 and later, you should call them in the opposite order: `optimizer.step()` "
    "before `lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping "
    f"the first value of the learning rate schedule. {_SEE}"
)
EPOCH = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being "
    "deprecated where possible. Please use `scheduler.step()` to step the scheduler. "
    "During the deprecation, if epoch is different from None, the closed form is used "
    "instead of the new chainable form, where available. Please open an issue if you "
    "are unable to replicate your use case: "
    "https://github.com/pytorch/pytorch/issues/new/choose."
)


def check_optimizer(optimizer: Any) -> None:
    """Raise if it is no optimiser."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def values_of(optimizer: Optimizer, name: str) -> list[Any]:
    """Return an option of all groups; tensors are copied."""
    return [_copied(group[name]) for group in optimizer.param_groups]


def _copied(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value  # type: ignore[attr-defined]


def set_option(group: dict[str, Any], name: str, value: Any) -> None:
    """Set an option; a tensor keeps its identity."""
    old = group[name]
    if isinstance(old, Tensor):
        new = value.value if isinstance(value, Tensor) else value
        store(old, wrap(tensor_of(new).value.astype(old.aval.dtype)))
    else:
        group[name] = value


def per_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """Return a value for each group, given one for all or a list."""
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [_copied(value) for _ in range(count)]
    if len(value) != count:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has "
            f"{len(value)} values, param_groups has {count}."
        )
    return [_copied(v) for v in value]


class LRScheduler:
    """The base of schedules: a subclass gives `get_lr`, and perhaps a closed form.

    Args:
        optimizer: the optimiser whose learning rates it sets.
        last_epoch: the last epoch that was done; -1 starts anew.
    """

    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when "
                    "resuming scheduler with last_epoch >= 0.\nThis typically happens "
                    "when:\n1. You're trying to resume training from a checkpoint but "
                    "haven't properly loaded the optimizer state\n2. You're using "
                    "last_epoch >= 0 for a fresh training run (not recommended)"
                )
        self.base_lrs = values_of(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _notice_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes but the optimiser."""
        return {k: v for k, v in self.__dict__.items() if k != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` returned."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """Return the learning rates that were set last."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """Return the learning rates of the present epoch."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Go on by one epoch and set its learning rates."""
        if self._step_count == 1:
            self._check_order()
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _check_order(self) -> None:
        if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
            warnings.warn(_OVERRIDDEN, UserWarning, stacklevel=3)
        elif not getattr(self.optimizer, "_opt_called", False):
            warnings.warn(_TOO_EARLY, UserWarning, stacklevel=3)

    def _update_lr(self, epoch: int | None = None) -> None:
        closed = getattr(self, "_get_closed_form_lr", None)
        self._get_lr_called_within_step = True
        try:
            self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
            use_closed = epoch is not None and closed is not None
            values = closed() if use_closed else self.get_lr()  # type: ignore[misc]
        finally:
            self._get_lr_called_within_step = False
        for group, lr in zip(self.optimizer.param_groups, values, strict=True):
            set_option(group, "lr", lr)
        self._last_lr = values_of(self.optimizer, "lr")

    def warn_if_asked_outside(self) -> None:
        """Warn that `get_lr` is only for `step`."""
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use "
                "`get_last_lr()`.",
                UserWarning,
                stacklevel=3,
            )


def _notice_steps(optimizer: Optimizer) -> None:
    """Make an optimiser remember that `step` was called."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    reference = weakref.ref(optimizer)
    function = optimizer.step.__func__  # type: ignore[attr-defined]

    @functools.wraps(function)
    def step(*args: Any, **kwargs: Any) -> Any:
        found = reference()
        found._opt_called = True  # type: ignore[union-attr]
        return types.MethodType(function, found)(*args, **kwargs)

    step._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    optimizer.step = step  # type: ignore[method-assign]
