"""Samples of the operations of `fad.ops.means`."""

import numpy as np

import fad.ops.means  # noqa: F401  (declares them)

from ._sample import Sample, rng

_a = rng(62).normal(size=(2, 3))

SAMPLES = {
    "reduce_mean": [
        Sample((_a,), {"axis": (1,)}),
        Sample((_a,), {"axis": (0, 1)}, name="all"),
        Sample((_a[0],), {"axis": ()}, name="no axis"),
        Sample((_a + 2j * _a[::-1],), {"axis": (0,)}, name="complex"),
        Sample((np.float64(0.7),), {"axis": ()}, name="0-d"),
    ],
}
