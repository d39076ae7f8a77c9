"""Samples for `fad.ops.factorizations`."""

import numpy as np

from ._sample import Sample, rng

_g = rng(15)


def _real(*shape):
    return _g.standard_normal(shape)


def _complex(*shape):
    return _g.standard_normal(shape) + 1j * _g.standard_normal(shape)


def _cholesky(x, upper, name):
    x = x @ np.conj(np.swapaxes(x, -1, -2)) + np.eye(x.shape[-1])
    return Sample((x,), dict(upper=upper), hermitian=True, name=name)


def _qr(x, complete, name):
    return Sample((x,), dict(complete=complete), name=name, tol=1e-5)


SAMPLES = {
    "cholesky": [
        _cholesky(_real(3, 3), False, "lower"),
        _cholesky(_real(3, 3), True, "upper"),
        _cholesky(_complex(3, 3), False, "complex"),
        _cholesky(_complex(2, 2), True, "complex upper"),
        _cholesky(_real(2, 2, 2), False, "stack"),
    ],
    "qr": [
        _qr(_real(3, 3), False, "square"),
        _qr(_real(4, 2), False, "tall"),
        _qr(_real(2, 4), False, "wide"),
        _qr(_complex(3, 2), False, "complex"),
        _qr(_real(2, 3), True, "complete wide"),
        _qr(_real(3, 2), True, "complete tall"),
        _qr(_real(2, 3, 2), False, "stack"),
    ],
}
