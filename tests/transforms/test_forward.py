"""Forward mode: tangents stream along with values; the same over a stored program."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fad
import fad.numpy as fnp
from fad.core.ir import program
from fad.core.tape import Tape
from fad.core.trace import Tracer
from fad.ops.arithmetic import mul
from fad.ops.elementary import sin
from fad.transforms.forward import Stream, push

X = np.linspace(1.0, 2.0, 3)


def test_zero_tangent_needs_no_box():
    stream = Stream()
    assert stream.input(X, None) is X
    assert isinstance(stream.input(X, X), Tracer)


def test_product_rule():
    stream = Stream()
    x = stream.input(X, np.ones(3))
    y = mul(x, sin(x))
    assert_allclose(y.payload, np.sin(X) + X * np.cos(X))


def test_derivatives_that_vanish_leave_plain_values():
    stream = Stream()
    x = stream.input(X, np.ones(3))
    assert isinstance(fnp.floor(x), np.ndarray)
    assert isinstance(x > 1.5, np.ndarray)


def test_closed_stream_refuses_its_tracers():
    stream = Stream()
    x = stream.input(X, X)
    stream.close()
    with pytest.raises(TypeError, match="escaped"):
        sin(x)


def test_push_over_a_stored_program_is_the_stream():
    f = lambda x: mul(sin(x), mul(x, 2.0))
    tape = Tape()
    x = tape.input(X)
    y = f(x)
    t = np.array([1.0, -1.0, 0.5])
    env = push(program([y.payload]), [x.payload], [t])
    assert_allclose(env[y.payload], fad.jvp(f, (X,), (t,))[1], rtol=1e-15)
    assert y.payload not in push(program([y.payload]), [x.payload], [None])


def test_errors_name_operation_and_line():
    with pytest.raises(ValueError) as caught:
        fad.jvp(lambda x: x + np.ones(2), (X,), (X,))
    assert "fad: in add(f64[3], f64[2])" in caught.value.__notes__[0]
