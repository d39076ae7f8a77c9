"""Which arrays may be overwritten."""

import numpy as np

from fad.core.owning import is_sole


def test_array_in_one_variable_is_sole():
    a = np.ones(3)
    assert is_sole(a)


def test_array_held_elsewhere_is_not():
    a = np.ones(3)
    held = [a]
    assert not is_sole(a)
    held.clear()
    assert is_sole(a)


def test_view_and_what_it_looks_into_are_not():
    a = np.ones(3)
    view = a[1:]
    assert not is_sole(a) and not is_sole(view)


def test_broadcast_and_read_only_arrays_are_not():
    a = np.broadcast_to(np.ones(1), (3,))
    b = np.ones(3)
    b.flags.writeable = False
    assert not is_sole(a) and not is_sole(b)
