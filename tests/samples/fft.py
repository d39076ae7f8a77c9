"""Samples for `fad.ops.fft`."""

from ._sample import Sample, rng

_g = rng(7)


def _real(*shape):
    return _g.standard_normal(shape)


def _complex(*shape):
    return _g.standard_normal(shape) + 1j * _g.standard_normal(shape)


def _full():
    return [
        Sample((_complex(5),), dict(axis=0, norm="backward"), name="odd"),
        Sample((_complex(3, 4),), dict(axis=1, norm="ortho"), name="even"),
        Sample((_complex(3, 2),), dict(axis=0, norm="forward"), name="first axis"),
        Sample((_real(2, 4),), dict(axis=1, norm="backward"), name="real"),
        Sample((_real(1),), dict(axis=0, norm="forward"), name="one point"),
    ]


SAMPLES = {
    "fft": _full(),
    "ifft": _full(),
    "rfft": [
        Sample((_real(5),), dict(n=5, axis=0, norm="backward"), name="odd"),
        Sample((_real(2, 6),), dict(n=6, axis=1, norm="ortho"), name="even"),
        Sample((_real(4, 3),), dict(n=4, axis=0, norm="forward"), name="first axis"),
        Sample((_real(1),), dict(n=1, axis=0, norm="backward"), name="one point"),
        Sample((_real(2),), dict(n=2, axis=0, norm="forward"), name="two points"),
    ],
    "irfft": [
        Sample((_complex(3),), dict(n=5, axis=0, norm="backward"), name="odd"),
        Sample((_complex(2, 4),), dict(n=6, axis=1, norm="ortho"), name="even"),
        Sample((_complex(3, 2),), dict(n=4, axis=0, norm="forward"), name="first axis"),
        Sample((_real(3),), dict(n=4, axis=0, norm="backward"), name="real"),
        Sample((_complex(1),), dict(n=1, axis=0, norm="backward"), name="one point"),
        Sample((_complex(2),), dict(n=2, axis=0, norm="ortho"), name="two points"),
    ],
}
