"""Samples of the operations of `fad.ops.matrix_equations`."""

import numpy as np

import fad.ops.matrix_equations  # noqa: F401  (declares them: fad itself imports it late)

from ._sample import Sample, rng

_r = rng(33)
_square = _r.normal(size=(3, 3))
_stack = _r.normal(size=(2, 3, 3))

SAMPLES = {
    "solve_triangular": [
        Sample((_square + 3 * np.eye(3), _r.normal(size=(3, 2))), {"lower": lower})
        for lower in (True, False)
    ]
    + [
        Sample(
            (_stack + 3 * np.eye(3), _r.normal(size=(2, 3, 1))),
            {"lower": True},
            name="stack",
        ),
        Sample(
            (_square + (3 + 1j) * np.eye(3), _r.normal(size=(3, 2)) + 1j),
            {"lower": True},
            name="complex",
        ),
    ],
    "solve_sylvester": [
        Sample((_square + 3 * np.eye(3), np.eye(2) * 2.0, _r.normal(size=(3, 2)))),
        Sample(
            (_stack + 3 * np.eye(3), np.eye(2) * 2.0, _r.normal(size=(2, 3, 2))),
            name="stack",
        ),
        Sample(
            (_square + (3 + 1j) * np.eye(3), np.eye(2) * 2.0, _r.normal(size=(3, 2))),
            name="complex",
        ),
    ],
    "sqrtm": [
        Sample((_square @ _square.T + np.eye(3),)),
        Sample((_stack * 0.3 + 2 * np.eye(3),), name="stack"),
    ],
}
