"""`custom_jvp` over closures: what a function may close over, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import fad
import fad.numpy as fnp

FORWARD = lambda f: lambda x: fad.jvp(f, (x,), (1.0,))[1]


def test_closure_over_an_outer_transforms_value_gets_its_derivative():
    def outer(c):
        @fad.custom_jvp
        def f(x):
            return x * c

        f.defjvp(lambda p, t: (f(p[0]), t[0] * c * c))
        return fad.grad(f)(2.0)

    assert fad.grad(outer)(3.0) == 6.0
    assert fad.jvp(outer, (3.0,), (1.0,)) == (9.0, 6.0)
    assert_array_equal(fad.vmap(outer)(np.array([1.0, 2.0])), [1.0, 4.0])


@pytest.mark.parametrize("derivative", [fad.grad, FORWARD])
def test_closure_over_a_value_differentiated_at_the_same_level_is_refused(derivative):
    def outer(c):
        f = fad.custom_jvp(lambda x: x * c)
        f.defjvp(lambda p, t: (p[0] * c, t[0] * c))
        return f(c)

    with pytest.raises(TypeError, match="closes over a value ~f64.* pass it as an arg"):
        derivative(outer)(3.0)


def test_closure_over_a_value_differentiated_inside_is_refused():
    def outer(x):
        def inner(c):
            f = fad.custom_jvp(lambda x: x * c)
            f.defjvp(lambda p, t: (p[0] * c, t[0] * c))
            return f(x)

        return fad.grad(inner)(1.0)

    with pytest.raises(TypeError, match="closes over a value"):
        fad.grad(outer)(3.0)


@pytest.mark.parametrize("derivative", [fad.grad, FORWARD])
def test_closure_over_an_example_of_an_inner_vmap(derivative):
    def total(x):
        def one(c):
            f = fad.custom_jvp(lambda x: x * c)
            f.defjvp(lambda p, t: (p[0] * c, 10.0 * c * t[0]))
            return f(x)

        return fnp.sum(fad.vmap(one)(np.array([1.0, 2.0])))

    assert derivative(total)(3.0) == 30.0
    assert derivative(derivative(total))(3.0) == 0.0


def test_rule_closing_over_a_value_of_its_own_level_keeps_its_own_derivative_right():
    def scaled(x):
        f = fad.custom_jvp(lambda y: y * 1.0)
        f.defjvp(lambda p, t: (p[0] * 1.0, t[0] * x))
        return f(x)

    assert fad.grad(scaled)(3.0) == 3.0
    assert fad.jvp(scaled, (3.0,), (1.0,))[1] == 3.0


def test_staged_closure_becomes_an_input_and_is_guarded():
    def program(c, x):
        f = fad.custom_jvp(lambda x: x * c)
        f.defjvp(lambda p, t: (p[0], 7.0 * t[0]))
        return f(x)

    jaxpr = fad.make_jaxpr(program)(2.0, 3.0)
    run = lambda c, x: fad.eval_jaxpr(jaxpr, c, x)[0]
    assert run(2.0, 3.0) == 6.0
    assert fad.grad(run, argnums=1)(2.0, 3.0) == 7.0
    assert_array_equal(
        fad.vmap(fad.grad(run, argnums=1), (0, None))(np.ones(2), 3.0), [7.0, 7.0]
    )
    with pytest.raises(TypeError, match="closes over a value that is being different"):
        fad.grad(run, argnums=0)(2.0, 3.0)
