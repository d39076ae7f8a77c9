"""Tests of what needs SciPy mean something without it: the error says what to do."""

import functools

import pytest

from fad.ops.scipy_extra import installed


def needs_scipy(test):
    """Run a test where there is SciPy; elsewhere it must end in the teaching error."""
    if installed():
        return test

    @functools.wraps(test)
    def refused(*args, **kwargs):
        with pytest.raises(ImportError, match=r"fad-autodiff\[scipy\]"):
            test(*args, **kwargs)

    return refused
