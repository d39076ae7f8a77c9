"""Python's operators on tracers: who gets a say, and what comes out."""

import operator

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad.core.errors import TracerArrayConversionError
from fad.core.trace import Tracer

ARITHMETIC = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
]
COMPARISONS = [
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
]
OTHERS = [2, 2.5, np.float64(2.5), np.float32(2.5), np.array([2.5, 1.5]), [2.5, 1.5]]


def value(x):
    return value(x.value) if isinstance(x, Tracer) else x


def under_grad(f, x):
    """Return what `f` returns under grad, without its box."""
    seen = []
    fad.grad(lambda x: (seen.append(f(x)), x * 1.0)[1])(x)
    return value(seen[0])


@pytest.mark.parametrize("op", ARITHMETIC + COMPARISONS)
@pytest.mark.parametrize("other", OTHERS, ids=repr)
def test_operators_have_the_values_of_numpy_on_both_sides(op, other):
    x = np.float64(1.75)
    got = under_grad(lambda t: op(t, other), x)
    np.testing.assert_array_equal(got, op(x, np.asarray(other)))
    got = under_grad(lambda t: op(other, t), x)
    np.testing.assert_array_equal(got, op(np.asarray(other), x))


@pytest.mark.parametrize("op", ARITHMETIC[:4])
@pytest.mark.parametrize("left", [np.float64(2.0), np.float32(2.0), np.ones(3)])
def test_numpy_values_on_the_left_make_no_object_array(op, left):
    out = under_grad(lambda t: op(left, t), np.float64(0.5))
    assert out.dtype != object


def test_numpy_scalars_and_arrays_on_the_left_are_differentiated():
    w, m = np.array([1.0, -2.0]), np.arange(4.0).reshape(2, 2)

    def f(v):
        a = np.float64(2.0) * v
        b = np.float64(3.0) - v / np.float64(4.0)
        return fnp.sum(a * b) + fnp.sum(w * v) + fnp.sum(m @ v)

    v = np.array([0.2, 0.7])
    np.testing.assert_allclose(fad.grad(f)(v), 6 - v + w + m.sum(0), rtol=1e-14)


class Foreign:
    def __radd__(self, other):
        return "radd"

    def __rpow__(self, other):
        return "rpow"

    def __rmatmul__(self, other):
        return "rmatmul"

    def __gt__(self, other):
        return "gt"


def test_unknown_class_gets_its_reflected_operator():
    assert under_grad(lambda t: t + Foreign(), 1.0) == "radd"
    assert under_grad(lambda t: t ** Foreign(), 1.0) == "rpow"
    assert under_grad(lambda t: t @ Foreign(), 1.0) == "rmatmul"
    assert under_grad(lambda t: t < Foreign(), 1.0) == "gt"


@pytest.mark.parametrize("other", [None, "text", {}])
def test_operator_with_something_else_is_a_type_error(other):
    with pytest.raises(TypeError, match="unsupported operand"):
        under_grad(lambda t: t + other, 1.0)
    assert under_grad(lambda t: t == other, 1.0) is False


def test_in_place_operator_of_a_plain_array_names_two_ways_out():
    def f(x):
        total = np.zeros(2)
        total += x
        return total[0]

    with pytest.raises(TracerArrayConversionError) as info:
        fad.grad(f)(1.0)
    assert "array = array + x" in str(info.value)
    assert "fnp.zeros_like" in str(info.value)


def test_unary_operators_and_rounding():
    assert under_grad(lambda t: (-t).value, 1.5) == -1.5
    assert under_grad(lambda t: (+t).value, 1.5) == 1.5
    assert under_grad(abs, np.float64(-1.5)) == 1.5
    assert under_grad(round, np.float64(2.6)) == 3
    assert under_grad(lambda t: round(t, 1), np.float64(2.64)) == 2.6


def test_divmod_is_quotient_and_remainder():
    quotient, remainder = fad.vjp(lambda t: divmod(t, 2.0)[1], 5.5)[0], None
    assert quotient == 1.5
    (remainder,) = fad.vjp(lambda t: divmod(7.0, t)[1], 2.0)[1](1.0)
    assert remainder == -3.0


def test_integer_operators_while_staging():
    def f(i, j):
        return (i & j) | (i ^ j), i << j, i >> j, ~i, i // j, i % j

    jaxpr = fad.make_jaxpr(f)(np.int64(13), np.int64(2))
    assert fad.eval_jaxpr(jaxpr, np.int64(13), np.int64(2)) == [15, 52, 3, -14, 6, 1]


def test_operators_of_two_levels_go_to_the_inner_one():
    f = lambda x: fad.grad(lambda y: x * y * y - y / x)(2.0)
    assert fad.grad(f)(4.0) == 4.0 + 1 / 16
    g = lambda x: fad.jvp(lambda y: x - y**x, (2.0,), (1.0,))[1]
    assert fad.grad(g)(3.0) == pytest.approx(-(4 + 12 * np.log(2)), rel=1e-14)


def test_python_branches_on_comparisons_under_grad():
    f = lambda x: x * x if x > 1 and not x != x else -x
    assert fad.grad(f)(3.0) == 6.0
    assert fad.grad(f)(0.5) == -1.0
