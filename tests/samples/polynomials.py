"""Samples for `fad.ops.polynomials`."""

import numpy as np

from ._sample import Sample

SAMPLES = {
    "roots": [
        Sample((np.array([2.0, -3.0]),), name="one root"),
        Sample((np.array([1.0, -6.5, 11.0, -6.0]),), name="real roots"),
        Sample((np.array([1.0, 0.5, 2.0]),), name="a complex pair"),
        Sample((np.array([1.0 + 1j, 0.5, -2.0j]),), name="complex coefficients"),
    ],
}
