"""Samples of the operations of `fad.ops.tail_moments`."""

import numpy as np

from ._sample import Sample

_a = np.array([[0.4, 2.5, 9.0]])
_u = np.array([[-1.0, 0.3, 1.5], [0.7, 2.0, 3.0]])

SAMPLES = {
    "gamma_tail": [
        Sample((_a, _u), {"n": n}, tol=1e-5, name=f"order {n}") for n in (0, 1, 2)
    ]
    + [Sample((np.float64(3.0), np.float64(0.9)), {"n": 1}, name="0-d")],
    "beta_tail": [
        Sample((_a, 0.3 * _a[:, ::-1], _u - 1), {"m": m, "n": n}, name=f"{m} {n}")
        for m, n in ((1, 0), (0, 1), (1, 2))
    ]
    + [Sample((np.float64(3.0), 2.0, np.float64(0.2)), {"m": 1, "n": 0}, name="0-d")],
}
