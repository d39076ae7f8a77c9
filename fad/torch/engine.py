"""Backward: one loop over the graph, the youngest node first.

    grads of the inputs of a node = node.pull(grad of its outputs)

The reachable graph is walked once and sorted by serial number (`_Plan`). All users of a
node are younger, so its turn comes when its gradient is complete. A leaf's turn comes
as soon as its last user has run, as in PyTorch.

Around each node run its hooks (`fad.torch.hooks`). Gradients are arrays; with `create`
they are tracers of the tape, and what the formulas compute is recorded.

PyTorch's gradient of a complex tensor is the conjugate of fad's. Inside the loop it is
fad's; what the user sees, hooks, ``.grad`` and results, is `conjugated`.

Public names: `run`, `call_node`, `conjugated`.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from ..core.ir import Out
from ..core.trace import Tracer
from ..ops.arithmetic import add, conj
from ..ops.conforming import match
from ..transforms.silence import quiet
from .grad_attributes import accumulate
from .hook_calls import call_posthooks, call_prehooks, call_tensor_hooks
from .modes import changed, current
from .node import AccumulateGrad, Node
from .tape import functional
from .tensor import Tensor, tensor_of
from .views import CopySlices

__all__ = ["call_node", "conjugated", "run"]

_ndarray = np.ndarray


def run(
    atoms: Sequence[Any],
    grads: Sequence[Any],
    inputs: Sequence[Any] | None,
    keep: bool,
    create: bool,
    accumulating: bool,
) -> list[Any]:
    """Run backward from `atoms` with their gradients.

    Args:
        atoms: where to start.
        grads: their gradients, arrays or tracers.
        inputs: atoms whose gradients are wanted, and only theirs; None for all leaves.
        keep: keep what the nodes have saved.
        create: record the computation of the gradients.
        accumulating: add the gradients of leaves to their ``.grad``.

    Returns:
        The gradients of `inputs`, None where there is none.
    """
    plan = _Plan(atoms, inputs)
    loop = _Loop(plan, keep, create, accumulating)
    with changed(grad=create, selective=inputs is not None), quiet():
        for atom, grad in zip(atoms, grads, strict=True):
            loop.send(atom, conjugated(grad))
        loop.run()
    return [loop.found.get(_key(v)) for v in inputs or ()]


def _key(atom: Any) -> tuple[int, int]:
    return id(atom.eqn), atom.index


class _Plan:
    """What will run: the nodes in order, and how many users each leaf has.

    Attributes:
        order: the nodes that are no leaves, the youngest first.
        uses: for each leaf, the number of edges that lead to it.
        needed: the nodes on a path to a wanted input; None if all are.
        wanted: the inputs by node, as a list of output indices.
    """

    __slots__ = ("order", "uses", "needed", "wanted")

    def __init__(self, atoms: Sequence[Any], inputs: Sequence[Any] | None) -> None:
        self.uses: dict[Node, int] = {}
        self.wanted: dict[Node, list[int]] = {}
        self.order = sorted(self._walk(atoms), key=_serial, reverse=True)
        self.needed: set[Node] | None = None
        if inputs is not None:
            for v in inputs:
                self.wanted.setdefault(v.eqn, []).append(v.index)
            self.needed = self._reaching()

    def _walk(self, atoms: Sequence[Any]) -> set[Node]:
        seen: set[Node] = set()
        uses = self.uses
        todo = [v.eqn for v in atoms]
        while todo:
            node = todo.pop()
            if node.__class__ is AccumulateGrad:
                uses[node] = uses.get(node, 0) + 1
            elif node not in seen:
                seen.add(node)
                for v in node.inputs:
                    if v is not None:
                        todo.append(v.eqn if v.__class__ is Out else v)
        return seen

    def _reaching(self) -> set[Node]:
        """Return the nodes that have to run so that gradients reach the inputs."""
        needed: set[Node] = set()
        for node in reversed(self.order):
            for v in node.inputs:
                if v is not None and (v.eqn in needed or v.eqn in self.wanted):
                    needed.add(node)
                    break
        return needed


_serial = attrgetter("serial")


class _Loop:
    """The state of one backward.

    Attributes:
        grads: the gradients of the outputs of nodes, as far as they have come in.
        ready: leaves whose last user has run.
        found: the gradients that the caller wants.
        late: nodes to free at the end, since another may share what they keep.
    """

    __slots__ = (
        "plan",
        "keep",
        "create",
        "accumulating",
        "grads",
        "ready",
        "found",
        "anomaly",
        "late",
    )

    def __init__(
        self, plan: _Plan, keep: bool, create: bool, accumulating: bool
    ) -> None:
        self.plan = plan
        self.keep, self.create = keep, create
        self.accumulating = accumulating
        self.grads: dict[Node, Any] = {}
        self.ready: list[Node] = []
        self.found: dict[tuple[int, int], Any] = {}
        self.anomaly = current().anomaly
        self.late: list[Node] = []

    def send(self, atom: Any, grad: Any) -> None:
        """Add a gradient of an atom."""
        node = atom.eqn if atom.__class__ is Out else atom
        plan, grads = self.plan, self.grads
        if plan.needed is not None:
            if node not in plan.needed and node not in plan.wanted:
                return
        if node.aval.__class__ is list:
            parts = grads.setdefault(node, [None] * len(node.aval))
            parts[atom.index] = _sum(parts[atom.index], grad)
        else:
            grads[node] = _sum(grads[node], grad) if node in grads else grad
        if node.__class__ is AccumulateGrad:
            plan.uses[node] -= 1
            if not plan.uses[node]:
                self.ready.append(node)

    def run(self) -> None:
        """Visit the nodes: a leaf as soon as its gradient is complete."""
        grads, create, keep = self.grads, self.create, self.keep
        uses, wanted, anomaly = self.plan.uses, self.plan.wanted, self.anomaly
        selective = self.plan.needed is not None
        self._reach_leaves()
        for node in self.plan.order:
            if node not in grads:
                continue
            grad = grads.pop(node)
            if node in wanted and not self._is_passed(node, grad):
                continue
            if anomaly or node.hooks is not None or grad.__class__ is not _ndarray:
                cts = self._pull_watched(node, grad)
            else:
                cts = node.pull(grad, create)
            if not keep:
                if node.__class__ is CopySlices:
                    self.late.append(node)
                else:
                    node.release()
            for v, ct in zip(node.inputs, cts):  # noqa: B905  (hot)
                if v is None:
                    continue
                if selective or v.__class__ is Out:
                    self.send(v, ct)
                    continue
                old = grads.get(v)
                if old is None or ct is None:
                    grads[v] = old if ct is None else ct
                else:
                    plain = old.__class__ is _ndarray is ct.__class__
                    grads[v] = old + ct if plain else _sum(old, ct)
                if v.__class__ is AccumulateGrad:
                    uses[v] -= 1
                    if not uses[v]:
                        self.ready.append(v)
            if self.ready:
                self._reach_leaves()
        for node in self.late:
            node.release()

    def _reach_leaves(self) -> None:
        ready, self.ready = self.ready, []
        for leaf in ready:
            self._reach_leaf(leaf, self.grads.pop(leaf))

    def _reach_leaf(self, leaf: Any, grad: Any) -> None:
        if leaf.aval.dtype.kind == "c":
            grad = conjugated(grad)
        grad = call_tensor_hooks(leaf, grad)
        self._capture(leaf, grad)
        if self.accumulating and grad is not None:
            accumulate(leaf, call_prehooks(leaf, grad), self.create)

    def _is_passed(self, node: Node, grad: Any) -> bool:
        """Capture the gradient of a node; tell whether others wait behind it."""
        passed = node in self.plan.needed  # type: ignore[operator]
        shown = conjugated(grad)
        self._capture(node, shown if passed else call_tensor_hooks(node, shown))
        return passed

    def _pull_watched(self, node: Node, grad: Any) -> Sequence[Any]:
        """Pull a gradient through a node with its hooks and checks."""
        if node.hooks is not None:
            grad = call_tensor_hooks(node, conjugated(grad))
            grad = conjugated(call_prehooks(node, grad))
        if self.anomaly:
            from .anomaly import pull_watched

            cts = pull_watched(node, grad, self.create)
        elif _empty(grad):
            cts = [None] * len(node.inputs)
        else:
            cts = node.pull(grad, self.create)
        if node.hooks is not None and node.hooks.post:
            cts = call_posthooks(node, conjugated(cts), conjugated(grad))
            cts = conjugated(cts)
        if len(cts) != len(node.inputs):
            raise RuntimeError(
                f"{node.name()} returned {len(cts)} gradients for "
                f"{len(node.inputs)} inputs"
            )
        return cts

    def _capture(self, node: Node, grad: Any) -> None:
        several = isinstance(node.aval, list)
        for index in self.plan.wanted.get(node, ()):
            value = grad[index] if several else grad
            if value is None:
                continue
            self.found[(id(node), index)] = tensor_of(value)


def _empty(grad: Any) -> bool:
    if grad.__class__ is list:
        return all(g is None for g in grad)
    return grad is None


def _sum(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return b if a is None else a
    if isinstance(a, Tracer) or isinstance(b, Tracer):
        return add(a, b)
    return a + b


def conjugated(grad: Any) -> Any:
    """Turn gradients of complex tensors from fad's into PyTorch's, or back."""
    if grad is None:
        return None
    if isinstance(grad, (list, tuple)):
        return [conjugated(g) for g in grad]
    if grad.dtype.kind != "c":
        return grad
    if isinstance(grad, Tracer):
        return conj(grad)
    found = np.array(np.conjugate(grad))
    found.imag = 0 - grad.imag  # no negative zeros
    return found


def call_node(node: Node, grads: Sequence[Any]) -> Any:
    """Run a node on gradients that the user gives; what it computes is recorded."""
    cts = conjugated([None if g is None else functional(g) for g in grads])
    several = isinstance(node.aval, list)
    found = node.pull(cts if several else cts[0], current().grad)
    out = [None if ct is None else tensor_of(ct) for ct in conjugated(found)]
    return out[0] if len(out) == 1 else tuple(out)


def as_grad(grad: Any, atom: Any) -> Any:
    """Return a gradient with the shape and dtype of what it belongs to."""
    value = functional(grad) if isinstance(grad, Tensor) else grad
    aval = atom.aval
    if value.shape != aval.shape or value.dtype != aval.dtype:
        return match(value if isinstance(value, Tracer) else np.asarray(value), aval)
    return value
