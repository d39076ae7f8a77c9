"""Modules: objects that own parameters, buffers and other modules, and are called.

Assigning a `Parameter`, `Buffer` or `Module` to an attribute enters it in a table of the
module (`_parameters`, `_buffers`, `_modules`), in which attributes are then looked up.
The tables keep the order of assignment; every listing follows it.

The class is put together of three: `fad.torch.nn.module_walk` lists what a module owns,
`module_state` saves and loads it, and this file has attributes, hooks and the call.

Public names: `Module`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ..hooks import RemovableHandle
from ..tensor import Tensor
from .module_calls import call_with_hooks
from .module_state import State
from .module_walk import Walk
from .parameter import Buffer, Parameter, type_name

__all__ = ["Module"]

_TABLES = ("_parameters", "_buffers", "_modules")
_HOOKS = (
    "_backward_pre_hooks",
    "_backward_hooks",
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)
_CALL_HOOKS = _HOOKS[:7]


class Module(Walk, State):
    """Base class of all networks and layers.

    A subclass calls ``super().__init__()`` first, assigns its parts, and defines
    ``forward``.

    >>> from fad import torch
    >>> class Twice(torch.nn.Module):
    ...     def forward(self, x):
    ...         return 2 * x
    >>> Twice()(torch.ones(2))
    tensor([2., 2.])
    """

    training: bool
    call_super_init = False
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        name = type(self).__name__
        if kwargs and not self.call_super_init:
            raise TypeError(
                f"{name}.__init__() got an unexpected keyword argument "
                f"'{next(iter(kwargs))}'"
            )
        if args and not self.call_super_init:
            raise TypeError(
                f"{name}.__init__() takes 1 positional argument but {len(args) + 1} "
                "were given"
            )
        put = self.__dict__.__setitem__
        put("training", True)
        for table in _TABLES:
            put(table, {})
        put("_non_persistent_buffers_set", set())
        put("_is_full_backward_hook", None)
        for hooks in _HOOKS:
            put(hooks, OrderedDict())
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the result; every subclass has its own."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        own = self.__dict__
        for hooks in _CALL_HOOKS:
            if own[hooks]:
                return call_with_hooks(self, args, kwargs)
        return self.forward(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for table in _TABLES:
            if table in own and name in own[table]:
                return own[table][name]
        raise AttributeError(
            f"'{type(self).__name__}' object has no attribute '{name}'",
            name=name,
            obj=self,
        )

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(value, Parameter):
            self._need(name, "_parameters", "parameters")
            self._forget(name)
            self.register_parameter(name, value)
        elif name in own.get("_parameters", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{type_name(value)}' as parameter '{name}' "
                    "(torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            self._need(name, "_modules", "module")
            self._forget(name)
            own["_modules"][name] = value
        elif name in own.get("_modules", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{type_name(value)}' as child module '{name}' "
                    "(torch.nn.Module or None expected)"
                )
            own["_modules"][name] = value
        elif isinstance(value, Buffer) or name in own.get("_buffers", ()):
            self._set_buffer(name, value)
        else:
            super().__setattr__(name, value)

    def _need(self, name: str, table: str, what: str) -> None:
        if table not in self.__dict__:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")

    def _forget(self, name: str) -> None:
        """Take a name out of everything that may hold it."""
        own = self.__dict__
        own.pop(name, None)
        for table in _TABLES:
            own[table].pop(name, None)
        own["_non_persistent_buffers_set"].discard(name)

    def _set_buffer(self, name: str, value: Any) -> None:
        self._need(name, "_buffers", "buffer")
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(
                f"cannot assign '{type_name(value)}' as buffer '{name}' "
                "(torch.nn.Buffer, torch.Tensor or None expected)"
            )
        if isinstance(value, Buffer):
            self._forget(name)
            self.register_buffer(name, value, value.persistent)
        else:
            self._buffers[name] = value

    def __delattr__(self, name: str) -> None:
        for table in _TABLES:
            if name in self.__dict__[table]:
                del self.__dict__[table][name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __dir__(self) -> list[str]:
        found = {*super().__dir__()}
        for table in _TABLES:
            found |= {*self.__dict__.get(table, ())}
        return sorted(name for name in found if not name[:1].isdigit())

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter, or the place for one."""
        self._need(name, "_parameters", "parameter")
        self._check_name("parameter", name, "_parameters")
        if param is None:
            self._parameters[name] = None
        elif not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{type_name(param)}' object to parameter '{name}' "
                "(torch.nn.Parameter or None required)"
            )
        elif param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters "
                f"must be created explicitly. To express '{name}' as a function of "
                "another Tensor, compute the value in the forward() method."
            )
        else:
            self._parameters[name] = param

    def register_buffer(
        self, name: str, tensor: Tensor | None, persistent: bool = True
    ) -> None:
        """Add a tensor that belongs to the state and is no parameter."""
        self._need(name, "_buffers", "buffer")
        self._check_name("buffer", name, "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{type_name(tensor)}' object to buffer '{name}' "
                "(torch Tensor or None required)"
            )
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def _check_name(self, what: str, name: Any, table: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {type_name(name)}")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."')
        if name == "":
            raise KeyError(f'{what} name can\'t be empty string ""')
        if hasattr(self, name) and name not in self.__dict__[table]:
            raise KeyError(f"attribute '{name}' already exists")

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a child module."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{type_name(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {type_name(name)}")
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        self._modules[name] = module

    def register_module(self, name: str, module: Module | None) -> None:
        """Add a child module."""
        self.add_module(name, module)

    def _add_hook(
        self, table: str, hook: Callable[..., Any], prepend: bool, **marks: bool
    ) -> RemovableHandle:
        """Enter a hook, and its id into the tables of the marks that are set."""
        hooks, own = self.__dict__[table], self.__dict__
        extra = [own[f"{table}_{mark}"] for mark in marks]
        handle = RemovableHandle(hooks, extra_dict=extra)
        hooks[handle.id] = hook
        for (_, is_set), marked in zip(marks.items(), extra, strict=True):
            if is_set:
                marked[handle.id] = True
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle

    def register_forward_pre_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before forward; it may return other arguments."""
        return self._add_hook(
            "_forward_pre_hooks", hook, prepend, with_kwargs=with_kwargs
        )

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after forward; it may replace the output."""
        return self._add_hook(
            "_forward_hooks",
            hook,
            prepend,
            with_kwargs=with_kwargs,
            always_called=always_call,
        )

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` before the gradient is computed."""
        return self._add_hook("_backward_pre_hooks", hook, prepend)

    def register_full_backward_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when both are known."""
        self._set_backward_kind(True)
        return self._add_hook("_backward_hooks", hook, prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call a hook as the last operation of the module does, the old way."""
        self._set_backward_kind(False)
        return self._add_hook("_backward_hooks", hook, False)

    def _set_backward_kind(self, full: bool) -> None:
        if self._is_full_backward_hook is (not full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a "
                "single Module. Please use only one of them."
            )
        self._is_full_backward_hook = full
