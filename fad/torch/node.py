"""Nodes: what `grad_fn` is, the equations of the tape that never closes.

A `Node` is an equation of fad's IR (`fad.core.ir.Eqn`) with a name and hooks. As
there, a node with one output stands for it, output i of several is `Out(node, i)`, and
edges run backwards only, so reference counting frees a graph nobody needs. A *leaf*,
which a user made, is its `AccumulateGrad`.

    inputs      an atom (node or `Out`) per operand, None where none is differentiated
    residuals   what backward needs of the values; None once it has been freed
    saved       whose in-place writes would spoil them: (what, storage, version)

`PrimitiveNode` is an operation of fad; its derivative is `prim.pullback`, the same call
that `fad.grad` makes. With `create` its residuals are re-attached to their atoms
(`lifted`), so that the formulas run on tracers and are recorded.

Public names: `Node`, `PrimitiveNode`, `AccumulateGrad`, `node_type`, `FREED`,
`VOLATILE`.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ..core.ir import Eqn
from ..core.primitive import ANS, ARGS, AVALS
from ..transforms.reverse import transposed_pushforward
from .hooks import Hooks, RemovableHandle
from .packing import Packed, unpacked
from .saving import FREED, check_versions, reattach

__all__ = ["FREED", "VOLATILE", "AccumulateGrad", "Node", "PrimitiveNode", "node_type"]

_new = object.__new__
_SHAPES = (AVALS,)  # picks that keep no values, so that there is nothing to free


class Node(Eqn):
    """A step of the graph; the names of its subclasses are what PyTorch shows.

    Attributes:
        saved: triples (position of the residual, storage, its version then).
        hooks: the hooks, or None.
        extra: the user's metadata and names of saved values, or None.
    """

    __slots__ = ("saved", "hooks", "extra", "__weakref__")
    saved: Sequence[tuple[int, Any, int]]
    hooks: Hooks | None
    extra: dict[str, Any] | None

    def pull(self, ct: Any, create: bool) -> Sequence[Any]:
        """Return the gradient of each input for the gradient of the output.

        Args:
            ct: an array, or a tracer of this tape when `create`; a list of them, None
                for zero, when there are several outputs.
            create: record what is computed.
        """
        raise NotImplementedError

    def release(self) -> None:
        """Free what is kept for backward."""

    def name(self) -> str:
        """Return the name of the operation, as in ``grad_fn=<MulBackward0>``."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name == "CopyBackwards" else name

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """The nodes that made the inputs, and which of their outputs."""
        return tuple((None, 0) if v is None else (v.eqn, v.index) for v in self.inputs)

    @property
    def metadata(self) -> dict[str, Any]:
        """A dictionary for the user."""
        if self.extra is None:
            self.extra = {}
        found: dict[str, Any] = self.extra.setdefault("metadata", {})
        return found

    @property
    def count(self) -> int:
        """The number of outputs."""
        return len(self.aval) if isinstance(self.aval, list) else 1

    def all_hooks(self) -> Hooks:
        """Return the hooks, to add one."""
        if self.hooks is None:
            self.hooks = Hooks()
        return self.hooks

    def register_hook(self, hook: Any) -> RemovableHandle:
        """Call ``hook(grad_inputs, grad_outputs)`` after the node has run."""
        return RemovableHandle.add(self.all_hooks().post, hook)

    def register_prehook(self, hook: Any) -> RemovableHandle:
        """Call ``hook(grad_outputs)`` before the node runs."""
        return RemovableHandle.add(self.all_hooks().pre, hook)

    def __call__(self, *grads: Any) -> Any:
        """Run the node on gradients by hand."""
        from .engine import call_node

        return call_node(self, grads)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_saved_"):
            from .saved_names import saved_value

            return saved_value(self, name.removeprefix("_saved_"))
        raise AttributeError(
            f"'{type(self).__name__}' object has no attribute '{name}'"
        )


class PrimitiveNode(Node):
    """An operation of fad."""

    __slots__ = ()

    def pull(self, ct: Any, create: bool) -> Sequence[Any]:
        residuals = self.residuals
        if residuals is None:
            raise RuntimeError(FREED)
        for entry in self.saved:
            if entry[1].version != entry[2]:
                check_versions(self)
        eqn: Any = self
        if create:
            eqn = self.lifted()
        elif residuals.__class__ is Packed:
            eqn = self.with_residuals(unpacked(self))
        pullback: Any = self.prim.pullback or transposed_pushforward
        found: Sequence[Any] = pullback(eqn, ct)
        return found

    def release(self) -> None:
        if self.residuals and self.plan.picks != _SHAPES:
            self.residuals = None  # type: ignore[assignment]

    def with_residuals(self, residuals: tuple[Any, ...]) -> Eqn:
        """Return this equation with other residuals."""
        eqn: Eqn = _new(Eqn)
        eqn.prim, eqn.inputs, eqn.params = self.prim, self.inputs, self.params
        eqn.plan, eqn.aval, eqn.serial = self.plan, self.aval, self.serial
        eqn.residuals = residuals
        return eqn

    def lifted(self) -> Eqn:
        """Return this equation with its residuals re-attached to their atoms."""
        storages = {what: storage for what, storage, _ in self.saved}
        values = unpacked(self)
        lifted = []
        for what, value in zip(self.plan.picks, values, strict=True):
            if what == ANS:
                value = self._lift_outputs(value, storages.get(what))
            elif what == ARGS:
                value = tuple(
                    reattach(v, atom)
                    for v, atom in zip(value, self.inputs, strict=True)
                )
            elif what >= 0:
                value = reattach(value, self.inputs[what], storages.get(what))
            lifted.append(value)
        return self.with_residuals(tuple(lifted))

    def _lift_outputs(self, value: Any, storage: Any) -> Any:
        if not self.prim.multiple_results:
            return reattach(value, self, storage)
        return [
            reattach(v, atom) if atom.aval.dtype.kind in "fc" else v
            for v, atom in zip(value, self.outputs, strict=True)
        ]


class AccumulateGrad(Node):
    """The end of the graph at a leaf: adds its gradient to ``variable.grad``.

    Attributes:
        variable: the leaf. It refers back to this node weakly, so there is no cycle.
    """

    __slots__ = ("variable",)
    variable: Any
    inputs = saved = residuals = ()  # type: ignore[assignment]
    serial = 0

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"

    @classmethod
    def of(cls, variable: Any, aval: Any) -> AccumulateGrad:
        node: AccumulateGrad = _new(cls)
        node.variable = variable
        node.aval = aval
        node.hooks = node.extra = None
        return node


class _Volatile:
    """The atom of volatile tensors (`fad.torch.legacy`), from which nothing is recorded."""

    eqn = None
    index = 0
    extra: dict[str, Any] = {}


VOLATILE: Any = _Volatile()


@functools.cache
def node_type(name: str, base: type = PrimitiveNode) -> type:
    """Return the class of the nodes of one name."""
    return type(name, (base,), {"__slots__": (), "__module__": "fad.torch"})
