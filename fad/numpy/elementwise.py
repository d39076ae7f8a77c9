"""Elementwise functions of NumPy that are not ufuncs.

Selection (`where`, `select`, `piecewise`, `choose`) sends a cotangent to what was
selected and to nothing else: nan or an infinite slope in another branch stays there.
`clip` has slope 1 between its bounds and on them, and 0 outside, where the bound that
acts gets it. `nan_to_num` has slope 0 where it replaced a value. Rounding is constant.

Public names: `where select piecewise choose clip nan_to_num real imag angle round
around fix sinc i0 unwrap real_if_close`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.dtypes import is_inexact
from ..core.trace import Tracer, aval_of
from ..core.views import is_array
from ..ops import arithmetic, comparison, special
from ..ops import piecewise as ops
from ..ops.elementary import rad2deg
from ..ops.infer_rules import normalize_axes
from ..ops.reductions import reduce_and
from .convert import array_from, cast, no_out, operand, result_dtype
from .dispatch import implementations, implements, is_plain

__all__ = [
    "angle",
    "around",
    "choose",
    "clip",
    "fix",
    "i0",
    "imag",
    "nan_to_num",
    "piecewise",
    "real",
    "real_if_close",
    "round",
    "select",
    "sinc",
    "unwrap",
    "where",
]


@implements(np.where)
def where(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    """Take elements of `x` where `condition` holds, of `y` elsewhere.

    >>> import fad, fad.numpy as fnp
    >>> float(fad.grad(lambda x: fnp.where(x > 0, fnp.sqrt(x), 3 * x))(0.0))
    3.0
    """
    if x is None and y is None:
        return _call(np.nonzero, condition)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    mask = operand(condition)
    if aval_of(mask).dtype.kind != "b":
        mask = comparison.ne(mask, 0)
    return comparison.where(mask, operand(x), operand(y))


def _call(function: Callable[..., Any], *args: Any) -> Any:
    """Call NumPy's function, or its implementation if something is traced."""
    if is_plain(args, {}):
        return function(*args)
    return implementations[function](*args)


@implements(np.select)
def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    """Take from the first choice whose condition holds, else `default`."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not len(condlist):
        raise ValueError("select with an empty condition list is not possible")
    masks = [operand(c) for c in condlist]
    for i, mask in enumerate(masks):
        if aval_of(mask).dtype.kind != "b":
            raise TypeError(f"invalid entry {i} in condlist: should be boolean ndarray")
    choices = [operand(c) for c in choicelist]
    out = operand(default)
    dtype = result_dtype(*choices, out)
    for mask, choice in zip(masks[::-1], choices[::-1], strict=True):
        out = comparison.where(mask, choice, out)
    return cast(out, dtype)


@implements(np.piecewise)
def piecewise(
    x: Any, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any
) -> Any:
    """Evaluate functions or constants, each where its condition holds.

    A function is evaluated on all of `x`, unlike NumPy's, and then selected from.
    """
    x = operand(x)
    masks = _conditions(x, condlist)
    if len(funclist) == len(masks) + 1:
        covered = masks[0]
        for mask in masks[1:]:
            covered = comparison.logical_or(covered, mask)
        masks.append(comparison.logical_not(covered))
    elif len(funclist) != len(masks):
        n = len(masks)
        raise ValueError(
            f"with {n} condition(s), either {n} or {n + 1} functions are expected"
        )
    aval = aval_of(x)
    out: Any = np.zeros(aval.shape, aval.dtype)
    for mask, function in zip(masks, funclist, strict=True):
        with np.errstate(all="ignore"):
            value = function(x, *args, **kw) if callable(function) else function
        out = comparison.where(mask, cast(operand(value), aval.dtype), out)
    return out


def _conditions(x: Any, condlist: Any) -> list[Any]:
    """Return the conditions of `piecewise`, where one alone needs no list."""
    if isinstance(condlist, (list, tuple)):
        first = operand(condlist[0])
        single = aval_of(first).ndim == 0 and aval_of(x).ndim != 0
        return [array_from(condlist)] if single else [operand(c) for c in condlist]
    masks = operand(condlist)
    if aval_of(masks).ndim <= aval_of(x).ndim:
        return [masks]
    return [masks[i] for i in range(aval_of(masks).shape[0])]


@implements(np.choose)
def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """Take, at each place, from the choice that `a` numbers."""
    no_out("choose", out)
    index, n = operand(a), len(choices)
    if mode == "wrap":
        index = ops.mod(index, n)
    elif mode == "clip":
        index = ops.clip(index, 0, n - 1)
    elif mode != "raise":
        raise ValueError(f"choose: mode is 'raise', 'wrap' or 'clip', not {mode!r}")
    elif not isinstance(index, Tracer) and np.any((index < 0) | (index >= n)):
        raise ValueError("invalid entry in choice array")
    values = [operand(choices[i]) for i in range(n)]
    dtype, result = result_dtype(*values), values[-1]
    for i in range(n - 2, -1, -1):
        result = comparison.where(comparison.eq(index, i), values[i], result)
    if n == 1:
        result = comparison.where(comparison.eq(index, 0), result, result)
    return cast(result, dtype)


@implements(np.clip)
def clip(
    a: Any,
    a_min: Any = np._NoValue,
    a_max: Any = np._NoValue,
    out: Any = None,
    *,
    min: Any = np._NoValue,
    max: Any = np._NoValue,
    **kwargs: Any,
) -> Any:
    """Limit values to an interval.

    At a bound the whole slope belongs to `a`, as in PyTorch.

    >>> import fad, fad.numpy as fnp
    >>> float(fad.grad(lambda x: fnp.clip(x, 0.0, 1.0))(1.0))
    1.0
    """
    no_out("clip", out)
    if kwargs:
        raise TypeError(f"clip: {', '.join(kwargs)} cannot be given for traced values")
    low, high = _bound("min", a_min, min), _bound("max", a_max, max)
    x = operand(a)
    given = [b for b in (low, high) if b is not None]
    if not given:
        return arithmetic.positive(x)
    if result_dtype(x, *given).kind == "f":
        low = -np.inf if low is None else low
        high = np.inf if high is None else high
    elif low is None:
        return ops.minimum(x, high)
    elif high is None:
        return ops.maximum(x, low)
    return ops.clip(x, low, high)


def _bound(name: str, old: Any, new: Any) -> Any:
    if old is not np._NoValue and new is not np._NoValue:
        raise ValueError(f"clip: give a_{name} or {name}, not both")
    value = new if old is np._NoValue else old
    return None if value is np._NoValue or value is None else operand(value)


@implements(np.nan_to_num)
def nan_to_num(
    x: Any,
    copy: bool = True,
    nan: Any = 0.0,
    posinf: Any = None,
    neginf: Any = None,
) -> Any:
    """Replace nan and infinities by numbers; the slope there is 0."""
    if not copy and isinstance(x, Tracer) and is_array(x):
        x[...] = nan_to_num(x, True, nan, posinf, neginf)
        return x
    x = operand(x)
    dtype = aval_of(x).dtype
    if not is_inexact(dtype):
        return x
    if dtype.kind == "c":
        parts = [
            nan_to_num(p, True, nan, posinf, neginf)
            for p in (arithmetic.real(x), arithmetic.imag(x))
        ]
        return arithmetic.complex_(*parts)
    limits = np.finfo(dtype)
    highest = float(limits.max) if posinf is None else posinf
    lowest = float(limits.min) if neginf is None else neginf
    infinite = comparison.isinf(x)
    x = comparison.where(comparison.logical_and(infinite, x > 0), highest, x)
    x = comparison.where(comparison.logical_and(infinite, x < 0), lowest, x)
    return cast(comparison.where(comparison.isnan(x), nan, x), dtype)


@implements(np.real)
def real(val: Any) -> Any:
    """Return the real part."""
    x = operand(val)
    return arithmetic.real(x) if arithmetic.is_complex(x) else x


@implements(np.imag)
def imag(val: Any) -> Any:
    """Return the imaginary part; of real values it is a constant 0."""
    x = operand(val)
    if arithmetic.is_complex(x):
        return arithmetic.imag(x)
    aval = aval_of(x)
    return np.zeros(aval.shape, aval.dtype)


@implements(np.angle)
def angle(z: Any, deg: bool = False) -> Any:
    """Return the argument of complex numbers; its slope at the origin is 0."""
    turn = special.angle(operand(z))
    return rad2deg(turn) if deg else turn


@implements(np.round)
def round(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """Round to `decimals` places; a constant."""
    no_out("round", out)
    return ops.round_(operand(a), decimals=operator.index(decimals))


@implements(np.around)
def around(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """Round to `decimals` places; a constant."""
    no_out("around", out)
    return ops.round_(operand(a), decimals=operator.index(decimals))


@implements(np.fix)
def fix(x: Any, out: Any = None) -> Any:
    """Round towards zero; a constant."""
    no_out("fix", out)
    return ops.trunc(operand(x))


@implements(np.sinc)
def sinc(x: Any) -> Any:
    """Return sin(pi x) / (pi x), with accurate derivatives of every order.

    >>> import fad, fad.numpy as fnp
    >>> float(fad.grad(fad.grad(fnp.sinc))(0.0))
    -3.28986813369645...
    """
    return special.sinc(operand(x))


@implements(np.i0)
def i0(x: Any) -> Any:
    """Return the modified Bessel function of order 0."""
    return special.i0(operand(x))


@implements(np.unwrap)
def unwrap(
    p: Any, discont: Any = None, axis: int = -1, *, period: float = 2 * np.pi
) -> Any:
    """Add multiples of `period` to remove jumps; the derivative is the identity."""
    x = operand(p)
    (axis,) = normalize_axes(axis, aval_of(x).ndim)
    return ops.unwrap(x, axis=axis, discont=discont, period=period)


@implements(np.real_if_close)
def real_if_close(a: Any, tol: float = 100) -> Any:
    """Return the real part if all imaginary parts are close to 0, else `a`.

    The result's dtype depends on values, which have to be known.
    """
    x = operand(a)
    if not arithmetic.is_complex(x):
        return x
    if tol > 1:
        tol = float(np.finfo(aval_of(x).dtype).eps) * tol
    size = ops.abs_(arithmetic.stop_gradient(arithmetic.imag(x)))
    close = reduce_and(size < tol, axis=tuple(range(aval_of(x).ndim)))
    return arithmetic.real(x) if close else x
