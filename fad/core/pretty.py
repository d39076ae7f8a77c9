"""Print a jaxpr: `{ lambda consts ; inputs. let equations in (outputs,) }`.

    { lambda ; a:f64[3]. let b:f64[3] = sin a; c:f64[3] = mul b 2.0:f64[] in (c,) }

Names are a, b, ..., z, aa, ... in order of definition; `_` is an output nobody reads.

Public names: `format_jaxpr`.
"""

from __future__ import annotations

import itertools
import string
from collections.abc import Iterator
from typing import Any

import numpy as np

from .ir import Eqn, Jaxpr, Lit, key_of

__all__ = ["format_jaxpr"]


def format_jaxpr(jaxpr: Jaxpr, width: int = 80) -> str:
    """Return the text of a program, on one line if it has at most `width` letters."""
    return "\n".join(_Printer(jaxpr).lines(width))


def _names() -> Iterator[str]:
    for length in itertools.count(1):
        for letters in itertools.product(string.ascii_lowercase, repeat=length):
            yield "".join(letters)


class _Printer:
    def __init__(self, jaxpr: Jaxpr) -> None:
        self.jaxpr = jaxpr
        self.fresh = _names()
        self.names: dict[Any, str] = {}
        self.read = {key_of(v) for e in jaxpr.eqns for v in e.inputs}
        self.read |= {key_of(v) for v in jaxpr.outputs}

    def lines(self, width: int) -> list[str]:
        consts = " ".join(self.binder(v) for v in self.jaxpr.const_vars)
        inputs = " ".join(self.binder(v) for v in self.jaxpr.inputs)
        eqns = [self.eqn(e) for e in self.jaxpr.eqns]
        outs = ", ".join(self.atom(v) for v in self.jaxpr.outputs)
        outs += "," if len(self.jaxpr.outputs) == 1 else ""
        head = f"{{ lambda {consts + ' ' if consts else ''}; {inputs}. let"
        one_line = f"{head} {'; '.join(eqns)} in ({outs}) }}".replace(
            "let  in", "let in"
        )
        if len(one_line) <= width and "\n" not in one_line:
            return [one_line]
        body = [f"    {line}" for e in eqns for line in e.split("\n")]
        return [head, *body, f"  in ({outs}) }}"]

    def binder(self, atom: Any) -> str:
        name = self.names[key_of(atom)] = next(self.fresh)
        return f"{name}:{atom.aval}"

    def atom(self, atom: Any) -> str:
        if isinstance(atom, Lit):
            return f"{_number(atom.value)}:{atom.aval}"
        return self.names[key_of(atom)]

    def eqn(self, eqn: Eqn) -> str:
        inputs = [self.atom(v) for v in eqn.inputs]
        binders = [
            self.binder(v) if key_of(v) in self.read else f"_:{v.aval}"
            for v in eqn.outputs
        ]
        prim = eqn.prim.name + _params(eqn.params)
        return f"{' '.join(binders)} = {' '.join([prim, *inputs])}"


def _number(value: Any) -> str:
    return str(value.item() if isinstance(value, np.generic) else value)


def _params(params: dict[str, Any]) -> str:
    if not params:
        return ""
    by_name = sorted(params.items(), key=lambda item: (item[0] != "name", item[0]))
    shown = [f"{name}={_param(value)}" for name, value in by_name]
    text = " ".join(shown)
    if "\n" in text or len(text) > 60:
        inner = "\n".join(shown).replace("\n", "\n  ")
        return f"[\n  {inner}\n]"
    return f"[{text}]"


def _param(value: Any) -> str:
    if isinstance(value, Jaxpr):
        return str(value)
    if isinstance(value, (tuple, list)) and any(isinstance(v, Jaxpr) for v in value):
        return "(" + "\n".join(str(v) for v in value) + ")"
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    return str(value)
