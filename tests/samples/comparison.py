"""Samples of the operations of `fad.ops.comparison`."""

import numpy as np

from ._sample import Sample, rng

_r = rng(3)
_a, _b = _r.normal(size=(2, 3)), _r.normal(size=(3,))
_i, _j = np.array([[5, 3, 0], [12, 7, 1]]), np.array([2, 3, 1])
_mask = _a > 0

_PAIRS = [
    Sample((_a, _a[::-1])),
    Sample((_a, _b), name="broadcast"),
    Sample((np.float64(1.0), np.float64(2.0)), name="0-d"),
    Sample((_a, 0.5), name="python number"),
]
_ONE = [
    Sample((_a,)),
    Sample((np.float64(1.0),), name="0-d"),
    Sample((np.array([np.nan, np.inf, -np.inf, -0.0]),), name="special values"),
]
_INTEGERS = [
    Sample((_i, _j)),
    Sample((_i, 2), name="python number"),
    Sample((np.int64(6), np.int64(3)), name="0-d"),
]
_ONE_INTEGER = [Sample((_i,)), Sample((np.int64(5),), name="0-d")]
_BITS = [*_INTEGERS, Sample((_mask, _mask[0]), name="bool")]

SAMPLES = {
    **dict.fromkeys(["eq", "ne", "lt", "le", "gt", "ge"], _PAIRS),
    **dict.fromkeys(["logical_and", "logical_or", "logical_xor"], _PAIRS),
    **dict.fromkeys(["logical_not", "isnan", "isinf", "isfinite", "signbit"], _ONE),
    **dict.fromkeys(["bitwise_and", "bitwise_or", "bitwise_xor"], _BITS),
    **dict.fromkeys(["left_shift", "right_shift", "gcd", "lcm"], _INTEGERS),
    **dict.fromkeys(["invert", "bitwise_count"], _ONE_INTEGER),
    "where": [
        Sample((_mask, _a, _a[::-1])),
        Sample((_mask[0], _a, _b), name="broadcast"),
        Sample((_mask, _a, 0.0), diff=(1,), name="python number"),
        Sample((True, np.float64(1.0), np.float64(2.0)), name="0-d"),
        Sample((_mask, _a + 1j, _a), name="complex"),
    ],
}
