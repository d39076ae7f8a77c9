"""Python's operators on tracers.

Public names: none; importing the module installs them.
"""

from __future__ import annotations

from typing import Any

from ..core.trace import Tracer
from ..ops import arithmetic, comparison

_BINARY = {
    "add": arithmetic.add,
    "sub": arithmetic.sub,
    "mul": arithmetic.mul,
    "truediv": arithmetic.div,
}
_COMPARE = {
    "eq": comparison.eq,
    "ne": comparison.ne,
    "lt": comparison.lt,
    "le": comparison.le,
    "gt": comparison.gt,
    "ge": comparison.ge,
}


def _install() -> None:
    for name, prim in _BINARY.items():
        setattr(Tracer, f"__{name}__", lambda x, y, prim=prim: prim(x, y))
        setattr(Tracer, f"__r{name}__", lambda x, y, prim=prim: prim(y, x))
    for name, prim in _COMPARE.items():
        setattr(Tracer, f"__{name}__", lambda x, y, prim=prim: prim(x, y))
    Tracer.__neg__ = lambda x: arithmetic.neg(x)  # type: ignore[attr-defined]


_: Any = _install()
