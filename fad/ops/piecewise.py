"""Piecewise smooth functions: absolute values, extrema, rounding, remainders, signs.

    abs'       sign(x); for complex z the covector conj(z) / |z|; 0 at 0
    maximum'   all to the larger input, half to each where they tie (likewise minimum,
               fmax and fmin, which pass over nan)
    clip'      1 between the bounds and on them; outside it goes to the bound that acts
    x mod y    dx - floor(x / y) dy            fmod: with trunc for floor
    floor, ceil, rint, trunc, sign, ...        constants

`route(t, x, y, rule=...)` is the share of t that belongs to x: linear in t, and exactly
0 where x loses, even if t is infinite.

Public names: `abs_ fabs sign unit maximum minimum fmax fmin route clip floor ceil rint
trunc round_ mod fmod floor_divide modf_fraction frexp_mantissa frexp_exponent ldexp
copysign nextafter spacing heaviside unwrap`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.avals import Aval
from .arithmetic import conj, div0, is_complex
from .batching_rules import batch_pointwise
from .bitmask import zero_unless
from .comparison import logical_and, logical_or, where
from .infer_rules import broadcast_shapes
from .kinds import constant, elementwise, linear, opaque

__all__ = [
    "abs_",
    "ceil",
    "clip",
    "copysign",
    "fabs",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frexp_exponent",
    "frexp_mantissa",
    "heaviside",
    "ldexp",
    "maximum",
    "minimum",
    "mod",
    "modf_fraction",
    "nextafter",
    "rint",
    "round_",
    "route",
    "sign",
    "spacing",
    "trunc",
    "unit",
    "unwrap",
]

sign = constant("sign", np.sign, scalar="sign")
"""The sign of real numbers; `unit` is the one that complex numbers need."""


def unit(x: Any) -> Any:
    """Return x / |x|, and 0 where x is 0; for real x that is its sign."""
    return div0(x, abs_(x)) if is_complex(x) else sign(x)


def _abs_partial(t: Any, x: Any) -> Any:
    return t * conj(unit(x)) if is_complex(x) else t * sign(x)


abs_ = elementwise("abs", np.absolute, [_abs_partial], scalar="abs")
fabs = elementwise("fabs", np.fabs, [lambda t, x: t * sign(x)], scalar="abs")


def _larger(x: Any, y: Any) -> Any:
    return np.greater(x, y)


def _smaller(x: Any, y: Any) -> Any:
    return np.less(x, y)


def _larger_or_alone(x: Any, y: Any) -> Any:
    return np.greater(x, y) | np.isnan(y)


def _smaller_or_alone(x: Any, y: Any) -> Any:
    return np.less(x, y) | np.isnan(y)


_WINS: dict[str, Callable[[Any, Any], Any]] = {
    "maximum": _larger,
    "minimum": _smaller,
    "fmax": _larger_or_alone,
    "fmin": _smaller_or_alone,
}


def _route(t: Any, x: Any, y: Any, *, rule: str) -> Any:
    wins, loses = _WINS[rule](x, y), _WINS[rule](y, x)
    share = zero_unless(wins, t)
    tie = np.equal(wins, loses)
    if tie.any():
        share = np.where(tie, t * 0.5, share)
    return share if share.ndim else share[()]


def _infer_route(t: Aval, x: Aval, y: Aval, *, rule: str) -> Aval:
    return Aval(broadcast_shapes(rule, t.shape, x.shape, y.shape), t.dtype)


route = linear(
    "route",
    _route,
    [lambda ct, y, z, *, rule: route(ct, y, z, rule=rule), None, None],
    infer=_infer_route,
    batch=lambda size, args, dims, **params: batch_pointwise(route, args, dims, params),
)
route.pointwise = True


def _extremum(rule: str, impl: np.ufunc, scalar: str | None = None) -> Any:
    return elementwise(
        rule,
        impl,
        [
            lambda t, x, y: route(t, x, y, rule=rule),
            lambda t, x, y: route(t, y, x, rule=rule),
        ],
        scalar=scalar,
    )


maximum = _extremum("maximum", np.maximum, "maximum")
minimum = _extremum("minimum", np.minimum, "minimum")
fmax = _extremum("fmax", np.fmax)
fmin = _extremum("fmin", np.fmin)


def _inside(t: Any, x: Any, y: Any, z: Any) -> Any:
    return where(logical_and(x >= y, x <= z), t, 0)


def _below(t: Any, x: Any, y: Any, z: Any) -> Any:
    return where(logical_and(x < y, y <= z), t, 0)


def _above(t: Any, x: Any, y: Any, z: Any) -> Any:
    return where(logical_or(x > z, y > z), t, 0)


clip = elementwise("clip", np.clip, [_inside, _below, _above], scalar="clip")
"""`clip(x, low, high)`; where low > high, the result is high."""

floor = constant("floor", np.floor, scalar="floor")
ceil = constant("ceil", np.ceil, scalar="ceil")
rint = constant("rint", np.rint, scalar="rint")
trunc = constant("trunc", np.trunc, scalar="trunc")
spacing = constant("spacing", np.spacing)
floor_divide = constant("floor_divide", np.floor_divide, scalar="floor_divide")
round_ = constant("round", lambda x, *, decimals: np.round(x, decimals))

mod = elementwise(
    "mod",
    np.remainder,
    [lambda t: t, lambda t, x, y: -(t * floor_divide(x, y))],
    scalar="mod",
)
fmod = elementwise(
    "fmod",
    np.fmod,
    [lambda t: t, lambda t, x, y, ans: -(t * rint((x - ans) / y))],
    scalar="fmod",
)
modf_fraction = elementwise("modf_fraction", lambda x: np.modf(x)[0], [lambda t: t])
frexp_exponent = constant("frexp_exponent", lambda x: np.frexp(x)[1])
frexp_mantissa = elementwise(
    "frexp_mantissa",
    lambda x: np.frexp(x)[0],
    [lambda t, x: ldexp(t, -frexp_exponent(x))],
)
ldexp = elementwise("ldexp", np.ldexp, [lambda t, y: ldexp(t, y), None])

copysign = elementwise(
    "copysign",
    np.copysign,
    [lambda t, x, y: t * (sign(x) * copysign(1.0, y)), None],
    scalar="copysign",
)
nextafter = elementwise("nextafter", np.nextafter, [lambda t: t, None])
heaviside = elementwise(
    "heaviside", np.heaviside, [None, lambda t, x: where(x == 0, t, 0)]
)


def _batch_unwrap(
    size: int, args: Any, dims: Any, *, axis: int, **params: Any
) -> tuple[Any, Any]:
    return unwrap(args[0], axis=axis + (axis >= dims[0]), **params), dims[0]


unwrap = opaque(
    "unwrap",
    lambda x, *, axis, discont, period: np.unwrap(x, discont, axis, period=period),
    lambda ans, primals, tangents, **params: tangents[0],
    infer=lambda x, *, axis, discont, period: Aval(
        x.shape, np.unwrap(np.zeros(1, x.dtype), discont, period=period).dtype
    ),
    batch=_batch_unwrap,
)
"""It adds multiples of the period, which are constants."""
