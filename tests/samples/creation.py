"""Samples for `fad.ops.creation`."""

import numpy as np

from ._sample import Sample, rng

_x = rng(11).standard_normal((2, 3))
_f8, _c16 = np.dtype("f8"), np.dtype("c16")

SAMPLES = {
    "zeros_like": [
        Sample((_x,), dict(shape=(2, 3), dtype=_f8), name="same"),
        Sample((_x,), dict(shape=(4,), dtype=_c16), name="other shape and dtype"),
        Sample((np.float64(1.5),), dict(shape=(), dtype=_f8), name="scalar"),
        Sample((_x + 1j,), dict(shape=(3, 0), dtype=_f8), name="empty"),
    ],
}
