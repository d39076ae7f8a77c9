"""Samples of the operations of `fad.ops.entropies`."""

import numpy as np

import fad.ops.entropies  # noqa: F401  (declares them: fad itself imports it late)

from ._sample import Sample, rng

_r = rng(32)
_x = _r.uniform(0.2, 2.0, size=(2, 3))
_y = _r.uniform(0.2, 2.0, size=3)
_PAIRS = [
    Sample((_x, _x[::-1])),
    Sample((_x, _y), name="broadcast"),
    Sample((np.float64(0.3), np.float64(0.4)), name="0-d"),
    Sample((_x + 0.5j, _y - 0.2j), name="complex"),
]

SAMPLES = {"xlogy": _PAIRS, "xlog1py": _PAIRS}
