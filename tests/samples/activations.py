"""Samples of the operations of `fad.ops.activations`."""

import numpy as np

import fad.ops.activations  # noqa: F401  (declares them)

from ._sample import Sample, rng

_r = rng(61)
_a = _r.normal(size=(2, 3))

_ONE = [
    Sample((_a,)),
    Sample((np.float64(0.8),), name="0-d"),
    Sample((_a[:0],), name="empty"),
]
_ALONG = [
    Sample((_a,), {"axis": 1}),
    Sample((_a,), {"axis": 0}, name="first axis"),
    Sample((_a[0] * 9,), {"axis": 0}, name="1-d"),
    Sample((_a[:, :0],), {"axis": 1}, name="empty"),
]

SAMPLES = {
    "relu": _ONE,
    "sigmoid": _ONE,
    "softmax_along": _ALONG,
    "log_softmax_along": _ALONG,
}
