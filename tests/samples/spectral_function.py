"""Samples of the operation of `fad.control.spectral_function`."""

import numpy as np

import fad.numpy as fnp

from ._sample import Sample, rng

_r = rng(51)


def _symmetric(*shape):
    x = _r.normal(size=shape)
    return x + np.swapaxes(x, -1, -2)


def _wave(w):
    return fnp.sin(w) * w


_A, _E, _D = _symmetric(3, 3), _symmetric(3, 3), _symmetric(3, 3)
_C = _A[:2, :2] + 1j * np.array([[0.0, 0.7], [-0.7, 0.0]])

SAMPLES = {
    "spectral": [
        Sample((_A,), dict(f=_wave), hermitian=True),
        Sample((2.0 * np.eye(2),), dict(f=fnp.exp), hermitian=True, name="repeated"),
        Sample((_symmetric(2, 2, 2),), dict(f=_wave), hermitian=True, name="stack"),
        Sample((_C,), dict(f=_wave), hermitian=True, name="complex"),
        Sample((_A, _E), dict(f=_wave), hermitian=True, name="direction"),
        Sample((_A, _E, _D), dict(f=fnp.exp), hermitian=True, order=1, name="two"),
    ],
}
