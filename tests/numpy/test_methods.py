import copy
import pickle

import numpy as np
import pytest
from derivative_checks import check_derivatives

import fad
import fad.numpy as fnp
from fad.core.errors import ConcretizationTypeError

X = np.array([0.5, -1.5, 2.0])
Z = X * (1 + 2j)


def seen(f, *args):
    """What `f` returned inside of a gradient's trace, tracers taken off."""
    kept = []
    fad.vjp(lambda *xs: kept.append(f(*xs)) or fnp.sum(xs[0]), *args)
    return kept[0]


def test_astype_in_every_mode():
    check_derivatives(lambda x: x.astype(complex) * 1j, X, order=1)
    assert seen(lambda x: x.astype(np.float32).dtype, X) == np.float32


def test_astype_to_integers_has_no_derivative():
    assert seen(lambda x: x.astype(int), X).tolist() == [0, -1, 2]


def test_astype_copies_unless_told():
    assert seen(lambda x: x.astype(float, copy=False) is x, X)
    assert not seen(lambda x: x.astype(float) is x, X)


def test_astype_checks_the_cast():
    with pytest.raises(TypeError, match="'safe'"):
        seen(lambda x: x.astype(np.float32, casting="safe"), X)


def test_item_and_tolist_are_plain_numbers():
    assert seen(lambda x: x.tolist(), X) == X.tolist()
    assert seen(lambda x: x.item(1), X) == -1.5
    assert type(seen(lambda x: x.item(), np.float64(2.0))) is float


@pytest.mark.parametrize("ask", [lambda x: x.item(), lambda x: x.tolist()])
def test_numbers_that_are_not_known_are_not_given(ask):
    with pytest.raises(ConcretizationTypeError, match="not known while tracing"):
        fad.make_jaxpr(ask)(2.0)


def test_memory_attributes():
    assert seen(lambda x: (x.nbytes, x.itemsize), X) == (24, 8)


def test_conjugate():
    check_derivatives(lambda z: z.conj() * z.conjugate(), Z)


def test_clip_and_round():
    np.testing.assert_array_equal(fad.vjp(lambda x: x.clip(-1, 1), X)[0], X.clip(-1, 1))
    np.testing.assert_array_equal(fad.vjp(lambda x: x.clip(max=1), X)[0], X.clip(max=1))
    np.testing.assert_array_equal(seen(lambda x: x.round(), X), X.round())


def test_view_of_its_own_dtype():
    check_derivatives(lambda x: x.view() * x.view(float), X)


def test_view_of_other_dtypes_is_refused():
    with pytest.raises(TypeError, match="astype"):
        seen(lambda x: x.view(np.int64), X)


def test_there_is_one_device():
    assert seen(lambda x: x.device, X) == "cpu"
    assert seen(lambda x: x.to_device("cpu") is x, X)
    with pytest.raises(ValueError, match="cpu"):
        seen(lambda x: x.to_device("gpu"), X)
    with pytest.raises(ValueError, match="stream"):
        seen(lambda x: x.to_device("cpu", stream=1), X)


def test_format_of_a_known_number():
    assert seen(lambda x: f"{x[0]:.3f} and {x[1]:+.1e}", X) == "0.500 and -1.5e+00"


def test_format_without_a_format_is_str():
    text = seen(lambda x: f"{x}", X)
    assert text.startswith("Tracer<f64[3], grad")


def test_format_of_an_array_is_refused():
    with pytest.raises(TypeError, match="format its elements"):
        seen(lambda x: f"{x:.3f}", X)


def test_format_of_an_unknown_number_is_refused():
    with pytest.raises(ConcretizationTypeError, match="not known"):
        fad.make_jaxpr(lambda x: f"{x:.3f}")(2.0)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_are_traced_and_independent(copied):
    def f(x):
        y = copied(x)
        y[0] = 10.0
        return x[0] * y[1] + y[0]

    np.testing.assert_array_equal(fad.grad(f)(X), [-1.5, 0.5, 0.0])


def test_deepcopy_reaches_into_containers():
    f = lambda x: fnp.sum(copy.deepcopy({"a": [x]})["a"][0] ** 2)
    np.testing.assert_array_equal(fad.grad(f)(X), 2 * X)


def test_pickling_is_refused():
    with pytest.raises(TypeError, match="cannot be pickled.*has_aux=True"):
        seen(pickle.dumps, X)


def test_missing_attributes_say_so():
    with pytest.raises(AttributeError, match="'tobytes': it is about memory"):
        seen(lambda x: x.tobytes(), X)
    with pytest.raises(AttributeError, match="no attribute 'colour'$"):
        seen(lambda x: x.colour, X)
