"""Tracing a function of tensors into a program, for `torch.compile`.

While the function runs once, abstractly, every tensor that it is given or reaches
(`fad.torch.compile_guards`) holds a tracer instead of its array. Afterwards the
tensors are as before, and the program has them as inputs:

    inputs    the tensors that were read, then random numbers (`compile_random`)
    outputs   the tensors that are returned, then the new values of tensors that were
              written to

A function cannot be a program if it asks for values, seeds generators, runs backward,
or changes Python objects. Then `GraphBreak` says why,
and everything is put back.

Until tracing is done no other thread may use these tensors; compiled functions wait.

Public names: `CompiledProgram`, `trace_program`, `is_leaf`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.errors import NonConcreteBooleanIndexError
from ..core.ir import Jaxpr, key_of
from ..core.pytree import tree_flatten, tree_unflatten
from ..core.trace import Tracer, aval_of
from ..core.views import root_of
from ..transforms.partial import depends
from ..transforms.staging import eval_jaxpr, stage
from .compile_gate import GATE
from .compile_guards import State
from .compile_random import Draws
from .compiled import NEED_VALUES, Program
from .composite import CompositeNode, record_composite
from .inplace import store
from .modes import GraphBreak, changed, current
from .node import node_type
from .tape import TAPE, class_of
from .tensor import Tensor
from .views import view_by

__all__ = ["CompiledProgram", "is_leaf", "trace_program"]

_NODE = node_type("CompiledFunctionBackward", CompositeNode)


def is_leaf(x: Any) -> bool:
    """Tell whether a part of arguments or results is no container."""
    return x is None or isinstance(x, Tensor)


class _Lent:
    """Tensors that hold tracers while a function is traced."""

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self.tensors = tensors
        self.versions = [t.storage.version for t in tensors]
        self.old = [{k: getattr(t, k) for k in _LENT} for t in tensors]

    def give(self, boxes: Sequence[Tracer]) -> None:
        for t, box in zip(self.tensors, boxes, strict=True):
            t.value = box
            if t._view is not None:
                t._view = None

    def take_back(self) -> None:
        for t, old, version in zip(self.tensors, self.old, self.versions, strict=True):
            for name, value in old.items():
                if getattr(t, name) is not value:
                    setattr(t, name, value)
            if t.storage.version != version:
                t.storage.version = version


_LENT = ("value", "payload", "_view", "_leaf_requires")


class CompiledProgram:
    """A function of tensors as a program.

    Attributes:
        jaxpr: of the values in `tensors`.
        tensors: the inputs: positions among the tensors of the arguments, or tensors
            that the function reaches.
        draws: the random numbers that are further inputs.
        written: the inputs, by position, whose new values come after the outputs.
        leaves, tree: the result; of the leaves, tensors are `_Output` or `_Input`.
        constant: which outputs depend on no input, and are copied.
    """

    def __init__(
        self,
        jaxpr: Jaxpr,
        tensors: list[int | Tensor],
        draws: Draws,
        written: list[int],
        leaves: list[Any],
        tree: Any,
    ) -> None:
        self.jaxpr, self.tensors, self.written = jaxpr, tensors, written
        self.draws = draws
        self.leaves, self.tree = leaves, tree
        linked = depends(jaxpr, jaxpr.inputs, jaxpr.outputs)
        self.constant = [not d for d in linked]
        self._programs: dict[int, Program] = {}
        self._kinds = [(t, _kind(t)) for t in tensors if isinstance(t, Tensor)]

    def fits(self) -> bool:
        """Tell whether the tensors that the function reaches are as they were."""
        return all(_kind(t) == kind for t, kind in self._kinds)

    def __call__(self, given: Sequence[Tensor]) -> Any:
        """Run on the tensors of the arguments; return what the function returns."""
        tensors = [given[t] if isinstance(t, int) else t for t in self.tensors]
        boxes: list[Any] = list(tensors)
        for i in self.written:
            boxes[i] = _copied(boxes[i])
        boxes += self.draws.drawn()
        outs: Any = ()
        if self.jaxpr.outputs:
            outs = record_composite(_NODE, self._evaluate, boxes, self)
        for out, is_constant in zip(outs, self.constant, strict=True):
            if is_constant and out.value.__class__ is np.ndarray:
                out.value = out.value.copy()
        new = outs[len(outs) - len(self.written) :]
        for i, value in zip(self.written, new, strict=True):
            store(tensors[i], value)
        leaves = [
            leaf.find(given, outs) if isinstance(leaf, _Found) else leaf
            for leaf in self.leaves
        ]
        return tree_unflatten(self.tree, leaves)

    def _evaluate(self, *values: Any) -> tuple[Any, ...]:
        return tuple(eval_jaxpr(self.jaxpr, *values))

    def program(
        self, function: Any, params: Any, values: Sequence[Any], mask: int
    ) -> Program:
        """Return the straight-line code for some differentiated inputs.

        It is what `record_composite` asks a `Memo` for.
        """
        found = self._programs.get(mask)
        if found is None:
            found = self._programs[mask] = Program(self.jaxpr, True, values, mask)
        return found


class _Found:
    """Where a tensor of the result comes from: an output, or an input or view of it."""

    def __init__(self, index: int, is_input: bool = False, steps: Any = ()) -> None:
        self.index, self.is_input, self.steps = index, is_input, steps
        self.tensor: Tensor | None = None  # the input, if it is no argument

    def find(self, given: Sequence[Tensor], outs: Sequence[Tensor]) -> Tensor:
        if not self.is_input:
            return outs[self.index]
        found = given[self.index] if self.tensor is None else self.tensor
        for prim, params in self.steps:
            found = view_by(prim, class_of(prim), found, params)
        return found


def _kind(t: Tensor) -> Any:
    value = t.value
    return value.shape, value.dtype, t.requires_grad


def _copied(x: Tensor) -> Any:
    """Return a tensor's values as they are now, which a write does not reach."""
    atom = x.atom if current().grad else None
    value = x.value.copy()
    return value if atom is None else Tracer(TAPE, value, atom)


def trace_program(
    function: Callable[..., Any], leaves: Sequence[Any], tree: Any, state: State
) -> CompiledProgram:
    """Run a function abstractly and return it as a program.

    Args:
        leaves, tree: its arguments (args, kwargs).
        state: what it reaches.

    Raises:
        GraphBreak: it cannot be one.
    """
    given = list(dict.fromkeys(v for v in leaves if isinstance(v, Tensor)))
    known = {id(t) for t in given}
    tensors = given + [t for t in state.tensors if id(t) not in known]
    draws = Draws(state.generators)
    with GATE.trace():
        if any(isinstance(t.value, Tracer) for t in tensors):
            raise GraphBreak("it reaches tensors of an outer transform")
        lent = _Lent(tensors)
        try:
            run = _Run(function, leaves, tree, tensors, lent)
            with changed(compiling=draws):
                jaxpr = stage(run, [aval_of(t.value) for t in tensors])
        except NonConcreteBooleanIndexError as error:
            raise GraphBreak(
                "Dynamic shape operator: a shape depends on the values of a tensor"
            ) from error
        except NEED_VALUES as error:
            raise GraphBreak(
                "Data-dependent branching: it asks for the value of a tensor"
            ) from error
        finally:
            lent.take_back()
            unchanged = state.holds()
            if not unchanged:
                state.restore()
            seeded = draws.put_back()
    if not unchanged:
        raise GraphBreak("it changes Python objects that outlive the call")
    if seeded:
        raise GraphBreak("it changes a generator of random numbers")
    return run.result(jaxpr, len(given), draws)


class _Run:
    """One abstract run of a function, and what it left."""

    def __init__(
        self,
        function: Callable[..., Any],
        leaves: Sequence[Any],
        tree: Any,
        tensors: Sequence[Tensor],
        lent: _Lent,
    ) -> None:
        self.function = function
        self.leaves, self.tree = leaves, tree
        self.tensors, self.lent = tensors, lent
        self.written: list[int] = []
        self.found: list[Any] = []
        self.shape: Any = None

    def __call__(self, *boxes: Tracer) -> list[Any]:
        variables = [b.payload for b in boxes]
        self.lent.give(boxes)
        args, kwargs = tree_unflatten(self.tree, list(self.leaves))
        out = self.function(*args, **kwargs)
        outs = self._outputs(out)
        self.written = [
            i
            for i, (t, v) in enumerate(zip(self.tensors, variables, strict=True))
            if t.value.__class__ is not np.ndarray and t.value.payload is not v
        ]
        return [*outs, *(self.tensors[i].value for i in self.written)]

    def _outputs(self, out: Any) -> list[Any]:
        leaves, self.shape = tree_flatten(out, is_leaf=is_leaf)
        places = {id(t): i for i, t in enumerate(self.tensors)}
        roots = {id(t.value): i for i, t in enumerate(self.tensors)}
        outs: list[Any] = []
        new: dict[int, _Found] = {}
        for leaf in leaves:
            if isinstance(leaf, (Tracer, np.ndarray)) and not isinstance(leaf, Tensor):
                raise GraphBreak(
                    "it returns what is neither a tensor nor a plain value"
                )
            if not isinstance(leaf, Tensor):
                self.found.append(leaf)
                continue
            if id(leaf) in places:
                new[id(leaf)] = _Found(places[id(leaf)], is_input=True)
            elif id(leaf) not in new:
                new[id(leaf)] = self._place(leaf.value, roots, outs)
            self.found.append(new[id(leaf)])
        return outs

    def _place(self, value: Any, roots: dict[int, int], outs: list[Any]) -> _Found:
        """Make a value an output of the program, or tell of which input it is a view.

        Outputs are roots from now on: two that share memory are views.
        """
        if isinstance(value, Tracer):
            root, chain = root_of(value)
            known = roots.get(id(root))
            if known is not None:
                if known < 0 or not all(v.certain for v in chain):
                    raise GraphBreak("it returns views of one tensor")
                return _Found(known, True, [(v.prim, v.params) for v in chain])
            roots[id(root)] = -1
        outs.append(value)
        return _Found(len(outs) - 1)

    def result(self, jaxpr: Jaxpr, given: int, draws: Draws) -> CompiledProgram:
        """Return the program, with the inputs that it reads."""
        used = {key_of(v) for e in jaxpr.eqns for v in e.inputs}
        used |= {key_of(v) for v in jaxpr.outputs}
        if any(isinstance(c, Tracer) for c in jaxpr.consts):
            raise GraphBreak("it reaches a tensor in a way that cannot be followed")
        kept = [i for i, v in enumerate(jaxpr.inputs) if v in used or i in self.written]
        jaxpr = Jaxpr(
            [*(jaxpr.inputs[i] for i in kept), *draws.variables],
            jaxpr.const_vars,
            jaxpr.consts,
            jaxpr.eqns,
            jaxpr.outputs,
        )
        inputs = [i if i < given else self.tensors[i] for i in kept]
        for f in self.found:
            if isinstance(f, _Found) and f.is_input and f.index >= given:
                f.tensor = self.tensors[f.index]
        written = [kept.index(i) for i in self.written]
        self._check_apart(written)
        return CompiledProgram(jaxpr, inputs, draws, written, self.found, self.shape)

    def _check_apart(self, written: Sequence[int]) -> None:
        """Raise if a write to one tensor is seen by another."""
        arrays = [t.value for t in self.tensors]
        for i in self.written:
            for k, other in enumerate(arrays):
                if k != i and np.may_share_memory(arrays[i], other):
                    raise GraphBreak(
                        "it writes to a tensor that shares memory with another"
                    )
