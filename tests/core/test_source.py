"""The user's line: the innermost frame outside fad and NumPy."""

import numpy as np

import fad
from fad.core.source import user_source


def test_names_file_line_and_function():
    source = user_source()
    assert source.file == __file__
    assert source.function == "test_names_file_line_and_function"
    assert str(source) == f"{__file__}:{source.line} ({source.function})"


def test_passes_over_frames_of_fad_and_numpy():
    def f(x):
        return np.sum(np.sin(x))

    for eqn in fad.make_jaxpr(fad.grad(f))(np.ones(2)).eqns:
        assert eqn.source.file == __file__
