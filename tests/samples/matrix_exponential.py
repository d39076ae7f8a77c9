"""Samples of the operations of `fad.ops.matrix_exponential`."""

import numpy as np

import fad.ops.matrix_exponential  # noqa: F401  (declares them)

from ._sample import Sample, rng

_r = rng(34)
_square = _r.normal(size=(3, 3))
_stack = _r.normal(size=(2, 2, 2))
_direction = _r.normal(size=(3, 3))

SAMPLES = {
    "expm": [
        Sample((_square,)),
        Sample((np.array([[0.0, 1.0], [0.0, 0.0]]),), name="nilpotent"),
        Sample((_stack * 4,), name="stack, halved differently"),
        Sample((_square[:2, :2] + 1j * _direction[:2, :2],), name="complex"),
    ],
    "frechet": [
        Sample((_square, _direction)),
        Sample((_stack, _stack[::-1].copy()), name="stack"),
        Sample((_stack, _stack[0]), name="broadcast"),
        Sample((_square[:2, :2] * 1j, _direction[:2, :2] + 0j), name="complex"),
    ],
}
