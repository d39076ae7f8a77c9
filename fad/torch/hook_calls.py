"""Calling hooks in backward, and checking what they return.

Public names: `call_tensor_hooks`, `call_prehooks`, `call_posthooks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.trace import aval_of
from .grad_attributes import add_grad
from .node import AccumulateGrad, Node
from .tape import functional
from .tensor import Tensor, tensor_of

__all__ = ["call_posthooks", "call_prehooks", "call_tensor_hooks"]


def call_tensor_hooks(node: Node, grad: Any) -> Any:
    """Call the hooks of the tensors a node made, and keep retained gradients."""
    if isinstance(node, AccumulateGrad):
        leaf_hooks = node.variable._leaf_hooks
        return _call_each(leaf_hooks, grad) if leaf_hooks and grad is not None else grad
    hooks = node.hooks
    if hooks is None:
        return grad
    grads = list(grad) if isinstance(grad, list) else [grad]
    for index, table in list(hooks.tensor.items()):
        if grads[index] is not None:
            grads[index] = _call_each(table, grads[index])
    for index, weak in list(hooks.retained.items()):
        tensor = weak()
        if tensor is not None and grads[index] is not None:
            add_grad(tensor, grads[index])
    return grads if isinstance(grad, list) else grads[0]


def call_prehooks(node: Node, grad: Any) -> Any:
    """Call the hooks of a node that come before it runs."""
    if node.hooks is None or not node.hooks.pre:
        return grad
    grads = list(grad) if isinstance(grad, list) else [grad]
    for hook in list(node.hooks.pre.values()):
        grads = _call_prehook(hook, grads)
    return grads if isinstance(grad, list) else grads[0]


def _call_each(hooks: dict[int, Any], grad: Any) -> Any:
    for hook in list(hooks.values()):
        result = hook(tensor_of(grad))
        if result is not None:
            name = getattr(hook, "__name__", type(hook).__name__)
            grad = _checked(result, grad, name)
    return grad


def _checked(result: Any, grad: Any, name: str) -> Any:
    """Return what a hook returned, if it may stand for a gradient.

    Raises:
        TypeError: it is no tensor.
        RuntimeError: its size or type differs.
    """
    if not isinstance(result, Tensor):
        raise TypeError(
            f"expected Variable, but hook returned '{type(result).__name__}'"
        )
    new, old = aval_of(result.value), aval_of(grad)
    if new.shape != old.shape:
        raise RuntimeError(f"hook '{name}' has changed the size of value")
    if new.dtype != old.dtype:
        raise RuntimeError(f"hook '{name}' has changed the type of value")
    return functional(result)


def _call_prehook(hook: Any, grads: list[Any]) -> list[Any]:
    result = hook(tuple(_tensors(grads)))
    if result is None:
        return grads
    given = result if isinstance(result, tuple) else (result,)
    return [None if g is None else functional(g) for g in given]


def call_posthooks(node: Node, cts: Sequence[Any], grad: Any) -> Sequence[Any]:
    """Call the posthooks of a node with the gradients of its inputs and outputs."""
    assert node.hooks is not None
    outer = tuple(_tensors(grad if isinstance(grad, list) else [grad]))
    for hook in list(node.hooks.post.values()):
        result = hook(tuple(_tensors(cts)), outer)
        if result is not None:
            given = result if isinstance(result, tuple) else (result,)
            if len(given) != len(cts):
                raise RuntimeError(
                    f"hook '{getattr(hook, '__name__', hook)}' has returned an "
                    f"incorrect number of values (got {len(given)}, but expected "
                    f"{len(cts)})"
                )
            cts = [
                ct if g is None else functional(g)
                for g, ct in zip(given, cts, strict=True)
            ]
    return cts


def _tensors(grads: Sequence[Any]) -> list[Any]:
    return [None if g is None else tensor_of(g) for g in grads]
