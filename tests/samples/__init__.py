"""Samples of every primitive, one module for each module of `fad.ops`.

Each module has a dict `SAMPLES`: primitive name -> list of `Sample`. The rule tests
run every rule of every primitive over them, and fail for a primitive without one.
"""

import importlib
import pkgutil

from ._sample import Sample, rng

__all__ = ["SAMPLES", "Sample", "rng"]

SAMPLES: dict[str, list[Sample]] = {}
for _module in pkgutil.iter_modules(__path__):
    if not _module.name.startswith("_"):
        _found = importlib.import_module(f"{__name__}.{_module.name}").SAMPLES
        _twice = SAMPLES.keys() & _found.keys()
        assert not _twice, f"sampled twice: {_twice}"
        SAMPLES.update(_found)
