"""Samples of the operations of `fad.ops.arithmetic`."""

import numpy as np

from ._sample import Sample, rng

_r = rng(1)
_a, _b = _r.normal(size=(2, 3)), _r.normal(size=(3,)) + 3.0
_z, _w = _a + 1j * _r.normal(size=(2, 3)), _b - 0.7j

_PAIRS = [
    Sample((_a, _a[::-1] + 3.0)),
    Sample((_a, _b), name="broadcast"),
    Sample((_b[:, None], _b[None, :]), name="outer"),
    Sample((np.float64(0.3), np.float64(1.7)), name="0-d"),
    Sample((_a, 2.5), diff=(0,), name="python number"),
    Sample((2.5, _b), diff=(1,), name="python number left"),
    Sample((_z, _w), name="complex"),
    Sample((_a, _w), name="real with complex"),
    Sample((np.ones((0, 3)), _b), name="empty"),
]
_ONE = [
    Sample((_b,)),
    Sample((np.float64(0.6),), name="0-d"),
    Sample((_z,), name="complex"),
    Sample((np.ones((0, 2)),), name="empty"),
]

SAMPLES = {
    "add": _PAIRS,
    "sub": _PAIRS,
    "mul": _PAIRS,
    "div": _PAIRS,
    "div0": _PAIRS,
    "neg": _ONE,
    "square": _ONE,
    "reciprocal": _ONE,
    "positive": _ONE,
    "real": _ONE,
    "imag": _ONE,
    "conj": _ONE,
    "copy": _ONE,
    "stop_gradient": [
        Sample((_b,), diff=()),
        Sample((np.float64(0.6),), diff=(), name="0-d"),
        Sample((_z,), diff=(), name="complex"),
    ],
    "complex": [
        Sample((_a, _a[::-1])),
        Sample((_a, _b), name="broadcast"),
        Sample((np.float64(1.0), np.float64(2.0)), name="0-d"),
    ],
    "convert": [
        Sample((_a,), {"dtype": np.dtype(np.float64)}, name="same"),
        Sample((_a,), {"dtype": np.dtype(np.complex128)}, name="to complex"),
        Sample((np.float64(2.0),), {"dtype": np.dtype(np.complex128)}, name="0-d"),
        Sample((_a,), {"dtype": np.dtype(np.int64)}, name="to integer"),
    ],
}
