"""`fad.Array` is what plain and traced arrays have in common."""

import numpy as np
import pytest

import fad


@pytest.mark.parametrize(
    "x", [np.ones(2), np.float64(1), np.int8(1), np.True_, 1 * np.array(1j)]
)
def test_numpys_arrays_and_numbers_are_arrays(x):
    assert isinstance(x, fad.Array)


@pytest.mark.parametrize("x", [1, 1.0, [1.0], "a", None, np.str_("a"), fad.Array])
def test_other_things_are_not(x):
    assert not isinstance(x, fad.Array)


def test_traced_values_are_arrays_in_every_transform():
    seen = []

    def f(x):
        seen.append(isinstance(x, fad.Array))
        return x * 2.0

    fad.grad(f)(1.0)
    fad.jit(f)(1.0)
    fad.vmap(f)(np.ones(2))
    fad.jvp(f, (1.0,), (1.0,))
    assert seen == [True] * 4
