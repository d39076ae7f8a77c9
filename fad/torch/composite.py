"""Composite nodes: an operation that PyTorch shows as one is a function over fad's.

The function runs once, forward, on an `OpTape` over the raw values. The equations it
leaves there are the inner program; the node keeps those and nothing else for the first
derivative. With `create`, a linear function is pulled back through the same program, on
tracers. Otherwise the gradient is a composite operation of its own: fad's vjp of the
function, run on the saved inputs, so that it has derivatives of every order.

Public names: `CompositeNode`, `OpTape`, `record_composite`, `node_of`,
`without_derivative`.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.guard import Guard
from ..core.ir import Out, Var, next_serial, program
from ..core.primitive import ANS, ARGS
from ..core.tape import Tape
from ..core.trace import Trace, Tracer, staging_trace
from ..transforms.reverse import backward
from .modes import current
from .node import FREED, VOLATILE, Node, node_type
from .packing import Everything, opened, pack_program, packed, unpacked_program
from .saving import Storage, modified, reattach
from .tape import _PLAIN, TAPE, functional, operand, quietly, storage_of
from .tensor import Tensor, tensor_of

__all__ = [
    "CompositeNode",
    "OpTape",
    "node_of",
    "record_composite",
    "without_derivative",
]

_ndarray = np.ndarray
_new = object.__new__
Function = Callable[..., Any]


class _NoGuard(Guard):
    """A guard that protects nothing: versions watch over the values of tensors."""

    __slots__ = ()

    def keep(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return array


_NO_GUARD = _NoGuard()


class OpTape(Tape):
    """The tape inside one operation."""

    __slots__ = ()
    name = "torch"

    def __init__(self) -> None:
        Trace.__init__(self)
        self.guard = _NO_GUARD
        self.staged = False

    def _protect(self, value: Any) -> Any:
        return value


class CompositeNode(Node):
    """An operation made of several of fad's.

    Attributes:
        function: what was run.
        kept: the values of all inputs.
        variables: of the inner program, None for inputs that are not differentiated.
        residuals: the inner program, by its output atoms.
        results: weak references to the outputs, to see whether the program keeps them.
    """

    __slots__ = ("function", "kept", "variables", "results")
    function: Function
    kept: Sequence[Any]
    variables: Sequence[Var | None]
    results: Sequence[Any]

    def pull(self, ct: Any, create: bool) -> Sequence[Any]:
        if self.residuals is None:
            raise RuntimeError(FREED)
        linear = create and not any(map(_keeps_traced, program(self.residuals)))
        if any(storage.version != version for _, storage, version in self.saved):
            self._check_versions(create and not linear)
        cts = ct if isinstance(self.aval, list) else [ct]
        if create and not linear:
            return self._pull_recorded(cts)
        with unpacked_program(self.residuals):
            env = backward(list(self.residuals), cts)
        return [None if v is None else env.get(v) for v in self.variables]

    def release(self) -> None:
        """Free the inner program if it keeps arrays."""
        if self.residuals and any(_arrays_of(e) for e in program(self.residuals)):
            self.residuals = None  # type: ignore[assignment]
            self.kept = ()

    def _check_versions(self, create: bool) -> None:
        for what, storage, version in self.saved:
            if storage.version == version:
                continue
            if what >= 0:
                value, atom = self.kept[what], self.inputs[what]
            else:
                value, atom = self.results[ANS - what](), self.outputs_at(ANS - what)
            if value is not None and ((create and what >= 0) or self._keeps(value)):
                raise RuntimeError(
                    modified(value, atom, storage, version, of_result=what < 0)
                )

    def outputs_at(self, i: int) -> Any:
        return Out(self, i, self.aval[i]) if isinstance(self.aval, list) else self

    def _keeps(self, value: Any) -> bool:
        return any(np.may_share_memory(a, value) for a in self.kept_arrays())

    def kept_arrays(self) -> list[Any]:
        """Return the arrays that backward reads."""
        return [a for eqn in program(self.residuals) for a in _arrays_of(eqn)]

    def _pull_recorded(self, cts: Sequence[Any]) -> Sequence[Any]:
        kept = opened(self.kept)
        storages = {what: storage for what, storage, _ in self.saved}
        inputs = [
            reattach(v, atom, storages.get(i))
            for i, (v, atom) in enumerate(zip(kept, self.inputs, strict=True))
        ]
        traced = [atom is not None for atom in self.inputs]
        given = [ct is not None for ct in cts]
        pull = _Pullback(self.function, traced, given)
        name = type(self).__name__.rstrip("0123456789") + "Backward0"
        found = record_composite(
            node_type(name, CompositeNode),
            pull,
            [*[ct for ct in cts if ct is not None], *inputs],
        )
        grads: list[Any] = [None] * len(inputs)
        for i, grad in zip(pull.reached, found, strict=True):
            grads[i] = functional(grad)
        return grads


def without_derivative(name: str) -> type:
    """Return the class of nodes of an operation that PyTorch does not differentiate."""

    def pull(self: CompositeNode, ct: Any, create: bool) -> Sequence[Any]:
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    return type("NotImplemented", (CompositeNode,), {"__slots__": (), "pull": pull})


def _keeps_traced(eqn: Any) -> bool:
    """Tell whether an equation keeps values that depend on differentiated inputs."""
    if eqn.prim.augmented is not None:
        return bool(eqn.residuals)
    return any(
        what in (ANS, ARGS) or (what >= 0 and eqn.inputs[what] is not None)
        for what in eqn.plan.picks
    )


def _arrays_of(eqn: Any) -> list[Any]:
    """Return the arrays an equation keeps; what stands in a tuple counts too."""
    found = []
    for r in eqn.residuals:
        parts = r if isinstance(r, (tuple, list)) else (r,)
        found += [p for p in parts if isinstance(p, (np.ndarray, Tracer))]
    return [f for f in found if not isinstance(f, Tracer)]


class _Pullback:
    """The gradient of a function, as a function of the cotangents and its inputs.

    Attributes:
        traced: which inputs are differentiated.
        given: which outputs have a cotangent.
        reached: after a call, the inputs whose gradients it returned.
    """

    def __init__(
        self, function: Function, traced: Sequence[bool], given: Sequence[bool]
    ) -> None:
        self.function = function
        self.traced = traced
        self.given = given
        self.reached: list[int] = []

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        cts = list(args[: sum(self.given)])
        outs, variables = trace(self.function, args[len(cts) :], self.traced)
        outs = outs if isinstance(outs, (tuple, list)) else (outs,)
        atoms = [_atom(o) for o, given in zip(outs, self.given, strict=True) if given]
        env = backward(atoms, cts)
        found = {i: env[v] for i, v in enumerate(variables) if v in env}
        self.reached = list(found)
        return tuple(found.values())


def trace(
    function: Function, values: Sequence[Any], traced: Sequence[bool]
) -> tuple[Any, list[Any]]:
    """Run a function on an inner tape; return its results and its variables."""
    tape = OpTape()
    boxes = [tape.input(v) if t else v for v, t in zip(values, traced, strict=True)]
    variables = [b.payload if t else None for b, t in zip(boxes, traced, strict=True)]
    return _unboxed(tape, function(*boxes)), variables


class _Result:
    """A result of an inner tape: its value and its atom there."""

    __slots__ = ("value", "atom")

    def __init__(self, value: Any, atom: Any) -> None:
        self.value = value
        self.atom = atom


def _unboxed(tape: OpTape, out: Any) -> Any:
    if isinstance(out, (tuple, list)):
        return tuple([_unboxed(tape, o) for o in out])
    if isinstance(out, Tracer) and out.owner is tape:
        return _Result(out.value, out.payload)
    return _Result(out, None)


def _atom(result: _Result) -> Any:
    return result.atom


def record_composite(
    cls: type,
    function: Function,
    boxes: Sequence[Any],
    memo: Any = None,
    params: dict[str, Any] | None = None,
) -> Any:
    """Apply a function over fad's operations to tensors, as one node.

    Args:
        cls: the class of the node, from `node_type(name, CompositeNode)`.
        function: takes arrays or tracers, returns one or a tuple of them.
        boxes: tensors, tracers of the tape, arrays and Python numbers.
        memo: the `Memo` of the function (`fad.torch.compiled`), if it may be compiled.
        params: what else `function` was made of, to tell such functions apart.

    Returns:
        A tensor, or a tuple of them.
    """
    mode = current()
    values, atoms, key = _taken_apart(boxes, mode.grad)
    if staging_trace() is not None or any(map(_transformed, values)):
        return _wrapped(function(*[operand(b) for b in boxes]))
    if key and VOLATILE in atoms:
        return _volatile(_wrapped(quietly(function, *values)))
    if memo is not None and not mode.saved_hooks and not mode.anomaly:
        known = memo.program(function, params or {}, values, key)
        if known is not None:
            return known.apply(cls, function, boxes, values, atoms)
    if not key:
        out = _wrapped(quietly(function, *values))
        if mode.inference:
            for o in out if isinstance(out, tuple) else (out,):
                o._inference = True
        return out
    traced = [a is not None for a in atoms]
    outs, variables = quietly(trace, function, values, traced)
    return _recorded(cls, function, boxes, values, atoms, variables, outs)


def _volatile(out: Any) -> Any:
    for o in out if isinstance(out, tuple) else (out,):
        o.payload = VOLATILE
    return out


def _transformed(value: Any) -> bool:
    """Tell whether a value belongs to a transform; one with a tangent does not."""
    return (
        value.__class__ is not _ndarray
        and isinstance(value, Tracer)
        and value.owner.level > TAPE.level
    )


def _taken_apart(
    boxes: Sequence[Any], tracking: bool
) -> tuple[list[Any], list[Any], int]:
    """Return the values of operands, their atoms, and which have one, as bits."""
    values, atoms, key, bit = [], [], 0, 1
    for b in boxes:
        atom, value = None, b
        if isinstance(b, Tracer) and b.owner is TAPE:
            value = b.value
            if tracking:
                atom = b.payload
                if b.__class__ not in _PLAIN and (b._view is not None or atom is None):  # type: ignore[attr-defined]
                    atom = b.atom  # type: ignore[attr-defined]
                if atom is not None:
                    key |= bit
        values.append(value)
        atoms.append(atom)
        bit += bit
    return values, atoms, key


def _wrapped(out: Any) -> Any:
    if isinstance(out, (tuple, list)):
        return tuple([tensor_of(o) for o in out])
    return tensor_of(out)


def _recorded(
    cls: type,
    function: Function,
    boxes: Sequence[Any],
    values: Sequence[Any],
    atoms: list[Any],
    variables: Sequence[Any],
    outs: Any,
) -> Any:
    """Make the node and the tensors it returns."""
    several = isinstance(outs, tuple)
    results = outs if several else (outs,)
    tensors = [tensor_of(r.value) for r in results]
    linked = [r.atom is not None for r in results]
    if any(linked):
        node: CompositeNode = node_of(
            cls, function, boxes, values, atoms, tensors, linked, several
        )
        node.variables = variables
        node.residuals = tuple(r.atom for r in results)
        mode = current()
        if mode.saved_hooks:
            hooks = mode.saved_hooks[-1]
            pack_program(node.residuals, hooks)
            if hooks.__class__ is Everything:
                node.kept = packed(values, hooks)
        if mode.anomaly:
            from .anomaly import remember_place

            remember_place(node)
    return tuple(tensors) if several else tensors[0]


def node_of(
    cls: type,
    function: Function,
    boxes: Sequence[Any],
    values: Sequence[Any],
    atoms: list[Any],
    tensors: Sequence[Tensor],
    linked: Sequence[bool],
    several: bool,
) -> Any:
    """Make the node of an operation, without its residuals, and give it to tensors."""
    node: CompositeNode = _new(cls)
    node.function, node.kept, node.inputs = function, values, atoms
    node.params, node.serial = {}, next_serial()
    node.results = [weakref.ref(t.value) for t in tensors]
    node.hooks = node.extra = None
    avals = [t.aval for t in tensors]
    node.aval = avals if several else avals[0]
    node.saved = _versions(boxes, values)
    for i, tensor in enumerate(tensors):
        if linked[i]:
            tensor.payload = Out(node, i, avals[i]) if several else node
        tensor._storage = Storage()
        node.saved.append((ANS - i, tensor._storage, 0))
    return node


def _versions(boxes: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """Return (position, storage, version) of the tensors among the inputs."""
    found = []
    for i, box in enumerate(boxes):
        if isinstance(box, Tracer) and values[i].__class__ is _ndarray:
            storage = storage_of(box)
            if storage is not None:
                found.append((i, storage, storage.version))
    return found
