"""Python's operators on tracers.

An operand that is neither a tracer, an array, a number nor a sequence of these is left
to its own class, by NotImplemented: an unknown type's reflected operator gets its turn,
and no object array is ever made.

Public names: none; importing the module installs them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.primitive import Primitive
from ..core.trace import NO_PARAMS, Tracer, staging_trace
from ..core.views import View
from ..ops import arithmetic, comparison, contraction, piecewise, powers
from .convert import operand

_PLAIN = frozenset(
    [float, int, bool, complex, np.ndarray]
    + [np.float64, np.float32, np.complex128, np.int64, np.bool_]
)
_KNOWN = _PLAIN | {Tracer, View}


def _divmod(x: Any, y: Any) -> tuple[Any, Any]:
    return piecewise.floor_divide(x, y), piecewise.mod(x, y)


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": arithmetic.add,
    "sub": arithmetic.sub,
    "mul": arithmetic.mul,
    "truediv": arithmetic.div,
    "floordiv": piecewise.floor_divide,
    "mod": piecewise.mod,
    "divmod": _divmod,
    "pow": powers.power_of,
    "matmul": contraction.matmul,
    "and": comparison.bitwise_and,
    "or": comparison.bitwise_or,
    "xor": comparison.bitwise_xor,
    "lshift": comparison.left_shift,
    "rshift": comparison.right_shift,
}
_COMPARE = {
    "eq": comparison.eq,
    "ne": comparison.ne,
    "lt": comparison.lt,
    "le": comparison.le,
    "gt": comparison.gt,
    "ge": comparison.ge,
}
_UNARY = {
    "neg": arithmetic.neg,
    "pos": arithmetic.positive,
    "abs": piecewise.abs_,
    "invert": comparison.invert,
}


def foreign(y: Any) -> bool:
    """Tell whether a class other than NumPy's and fad's has a say in an operation."""
    if isinstance(y, (Tracer, np.ndarray, np.generic, int, float, complex)):
        return False
    if isinstance(y, (list, tuple)):
        return False
    return not hasattr(y, "__array__") or hasattr(y, "__array_ufunc__")


def _forward(apply: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(x: Any, y: Any) -> Any:
        if y.__class__ in _KNOWN:
            return apply(x, y)
        return NotImplemented if foreign(y) else apply(x, operand(y))

    return method


def _reflected(apply: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(x: Any, y: Any) -> Any:
        if y.__class__ in _KNOWN:
            return apply(y, x)
        return NotImplemented if foreign(y) else apply(operand(y), x)

    return method


def _fast(prim: Primitive) -> tuple[Callable[[Any, Any], Any], ...]:
    """Return the methods of a primitive, with a short way past `bind`.

    The tracer's own trace is the innermost one if the other operand is plain or of the
    same trace, and no program is being staged.
    """
    slow, slow_reflected = _forward(prim), _reflected(prim)

    def method(x: Any, y: Any) -> Any:
        cls = y.__class__
        if staging_trace() is None and (
            cls in _PLAIN or (cls is Tracer and y.owner is x.owner)
        ):
            return x.owner.process(prim, (x, y), NO_PARAMS)
        return slow(x, y)

    def reflected(x: Any, y: Any) -> Any:
        if y.__class__ in _PLAIN and staging_trace() is None:
            return x.owner.process(prim, (y, x), NO_PARAMS)
        return slow_reflected(x, y)

    return method, reflected


def _fast_unary(prim: Primitive) -> Callable[[Any], Any]:
    def method(x: Any) -> Any:
        if staging_trace() is None:
            return x.owner.process_one(prim, x)
        return prim(x)

    return method


def _pow(x: Any, y: Any, modulus: Any = None) -> Any:
    if y.__class__ in _KNOWN:
        return powers.power_of(x, y)
    return NotImplemented if foreign(y) else powers.power_of(x, operand(y))


def _round(x: Any, ndigits: int | None = None) -> Any:
    """Round to the nearest integer, or to `ndigits` decimals, as Python's `round`."""
    if ndigits is None:
        return arithmetic.convert(piecewise.rint(x), dtype=np.dtype(np.int64))
    return piecewise.round_(x, decimals=int(ndigits))


def _install() -> None:
    for name, apply in (_BINARY | _COMPARE).items():
        if isinstance(apply, Primitive):
            method, reflected = _fast(apply)
        else:
            method, reflected = _forward(apply), _reflected(apply)
        setattr(Tracer, f"__{name}__", method)
        if name in _BINARY:
            setattr(Tracer, f"__r{name}__", reflected)
    for name, prim in _UNARY.items():
        setattr(Tracer, f"__{name}__", _fast_unary(prim))
    Tracer.__pow__ = _pow  # type: ignore[attr-defined]
    Tracer.__round__ = _round  # type: ignore[attr-defined]


_install()
