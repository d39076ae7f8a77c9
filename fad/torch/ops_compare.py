"""Comparisons, predicates, logic and bits: results without gradients.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.primitive import Primitive
from ..core.trace import aval_of
from ..ops import arithmetic, comparison, piecewise
from ..ops.sorting import isin as is_member
from .declare import as_operand, composite, function, operation, promoted, with_sizes
from .dtypes import of_numpy
from .node import node_type
from .tape import record
from .tensor import Tensor

__all__: list[str] = []


def _compared(name: str, prim: Primitive, *aliases: str) -> None:
    apply, ordered = operation("ComparedBackward0", prim), name not in ("eq", "ne")

    def call(input: Any, other: Any) -> Any:
        x, y = as_operand(input), as_operand(other)
        dtype = promoted(x, y)
        if ordered and (dtype or x.value.dtype).kind == "c":
            title = of_numpy(dtype or x.value.dtype).title
            raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{title}'")
        return with_sizes(apply, x, y, dtype)

    call.__doc__ = f"Tell where {name} holds between two tensors, element by element."
    function(name, *aliases, inplace=True)(call)


_compared("eq", comparison.eq)
_compared("ne", comparison.ne, "not_equal")
_compared("lt", comparison.lt, "less")
_compared("le", comparison.le, "less_equal")
_compared("gt", comparison.gt, "greater")
_compared("ge", comparison.ge, "greater_equal")


def _logical(name: str, prim: Primitive) -> None:
    apply = operation("LogicalBackward0", prim)

    def call(input: Tensor, other: Tensor) -> Any:
        return with_sizes(apply, input, other, None)

    call.__doc__ = f"Return {name} of the truth of two tensors."
    function(name, inplace=True)(call)


_logical("logical_and", comparison.logical_and)
_logical("logical_or", comparison.logical_or)
_logical("logical_xor", comparison.logical_xor)


@function("logical_not", inplace=True)
def logical_not(input: Tensor) -> Tensor:
    """Return where elements are zero."""
    return record(comparison.logical_not, _NONE, (input,), {})


_NONE = node_type("NoneBackward0")


def _refuse_inexact(name: str, *operands: Any) -> None:
    for v in operands:
        if isinstance(v, Tensor) and v.aval.dtype.kind in "fc":
            raise NotImplementedError(
                f"\"{name}_cpu\" not implemented for '{v.dtype.title}'"
            )
        if isinstance(v, float):
            raise NotImplementedError(f"\"{name}_cpu\" not implemented for 'Float'")


def _bitwise(name: str, prim: Primitive) -> None:
    apply = operation("BitwiseBackward0", prim)
    kernel = {"bitwise_left_shift": "lshift", "bitwise_right_shift": "rshift"}

    def call(input: Any, other: Any) -> Any:
        x, y = as_operand(input), as_operand(other)
        _refuse_inexact(kernel.get(name, name), x, y)
        return with_sizes(apply, x, y, promoted(x, y))

    call.__doc__ = f"Return {name} of two tensors of integers."
    function(name, inplace=True)(call)


_bitwise("bitwise_and", comparison.bitwise_and)
_bitwise("bitwise_or", comparison.bitwise_or)
_bitwise("bitwise_xor", comparison.bitwise_xor)
_bitwise("bitwise_left_shift", comparison.left_shift)
_bitwise("bitwise_right_shift", comparison.right_shift)


@function("bitwise_not", inplace=True)
def bitwise_not(input: Tensor) -> Tensor:
    """Return the bits inverted; of booleans the negation."""
    if input.aval.dtype.kind in "fc":
        raise TypeError(
            "~ (operator.invert) is only implemented on integer and Boolean-type "
            "tensors"
        )
    return record(comparison.invert, _NONE, (input,), {})


def _is_inexact(x: Any) -> bool:
    return aval_of(x).dtype.kind in "fc"


def _never(x: Any) -> Any:
    return comparison.logical_and(comparison.eq(x, x), False)


def _parts(test: Any) -> Any:
    """Return a test of complex numbers that holds if it holds for a part."""

    def run(x: Any) -> Any:
        if aval_of(x).dtype.kind == "c":
            return comparison.logical_or(
                test(arithmetic.real(x)), test(arithmetic.imag(x))
            )
        return test(x) if _is_inexact(x) else _never(x)

    return run


def _predicate(name: str, test: Any) -> None:
    apply = composite("PredicateBackward0", test)

    def call(input: Tensor) -> Any:
        return apply(input)

    call.__doc__ = f"Tell {name} of every element."
    function(name)(call)


_predicate("isnan", _parts(lambda x: comparison.ne(x, x)))
_predicate("isinf", _parts(comparison.isinf))
_predicate(
    "isfinite",
    lambda x: comparison.isfinite(x) if _is_inexact(x) else comparison.eq(x, x),
)
_predicate(
    "isposinf", lambda x: comparison.eq(x, np.inf) if _is_inexact(x) else _never(x)
)
_predicate(
    "isneginf", lambda x: comparison.eq(x, -np.inf) if _is_inexact(x) else _never(x)
)
_predicate(
    "isreal",
    lambda x: (
        comparison.eq(arithmetic.imag(x), 0)
        if aval_of(x).dtype.kind == "c"
        else comparison.logical_or(comparison.eq(x, x), True)
    ),
)
_predicate(
    "signbit",
    lambda x: comparison.signbit(x) if _is_inexact(x) else comparison.lt(x, 0),
)


def _close(x: Any, y: Any, *, rtol: float, atol: float, equal_nan: bool) -> Any:
    close = comparison.eq(x, y)
    if equal_nan and _is_inexact(x):
        both = comparison.logical_and(comparison.ne(x, x), comparison.ne(y, y))
        close = comparison.logical_or(close, both)
    if rtol == 0 and atol == 0:
        return close
    allowed = atol + piecewise.abs_(rtol * y if rtol else y * 0)
    distance = piecewise.abs_(x - y) if _is_inexact(x) else piecewise.abs_(x * 1.0 - y)
    near = comparison.logical_and(
        comparison.isfinite(distance), comparison.le(distance, allowed)
    )
    return comparison.logical_or(close, near)


_isclose = composite("IscloseBackward0", _close)


@function("isclose", out=False)
def isclose(
    input: Tensor,
    other: Tensor,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> Tensor:
    """Tell where two tensors differ by at most atol + rtol * |other|."""
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{_long(input)} did not match {_long(other)}")
    out: Tensor = _isclose(input, other, rtol=rtol, atol=atol, equal_nan=equal_nan)
    return out


def _long(x: Tensor) -> str:
    names = {
        "float32": "Float", "float64": "Double", "int64": "Long", "int32": "Int",
    }  # fmt: skip
    return names.get(x.dtype.name, x.dtype.title)


@function("allclose", out=False)
def allclose(
    input: Tensor,
    other: Tensor,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> bool:
    """Tell whether two tensors are close everywhere."""
    return bool(isclose(input, other, rtol, atol, equal_nan).all())  # type: ignore[attr-defined]


@function("equal", out=False)
def equal(input: Tensor, other: Tensor) -> bool:
    """Tell whether two tensors have one shape and the same elements."""
    if input.shape != other.shape:
        return False
    return bool((input == other).all())  # type: ignore[attr-defined]


@function("is_same_size", out=False)
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Tell whether two tensors have one shape."""
    return bool(input.shape == other.shape)


_isin = composite(
    "IsinBackward0", lambda x, y, *, invert: is_member(x, y, invert=invert)
)


@function("isin", methods=False)
def isin(
    elements: Any,
    test_elements: Any,
    *,
    assume_unique: bool = False,
    invert: bool = False,
) -> Tensor:
    """Tell which elements occur in another tensor."""
    x, y = as_operand(elements), as_operand(test_elements)
    x, y = (v if isinstance(v, Tensor) else np.asarray(v) for v in (x, y))
    out: Tensor = _isin(x, y, invert=invert)
    return out
