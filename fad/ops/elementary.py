"""Elementary functions: exponentials, logarithms, roots, circular and hyperbolic ones.

Each derivative is the textbook one, in the form that keeps its digits:

    expm1' = exp(x)                        not ans + 1, which is 0 at x = -40
    arcsin' = 1 / sqrt((1 - x)(1 + x))     no cancellation near 1, +-inf at 1
    sqrt' = 1 / (2 ans)                    inf at 0

All hold for complex arguments, on the principal branches of NumPy. `hypot` has the
derivative 0 at the origin. Constants are Python numbers, so float32 stays float32.

Public names: `exp exp2 expm1 log log2 log10 log1p sqrt cbrt hypot sin cos tan arcsin
arccos arctan arctan2 sinh cosh tanh arcsinh arccosh arctanh deg2rad rad2deg`.
"""

from __future__ import annotations

import math

import numpy as np

from .arithmetic import div0
from .kinds import elementwise

__all__ = [
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "cbrt",
    "cos",
    "cosh",
    "deg2rad",
    "exp",
    "exp2",
    "expm1",
    "hypot",
    "log",
    "log10",
    "log1p",
    "log2",
    "rad2deg",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
]

LN2, LN10, DEGREE = math.log(2.0), math.log(10.0), math.pi / 180.0

exp = elementwise("exp", np.exp, [lambda t, ans: t * ans], scalar="exp")
exp2 = elementwise("exp2", np.exp2, [lambda t, ans: t * (ans * LN2)], scalar="exp2")
expm1 = elementwise("expm1", np.expm1, [lambda t, x: t * exp(x)], scalar="expm1")
log = elementwise("log", np.log, [lambda t, x: t / x], scalar="log")
log2 = elementwise("log2", np.log2, [lambda t, x: t / (x * LN2)], scalar="log2")
log10 = elementwise("log10", np.log10, [lambda t, x: t / (x * LN10)], scalar="log10")
log1p = elementwise("log1p", np.log1p, [lambda t, x: t / (1 + x)], scalar="log1p")

sqrt = elementwise("sqrt", np.sqrt, [lambda t, ans: t / (2 * ans)], scalar="sqrt")
cbrt = elementwise(
    "cbrt", np.cbrt, [lambda t, ans: t / (3 * (ans * ans))], scalar="cbrt"
)
hypot = elementwise(
    "hypot",
    np.hypot,
    [lambda t, x, ans: t * div0(x, ans), lambda t, y, ans: t * div0(y, ans)],
    scalar="hypot",
)

sin = elementwise("sin", np.sin, [lambda t, x: t * cos(x)], scalar="sin")
cos = elementwise("cos", np.cos, [lambda t, x: -(t * sin(x))], scalar="cos")
tan = elementwise("tan", np.tan, [lambda t, ans: t * (1 + ans * ans)], scalar="tan")
arcsin = elementwise(
    "arcsin",
    np.arcsin,
    [lambda t, x: t / sqrt((1 - x) * (1 + x))],
    scalar="arcsin",
)
arccos = elementwise(
    "arccos",
    np.arccos,
    [lambda t, x: -(t / sqrt((1 - x) * (1 + x)))],
    scalar="arccos",
)
arctan = elementwise(
    "arctan", np.arctan, [lambda t, x: t / (1 + x * x)], scalar="arctan"
)
arctan2 = elementwise(
    "arctan2",
    np.arctan2,
    [
        lambda t, x, y: t * y / (x * x + y * y),
        lambda t, x, y: -(t * x / (x * x + y * y)),
    ],
    scalar="arctan2",
)

sinh = elementwise("sinh", np.sinh, [lambda t, x: t * cosh(x)], scalar="sinh")
cosh = elementwise("cosh", np.cosh, [lambda t, x: t * sinh(x)], scalar="cosh")
tanh = elementwise("tanh", np.tanh, [lambda t, ans: t * (1 - ans * ans)], scalar="tanh")
arcsinh = elementwise(
    "arcsinh", np.arcsinh, [lambda t, x: t / sqrt(x * x + 1)], scalar="arcsinh"
)
arccosh = elementwise(
    "arccosh",
    np.arccosh,
    [lambda t, x: t / (sqrt(x - 1) * sqrt(x + 1))],
    scalar="arccosh",
)
arctanh = elementwise(
    "arctanh", np.arctanh, [lambda t, x: t / ((1 - x) * (1 + x))], scalar="arctanh"
)

deg2rad = elementwise("deg2rad", np.deg2rad, [lambda t: t * DEGREE], scalar="deg2rad")
rad2deg = elementwise("rad2deg", np.rad2deg, [lambda t: t / DEGREE], scalar="rad2deg")
