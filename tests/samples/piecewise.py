"""Samples of the operations of `fad.ops.piecewise`, away from their kinks."""

import numpy as np

from ._sample import Sample, rng

_r = rng(4)
_a = np.array([[0.3, -2.2, 1.6], [-0.9, 3.3, -1.45]])
_b = np.array([1.3, -0.7, 2.1])
_z = _a + 1j * _r.normal(size=(2, 3))

_ONE = [
    Sample((_a,)),
    Sample((np.float64(-1.3),), name="0-d"),
    Sample((_a[:0],), name="empty"),
]
_PAIRS = [
    Sample((_a, _a[::-1] * 0.7)),
    Sample((_a, _b), name="broadcast"),
    Sample((np.float64(1.7), np.float64(-0.4)), name="0-d"),
    Sample((_a, 0.43), diff=(0,), name="python number"),
]

SAMPLES = {
    **dict.fromkeys(["floor", "ceil", "rint", "trunc", "sign", "spacing"], _ONE),
    **dict.fromkeys(["fabs", "modf_fraction", "frexp_exponent"], _ONE),
    **dict.fromkeys(["maximum", "minimum", "fmax", "fmin"], _PAIRS),
    **dict.fromkeys(["floor_divide", "copysign", "nextafter"], _PAIRS),
    "abs": [*_ONE, Sample((_z,), name="complex")],
    "mod": [*_PAIRS, Sample((2.5, _b), diff=(1,), name="python number left")],
    "fmod": _PAIRS,
    "frexp_mantissa": _ONE,
    "round": [
        Sample((np.array([0.3, -2.2]),), {"decimals": 1}),
        Sample((np.array([12.0, -7.0]),), {"decimals": -1}, name="tens"),
        Sample((np.float64(2.3),), {"decimals": 0}, name="0-d"),
    ],
    "ldexp": [
        Sample((_a, np.array([1, -2, 3]))),
        Sample((np.float64(1.5), 3), name="0-d"),
    ],
    "heaviside": [
        Sample((np.array([-1.0, 0.0, 2.0]), np.array([0.3, 0.4, 0.5])), diff=(1,)),
        Sample((_a, 0.5), diff=(0,), name="python number"),
    ],
    "clip": [
        Sample((_a, np.float64(-1.1), np.float64(1.4))),
        Sample((_a, -1.1, 1.4), diff=(0,), name="python bounds"),
        Sample((_b, _b[:, None] - 0.5, np.float64(1.9)), name="broadcast"),
    ],
    "route": [
        Sample((_a, _a[::-1], _b), {"rule": rule}, diff=(0,), name=rule)
        for rule in ("maximum", "minimum", "fmax", "fmin")
    ]
    + [Sample((_a, _b, _b), {"rule": "maximum"}, diff=(0,), name="ties")],
    "unwrap": [
        Sample(
            (np.array([[0.1, 3.0, -3.0], [0.2, 0.9, 6.0]]),),
            {"axis": 1, "discont": None, "period": 2 * np.pi},
        ),
        Sample(
            (np.array([0.1, 5.0, 1.0]),),
            {"axis": 0, "discont": 4.5, "period": 6.0},
            name="period",
        ),
    ],
}
