"""The optimiser: parameters in groups with options, and a state for each parameter.

An optimiser that treats parameters one by one gives two things only:

    begin(x, options)         the state before the first step, arrays by name
    rule(x, g, s, options)    the new value of x; it replaces entries of the state `s`

where `x` and `g` are the parameter's value and its gradient. Both are written with
operators and NumPy functions, so the same rule runs on arrays and, with
``differentiable=True``, on the tape, where the step is differentiated like any other
function. A complex parameter is shown to rules as real, with one more axis of 2.

Public names: `Optimizer`, `required`, `check_not_negative`, `check_betas`.
"""

from __future__ import annotations

import functools
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..dtypes import default_float
from ..hooks import RemovableHandle
from ..inplace import check_inplace, store
from ..modes import changed, current, enable_grad
from ..nn.parameter import type_name
from ..tape import functional
from ..tensor import Tensor, tensor_of, wrap
from .groups import check_group, filled_in
from .state import load_state, packed_state

__all__ = ["Optimizer", "check_betas", "check_not_negative", "required"]


class _Required:
    """The default of an option that every group has to give."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


def check_not_negative(name: str, value: Any) -> None:
    """Raise if an option is negative."""
    if not value >= 0.0:
        raise ValueError(f"Invalid {name}: {value}")


def check_betas(betas: Any) -> None:
    """Raise if decay rates are not in [0, 1)."""
    for i in (0, 1):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")


def check_rate(lr: Any) -> None:
    """Raise if a learning rate is negative or of several elements."""
    if isinstance(lr, Tensor) and lr.value.size != 1:
        raise ValueError("Tensor lr must be 1-element")
    check_not_negative("learning rate", lr)


class Optimizer:
    """The base of all optimisers.

    Args:
        params: tensors, pairs (name, tensor), or dicts of one group each.
        defaults: the options of groups that do not give their own.

    Attributes:
        param_groups: dicts with "params" and the options.
        state: what each parameter's rule remembers.
    """

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        for kind in _HOOKS:
            setattr(self, f"_{kind}_hooks", OrderedDict())
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of "
                f"Tensors or dicts, but got {type_name(params)}"
            )
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(dict(group) if isinstance(group, dict) else group)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in vars(cls):
            cls.step = _with_hooks(cls.step)  # type: ignore[method-assign]

    def __getstate__(self) -> dict[str, Any]:
        return {
            "defaults": self.defaults,
            "state": self.state,
            "param_groups": self.param_groups,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for kind in _HOOKS:
            self.__dict__.setdefault(f"_{kind}_hooks", OrderedDict())

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            names = sorted(key for key in group if key != "params")
            lines += [f"    {key}: {group[key]}" for key in names]
        return "\n".join([*lines, ")"])

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters, with options of their own, to those being optimised."""
        check_group(param_group, bool(self.defaults.get("differentiable")))
        filled_in(param_group, self.defaults, required)
        known = {id(p) for group in self.param_groups for p in group["params"]}
        if any(id(p) in known for p in param_group["params"]):
            raise ValueError("some parameters appear in more than one parameter group")
        if self.param_groups and ("param_names" in param_group) != (
            "param_names" in self.param_groups[0]
        ):
            raise ValueError(
                "all optimizer param groups should be with/without names. cannot add "
                "param group to the optimizer"
            )
        self.param_groups.append(param_group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or fill them with zeros."""
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                if set_to_none:
                    p.grad = None
                else:
                    p.grad = p.grad.detach() if p.grad.grad_fn else p.grad
                    p.grad.requires_grad_(False)
                    p.grad.zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change every parameter that has a gradient by one step.

        Args:
            closure: computes the loss and its gradients again; its result is returned.
        """
        if type(self).rule is Optimizer.rule:
            raise NotImplementedError
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with changed(grad=bool(self.defaults.get("differentiable"))):
            for group in self.param_groups:
                options = {k: _option(v) for k, v in group.items() if k != "params"}
                for p in group["params"]:
                    if p.grad is not None:
                        self._update(p, options)
        return loss

    def begin(self, x: Any, options: dict[str, Any]) -> dict[str, Any]:
        """Return the state before the first step."""
        return {}

    def rule(self, x: Any, g: Any, s: dict[str, Any], options: dict[str, Any]) -> Any:
        """Return the new value of a parameter, and update its state."""
        raise NotImplementedError

    def _update(self, p: Tensor, options: dict[str, Any]) -> None:
        shown = functional if current().grad else _value
        is_complex = p.value.dtype.kind == "c"
        show = (lambda t: _as_real(shown(t))) if is_complex else shown
        state, x = self.state[p], show(p)
        if not state:
            state |= {k: wrap(v) for k, v in self.begin(x, options).items()}
            if is_complex:
                _make_complex(state, x.shape)
        g = show(p.grad)
        seen = {k: show(v) if isinstance(v, Tensor) else v for k, v in state.items()}
        s = dict(seen)
        new = self.rule(x, -g if options.get("maximize") else g, s, options)
        for name, value in s.items():
            if value is not seen.get(name):
                shape = x.shape if is_complex else None
                _write(state, name, _as_complex(value, shape))
        if not state:
            del self.state[p]
        result = tensor_of(_as_complex(new, x.shape if is_complex else None))
        check_inplace(p, p.requires_grad or result.requires_grad)
        store(p, result)

    def state_dict(self) -> dict[str, Any]:
        """Return the state and the groups, with parameters numbered."""
        for hook in list(self._state_dict_pre_hooks.values()):  # type: ignore[attr-defined]
            hook(self)
        made = packed_state(self.state, self.param_groups)
        for hook in list(self._state_dict_post_hooks.values()):  # type: ignore[attr-defined]
            made = _or(hook(self, made), made)
        return made

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from a state that `state_dict` gave."""
        given = dict(state_dict)
        for hook in list(self._load_state_dict_pre_hooks.values()):  # type: ignore[attr-defined]
            given = _or(hook(self, given), given)
        state, groups = load_state(given, self.param_groups)
        self.__setstate__({"state": state, "param_groups": groups})
        for hook in list(self._load_state_dict_post_hooks.values()):  # type: ignore[attr-defined]
            hook(self)


_HOOKS = (
    "step_pre",
    "step_post",
    "state_dict_pre",
    "state_dict_post",
    "load_state_dict_pre",
    "load_state_dict_post",
)


def _declare_hook(kind: str) -> None:
    def register(
        self: Optimizer, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        hooks = getattr(self, f"_{kind}_hooks")
        handle = RemovableHandle(hooks)
        hooks[handle.id] = hook
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle

    register.__doc__ = f"Call a hook at {kind.replace('_', ' ')}; return its handle."
    setattr(Optimizer, f"register_{kind}_hook", register)


for _kind in _HOOKS:
    _declare_hook(_kind)


def _with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `step` that calls the hooks before and after."""

    @functools.wraps(step)
    def hooked(self: Any, *args: Any, **kwargs: Any) -> Any:
        for hook in list(self._step_pre_hooks.values()):
            changed_args = hook(self, args, kwargs)
            if changed_args is not None:
                args, kwargs = changed_args
        result = step(self, *args, **kwargs)
        for hook in list(self._step_post_hooks.values()):
            hook(self, args, kwargs)
        return result

    return hooked


Optimizer.step = _with_hooks(Optimizer.step)  # type: ignore[method-assign]


def count() -> Any:
    """Return the count of steps before the first one."""
    return np.zeros((), default_float())


def next_step(s: dict[str, Any]) -> float:
    """Count one more step in a state and return the count."""
    s["step"] = np.asarray(_number(s["step"]) + 1, s["step"].dtype)
    return float(s["step"])


def _number(value: Any) -> float:
    return float(value if isinstance(value, np.ndarray) else value.value)


def _option(value: Any) -> Any:
    """Return an option as rules compute with it."""
    if isinstance(value, tuple):
        return tuple([_option(v) for v in value])
    if not isinstance(value, Tensor):
        return value
    if current().grad:
        return functional(value)
    return value.item()  # type: ignore[attr-defined]


def _value(tensor: Tensor) -> Any:
    return tensor.value


def _write(state: dict[str, Any], name: str, value: Any) -> None:
    """Write into the tensor that a state has under a name, or make one."""
    old = state.get(name)
    if isinstance(old, Tensor):
        store(old, tensor_of(value))
    elif isinstance(value, np.ndarray):
        state[name] = wrap(value.copy())
    else:
        state[name] = tensor_of(value) if value is not None else None


def _as_real(value: Any) -> Any:
    if value.dtype.kind != "c":
        return value
    return np.stack([value.real, value.imag], -1)


def _as_complex(value: Any, shape: tuple[int, ...] | None) -> Any:
    """Return what `_as_real` was given, of values of a shape; others as they are."""
    if shape is None or np.shape(value) != shape:
        return value
    return value[..., 0] + 1j * value[..., 1]


def _make_complex(state: dict[str, Any], shape: tuple[int, ...]) -> None:
    for name, tensor in state.items():
        state[name] = wrap(np.asarray(_as_complex(tensor.value, shape)))


def _or(value: Any, default: Any) -> Any:
    return default if value is None else value
