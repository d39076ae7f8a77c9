"""Samples for `fad.ops.spectral`.

Vectors of complex matrices are left to `tests/ops/test_spectral.py`: their phases are
LAPACK's choice, so that only functions that do not depend on them can be differenced.
"""

import numpy as np

from ._sample import Sample, rng

_g = rng(14)


def _real(*shape):
    return _g.standard_normal(shape)


def _apart(x):
    """A matrix whose eigenvalues and singular values lie apart."""
    n = min(x.shape[-2:])
    x = 0.5 * x
    x[..., range(n), range(n)] += 2.0 * np.arange(1, n + 1)
    return x


def _symmetric(x):
    return x + np.swapaxes(x, -1, -2)


def _eigh(x, uplo, name):
    return Sample((_symmetric(_apart(x)),), dict(uplo=uplo), hermitian=True, name=name)


def _svd(x, full, name):
    return Sample((_apart(x),), dict(full_matrices=full), name=name, tol=1e-5)


SAMPLES = {
    "eigh": [
        _eigh(_real(3, 3), "L", "lower"),
        _eigh(_real(3, 3), "U", "upper"),
        _eigh(_real(2, 2, 2), "L", "stack"),
        Sample((np.zeros((0, 2, 2)),), dict(uplo="L"), name="empty"),
    ],
    "eig": [
        Sample((_apart(_real(3, 3)),), name="real", tol=1e-5),
        Sample((np.array([[1.0, 3.0], [-2.0, 1.5]]),), name="complex pair"),
        Sample((_apart(_real(3, 3)) + 1j * _real(3, 3),), name="complex", tol=1e-5),
        Sample((_apart(_real(2, 2, 2)),), name="stack", tol=1e-5),
    ],
    "svd": [
        _svd(_real(3, 3), False, "square"),
        _svd(_real(4, 2), False, "tall"),
        _svd(_real(2, 4), False, "wide"),
        _svd(_real(3, 3), True, "full square"),
        _svd(_real(3, 2), True, "full tall"),
        _svd(_real(2, 3), True, "full wide"),
        _svd(_real(2, 2, 2), False, "stack"),
    ],
    "repeated": [
        Sample((np.array([1.0, 2.0, 2.0, 5.0]),)),
        Sample((np.array([[1j, 1.0], [2.0, 2.0]]),), name="complex"),
    ],
    "negligible": [Sample((np.array([3.0, 1.0, 0.0]),))],
    "largest_component": [Sample((np.array([[1.0, 3j], [2.0, -1.0]]),))],
}
