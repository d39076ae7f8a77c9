"""Settings every test and doctest shares.

Property tests are deterministic on CI, so that a red run can be repeated, and explore
new examples elsewhere. Deadlines are off: the first call of a rule is slower than the
next, which says nothing about correctness.

Functions of `fad.numpy` show NumPy's docstrings where they do what NumPy does. The
examples in those are NumPy's to test, and left out here.
"""

import os

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("ci", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "explore")

NUMPYS = {
    getattr(module, name).__doc__
    for module in (np, np.linalg, np.fft)
    for name in module.__all__
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out the doctests in NumPy's docstrings."""
    items[:] = [
        item
        for item in items
        if not (isinstance(item, pytest.DoctestItem) and item.dtest.docstring in NUMPYS)
    ]
