"""The node of an autograd.Function, which calls the user's backward.

Public names: `FunctionNode`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.ir import Out
from .engine import as_grad, conjugated
from .function_context import Context
from .modes import changed
from .node import Node
from .tensor import Tensor, tensor_of

__all__ = ["FunctionNode"]


class FunctionNode(Node):
    """A call of a `Function`.

    Attributes:
        function: the class.
        ctx: its context.
        positions: the argument that each input is.
    """

    __slots__ = ("function", "ctx", "positions", "arguments")
    function: Any
    ctx: Context
    positions: Sequence[int]
    arguments: int

    def output(self, i: int) -> Any:
        """Return the atom of an output."""
        if not isinstance(self.aval, list):
            return self
        return None if self.aval[i] is None else Out(self, i, self.aval[i])

    def pull(self, ct: Any, create: bool) -> Sequence[Any]:
        cts = list(ct) if isinstance(self.aval, list) else [ct]
        avals = self.aval if isinstance(self.aval, list) else [self.aval]
        if self.ctx._materialize:
            cts = [
                np.zeros(a.shape, a.dtype) if c is None and a is not None else c
                for c, a in zip(cts, avals, strict=True)
            ]
        with changed(grad=create):
            grads = [None if c is None else tensor_of(c) for c in conjugated(cts)]
            found = self.function.backward_rule()(self.ctx, *grads)
            found = found if isinstance(found, tuple) else (found,)
            return conjugated(self._checked(found))  # type: ignore[no-any-return]

    def _checked(self, found: tuple[Any, ...]) -> Sequence[Any]:
        """Check what backward returned; return the gradients of the inputs."""
        extra = found[self.arguments :]
        if len(found) < self.arguments or any(g is not None for g in extra):
            raise RuntimeError(
                f"function {type(self).__name__} returned an incorrect number of "
                f"gradients (expected {self.arguments}, got {len(found)})"
            )
        for i, g in enumerate(found[: self.arguments]):
            if g is not None and not isinstance(g, Tensor):
                raise RuntimeError(
                    f"expected Variable or None (got {type(g).__name__})"
                )
            if g is not None and i not in self.positions:
                raise RuntimeError(
                    f"function {type(self).__name__} returned a gradient different "
                    f"from None at position {i + 1}, but the corresponding forward "
                    "input was not a Variable"
                )
        return [
            self._fitted(n, found[i], atom)
            for n, (i, atom) in enumerate(zip(self.positions, self.inputs, strict=True))
        ]

    def _fitted(self, n: int, grad: Tensor | None, atom: Any) -> Any:
        if grad is None or atom is None:
            return None
        given, wanted = list(grad.shape), list(atom.aval.shape)
        if given != wanted and not _reducible(given, wanted):
            raise RuntimeError(
                f"Function {type(self).__name__} returned an invalid gradient at index "
                f"{n} - got {given} but expected shape compatible with {wanted}"
            )
        return as_grad(grad, atom)

    def release(self) -> None:
        if self.ctx._saved:
            self.ctx._saved = None

    def __getattr__(self, name: str) -> Any:
        if name in ("ctx", "function"):
            raise AttributeError(name)
        return getattr(self.ctx, name)


def _reducible(given: list[int], wanted: list[int]) -> bool:
    """Tell whether a gradient can be summed to the wanted shape."""
    if len(given) < len(wanted):
        return False
    tail = given[len(given) - len(wanted) :]
    return all(w in (1, g) for g, w in zip(tail, wanted, strict=True))
