"""Samples of the operations of `fad.ops.reductions`."""

import numpy as np

from ._sample import Sample, rng

_r = rng(11)
_x = _r.standard_normal((2, 3, 4))
_z = _x + 1j * _r.standard_normal((2, 3, 4))
_few_zeros = np.where(_x > 1.0, 0.0, _x)


def _linear():
    return [
        Sample((_x,), {"axis": (0, 2)}, name="two axes"),
        Sample((_x,), {"axis": (0, 1, 2)}, name="all axes"),
        Sample((_x,), {"axis": ()}, name="no axis"),
        Sample((_z,), {"axis": (1,)}, name="complex"),
        Sample((np.float64(0.7),), {"axis": ()}, name="0-d"),
        Sample((np.zeros((0, 3)),), {"axis": (0,)}, name="empty"),
    ]


def _exponentials():
    return [
        *_extrema(),
        Sample((np.array([[700.0, -1.0], [1e3, 1e3]]),), {"axis": (1,)}, name="large"),
    ]


def _extrema():
    return [
        Sample((_x,), {"axis": (0, 2)}, name="two axes"),
        Sample((_x,), {"axis": (0, 1, 2)}, name="all axes"),
        Sample((_x,), {"axis": ()}, name="no axis"),
        Sample((np.float64(0.7),), {"axis": ()}, name="0-d"),
        Sample((np.zeros((0, 3)),), {"axis": (1,)}, name="empty"),
    ]


def _logic():
    return [
        Sample((_x > 0,), {"axis": (0, 2)}, name="two axes"),
        Sample((_few_zeros,), {"axis": (1,)}, name="numbers"),
        Sample((np.float64(0.7),), {"axis": ()}, name="0-d"),
        Sample((np.zeros((0, 3), bool),), {"axis": (0,)}, name="empty"),
    ]


def _positions():
    return [
        Sample((_x,), {"axis": 0}, name="first axis"),
        Sample((_x,), {"axis": 2}, name="last axis"),
        Sample((np.float64(0.7),), {"axis": None}, name="0-d"),
    ]


SAMPLES = {
    "reduce_sum": _linear(),
    "reduce_prod": [
        *_linear(),
        Sample((_few_zeros,), {"axis": (2,)}, name="zeros"),
    ],
    "reduce_max": [*_extrema(), Sample((_z,), {"axis": (1,)}, name="complex")],
    "reduce_min": _extrema(),
    "reduce_fmax": _extrema(),
    "reduce_fmin": _extrema(),
    "reduce_logsumexp": _exponentials(),
    "softmax": _exponentials(),
    "exp_below": [
        Sample((_x, _x.max(axis=1, keepdims=True) + 0.1), name="maxima"),
        Sample((_x, np.float64(5.0)), name="number"),
        Sample((np.float64(0.7), np.float64(0.9)), name="0-d"),
        Sample((np.zeros((0, 3)), np.zeros(3)), name="empty"),
    ],
    "reduce_and": _logic(),
    "reduce_or": _logic(),
    "argmax": _positions(),
    "argmin": _positions(),
}
