"""Samples for `fad.ops.linalg` and `norms`."""

import numpy as np

from ._sample import Sample, rng

_g = rng(13)


def _real(*shape):
    return _g.standard_normal(shape)


def _complex(*shape):
    return _g.standard_normal(shape) + 1j * _g.standard_normal(shape)


def _regular(x):
    """A matrix that is far from singular, also under the changes of the tests."""
    return x + 3 * np.eye(x.shape[-1])


def _away_from_zero(x):
    return x + 0.5 * x / np.abs(x)


def _square(params=None, **options):
    return [
        Sample((_regular(_real(3, 3)),), params or {}, name="real", **options),
        Sample((_regular(_complex(2, 2)),), params or {}, name="complex", **options),
        Sample((_regular(_real(2, 3, 3)),), params or {}, name="stack", **options),
        Sample((np.array([[1.7]]),), params or {}, name="one by one", **options),
        Sample((np.zeros((0, 2, 2)),), params or {}, name="empty", **options),
    ]


def _norm(x, ord, axis, name):
    return Sample((x,), dict(ord=ord, axis=axis), name=name)


_SINGULAR = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.5, 2.0]])

SAMPLES = {
    "solve": [
        Sample((_regular(_real(3, 3)), _real(3, 2)), name="real"),
        Sample((_regular(_complex(3, 3)), _real(3, 1)), name="complex"),
        Sample((_regular(_real(2, 3, 3)), _real(3, 1)), name="stack of matrices"),
        Sample((_regular(_real(3, 3)), _real(2, 3, 2)), name="stack of sides"),
        Sample((_regular(_real(2, 1, 2, 2)), _real(3, 2, 1)), name="broadcast"),
    ],
    "inv": [*_square({"strict": True}), *_square({"strict": False})],
    "det": [
        *_square(),
        Sample((_SINGULAR,), name="singular"),
        Sample((np.zeros((2, 2)),), name="zero"),
    ],
    "adjugate": [*_square(), Sample((_SINGULAR,), order=1, name="singular")],
    "slogdet": _square(),
    "pinv": [
        Sample((_real(3, 2),), name="tall"),
        Sample((_complex(2, 3),), name="wide complex"),
        Sample((_real(2, 3, 3),), name="stack", tol=1e-5),
        Sample((_real(3, 2), 1e-9), diff=(0,), name="with a cutoff"),
    ],
    "norm": [
        _norm(_real(4), 2.0, (0,), "length"),
        _norm(_complex(2, 3), 2.0, (0, 1), "Frobenius, complex"),
        _norm(_real(2, 3, 2), 2.0, (1,), "length of rows"),
        _norm(_away_from_zero(_real(3, 2)), 3.0, (0,), "order 3"),
        _norm(_away_from_zero(_complex(3)), 2.5, (0,), "order 2.5, complex"),
        _norm(_away_from_zero(_real(2, 3)), -1.0, (0, 1), "order -1"),
        _norm(_real(2, 3), 2.0, (), "no axes"),
    ],
}
