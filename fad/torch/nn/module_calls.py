"""Calling a module that has hooks.

Backward hooks of a module see the gradients at its two ends. So its inputs and its
outputs each pass through an identity node, `BackwardHookFunctionBackward`: the node of
the outputs tells `grad_output`, that of the inputs `grad_input`.

Public names: `call_with_hooks`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from ..declare import composite
from ..modes import current
from ..tensor import Tensor

__all__ = ["call_with_hooks"]


def call_with_hooks(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a module: its hooks before, forward, its hooks after."""
    called: set[int] = set()
    try:
        return _call(module, args, kwargs, called)
    except Exception:
        _call_the_rest(module, args, kwargs, called)
        raise


def _call(
    module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], called: set[int]
) -> Any:
    args, kwargs = _prepared(module, args, kwargs)
    ends = None
    if module._backward_pre_hooks or module._is_full_backward_hook:
        ends = _Ends(module)
        args = ends.enter(args)
    result = module.forward(*args, **kwargs)
    for key, hook in list(module._forward_hooks.items()):
        called.add(key)
        if key in module._forward_hooks_with_kwargs:
            found = hook(module, args, kwargs, result)
        else:
            found = hook(module, args, result)
        result = result if found is None else found
    if ends is not None:
        result = ends.leave(result)
    elif module._backward_hooks:
        _hook_last_node(module, result)
    return result


def _prepared(
    module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments as the hooks before forward leave them."""
    for key, hook in list(module._forward_pre_hooks.items()):
        if key in module._forward_pre_hooks_with_kwargs:
            found = hook(module, args, kwargs)
            if found is not None:
                if not isinstance(found, tuple) or len(found) != 2:
                    raise RuntimeError(
                        "forward pre-hook must return None or a tuple of (new_args, "
                        f"new_kwargs), but got {found}."
                    )
                args, kwargs = found
        else:
            found = hook(module, args)
            if found is not None:
                args = found if isinstance(found, tuple) else (found,)
    return args, kwargs


def _call_the_rest(
    module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], called: set[int]
) -> None:
    """Call the hooks that are always called, after an error."""
    for key in list(module._forward_hooks_always_called):
        if key in called:
            continue
        hook = module._forward_hooks[key]
        try:
            if key in module._forward_hooks_with_kwargs:
                hook(module, args, kwargs, None)
            else:
                hook(module, args, None)
        except Exception as error:
            warnings.warn(
                "module forward hook with ``always_call=True`` raised an exception that "
                f"was silenced as another error was raised in forward: {error}",
                stacklevel=2,
            )


def _same(*values: Any) -> tuple[Any, ...]:
    return values


_identity = composite("BackwardHookFunctionBackward", _same)


class _Ends:
    """The two identity nodes around one call of a module.

    Attributes:
        grad_outputs: what has arrived at the outer node, once it has.
    """

    def __init__(self, module: Any) -> None:
        self.module = module
        self.pre = list(module._backward_pre_hooks.values())
        self.hooks = (
            list(module._backward_hooks.values())
            if module._is_full_backward_hook
            else []
        )
        self.grad_outputs: Any = None
        self.inputs = 0
        self.places: list[int] = []
        self.entered = False

    def enter(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Pass the inputs through a node that reports their gradients."""
        self.inputs = len(args)
        args, self.places, node = _through(args)
        if node is not None:
            self.entered = True
            node.register_hook(self._at_inputs)
        return args

    def leave(self, result: Any) -> Any:
        """Pass the outputs through a node that receives their gradients."""
        many = isinstance(result, tuple)
        outs, places, node = _through(result if many else (result,))
        if node is not None:
            node.register_prehook(lambda grads: self._at_outputs(grads, places, outs))
        return outs if many else outs[0]

    def _at_outputs(self, grads: Any, places: list[int], outs: Sequence[Any]) -> Any:
        full = _spread(grads, places, len(outs))
        for hook in self.pre:
            found = hook(self.module, full)
            if found is not None:
                full = found if isinstance(found, tuple) else (found,)
        self.grad_outputs = full
        if not self.entered:
            for hook in self.hooks:
                found = hook(self.module, (None,) * self.inputs, full)
                if found is not None:
                    _refuse(found)
        return tuple([full[i] for i in places])

    def _at_inputs(self, grads: Any, outer: Any) -> Any:
        full = _spread(grads, self.places, self.inputs)
        for hook in self.hooks:
            found = hook(self.module, full, self.grad_outputs)
            if found is not None:
                full = found if isinstance(found, tuple) else (found,)
        self.grad_outputs = None
        return tuple([full[i] for i in self.places])


def _refuse(found: Any) -> None:
    raise RuntimeError(
        "Backward hook for Modules where no input requires gradient should always "
        "return None or None for all gradients."
    )


def _spread(grads: Any, places: list[int], count: int) -> tuple[Any, ...]:
    full: list[Any] = [None] * count
    for i, grad in zip(places, grads, strict=True):
        full[i] = grad
    return tuple(full)


def _through(values: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[int], Any]:
    """Pass the tensors among values through one identity node, if any needs it."""
    places = [i for i, v in enumerate(values) if isinstance(v, Tensor)]
    tensors = [values[i] for i in places]
    if not current().grad or not any(t.requires_grad for t in tensors):
        return values, [], None
    found = list(values)
    node = None
    for i, old, new in zip(places, tensors, _identity(*tensors), strict=True):
        new._storage = old.storage
        found[i] = new
        node = node or new.grad_fn
    return tuple(found), places, node


def _hook_last_node(module: Any, result: Any) -> None:
    """Give hooks of the old kind to the node that made the result."""
    while not isinstance(result, Tensor):
        result = next(iter(result.values() if isinstance(result, dict) else result))
    node = result.grad_fn
    if node is not None:
        for hook in list(module._backward_hooks.values()):
            node.register_hook(lambda gi, go, hook=hook: hook(module, gi, go))
