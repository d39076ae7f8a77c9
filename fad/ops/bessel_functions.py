"""Bessel functions of real order, computed by SciPy.

    J_v' = (J_(v-1) - J_(v+1)) / 2        Y likewise
    I_v' = (I_(v-1) + I_(v+1)) / 2        K_v' = -(K_(v-1) + K_(v+1)) / 2

The formulas are in the functions themselves, so every order of derivative is exact;
they have no division, so they hold at 0. Names ending in "e" are scaled by an
exponential, and the scaled ones of real arguments have a kink at 0. Derivatives with
respect to the order v are not known in closed form: they raise an error that says so.

Public names: `jv yv iv kv j0 j1 y0 y1 i1 k0 k1 i0e i1e ive kve`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.primitive import Primitive
from .arithmetic import is_complex, real
from .elementary import exp
from .kinds import elementwise
from .piecewise import abs_, sign
from .scipy_extra import Backed
from .special import i0

__all__ = [
    "i0e",
    "i1",
    "i1e",
    "iv",
    "ive",
    "j0",
    "j1",
    "jv",
    "k0",
    "k1",
    "kv",
    "kve",
    "scaled_iv",
    "y0",
    "y1",
    "yv",
]


def unknown(name: str, what: str) -> Callable[[Any], Any]:
    """Return a formula that says why there is no derivative by `what`."""

    def refuse(t: Any) -> Any:
        raise NotImplementedError(
            f"{name}: the derivative with respect to {what} has no closed form and is "
            "not implemented. If it is a constant, give it as an integer or pass it "
            "through fad.stop_gradient; else wrap the call in fad.custom_jvp with a "
            "rule of your own."
        )

    return refuse


def of_order(name: str, slope: Callable[..., Any]) -> Backed:
    """Declare a function of (order, x) with the formula `slope(t, x, y, ans)` in x."""

    def declare(special: Any) -> Primitive:
        by_order = unknown(name, "the order")
        return elementwise(name, getattr(special, name), [by_order, slope])

    return Backed(name, declare, "special")


def function(name: str, slope: Callable[..., Any]) -> Backed:
    """Declare a function of one variable by its derivative formula."""
    return Backed(
        name,
        lambda special: elementwise(name, getattr(special, name), [slope]),
        "special",
    )


jv = of_order("jv", lambda t, x, y: t * ((jv(x - 1, y) - jv(x + 1, y)) * 0.5))
yv = of_order("yv", lambda t, x, y: t * ((yv(x - 1, y) - yv(x + 1, y)) * 0.5))
iv = of_order("iv", lambda t, x, y: t * ((iv(x - 1, y) + iv(x + 1, y)) * 0.5))
kv = of_order("kv", lambda t, x, y: t * ((kv(x - 1, y) + kv(x + 1, y)) * -0.5))
ive = of_order(
    "ive",
    lambda t, x, y, ans: t * ((ive(x - 1, y) + ive(x + 1, y)) * 0.5 - sign(y) * ans),
)
kve = of_order(
    "kve", lambda t, x, y, ans: t * (ans - (kve(x - 1, y) + kve(x + 1, y)) * 0.5)
)

j0 = function("j0", lambda t, x: -(t * j1(x)))
j1 = function("j1", lambda t, x: t * ((j0(x) - jv(2, x)) * 0.5))
y0 = function("y0", lambda t, x: -(t * y1(x)))
y1 = function("y1", lambda t, x: t * ((y0(x) - yv(2, x)) * 0.5))
i1 = function("i1", lambda t, x: t * ((i0(x) + iv(2, x)) * 0.5))
k0 = function("k0", lambda t, x: -(t * k1(x)))
k1 = function("k1", lambda t, x: t * ((k0(x) + kv(2, x)) * -0.5))
i0e = function("i0e", lambda t, x, ans: t * (i1e(x) - sign(x) * ans))
i1e = function(
    "i1e", lambda t, x, ans: t * ((i0e(x) + ive(2, x)) * 0.5 - sign(x) * ans)
)


def scaled_iv(v: Any, z: Any) -> Any:
    """Return iv(v, z) exp(-|Re z|); for complex z that is no holomorphic function."""
    if is_complex(z):
        return iv(v, z) * exp(-abs_(real(z)))
    return ive(v, z)
