"""Transforms nest to any depth in any mix; each derivative stays its own."""

import itertools
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fad
import fad.numpy as fnp


def by_grad(f):
    return fad.grad(f)


def by_jvp(f):
    return lambda x: fad.jvp(f, (x,), (1.0,))[1]


def by_vjp(f):
    return lambda x: fad.vjp(f, x)[1](1.0)[0]


def by_linearize(f):
    return lambda x: fad.linearize(f, x)[1](1.0)


def by_program(f):
    return lambda x: fad.eval_jaxpr(fad.make_jaxpr(fad.grad(f))(x), x)[0]


def by_vmap(f):
    return lambda x: fad.vmap(fad.grad(f))(fnp.stack([x, x]))[1]


MODES = [by_grad, by_jvp, by_vjp, by_linearize, by_program, by_vmap]
pairs = pytest.mark.parametrize(
    ("outer", "inner"), [*itertools.product(MODES, repeat=2)]
)


@pairs
def test_inner_derivative_ignores_the_outer_perturbation(outer, inner):
    assert outer(lambda x: x * inner(lambda y: x + y)(x))(5.0) == 1.0
    assert outer(lambda x: x * inner(lambda y: x * y)(2.0))(4.0) == 8.0
    assert outer(lambda x: inner(lambda y: x)(x))(4.0) == 0.0
    assert outer(lambda x: inner(lambda y: y * y * x)(x))(3.0) == 12.0


@pairs
def test_second_derivative(outer, inner):
    f = lambda x: fnp.sin(x) * x
    expected = 2 * np.cos(0.5) - 0.5 * np.sin(0.5)
    assert_allclose(outer(inner(f))(0.5), expected, rtol=1e-14)


@pytest.mark.parametrize("modes", [*itertools.product([by_grad, by_jvp], repeat=3)])
def test_three_levels(modes):
    a, b, c = modes

    def f(x):
        inner = lambda z: lambda y: x * y * z * z
        return b(lambda y: fnp.sin(x * y) + c(lambda z: inner(z)(y))(y))(0.5)

    # b: x cos(x/2) + d/dy (2 x y^2) at 1/2 = x cos(x/2) + 2x
    assert_allclose(a(f)(2.0), np.cos(1.0) - np.sin(1.0) + 2.0, rtol=1e-14)


@pytest.mark.parametrize("modes", [*itertools.product([by_grad, by_jvp], repeat=4)])
def test_fourth_derivative(modes):
    f = lambda x: fnp.exp(2.0 * x)
    for mode in modes:
        f = mode(f)
    assert_allclose(f(0.3), 16 * np.exp(0.6), rtol=1e-13)


def test_high_order():
    f = lambda x: x**7
    for _ in range(7):
        f = fad.grad(f)
    assert f(1.5) == 5040.0


def test_function_that_is_its_own_derivatives_closure():
    """The example of Siskind and Pearlmutter: d/dx (x -> d/dy (y -> x + y))."""
    d = fad.grad
    assert d(lambda x: x * d(lambda y: x + y)(1.0))(1.0) == 1.0


def test_value_from_an_outer_level_may_be_returned_by_an_inner_one():
    f = lambda x: fad.value_and_grad(lambda y: x * x + y)(x)[0]
    assert fad.grad(f)(3.0) == 7.0


def test_tangent_from_an_outer_level():
    f = lambda x: fad.jvp(lambda y: y * y, (3.0,), (x,))[1]
    assert fad.grad(f)(5.0) == 6.0
    assert by_jvp(f)(5.0) == 6.0


def test_cotangent_from_an_outer_level():
    f = lambda x: fad.vjp(lambda y: y * y, 3.0)[1](x)[0]
    assert fad.grad(f)(5.0) == 6.0
    assert by_jvp(f)(5.0) == 6.0


def test_vmap_between_derivatives():
    xs = np.array([0.1, 0.2])
    f = lambda s: fnp.sum(fad.vmap(fad.grad(lambda x: fnp.sin(x * s)))(xs))
    expected = np.sum(np.cos(xs * 2.0) - 2.0 * xs * np.sin(xs * 2.0))
    assert_allclose(fad.grad(f)(2.0), expected, rtol=1e-14)
    assert_allclose(by_jvp(f)(2.0), expected, rtol=1e-14)


def test_vmap_of_a_closure_over_its_own_argument():
    xs = np.array([1.0, 2.0])
    out = fad.vmap(lambda x: fad.vmap(lambda y: x * y)(xs))(xs)
    assert_array_equal(out, np.outer(xs, xs))


class TestPythonControlFlow:
    """`if`, `while`, recursion and closures on values work under grad and jvp."""

    modes = pytest.mark.parametrize("mode", [by_grad, by_jvp, by_vjp, by_linearize])

    @modes
    def test_newtons_iteration(self, mode):
        def root(s):
            y = s if s > 1 else 1.0 + 0.0 * s
            while abs(y * y - s) > 1e-13 * s:
                y = 0.5 * (y + s / y)
            return y

        for s in (7.0, 0.3):
            assert_allclose(mode(root)(s), 0.5 / np.sqrt(s), rtol=1e-9)

    @modes
    def test_recursion(self, mode):
        def power(x, n):
            return 1.0 if n == 0 else x * power(x, n - 1)

        assert mode(lambda x: power(x, 5))(2.0) == 80.0

    @modes
    def test_loop_whose_length_depends_on_a_value(self, mode):
        def total(x):
            out = 0.0
            for i in range(int(x)):
                out = out + i * x
            return out

        assert mode(total)(4.5) == 6.0

    @modes
    def test_branches_of_second_order(self, mode):
        f = lambda x: x * x if x > 0 else x * x * x
        assert mode(mode(f))(-2.0) == -12.0
        assert mode(mode(f))(2.0) == 2.0

    @modes
    def test_closures_and_mutable_state(self, mode):
        def f(x):
            memo = {0: x}
            for i in range(3):
                memo[i + 1] = memo[i] * x
            return memo[3]

        assert mode(f)(2.0) == 32.0

    @modes
    def test_values_are_known(self, mode):
        seen = []

        def f(x):
            seen.append((float(x), bool(x > 1), f"{float(x):.1f}"))
            return x

        mode(f)(2.0)
        assert seen == [(2.0, True, "2.0")]


class TestEscapedTracers:
    @pytest.mark.parametrize(
        ("transform", "name"),
        [
            (lambda f: fad.grad(f)(1.0), "grad"),
            (lambda f: fad.vjp(f, 1.0), "grad"),
            (lambda f: fad.jvp(f, (1.0,), (1.0,)), "jvp"),
            (lambda f: fad.vmap(f)(np.ones(2)), "vmap"),
            (lambda f: fad.make_jaxpr(f)(1.0), "make_jaxpr"),
        ],
    )
    def test_use_after_the_transform_says_how_to_return_it(self, transform, name):
        kept = []

        def f(x):
            kept.append(x)
            return x * x

        transform(f)
        with pytest.raises(TypeError, match=f"{name}.* has finished.*has_aux=True"):
            kept[0] * 2.0

    def test_exceptions_in_the_function_leave_nothing_open(self):
        def f(x):
            raise KeyError("mine")

        for call in (
            lambda: fad.grad(f)(1.0),
            lambda: fad.jvp(f, (1.0,), (1.0,)),
            lambda: fad.make_jaxpr(f)(1.0),
            lambda: fad.vmap(f)(np.ones(2)),
        ):
            with pytest.raises(KeyError, match="mine"):
                call()
        assert fnp.sin(1.0) == np.sin(1.0)
        assert fad.grad(fnp.sin)(0.0) == 1.0


def test_error_in_an_operation_names_it_and_the_users_line():
    with pytest.raises(ValueError, match="matmul|mismatch") as caught:
        fad.grad(lambda x: fnp.sum(x @ np.ones(2)))(np.ones(3))
    (note,) = caught.value.__notes__
    assert "matmul(f64[3], f64[2])" in note
    assert __file__ in note


@pytest.mark.parametrize("mode", [by_grad, by_jvp])
def test_chain_of_a_hundred_thousand_operations(mode):
    def f(x):
        for _ in range(50_000):
            x = x * 1.0001
            x = x + 0.5
        return x

    limit = sys.getrecursionlimit()
    assert_allclose(mode(f)(1.0), 1.0001**50_000, rtol=1e-8)
    assert sys.getrecursionlimit() == limit


def test_deep_chain_of_second_order():
    def f(x):
        for _ in range(5_000):
            x = x * 1.0001 + x * x * 1e-9
        return x

    assert np.isfinite(fad.grad(fad.grad(f))(1.0))
