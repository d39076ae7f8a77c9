"""Samples of the operations of `fad.ops.philox`."""

import numpy as np

from ._sample import Sample

_KEY = np.array([5, 7], np.uint64)
_KEYS = np.arange(12, dtype=np.uint64).reshape(2, 3, 2)
_COUNT = np.arange(3, dtype=np.uint64)

SAMPLES = {
    "random_bits": [
        Sample((_KEY,), {"shape": (2, 3)}),
        Sample((_KEY,), {"shape": ()}, name="0-d"),
        Sample((_KEY,), {"shape": (0, 2)}, name="empty"),
        Sample((_KEYS,), {"shape": (5,)}, name="keys"),
        Sample((_KEYS[0],), {"shape": (300,)}, name="long"),
    ],
    "random_fold": [
        Sample((_KEY, _COUNT), {"purpose": 1}),
        Sample((_KEY, np.int64(-3)), {"purpose": 2}, name="0-d"),
        Sample((_KEYS, _COUNT), {"purpose": 1}, name="keys"),
    ],
}
