"""The IR: a jaxpr is a list of equations over SSA variables.

    { lambda ; a:f64[3]. let b:f64[3] = sin a; c:f64[3] = mul b a in (c,) }

An *atom* is a value of the program: a `Var` (an input or constant), a `Lit`, or what an
equation computes. As in LLVM, an `Eqn` with one output stands for that output itself;
output i of an equation with several is `Out(eqn, i)`. Edges run from a value to the
equation that made it and never the other way. So a program is whatever is reachable
from its outputs (`program`), dead code never gets in, and plain reference counting
frees what nobody needs, at any depth and without recursion.

Two writers make equations. A *tape* (grad, vjp, linearize) keeps of each input only its
atom, or None if it is not differentiated, and of the values only the residuals that
the derivative formulas name. A *staging* trace (make_jaxpr, jit) keeps every input as
an atom and no value.

Public names: `Var`, `Out`, `Lit`, `Eqn`, `Jaxpr`, `program`, `validate`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from .avals import Aval

if TYPE_CHECKING:
    from .primitive import Plan, Primitive
    from .source import Source

__all__ = [
    "Eqn",
    "Jaxpr",
    "Lit",
    "Out",
    "Var",
    "has_effect",
    "key_of",
    "new_eqn",
    "next_serial",
    "program",
    "validate",
]

next_serial = itertools.count(1).__next__


class Var:
    """An input or a constant of a program."""

    __slots__ = ("aval",)
    eqn = None
    index = 0

    def __init__(self, aval: Aval) -> None:
        self.aval = aval

    def __repr__(self) -> str:
        return f"Var({self.aval})"


class Lit:
    """A scalar written into the program."""

    __slots__ = ("value", "aval")
    eqn = None
    index = 0

    def __init__(self, value: Any, aval: Aval) -> None:
        self.value = value
        self.aval = aval

    def __repr__(self) -> str:
        return f"{self.value}:{self.aval}"


class Eqn:
    """One equation, outputs = prim[params] inputs; and its output, if there is one.

    Attributes:
        prim: the primitive.
        inputs: an atom per differentiated input and None for others (tapes), or atoms
            (staging traces).
        params: static parameters by name.
        plan: which residuals are kept, and the formulas that read them (tapes).
        residuals: the kept values, in the plan's order (tapes).
        aval: the aval of the output, or a list of them when `prim.multiple_results`.
        serial: a number that grows with program order.
        source: the user's line, or None where it was not recorded.
    """

    __slots__ = (
        "prim",
        "inputs",
        "params",
        "plan",
        "residuals",
        "aval",
        "serial",
        "source",
    )
    index = 0

    prim: Primitive
    inputs: Sequence[Any]
    params: dict[str, Any]
    plan: Plan
    residuals: tuple[Any, ...]
    aval: Any
    serial: int
    source: Source | None

    @property
    def eqn(self) -> Eqn:
        """The equation that computes this atom: itself."""
        return self

    @property
    def primitive(self) -> Primitive:
        """The primitive, under the name that JAX gives it."""
        return self.prim

    @property
    def avals_out(self) -> list[Aval]:
        """The avals of the outputs, as a list in every case."""
        return list(self.aval) if self.prim.multiple_results else [self.aval]

    @property
    def outputs(self) -> list[Any]:
        """The output atoms."""
        if not self.prim.multiple_results:
            return [self]
        return [Out(self, i, a) for i, a in enumerate(self.aval)]

    def __repr__(self) -> str:
        ins = " ".join("_" if v is None else str(v.aval) for v in self.inputs)
        return f"Eqn({self.prim.name} {ins} -> {self.aval})"


def new_eqn(
    prim: Primitive,
    inputs: Sequence[Any],
    params: dict[str, Any],
    plan: Any,
    residuals: tuple[Any, ...],
    aval: Any,
    source: Source | None = None,
) -> Eqn:
    """Make an equation with the next serial number."""
    eqn = _new(Eqn)  # an __init__ would double the cost, and this is the hot path
    eqn.prim = prim
    eqn.inputs = inputs
    eqn.params = params
    eqn.plan = plan
    eqn.residuals = residuals
    eqn.aval = aval
    eqn.serial = next_serial()
    eqn.source = source
    return eqn


_new = object.__new__


class Out:
    """Output `index` of an equation with several outputs."""

    __slots__ = ("eqn", "index", "aval")

    def __init__(self, eqn: Eqn, index: int, aval: Aval) -> None:
        self.eqn = eqn
        self.index = index
        self.aval = aval

    def __repr__(self) -> str:
        return f"Out({self.eqn!r}, {self.index})"


_serial_of = attrgetter("serial")


def program(outs: Iterable[Any]) -> list[Eqn]:
    """Return the equations reachable from the variables `outs`, in program order.

    Args:
        outs: variables; other atoms and None have no equation and are passed over.
    """
    stack: list[Eqn] = [v.eqn for v in outs if v is not None and v.eqn is not None]
    seen: set[Eqn] = set()
    while stack:
        eqn = stack.pop()
        if eqn in seen:
            continue
        seen.add(eqn)
        for v in eqn.inputs:
            if v is not None and v.eqn is not None:
                stack.append(v.eqn)
    return sorted(seen, key=_serial_of)


class Jaxpr:
    """A closed program: `inputs`, `consts` (pairs of variable and value), `outputs`.

    Attributes:
        inputs: the variables of the arguments.
        const_vars, consts: variables of closed-over arrays and their values, held by
            reference.
        eqns: the equations reachable from the outputs, in program order.
        outputs: atoms.
        cache: programs derived from this one, and its executables.
    """

    __slots__ = ("inputs", "const_vars", "consts", "eqns", "outputs", "cache")

    def __init__(
        self,
        inputs: Sequence[Var],
        const_vars: Sequence[Var],
        consts: Sequence[Any],
        eqns: Sequence[Eqn],
        outputs: Sequence[Any],
    ) -> None:
        self.inputs = tuple(inputs)
        self.const_vars = tuple(const_vars)
        self.consts = tuple(consts)
        self.eqns = tuple(eqns)
        self.outputs = tuple(outputs)
        self.cache: dict[Any, Any] = {}

    @property
    def jaxpr(self) -> Jaxpr:
        """The program itself (peers separate a closed from an open program)."""
        return self

    @property
    def in_avals(self) -> list[Aval]:
        return [v.aval for v in self.inputs]

    @property
    def out_avals(self) -> list[Aval]:
        return [v.aval for v in self.outputs]

    @property
    def effects(self) -> list[Eqn]:
        """The equations that do something besides returning outputs."""
        found: list[Eqn] | None = self.cache.get("effects")
        if found is None:
            found = [e for e in self.eqns if has_effect(e.prim, e.params)]
            self.cache["effects"] = found
        return found

    def __str__(self) -> str:
        from .pretty import format_jaxpr

        return format_jaxpr(self)

    __repr__ = __str__


def has_effect(prim: Primitive, params: dict[str, Any]) -> bool:
    """Tell whether an operation does something besides returning outputs."""
    if prim.effect:
        return True
    if prim.kind != "higher-order":
        return False
    for value in params.values():
        programs = value if isinstance(value, tuple) else (value,)
        if any(isinstance(j, Jaxpr) and j.effects for j in programs):
            return True
    return False


def key_of(atom: Any) -> Any:
    """Return what identifies an atom's value: itself, or (equation, index)."""
    return (atom.eqn, atom.index) if isinstance(atom, Out) else atom


def validate(jaxpr: Jaxpr) -> Jaxpr:
    """Check a program and return it.

    Every variable is defined before it is used and once only, each equation has the
    outputs that its primitive infers from its inputs, and constants match their
    variables.

    Raises:
        ValueError: naming the equation and the fault.
    """
    if len(jaxpr.const_vars) != len(jaxpr.consts):
        raise ValueError(
            f"jaxpr has {len(jaxpr.const_vars)} constant variables "
            f"for {len(jaxpr.consts)} constants"
        )
    known = {key_of(v) for v in (*jaxpr.const_vars, *jaxpr.inputs)}
    if len(known) != len(jaxpr.const_vars) + len(jaxpr.inputs):
        raise ValueError("jaxpr binds an input or constant variable twice")
    done: set[Eqn] = set()
    for eqn in jaxpr.eqns:
        if eqn in done:
            raise ValueError(f"{eqn!r} stands twice in the program")
        _check_defined(eqn.inputs, known, f"input of {eqn!r}")
        _check_outputs(eqn)
        done.add(eqn)
        known.update(key_of(v) for v in eqn.outputs)
    _check_defined(jaxpr.outputs, known, "output of the program")
    return jaxpr


def _check_defined(atoms: Iterable[Any], known: set[Any], what: str) -> None:
    for atom in atoms:
        if not isinstance(atom, (Var, Lit, Eqn, Out)):
            raise ValueError(f"{what} is not an atom: {atom!r}")
        if not isinstance(atom, Lit) and key_of(atom) not in known:
            raise ValueError(f"{what} reads {atom!r} before it is defined")


def _check_outputs(eqn: Eqn) -> None:
    inferred = eqn.prim.infer(*[v.aval for v in eqn.inputs], **eqn.params)
    inferred = list(inferred) if eqn.prim.multiple_results else [inferred]
    if [(a.shape, a.dtype) for a in inferred] != [
        (a.shape, a.dtype) for a in eqn.avals_out
    ]:
        raise ValueError(f"{eqn!r} ought to have the outputs {inferred}")
