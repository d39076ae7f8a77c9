"""Backward: one loop over the graph, the youngest node first.

    grads of the inputs of a node = node.pull(grad of its outputs)

A node waits in a heap by its serial number. All its users are younger, so its turn
comes when its gradient is complete. A leaf's turn comes as soon as its last user has
run, as in PyTorch; for that the reachable graph is walked once before (`_Plan`).

Around each node run its hooks (`fad.torch.hooks`). Gradients are arrays; with `create`
they are tracers of the tape, and what the formulas compute is recorded.

PyTorch's gradient of a complex tensor is the conjugate of fad's. Inside the loop it is
fad's; what the user sees, hooks, ``.grad`` and results, is `conjugated`.

Public names: `run`, `call_node`, `conjugated`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np

from ..core.ir import Out
from ..core.trace import Tracer
from ..ops.arithmetic import add, conj
from ..ops.conforming import match
from ..transforms.reverse import quiet
from .grad_attributes import accumulate
from .hook_calls import call_posthooks, call_prehooks, call_tensor_hooks
from .modes import changed, current
from .node import AccumulateGrad, Node
from .tape import functional
from .tensor import Tensor, tensor_of
from .views import CopySlices

__all__ = ["call_node", "conjugated", "run"]


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
    with changed(grad=create), quiet():
        for atom, grad in zip(atoms, grads, strict=True):
            loop.send(atom, conjugated(grad))
        loop.run()
    return [loop.found.get(_key(v)) for v in inputs or ()]


def _key(atom: Any) -> tuple[int, int]:
    return id(atom.eqn), atom.index


class _Plan:
    """What will run: the nodes to run, and how many users each leaf has.

    Attributes:
        uses: for each leaf, the number of edges that lead to it.
        needed: the nodes on a path to a wanted input; None if all are.
        wanted: the inputs by node, as a list of output indices.
    """

    __slots__ = ("uses", "needed", "wanted", "nodes")

    def __init__(self, atoms: Sequence[Any], inputs: Sequence[Any] | None) -> None:
        self.uses: dict[Node, int] = {}
        self.wanted: dict[Node, list[int]] = {}
        self.nodes = self._walk(atoms)
        self.needed: set[Node] | None = None
        if inputs is not None:
            for v in inputs:
                self.wanted.setdefault(v.eqn, []).append(v.index)
            self.needed = self._reaching()

    def _walk(self, atoms: Sequence[Any]) -> set[Node]:
        seen: set[Node] = set()
        uses = self.uses
        stack = [v.eqn for v in atoms]
        for node in stack:
            if node.__class__ is AccumulateGrad:
                uses[node] = uses.get(node, 0) + 1
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            for v in node.inputs:
                if v.__class__ is AccumulateGrad:
                    uses[v] = uses.get(v, 0) + 1
                    seen.add(v)
                elif v is not None:
                    stack.append(v.eqn if v.__class__ is Out else v)
        return seen

    def _reaching(self) -> set[Node]:
        """Return the nodes that have to run so that gradients reach the inputs."""
        needed: set[Node] = set()
        for node in sorted(self.nodes, key=lambda n: n.serial):
            for v in node.inputs:
                if v is not None and (v.eqn in needed or v.eqn in self.wanted):
                    needed.add(node)
                    break
        return needed


class _Loop:
    """The state of one backward: gradients, and the heap of nodes that have one."""

    __slots__ = (
        "plan",
        "keep",
        "create",
        "accumulating",
        "grads",
        "heap",
        "found",
        "anomaly",
        "leaf_order",
        "late",
    )

    def __init__(
        self, plan: _Plan, keep: bool, create: bool, accumulating: bool
    ) -> None:
        self.plan = plan
        self.keep, self.create = keep, create
        self.accumulating = accumulating
        self.grads: dict[Node, Any] = {}
        self.heap: list[tuple[int, Node]] = []
        self.found: dict[tuple[int, int], Any] = {}
        self.anomaly = current().anomaly
        self.late: list[Node] = []
        self.leaf_order = itertools.count(-_LEAF_FIRST)

    def send(self, atom: Any, grad: Any) -> None:
        """Add a gradient of an atom, and see to it that its node will run."""
        node = atom.eqn if atom.__class__ is Out else atom
        plan = self.plan
        if plan.needed is not None:
            if node not in plan.needed and node not in plan.wanted:
                return
        grads = self.grads
        new = node not in grads
        if node.aval.__class__ is list:
            parts = grads.setdefault(node, [None] * len(node.aval))
            parts[atom.index] = _sum(parts[atom.index], grad)
        else:
            grads[node] = grad if new else _sum(grads[node], grad)
        if node.__class__ is AccumulateGrad:
            plan.uses[node] -= 1
            if not plan.uses[node]:
                heappush(self.heap, (next(self.leaf_order), node))
        elif new:
            heappush(self.heap, (-node.serial, node))

    def run(self) -> None:
        heap, plan = self.heap, self.plan
        while heap:
            node = heappop(heap)[1]
            grad = self.grads.pop(node)
            if node.__class__ is AccumulateGrad:
                self._reach_leaf(node, grad)
            elif plan.needed is None:
                self._step(node, grad)
            elif node in plan.needed:
                self._capture(node, conjugated(grad))
                self._step(node, grad)
            else:
                self._capture(node, call_tensor_hooks(node, conjugated(grad)))
        for node in self.late:
            node.release()

    def _reach_leaf(self, leaf: Any, grad: Any) -> None:
        if leaf.aval.dtype.kind == "c":
            grad = conjugated(grad)
        grad = call_tensor_hooks(leaf, grad)
        self._capture(leaf, grad)
        if self.accumulating and grad is not None:
            accumulate(leaf, call_prehooks(leaf, grad), self.create)

    def _step(self, node: Node, grad: Any) -> None:
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
        if not self.keep:
            self._release(node)
        for v, ct in zip(node.inputs, cts, strict=True):
            if v is not None:
                self.send(v, ct)

    def _release(self, node: Node) -> None:
        """Free what a node keeps, at the end if another node may share it."""
        if node.__class__ is CopySlices:
            self.late.append(node)
        else:
            node.release()

    def _capture(self, node: Node, grad: Any) -> None:
        several = isinstance(node.aval, list)
        for index in self.plan.wanted.get(node, ()):
            value = grad[index] if several else grad
            if value is None:
                continue
            self.found[(id(node), index)] = tensor_of(value)


_LEAF_FIRST = 1 << 62  # leaves go before all nodes, in the order they became ready


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
