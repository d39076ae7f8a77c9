"""The tape: which residuals are kept, what passes through unboxed, linear tapes."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad.core.ir import program
from fad.core.tape import LinearTape, Tape
from fad.core.trace import Tracer
from fad.ops.arithmetic import add, convert, mul, neg, sub
from fad.ops.comparison import gt
from fad.ops.elementary import exp, sin

X = np.linspace(1.0, 2.0, 4)


@pytest.fixture
def tape():
    tape = Tape()
    yield tape
    tape.close()


def kept(box):
    return [e.residuals for e in program([box.payload])]


def test_linear_operations_keep_nothing(tape):
    x = tape.input(X)
    y = neg(sub(add(x, X), add(x, x)))
    assert kept(y) == [()] * 4


def test_product_with_a_constant_keeps_the_constant_only(tape):
    (residuals,) = kept(mul(tape.input(X), 3.0))
    assert residuals == (3.0,)


def test_product_of_two_differentiated_values_keeps_both(tape):
    x = tape.input(X)
    (residuals,) = kept(mul(x, x))
    assert [r is x.value for r in residuals] == [True, True]


def test_formula_that_reads_the_output_keeps_the_output(tape):
    y = exp(tape.input(X))
    (residuals,) = kept(y)
    assert residuals[0] is y.value


def test_operations_on_constants_are_not_boxed(tape):
    tape.input(X)
    assert isinstance(sin(X), np.ndarray)


def test_integers_and_booleans_pass_through_unboxed(tape):
    x = tape.input(X)
    assert isinstance(gt(x, 1.5), np.ndarray)
    assert isinstance(convert(x, dtype=np.dtype(int)), np.ndarray)


def test_python_numbers_stay_weak_through_arithmetic(tape):
    x = tape.input(2.0)
    y = add(mul(x, 3.0), 1)
    assert type(y.value) is float
    assert repr(y.aval) == "~f64[]"
    assert mul(y, np.ones(2, np.float32)).dtype == np.float32


def test_closed_tape_refuses_its_tracers():
    tape = Tape()
    x = tape.input(X)
    tape.close()
    with pytest.raises(TypeError, match="escaped"):
        sin(x)


def test_error_gets_one_note_with_operation_and_line(tape):
    with pytest.raises(ValueError) as caught:
        add(tape.input(X), np.ones(3))
    (note,) = caught.value.__notes__
    assert note.startswith("fad: in add(f64[4], f64[3]), called at ")
    assert __file__ in note


def test_error_in_a_nested_trace_has_one_note():
    f = lambda x: fad.grad(lambda y: fnp.sum(y + np.ones(3)))(x)[0]
    with pytest.raises(ValueError) as caught:
        fad.grad(f)(X)
    assert len(caught.value.__notes__) == 1


class TestLinearTape:
    def test_records_without_values(self):
        tape = LinearTape()
        y = mul(tape.input(fad.core.avals.Aval((4,), np.dtype(float))), X)
        assert isinstance(y, Tracer)
        assert y.value is None
        assert y.shape == (4,)

    @pytest.mark.parametrize("op", [sin, exp, lambda t: mul(t, t), lambda t: gt(t, 0)])
    def test_refuses_what_is_not_linear(self, op):
        tape = LinearTape()
        t = tape.input(fad.core.avals.Aval((4,), np.dtype(float)))
        with pytest.raises(NotImplementedError, match="Transpose of .* not linear"):
            op(t)
