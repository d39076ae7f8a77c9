"""The NumPy backend: a program becomes straight-line Python source.

    def program(a, b):
        c = sin(a)
        d = mul(c, b); del c
        return [d]

One line per equation, the NumPy function called directly, each value deleted after its
last use. No box is made and nothing is looked up at run time.

Public names: `compile_numpy`, `python_source`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from ..core.ir import Eqn, Jaxpr, Lit, key_of

__all__ = ["compile_numpy", "python_source"]


def compile_numpy(jaxpr: Jaxpr) -> Callable[..., list[Any]]:
    """Return a function of the inputs' values that returns the list of outputs."""
    source, names = python_source(jaxpr)
    exec(compile(source, "<fad program>", "exec"), names)
    program: Callable[..., list[Any]] = names["program"]
    return program


def python_source(jaxpr: Jaxpr) -> tuple[str, dict[str, Any]]:
    """Return the source of a program and the names it refers to."""
    return _Writer(jaxpr).write()


class _Writer:
    def __init__(self, jaxpr: Jaxpr) -> None:
        self.jaxpr = jaxpr
        self.globals: dict[str, Any] = {}
        self.names: dict[Any, str] = {}
        self.fresh = (f"v{i}" for i in itertools.count())
        self.last_use = _last_uses(jaxpr)

    def write(self) -> tuple[str, dict[str, Any]]:
        for v, value in zip(self.jaxpr.const_vars, self.jaxpr.consts, strict=True):
            self.names[v] = self.constant(value)
        inputs = ", ".join(self.name(v) for v in self.jaxpr.inputs)
        body = [line for i, e in enumerate(self.jaxpr.eqns) for line in self.lines(i, e)]
        outs = ", ".join(self.result(v) for v in self.jaxpr.outputs)
        lines = [f"def program({inputs}):", *body, f"    return [{outs}]"]
        return "\n".join(lines) + "\n", self.globals

    def lines(self, index: int, eqn: Eqn) -> list[str]:
        impl = f"f{index}_{_identifier(eqn.prim.name)}"
        self.globals[impl] = eqn.prim.impl
        args = [self.read(v) for v in eqn.inputs]
        for name, value in eqn.params.items():
            args.append(f"{name}={self.constant(value)}")
        outs = [self.name(v) for v in eqn.outputs]
        target = f"[{', '.join(outs)}]" if eqn.prim.multiple_results else outs[0]
        line = f"    {target} = {impl}({', '.join(args)})"
        dead = [self.names[k] for k in self.last_use.get(index, ())]
        return [line, f"    del {', '.join(dead)}"] if dead else [line]

    def name(self, atom: Any) -> str:
        name = self.names[key_of(atom)] = next(self.fresh)
        return name

    def read(self, atom: Any) -> str:
        if isinstance(atom, Lit):
            return self.constant(atom.value)
        return self.names[key_of(atom)]

    def result(self, atom: Any) -> str:
        """Read an output; a weak one becomes a NumPy scalar."""
        if not atom.aval.weak:
            return self.read(atom)
        if isinstance(atom, Lit):
            return self.constant(atom.aval.dtype.type(atom.value))
        return f"{self.constant(atom.aval.dtype.type)}({self.read(atom)})"

    def constant(self, value: Any) -> str:
        name = f"c{len(self.globals)}"
        self.globals[name] = value
        return name


def _identifier(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name)


def _last_uses(jaxpr: Jaxpr) -> dict[int, list[Any]]:
    """Return, by equation index, the values that are dead after it."""
    kept = {key_of(v) for v in (*jaxpr.outputs, *jaxpr.const_vars)}
    last: dict[Any, int] = {}
    for i, eqn in enumerate(jaxpr.eqns):
        for v in (*eqn.outputs, *eqn.inputs):
            if not isinstance(v, Lit) and key_of(v) not in kept:
                last[key_of(v)] = i
    dead: dict[int, list[Any]] = {}
    for key, i in last.items():
        dead.setdefault(i, []).append(key)
    return dead
