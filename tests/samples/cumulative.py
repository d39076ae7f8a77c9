"""Samples of the operations of `fad.ops.cumulative`."""

import numpy as np

from ._sample import Sample, rng

_r = rng(12)
_x = _r.standard_normal((3, 5))
_z = _x + 1j * _r.standard_normal((3, 5))

SAMPLES = {
    "cumsum": [
        Sample((_x,), {"axis": 0, "reverse": False}, name="first axis"),
        Sample((_x,), {"axis": 1, "reverse": True}, name="reverse"),
        Sample((_z,), {"axis": 1, "reverse": False}, name="complex"),
        Sample((np.zeros((2, 0)),), {"axis": 1, "reverse": True}, name="empty"),
    ],
    "cumprod": [
        Sample((_x,), {"axis": 0}, name="first axis"),
        Sample((_x[0],), {"axis": 0}, name="1-d"),
        Sample((_z,), {"axis": 1}, name="complex"),
        Sample((np.where(_x > 0.5, 0.0, _x),), {"axis": 1}, name="zeros"),
        Sample((np.zeros((2, 0)),), {"axis": 1}, name="empty"),
    ],
    "recurrence": [
        Sample((_x, _x + 1.0), {"axis": 0, "reverse": False}, name="first axis"),
        Sample((_x, _x + 1.0), {"axis": 1, "reverse": True}, name="reverse"),
        Sample((_z, _z + 1.0), {"axis": 1, "reverse": False}, name="complex"),
        Sample((np.zeros(0), np.zeros(0)), {"axis": 0, "reverse": True}, name="empty"),
    ],
    "cumargmax": [
        Sample((_x,), {"axis": 0}, name="first axis"),
        Sample((_x,), {"axis": 1}, name="last axis"),
    ],
    "cumargmin": [
        Sample((_x,), {"axis": 0}, name="first axis"),
        Sample((_x,), {"axis": 1}, name="last axis"),
    ],
}
