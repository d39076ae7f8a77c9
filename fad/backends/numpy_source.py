"""The NumPy backend: a program becomes straight-line Python source.

    def program(a, b):
        c = sin(a)
        d = mul(c, b, c)
        return [d]

One line per equation, the NumPy function called directly: no box is made and nothing is
looked up at run time. A value is deleted after its last use, or the result of a ufunc
is written over it. Groups of equations on large arrays run in blocks of rows that stay
in the cache (`backends.blocked`); programs of scalars run on Python's own numbers
(`backends.scalar_source`).

Public names: `Writer`, `compile_numpy`, `load`, `python_source`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..core.ir import Eqn, Jaxpr, Lit, key_of
from .grouping import Group, find_groups
from .scalar_source import scalar_program

__all__ = ["Writer", "compile_numpy", "load", "python_source"]


def compile_numpy(
    jaxpr: Jaxpr, scalars: bool = True, donated: Sequence[int] = ()
) -> Callable[..., list[Any]]:
    """Return a function of the inputs' values that returns the list of outputs.

    Args:
        scalars: let a program of scalars run on Python's numbers and `math`, whose last
            digits may differ from NumPy's.
        donated: positions of inputs whose arrays may be written to.
    """
    program = load(*python_source(jaxpr, donated))
    return (scalar_program(jaxpr, program) if scalars else None) or program


def load(source: str, names: dict[str, Any]) -> Callable[..., list[Any]]:
    """Return the function `program` of a source."""
    exec(compile(source, "<fad program>", "exec"), names)
    program: Callable[..., list[Any]] = names["program"]
    return program


def python_source(
    jaxpr: Jaxpr, donated: Sequence[int] = ()
) -> tuple[str, dict[str, Any]]:
    """Return the source of a program and the names it refers to."""
    return Writer(jaxpr, donated).write()


class Writer:
    """Writes the source of one program.

    Attributes:
        globals: what the source refers to, by name.
        names: the names of values.
        users: the equations that read a value.
        life: when values die and which may be overwritten.
    """

    def __init__(self, jaxpr: Jaxpr, donated: Sequence[int]) -> None:
        self.jaxpr = jaxpr
        self.globals: dict[str, Any] = {}
        self.names: dict[Any, str] = {}
        self.fresh = (f"v{i}" for i in itertools.count())
        self.order = find_groups(jaxpr)
        spare = [jaxpr.inputs[i] for i in donated]
        self.life = Lifetimes(jaxpr, self.order, spare)
        self.constants: dict[Any, str] = {}
        self.users: dict[Any, list[Eqn]] = {}
        for eqn in jaxpr.eqns:
            for v in eqn.inputs:
                if isinstance(v, Eqn):
                    self.users.setdefault(v, []).append(eqn)

    def write(self) -> tuple[str, dict[str, Any]]:
        from .blocked import group_lines

        for v, value in zip(self.jaxpr.const_vars, self.jaxpr.consts, strict=True):
            self.names[v] = self.constant(value)
        inputs = ", ".join(self.name(v) for v in self.jaxpr.inputs)
        body: list[str] = []
        for i, item in enumerate(self.order):
            lines = (
                group_lines(self, item, i)
                if isinstance(item, Group)
                else self.lines(i, item)
            )
            body += lines
            body += self.deletions(i)
        outs = ", ".join(self.result(v) for v in self.jaxpr.outputs)
        lines = [f"def program({inputs}):", *body, f"return [{outs}]"]
        return "\n    ".join(lines) + "\n", self.globals

    def lines(self, index: int, eqn: Eqn) -> list[str]:
        """Return the line of one equation."""
        args = [self.read(v) for v in eqn.inputs]
        over = self.life.reusable(index, eqn)
        if over is not None:
            target = self.take_over(eqn, over)
            if eqn.prim.over is not None:
                return [self.call(eqn, args, function=eqn.prim.over)]
            return [self.call(eqn, [*args, self.into(eqn, target)])]
        call = self.call(eqn, args)
        outs = [self.name(v) for v in eqn.outputs]
        if not outs:
            return [call]
        target = f"[{', '.join(outs)}]" if eqn.prim.multiple_results else outs[0]
        return [f"{target} = {call}"]

    def take_over(self, eqn: Eqn, over: Any) -> str:
        """Give the result of an equation the array of a value, and return its name."""
        self.life.taken.add(over)
        name = self.names[eqn] = self.names[over]
        return name

    def deletions(self, index: int) -> list[str]:
        dead = [
            self.names[k]
            for k in self.life.dead.get(index, ())
            if k not in self.life.taken and k in self.names
        ]
        return [f"del {', '.join(dead)}"] if dead else []

    def call(
        self,
        eqn: Eqn,
        args: Iterable[str],
        *,
        function: Callable[..., Any] | None = None,
        **replaced: str,
    ) -> str:
        """Return the call of an operation's implementation, or of `function`."""
        function = function or eqn.prim.impl
        name = f"{_identifier(eqn.prim.name)}_{len(self.globals)}"
        known = self.constants.setdefault((eqn.prim, function), name)
        if known == name:
            self.globals[name] = function
        given = list(args)
        for name, value in eqn.params.items():
            given.append(f"{name}={replaced.get(name) or self.constant(value)}")
        return f"{known}({', '.join(given)})"

    def into(self, eqn: Eqn, target: str) -> str:
        """Return the argument that makes a ufunc write into `target`.

        By position is faster; NumPy 2.4 deprecates that for two of them.
        """
        return f"out={target}" if eqn.prim.impl in _OUT_BY_KEYWORD else target

    def name(self, atom: Any) -> str:
        name = self.names[key_of(atom)] = next(self.fresh)
        return name

    def read(self, atom: Any) -> str:
        if isinstance(atom, Lit):
            return self.constant(atom.value)
        return self.names[key_of(atom)]

    def result(self, atom: Any) -> str:
        """Read an output; a weak one, or a view of one element, is a NumPy scalar."""
        if not atom.aval.weak:
            whole = self.read(atom)
            view = isinstance(atom, Eqn) and not atom.aval.shape and atom.prim.view
            return f"{whole}[()]" if view else whole
        if isinstance(atom, Lit):
            return self.constant(atom.aval.dtype.type(atom.value))
        return f"{self.constant(atom.aval.dtype.type)}({self.read(atom)})"

    def constant(self, value: Any) -> str:
        name = self.constants.get(id(value))
        if name is None:
            name = self.constants[id(value)] = f"c{len(self.globals)}"
            self.globals[name] = value
        return name


_OUT_BY_KEYWORD = (np.maximum, np.minimum)


def _identifier(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name)


class Lifetimes:
    """When values die, and which may be overwritten.

    A result may be written over an input that dies with it, of its shape and dtype,
    if the operation is a pointwise ufunc, or declares how to write `over` its first
    input, and the program made the input itself, or it is donated, and gave it to none
    but operations that return new arrays.

    Attributes:
        dead: values by the position after which nobody reads them.
        taken: values that have been overwritten.
    """

    def __init__(
        self, jaxpr: Jaxpr, order: list[Eqn | Group], donated: Sequence[Any]
    ) -> None:
        kept = {key_of(v) for v in (*jaxpr.outputs, *jaxpr.const_vars)}
        last: dict[Any, int] = {}
        self.owned: set[Any] = set(donated)
        self.taken: set[Any] = set()
        self.members: set[Any] = set()
        lent: set[Any] = set()
        for i, item in enumerate(order):
            eqns = item.eqns if isinstance(item, Group) else [item]
            for eqn in eqns:
                for v in (*eqn.outputs, *eqn.inputs):
                    if not isinstance(v, Lit) and key_of(v) not in kept:
                        last[key_of(v)] = i
                if makes_new_array(eqn):
                    self.owned.add(eqn)
                else:
                    lent.update(key_of(v) for v in eqn.inputs if not isinstance(v, Lit))
        self.owned -= lent | kept
        self.dead: dict[int, list[Any]] = {}
        for key, i in last.items():
            self.dead.setdefault(i, []).append(key)

    def reusable(self, index: int, eqn: Eqn) -> Any:
        """Return the input that the equation's result may be written over, or None."""
        if eqn.prim.multiple_results or not eqn.aval.shape:
            return None
        if _is_plain_ufunc(eqn):
            candidates = eqn.inputs
        elif eqn.prim.over is not None and eqn.inputs[0] not in eqn.inputs[1:]:
            candidates = eqn.inputs[:1]
        else:
            return None
        for v in candidates:
            if v.aval == eqn.aval and self.spare(v, index):
                return v
        return None

    def spare(self, atom: Any, index: int) -> bool:
        """Tell whether a value's array may be written to at a position."""
        return (
            not isinstance(atom, Lit)
            and key_of(atom) in self.owned
            and key_of(atom) in self.dead.get(index, ())
        )


def makes_new_array(eqn: Eqn) -> bool:
    """Tell whether an operation surely returns an array of its own."""
    prim = eqn.prim
    if prim.multiple_results or prim.view or isinstance(eqn.aval, list):
        return False
    reduces = prim.blocks is not None and prim.blocks.kind == "reduce"
    return isinstance(prim.impl, np.ufunc) or reduces or prim.fresh


def _is_plain_ufunc(eqn: Eqn) -> bool:
    impl = eqn.prim.impl
    return (
        eqn.prim.pointwise
        and isinstance(impl, np.ufunc)
        and impl.nout == 1
        and impl.nin == len(eqn.inputs)
        and not eqn.params
    )
