"""Samples of the operations of `fad.ops.powers`."""

import numpy as np

from ._sample import Sample, rng

_r = rng(5)
_a = _r.uniform(0.4, 2.0, size=(2, 3))
_b = np.array([1.5, -0.7, 2.2])
_z = _a + 1j * _r.uniform(0.2, 0.8, size=(2, 3))

SAMPLES = {
    "power": [
        Sample((_a, _b), name="broadcast"),
        Sample((_a[0, 0], np.float64(1.3)), name="0-d"),
        Sample((_a - 1.2, np.array([1, 2, 3])), name="integer exponents"),
        Sample((2.0, _b), diff=(1,), name="python base"),
        Sample((2, _b), diff=(1,), name="python integer base"),
        Sample((_z, _b + 0.3j), name="complex"),
        Sample((_a, _b + 0.3j), name="real to complex"),
    ],
    "integer_pow": [
        Sample((_a - 1.2,), {"n": n}, name=str(n)) for n in (-2, -1, 0, 1, 2, 3, 5)
    ]
    + [
        Sample((_z,), {"n": 3}, name="complex"),
        Sample((np.float64(-0.4),), {"n": 3}, name="0-d"),
    ],
    "scalar_pow": [
        Sample((_a,), {"exponent": p}, name=str(p))
        for p in (-1.5, 0.0, 0.5, 1.0, 2.0, 2.5)
    ]
    + [
        Sample((_z,), {"exponent": 1.5}, name="complex"),
        Sample((-_a,), {"exponent": 3.0}, name="negative base"),
    ],
}
