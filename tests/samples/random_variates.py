"""Samples of the operations of `fad.ops.random_variates`.

A variate jumps where another trial is accepted, so differences say nothing about the
derivative of `random_loggamma` at a fixed quantile: `tests/random` has its checks. Here
its parameter is not differentiated.
"""

import numpy as np

from ._sample import Sample

_WORDS = np.arange(6, dtype=np.uint64).reshape(2, 3)
_SHAPES = np.array([0.3, 1.0, 20.0])
_ONE = (np.uint64(3), np.uint64(4))

SAMPLES = {
    "random_loggamma": [
        Sample((_WORDS, _WORDS[::-1].copy(), _SHAPES), diff=()),
        Sample((*_ONE, np.float64(2.0)), diff=(), name="0-d"),
        Sample((_WORDS[:0], _WORDS[:0], _SHAPES), diff=(), name="empty"),
    ],
    "held_gamma": [
        Sample((_SHAPES, np.array([0.2, 0.7, 18.0])), diff=()),
        Sample((np.float64(2.0), _SHAPES[:2]), diff=(), name="broadcast"),
    ],
    "held_beta": [
        Sample((_SHAPES, _SHAPES[::-1].copy(), np.array([0.2, 0.4, 0.9])), diff=()),
    ],
    "random_poisson": [
        Sample((_WORDS, _WORDS[::-1].copy(), _SHAPES * 3), diff=()),
        Sample((*_ONE, np.float64(2.0)), diff=(), name="0-d"),
    ],
}
