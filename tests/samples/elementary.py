"""Samples of the operations of `fad.ops.elementary`."""

import numpy as np

from ._sample import Sample, rng

_r = rng(2)
_unit = _r.uniform(-0.9, 0.9, size=(2, 3))
_positive = _r.uniform(0.3, 2.5, size=(2, 3))
_complex = _unit + 1j * _r.uniform(0.2, 0.8, size=(2, 3))


def _unary(values: np.ndarray, complex_too: bool = True) -> list[Sample]:
    samples = [
        Sample((values,)),
        Sample((values[0, 0],), name="0-d"),
        Sample((values[:0],), name="empty"),
    ]
    return samples + [Sample((_complex,), name="complex")] * complex_too


_PAIRS = [
    Sample((_unit, _positive)),
    Sample((_positive, _unit[0]), name="broadcast"),
    Sample((_unit[0, 0], np.float64(-1.3)), name="0-d"),
    Sample((_positive, 1.5), diff=(0,), name="python number"),
]

SAMPLES = {
    "exp": _unary(_unit),
    "exp2": _unary(_unit),
    "expm1": _unary(_unit),
    "log": _unary(_positive),
    "log2": _unary(_positive),
    "log10": _unary(_positive),
    "log1p": _unary(_positive),
    "sqrt": _unary(_positive),
    "cbrt": [*_unary(_positive, False), Sample((-_positive,), name="negative")],
    "sin": _unary(_unit),
    "cos": _unary(_unit),
    "tan": _unary(_unit),
    "arcsin": _unary(_unit),
    "arccos": _unary(_unit),
    "arctan": _unary(_unit),
    "sinh": _unary(_unit),
    "cosh": _unary(_unit),
    "tanh": _unary(_unit),
    "arcsinh": _unary(_unit),
    "arccosh": _unary(1 + _positive),
    "arctanh": _unary(_unit),
    "deg2rad": _unary(_unit, False),
    "rad2deg": _unary(_unit, False),
    "hypot": _PAIRS,
    "arctan2": _PAIRS,
}
