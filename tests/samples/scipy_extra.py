"""Samples of the operations that SciPy computes; there are none without SciPy."""

import numpy as np

from fad.ops import bessel_functions, incomplete_functions
from fad.ops.scipy_extra import backed, installed

from ._sample import Sample

assert bessel_functions and incomplete_functions  # they declare them

_x = np.array([[0.4, 1.3, 2.6], [3.5, 0.9, 7.0]])
_z = np.array([0.6 + 0.4j, 1.5 - 0.8j])
_p = np.array([0.2, 0.5, 0.9])
_a = np.array([0.7, 2.5, 9.0])

_ONE = [Sample((_x,)), Sample((np.float64(0.8),), name="0-d")]
_COMPLEX = Sample((_z,), name="complex")
_ORDER = [
    Sample((2, _x)),
    Sample((np.array([0.5, 1.0, 2.0]), _x), diff=(1,), name="broadcast"),
    Sample((np.float64(1.5), np.float64(0.8)), diff=(1,), name="0-d"),
]
_COMPLEX_ORDER = Sample((1.5, _z), diff=(1,), name="complex")
_PAIR = [Sample((_a, _x)), Sample((np.float64(1.5), np.float64(0.8)), name="0-d")]
_TRIPLE = [
    Sample((_a, _a[::-1], _p)),
    Sample((np.float64(1.5), 2.0, np.float64(0.3)), name="0-d"),
]

_SAMPLES = {
    **dict.fromkeys(("j0", "j1", "y0", "y1", "i1", "k0", "k1", "i0e", "i1e"), _ONE),
    **{n: [*_ORDER, _COMPLEX_ORDER] for n in ("jv", "yv", "iv", "kv", "kve")},
    "ive": _ORDER,
    **{n: [*_ONE, _COMPLEX] for n in ("gamma", "loggamma", "exp1", "expi")},
    "rgamma": [*_ONE, Sample((np.array([0.0, -1.0, -2.5]),), name="pole"), _COMPLEX],
    **{n: [*_ONE, _COMPLEX] for n in ("dawsn", "wofz")},
    "erfi": [Sample((_x / 4,)), _COMPLEX],
    "expn": [Sample((_x,), {"n": n}, name=f"order {n}") for n in (3, 5)],
    "lambertw": [Sample((_x,), {"k": 0}), Sample((_z,), {"k": -1}, name="complex")],
    "beta": _PAIR,
    "betaln": _PAIR,
    "gammainc": _PAIR,
    "gammaincc": _PAIR,
    "gammaincinv": [Sample((_a, _p), tol=1e-5)],
    "betainc": _TRIPLE,
    "betaincc": _TRIPLE,
    "betaincinv": [Sample((_a, _a[::-1], _p), tol=1e-5)],
    "gammasgn": [*_ONE, Sample((np.array([-0.5, -1.5]),), name="negative")],
    "riemann_zeta": [Sample((_a + 1,), diff=())],
    "stdtr": [
        Sample((_a, _x - 2)),
        Sample((np.float64(1.5), np.float64(0.0)), name="at 0"),
    ],
    "zeta": [Sample((np.array([2.5, 4.0, 3.0]), _x), diff=(1,))],
}

if installed():
    for operation in backed.values():
        assert operation.primitive  # declared by being asked for

SAMPLES = _SAMPLES if installed() else {}
