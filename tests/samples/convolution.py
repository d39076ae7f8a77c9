"""Samples for `fad.ops.convolution`."""

from fad.ops.convolution import Window

from ._sample import Sample, rng

_g = rng(12)


def _real(*shape):
    return _g.standard_normal(shape)


def _complex(*shape):
    return _g.standard_normal(shape) + 1j * _g.standard_normal(shape)


def _conv(x, w, window, name, groups=1):
    return Sample((x, w), dict(window=window, groups=groups), name=name)


_STRIDED = Window((2, 1), ((1, 0), (1, 2)), (1, 1), (1, 2))
_SPREAD = Window((1, 2), ((-1, 1), (2, -1)), (2, 3), (1, 1))

SAMPLES = {
    "conv_general": [
        _conv(_real(2, 2, 5), _real(3, 2, 2), Window.plain(1), "1-d"),
        _conv(_real(2, 2, 4), _real(4, 1, 3), Window.plain(1, 1), "groups", groups=2),
        _conv(_real(1, 2, 5, 4), _real(2, 2, 2, 2), _STRIDED, "strides and dilation"),
        _conv(_real(2, 1, 4, 3), _real(1, 1, 3, 2), _SPREAD, "spread and cropped"),
        _conv(_complex(1, 1, 4), _complex(2, 1, 2), Window.plain(1), "complex"),
        _conv(_real(1, 1, 2), _real(1, 1, 3), Window.plain(1), "kernel too large"),
    ],
    "convolve": [
        Sample((_real(5), _real(3)), dict(mode="full"), name="full"),
        Sample((_real(2), _real(4)), dict(mode="full"), name="full, longer kernel"),
        Sample((_real(5), _real(3)), dict(mode="valid"), name="valid"),
        Sample((_real(2), _real(5)), dict(mode="valid"), name="valid, longer kernel"),
        Sample((_complex(3), _complex(3)), dict(mode="valid"), name="complex"),
    ],
}
