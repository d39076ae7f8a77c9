"""Questions about values: closeness, equality, reality. All are constants.

A question about a whole array is answered by a Python bool where values are known, and
by a traced bool otherwise (under `vmap`, say, one per example).

Public names: `isclose allclose array_equal array_equiv isreal iscomplex
isneginf isposinf`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from ..ops import arithmetic, comparison
from ..ops.piecewise import abs_
from ..ops.reductions import reduce_and
from .convert import no_out, operand
from .dispatch import implements

__all__ = [
    "allclose",
    "array_equal",
    "array_equiv",
    "iscomplex",
    "isclose",
    "isneginf",
    "isposinf",
    "isreal",
]


@implements(np.isclose)
def isclose(
    a: Any,
    b: Any,
    rtol: Any = 1.0e-5,
    atol: Any = 1.0e-8,
    equal_nan: bool = False,
) -> Any:
    """Tell where |a - b| <= atol + rtol |b|."""
    x = arithmetic.stop_gradient(operand(a))
    y = arithmetic.stop_gradient(operand(b))
    with np.errstate(invalid="ignore"):
        bound = atol + rtol * abs_(y)
        near = abs_(arithmetic.sub(x, y)) <= bound
    near = comparison.logical_and(near, comparison.isfinite(y))
    close = comparison.logical_or(near, comparison.eq(x, y))
    if equal_nan:
        both = comparison.logical_and(comparison.isnan(x), comparison.isnan(y))
        close = comparison.logical_or(close, both)
    return close


@implements(np.allclose)
def allclose(
    a: Any,
    b: Any,
    rtol: Any = 1.0e-5,
    atol: Any = 1.0e-8,
    equal_nan: bool = False,
) -> Any:
    """Tell whether all elements are close, see `isclose`."""
    return _all(isclose(a, b, rtol, atol, equal_nan))


def _all(mask: Any) -> Any:
    """Return whether all hold: a bool, or a traced one where values are unknown."""
    answer = reduce_and(mask, axis=tuple(range(aval_of(mask).ndim)))
    return answer if isinstance(answer, Tracer) else bool(answer)


@implements(np.array_equal)
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    """Tell whether two arrays have the same shape and elements."""
    x, y = operand(a1), operand(a2)
    if aval_of(x).shape != aval_of(y).shape:
        return False
    same = comparison.eq(x, y)
    if equal_nan:
        both = comparison.logical_and(comparison.ne(x, x), comparison.ne(y, y))
        same = comparison.logical_or(same, both)
    return _all(same)


@implements(np.array_equiv)
def array_equiv(a1: Any, a2: Any) -> Any:
    """Tell whether two arrays are equal after broadcasting."""
    x, y = operand(a1), operand(a2)
    try:
        np.broadcast_shapes(aval_of(x).shape, aval_of(y).shape)
    except ValueError:
        return False
    return _all(comparison.eq(x, y))


@implements(np.isreal)
def isreal(x: Any) -> Any:
    """Tell where the imaginary part is 0."""
    x = operand(x)
    if arithmetic.is_complex(x):
        return comparison.eq(arithmetic.imag(x), 0)
    return np.ones(aval_of(x).shape, bool)[()]


@implements(np.iscomplex)
def iscomplex(x: Any) -> Any:
    """Tell where the imaginary part is not 0."""
    return comparison.logical_not(isreal(x))


@implements(np.isneginf)
def isneginf(x: Any, out: Any = None) -> Any:
    """Tell where the value is minus infinity."""
    no_out("isneginf", out)
    return comparison.eq(operand(x), -np.inf)


@implements(np.isposinf)
def isposinf(x: Any, out: Any = None) -> Any:
    """Tell where the value is plus infinity."""
    no_out("isposinf", out)
    return comparison.eq(operand(x), np.inf)
