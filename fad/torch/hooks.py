"""Hooks of nodes, and the handles that remove them.

The order in which a node's hooks run in backward, with its gradient:

    tensor hooks -> retain_grad -> prehooks -> the node itself -> posthooks

Public names: `Hooks`, `RemovableHandle`.
"""

from __future__ import annotations

import itertools
import weakref
from typing import Any

__all__ = ["Hooks", "RemovableHandle"]

_next_id = itertools.count().__next__


class RemovableHandle:
    """What registering a hook returns: ``remove()`` takes the hook away again.

    It is also a context manager that removes the hook at the end.
    """

    def __init__(self, hooks: Any, *, extra_dict: Any = None) -> None:
        self.id = _next_id()
        self._hooks = weakref.ref(hooks)
        self._extra = () if extra_dict is None else _as_tuple(extra_dict)

    @classmethod
    def add(cls, hooks: HookDict, hook: Any) -> RemovableHandle:
        """Enter a hook and return its handle."""
        handle = cls(hooks)
        hooks[handle.id] = hook
        return handle

    def remove(self) -> None:
        """Remove the hook; a second call does nothing."""
        hooks = self._hooks()
        for table in (hooks, *self._extra):
            if table is not None:
                table.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def _as_tuple(extra: Any) -> tuple[Any, ...]:
    return tuple(extra) if isinstance(extra, (list, tuple)) else (extra,)


class HookDict(dict[int, Any]):
    """Hooks by the id of their handle, in the order of registration."""

    __slots__ = ("__weakref__",)


class Hooks:
    """The hooks of one node.

    Attributes:
        tensor: by output index, hooks on its gradient.
        retained: by output index, a weak reference to a tensor that keeps its gradient.
        pre, post: hooks of the node itself.
    """

    __slots__ = ("tensor", "retained", "pre", "post")

    def __init__(self) -> None:
        self.tensor: dict[int, HookDict] = {}
        self.retained: dict[int, Any] = {}
        self.pre = HookDict()
        self.post = HookDict()

    def of_output(self, index: int) -> HookDict:
        """Return the hooks on the gradient of an output."""
        return self.tensor.setdefault(index, HookDict())
