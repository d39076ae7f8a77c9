"""The context of an autograd.Function: what forward leaves for backward.

Public names: `Context`, `SavedTensor`.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from .modes import current
from .saving import FREED, modified
from .tensor import Tensor, wrap

__all__ = ["Context", "SavedTensor"]


class Context:
    """What `forward` and `backward` share: ``ctx``.

    Attributes:
        needs_input_grad: for each argument, whether its gradient will be used.
    """

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self._to_save: tuple[Any, ...] = ()
        self._saved: list[Any] | None = []
        self._dirty: tuple[Any, ...] = ()
        self._constant: tuple[Any, ...] = ()
        self._materialize = True
        self._node: Any = None

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for backward; they are checked for in-place writes."""
        for i, t in enumerate(tensors):
            if t is not None and not isinstance(t, Tensor):
                raise TypeError(
                    "save_for_backward can only save variables, but argument "
                    f"{i} is of type {type(t).__name__}"
                )
        self._to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors for `jvp`."""
        self._for_forward = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Declare arguments that `forward` has written to in place."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Declare outputs that have no gradient."""
        self._constant = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Choose whether backward gets zeros, or None, for unused outputs."""
        self._materialize = value

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors given to `save_for_backward`.

        Raises:
            RuntimeError: they have been freed, or written to in place.
        """
        if self._saved is None:
            raise RuntimeError(FREED)
        return tuple([s.read(self._node) for s in self._saved])

    saved_variables = saved_tensors

    def _settle(self, node: Any, outputs: Sequence[Any]) -> None:
        """Bind what was saved to the node, without a cycle through its outputs."""
        self._node = weakref.ref(node)
        positions = {id(o): i for i, o in enumerate(outputs) if isinstance(o, Tensor)}
        self._saved = [SavedTensor(t, positions.get(id(t))) for t in self._to_save]
        self._to_save = ()


class SavedTensor:
    """A tensor kept for backward; an output is kept without its node."""

    __slots__ = ("tensor", "value", "output", "storage", "version", "unpack")

    def __init__(self, tensor: Tensor | None, output: int | None) -> None:
        self.output = output
        self.tensor: Any = None if output is not None else tensor
        self.value = None if tensor is None else tensor.value
        self.storage = None if tensor is None else tensor.storage
        self.version = 0 if self.storage is None else self.storage.version
        self.unpack: Any = None
        hooks = current().saved_hooks
        if hooks and tensor is not None and output is None:
            pack, self.unpack = hooks[-1]
            self.tensor = pack(tensor)

    def read(self, node: Any) -> Any:
        if self.storage is None:
            return None
        if self.unpack is not None:
            return self.unpack(self.tensor)
        if self.storage.version != self.version:
            atom = node() if self.output is not None else self.tensor.payload
            raise RuntimeError(modified(self.value, atom, self.storage, self.version))
        if self.output is None:
            return self.tensor
        owner = node()
        out = wrap(self.value, owner.output(self.output))
        out._storage = self.storage
        return out
