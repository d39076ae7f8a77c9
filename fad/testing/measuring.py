"""Measure directional derivatives of a function, knowing nothing of its inside.

Ridders' method: central differences at a geometric series of steps, extrapolated to
step zero by Neville's scheme; element by element the value with the least estimated
error is taken [1]. Where the function takes complex numbers and agrees, the complex
step Im f(x + ihv) / h gives all digits [2]. float32 and complex64 arguments are
measured in double precision.

[1] C. J. F. Ridders, Accurate computation of F'(x) and F'(x)F''(x), 1982.
[2] W. Squire, G. Trapp, Using complex variables to estimate derivatives, 1998.

Public names: `measure`, `double`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.dtypes import float0
from ..core.pytree import tree_map

__all__ = ["double", "measure"]


def measure(f: Callable[..., Any], args: list[Any], v: list[Any], eps: float) -> Any:
    """Return the derivative of `f` at `args` along `v`, measured."""
    with np.errstate(all="ignore"):
        xs = [double(x) for x in args]
        at = lambda h: f(*[_moved(x, t, h) for x, t in zip(xs, v, strict=True)])
        difference = tree_map(lambda *table: _extrapolate(table), *_table(at, eps))
        exact = _complex_step(at, xs, v)
        if exact is None:
            return difference
        return tree_map(_better, exact, difference)


def double(x: Any) -> Any:
    if x.dtype.kind not in "fc" or x.dtype.itemsize >= (
        8 if x.dtype.kind == "f" else 16
    ):
        return x
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def _moved(x: Any, t: Any, h: Any) -> Any:
    return x if t.dtype == float0 else x + h * t


_LEVELS, _RATIO = 9, 2.0


def _table(at: Callable[[float], Any], eps: float) -> list[Any]:
    """Return central differences at the steps eps, eps / ratio, ..."""
    steps = [eps / _RATIO**k for k in range(_LEVELS)]
    return [tree_map(lambda p, m, h=h: _central(p, m, h), at(h), at(-h)) for h in steps]


def _central(plus: Any, minus: Any, h: float) -> Any:
    if np.asarray(plus).dtype.kind not in "fc":
        return np.zeros(np.shape(plus))
    return (double(np.asarray(plus)) - double(np.asarray(minus))) / (2 * h)


def _extrapolate(table: Sequence[Any]) -> Any:
    """Return Neville's extrapolation with the least error estimate, per element."""
    row = list(table)
    best, error = row[-1], np.full(np.shape(row[-1]), np.inf)
    for j in range(1, len(row)):
        factor = _RATIO ** (2 * j)
        new = [
            (factor * b - a) / (factor - 1) for a, b in zip(row, row[1:], strict=False)
        ]
        for i, value in enumerate(new):
            estimate = np.maximum(abs(value - row[i]), abs(value - row[i + 1]))
            better = estimate <= error  # of equal ones that of the least step
            best, error = (
                np.where(better, value, best),
                np.where(better, estimate, error),
            )
        row = new
    return best


def _complex_step(at: Callable[[Any], Any], xs: list[Any], v: list[Any]) -> Any:
    """Return Im f(x + ihv) / h, or None where complex arguments are refused."""
    if any(x.dtype.kind == "c" for x in xs):
        return None
    h = 1e-30
    try:
        out = at(1j * h)
    except Exception:  # whatever the user's function says to complex numbers
        return None
    return tree_map(lambda o: np.imag(o) / h, out)


def _better(exact: Any, difference: Any) -> Any:
    """Take the complex step's elements that the difference confirms.

    Functions that are not analytic, such as abs, give it wrong ones.
    """
    if np.asarray(difference).dtype.kind == "c":
        return difference
    near = abs(exact - difference) <= 1e-6 * (1 + abs(difference))
    return np.where(near, exact, difference)
