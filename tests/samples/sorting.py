"""Samples of the operations of `fad.ops.sorting`."""

import numpy as np

from ._sample import Sample, rng

_r = rng(13)
_x = _r.standard_normal((3, 5))
_labels = np.array([1, 0, 3, 1, 1])

SAMPLES = {
    "argsort": [
        Sample((_x,), {"axis": 0, "kind": None}, name="first axis"),
        Sample((np.round(_x),), {"axis": 1, "kind": "stable"}, name="stable"),
        Sample((_x + 1j,), {"axis": 1, "kind": None}, name="complex"),
    ],
    "argpartition": [
        Sample((_x,), {"axis": 0, "kth": 1}, name="one"),
        Sample((_x,), {"axis": 1, "kth": (0, 3)}, name="two"),
    ],
    "lexsort": [
        Sample((_x, np.round(_x)), {"axis": 1}, name="two keys"),
        Sample((_x[0],), {"axis": 0}, name="1-d"),
    ],
    "searchsorted": [
        Sample((np.sort(_x[0]), _x), {"side": "left"}, name="many values"),
        Sample((np.sort(_x[0]), np.float64(0.1)), {"side": "right"}, name="one value"),
        Sample((_x[0], _x[1], np.argsort(_x[0])), {"side": "left"}, name="sorter"),
    ],
    "digitize": [
        Sample((_x, np.array([-1.0, 0.0, 1.0])), {"right": False}, name="rising"),
        Sample((_x, np.array([1.0, 0.0, -1.0])), {"right": True}, name="falling"),
    ],
    "isin": [
        Sample((np.round(_x), np.array([0.0, 1.0])), {"invert": False}, name="is"),
        Sample((np.round(_x), np.array([0.0, 1.0])), {"invert": True}, name="is not"),
    ],
    "bincount": [
        Sample((_labels, _x[0]), {"length": 4}, name="labels"),
        Sample((_labels, _x[0]), {"length": 7}, name="longer"),
        Sample((_labels, _x[0] + 1j * _x[1]), {"length": 4}, name="complex"),
        Sample((np.zeros(0, int), np.zeros(0)), {"length": 2}, name="empty"),
    ],
}
