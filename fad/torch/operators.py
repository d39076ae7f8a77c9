"""Python's operators on tensors.

An operand that is neither a tensor, an array nor a number is left to its own class, by
NotImplemented.

Public names: none; importing the module installs them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.trace import Tracer
from .declare import functions
from .tensor import Tensor

__all__: list[str] = []

_BINARY = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "div",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "pow",
    "matmul": "matmul",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}
_COMPARE = {"eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge"}
_UNARY = {"neg": "neg", "pos": "positive", "abs": "abs", "invert": "bitwise_not"}
_KNOWN = (Tracer, np.ndarray, np.generic, bool, int, float, complex)
_EXACT = frozenset({Tensor, int, float})  # the commonest of them, looked up at once


def _forward(name: str) -> Callable[[Tensor, Any], Any]:
    function = functions[name].__wrapped__  # type: ignore[attr-defined]

    def method(self: Tensor, other: Any) -> Any:
        if other.__class__ not in _EXACT and not isinstance(other, _KNOWN):
            return NotImplemented
        return function(self, other)

    return method


def _reflected(name: str) -> Callable[[Tensor, Any], Any]:
    function = functions[name].__wrapped__  # type: ignore[attr-defined]

    def method(self: Tensor, other: Any) -> Any:
        if not isinstance(other, _KNOWN):
            return NotImplemented
        return function(other, self)

    return method


def _in_place(name: str) -> Callable[[Tensor, Any], Any]:
    def method(self: Tensor, other: Any) -> Any:
        return getattr(self, f"{name}_")(other)

    return method


def _compared(name: str) -> Callable[[Tensor, Any], Any]:
    function = functions[name].__wrapped__  # type: ignore[attr-defined]
    fallback = getattr(object, f"__{name}__")

    def method(self: Tensor, other: Any) -> Any:
        if not isinstance(other, _KNOWN):
            return fallback(self, other) if name in ("eq", "ne") else NotImplemented
        return function(self, other)

    return method


def _rsub(self: Tensor, other: Any) -> Any:
    return (
        functions["rsub"](self, other) if isinstance(other, _KNOWN) else NotImplemented
    )


def _rtruediv(self: Tensor, other: Any) -> Any:
    """Divide by it: PyTorch multiplies by the reciprocal."""
    if not isinstance(other, _KNOWN):
        return NotImplemented
    return functions["reciprocal"](self) * other


def _ufunc(self: Tensor, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """Answer NumPy's functions with a tensor."""
    out = Tracer.__array_ufunc__(self, ufunc, method, *inputs, **kwargs)  # type: ignore[attr-defined]
    return out


def _install() -> None:
    cls: Any = Tensor
    for name, target in _BINARY.items():
        if target in functions:
            setattr(cls, f"__{name}__", _forward(target))
            setattr(cls, f"__r{name}__", _reflected(target))
            setattr(cls, f"__i{name}__", _in_place(target))
    for name, target in _COMPARE.items():
        if target in functions:
            setattr(cls, f"__{name}__", _compared(target))
    for name, target in _UNARY.items():
        if target in functions:
            setattr(cls, f"__{name}__", functions[target])
    if "rsub" in functions:
        cls.__rsub__ = _rsub
    if "reciprocal" in functions:
        cls.__rtruediv__ = _rtruediv
    cls.__hash__ = lambda self: id(self)


_install()
