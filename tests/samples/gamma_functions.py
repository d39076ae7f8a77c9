"""Samples of the operations of `fad.ops.gamma_functions`."""

import numpy as np

from ._sample import Sample

_x = np.array([[0.3, 1.2, 2.0], [4.5, 17.0, 0.9]])
_ONE = [
    Sample((_x,)),
    Sample((np.float64(0.8),), name="0-d"),
    Sample((_x[:0],), name="empty"),
    Sample((np.array([-0.4, -2.6]),), name="negative"),
]

SAMPLES = {
    "gammaln": _ONE,
    "digamma": _ONE,
    "polygamma": [
        *[Sample((_x,), {"n": n}, name=f"order {n}") for n in (0, 1, 4)],
        Sample((np.float64(-1.3),), {"n": 2}, name="negative"),
    ],
}
