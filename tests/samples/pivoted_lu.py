"""Samples of the operations of `fad.ops.pivoted_lu`."""

import fad.ops.pivoted_lu  # noqa: F401  (declares them)

from ._sample import Sample, rng

_r = rng(35)

SAMPLES = {
    "lu": [
        Sample((_r.normal(size=(3, 3)),)),
        Sample((_r.normal(size=(4, 2)),), name="tall"),
        Sample((_r.normal(size=(2, 4)),), name="wide"),
        Sample((_r.normal(size=(2, 2, 2)),), name="stack"),
        Sample((_r.normal(size=(2, 2)) + 1j * _r.normal(size=(2, 2)),), name="complex"),
    ],
}
