"""The reverse loop: sums at shared values, order, masks of branches not taken."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import fad
import fad.numpy as fnp
from fad.core.avals import Aval
from fad.core.tape import Tape
from fad.ops.arithmetic import add, mul
from fad.ops.elementary import sin
from fad.transforms.reverse import backward, transpose

F = Aval((), np.dtype(float))


def test_cotangents_of_shared_values_add_up():
    tape = Tape()
    x = tape.input(np.float64(3.0))
    y = mul(x, x)
    z = add(add(y, y), x)
    env = backward([z.payload], [np.float64(1.0)])
    assert env[x.payload] == 13.0


def test_several_outputs_and_zero_cotangents():
    tape = Tape()
    x = tape.input(np.float64(3.0))
    a, b = mul(x, 2.0), mul(x, 5.0)
    assert (
        backward([a.payload, b.payload], [np.float64(1.0), np.float64(10.0)])[x.payload]
        == 52.0
    )
    assert backward([a.payload, None], [None, np.float64(1.0)]) == {}


def test_list_of_outputs_is_emptied_so_that_the_program_is_freed():
    tape = Tape()
    x = tape.input(np.float64(3.0))
    outs = [sin(x).payload]
    backward(outs, [np.float64(1.0)])
    assert outs == []


def test_outputs_in_a_tuple_may_be_pulled_back_again():
    tape = Tape()
    x = tape.input(np.float64(3.0))
    outs = (sin(x).payload,)
    first, second = (backward(outs, [np.float64(1.0)])[x.payload] for _ in range(2))
    assert first == second


def test_equation_waits_for_all_its_users():
    """A value used both at once and at the far end of a chain."""

    def f(x):
        y = x * x
        z = y
        for _ in range(5):
            z = z * 2.0
        return y + z

    assert fad.grad(f)(3.0) == 33 * 6.0


def test_transpose_of_a_linear_function():
    found = transpose(lambda a, b: ([add(mul(a, 2.0), b)], [np.float64(3.0)]), [F, F])
    assert found == [6.0, 3.0]


def test_transpose_gives_none_for_what_is_not_used():
    assert transpose(lambda a, b: ([a], [np.float64(3.0)]), [F, F]) == [3.0, None]


def nested(x):
    return fnp.where(x > 1, fnp.log(x), x)


class TestBranchesNotTaken:
    """where never leaks nan or inf from the branch that was not taken."""

    cases = pytest.mark.parametrize(
        ("f", "x", "g", "h"),
        [
            (lambda x: fnp.where(x > 0, fnp.sqrt(x), 0.0), 0.0, 0.0, 0.0),
            (lambda x: fnp.where(x > 0, fnp.log(x), x * 2.0), 0.0, 2.0, 0.0),
            (lambda x: fnp.where(x > 0, 1.0 / x, x * x), 0.0, 0.0, 2.0),
            (lambda x: fnp.where(x == 0, x, x * fnp.sqrt(x)), 0.0, 1.0, 0.0),
            (lambda x: fnp.where(x > 0, x * fnp.log(x), 0.0), 0.0, 0.0, 0.0),
            (lambda x: fnp.where(x < 1, x, fnp.exp(1e4 * x)), 0.5, 1.0, 0.0),
            (lambda x: fnp.where(x > 0, nested(x), 3 * x), 0.0, 3.0, 0.0),
        ],
    )  # fmt: skip

    @cases
    def test_scalars(self, f, x, g, h):
        with np.errstate(all="ignore"):
            assert fad.grad(f)(x) == g
            assert fad.grad(fad.grad(f))(x) == h

    @cases
    def test_arrays_examples_and_broadcasting(self, f, x, g, h):
        xs = np.array([x, x])
        with np.errstate(all="ignore"):
            assert_array_equal(fad.grad(lambda v: fnp.sum(f(v)))(xs), [g, g])
            assert_array_equal(fad.vmap(fad.grad(f))(xs), [g, g])
            total = lambda s: fnp.sum(f(s * np.ones(3)))
            assert fad.grad(total)(x) == 3 * g

    def test_reductions_between_select_and_the_infinite_slope(self):
        f = lambda x: fnp.sum(
            fnp.where(x > 0, fnp.sqrt(x), 0.0)[:, None] * np.ones((1, 2))
        )
        with np.errstate(all="ignore"):
            assert_array_equal(fad.grad(f)(np.array([0.0, 4.0])), [0.0, 0.5])

    def test_slope_that_is_taken_stays_infinite(self):
        f = lambda x: fnp.where(x >= 0, fnp.sqrt(x), 0.0)
        with np.errstate(all="ignore"):
            assert fad.grad(f)(0.0) == np.inf

    def test_value_used_on_both_sides_of_the_select(self):
        def f(x):
            y = fnp.sqrt(x)
            return fnp.sum(fnp.where(x > 1, y, 0.0)) + fnp.sum(y)

        assert_array_equal(fad.grad(f)(np.array([0.25, 4.0])), [1.0, 0.5])


def test_warnings_of_the_forward_pass_are_the_users():
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        fad.grad(lambda x: fnp.where(x > 0, fnp.log(x), 0.0))(0.0)


def test_what_the_user_set_to_raise_raises_in_the_backward_pass():
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        fad.grad(fnp.sqrt)(np.float64(0.0))
