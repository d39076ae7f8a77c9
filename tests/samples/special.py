"""Samples of the operations of `fad.ops.special`."""

import numpy as np

from ._sample import Sample, rng

_r = rng(6)
_a = _r.normal(size=(2, 3)) * 1.5
_b = np.array([0.3, -0.8, 1.9])
_z = _a + 1j * _r.uniform(0.2, 0.9, size=(2, 3))

_ONE = [
    Sample((_a,)),
    Sample((np.float64(0.8),), name="0-d"),
    Sample((_a[:0],), name="empty"),
]
_PAIRS = [
    Sample((_a, _a[::-1])),
    Sample((_a, _b), name="broadcast"),
    Sample((np.float64(0.3), np.float64(-0.4)), name="0-d"),
    Sample((_a, 0.45), diff=(0,), name="python number"),
]
_COMPLEX = Sample((_z,), name="complex")

SAMPLES = {
    "sinc": [*_ONE, Sample((_b * 1e-3,), name="near 0"), _COMPLEX],
    "sinc_derivative": [
        Sample((_a * 2,), {"n": n}, name=f"order {n}") for n in (1, 2, 5)
    ],
    "i0": [*_ONE, Sample((_a * 8,), name="large")],
    "i0_derivative": [Sample((_a,), {"n": n}, name=f"order {n}") for n in (1, 2, 5)],
    "logaddexp": _PAIRS,
    "logaddexp2": _PAIRS,
    "gap": _PAIRS,
    "logistic": [*_ONE, _COMPLEX],
    "softplus": [*_ONE, _COMPLEX],
    "logit": [Sample((np.abs(_b) / 2,)), Sample((np.float64(0.8),), name="0-d")],
    "angle": [_COMPLEX, Sample((np.complex128(1 - 2j),), name="0-d")],
}
