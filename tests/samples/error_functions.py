"""Samples of the operations of `fad.ops.error_functions`."""

import numpy as np

from ._sample import Sample, rng

_x = rng(31).normal(size=(2, 3)) * 1.5
_p = np.array([0.01, 0.3, 0.55, 0.97])
_ONE = [
    Sample((_x,)),
    Sample((np.float64(0.8),), name="0-d"),
    Sample((_x[:0],), name="empty"),
]

SAMPLES = {
    "erf": _ONE,
    "erfc": _ONE,
    "erfcx": [*_ONE, Sample((np.array([4.0, 9.0]),), name="far")],
    "ndtr": _ONE,
    "log_ndtr": [*_ONE, Sample((np.array([-30.0, 7.0]),), name="far")],
    "ndtri": [Sample((_p,)), Sample((np.float64(0.2),), name="0-d")],
    "erfinv": [Sample((2 * _p - 1,)), Sample((np.float64(0.2),), name="0-d")],
    "erfcinv": [Sample((2 * _p,)), Sample((np.float64(0.2),), name="0-d")],
}
