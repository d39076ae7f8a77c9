"""`custom_vjp` over closures: what a function may close over, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import fad
import fad.numpy as fnp

FORWARD = lambda f: lambda x: fad.jvp(f, (x,), (1.0,))[1]


def with_rule(fwd, bwd, f=lambda x: x, **options):
    f = fad.custom_vjp(f)
    f.defvjp(fwd, bwd, **options)
    return f


def test_closure_over_an_outer_transforms_value_gets_its_derivative():
    def outer(c):
        f = fad.custom_vjp(lambda x: x * c)
        f.defvjp(lambda x: (f(x), c * 1.0), lambda res, ct: (ct * c * res,))
        return fad.grad(f)(2.0)

    assert fad.grad(outer)(3.0) == 6.0
    assert fad.jvp(outer, (3.0,), (1.0,)) == (9.0, 6.0)
    assert_array_equal(fad.vmap(outer)(np.array([1.0, 2.0])), [1.0, 4.0])


@pytest.mark.parametrize("derivative", [fad.grad, FORWARD, fad.jacrev])
def test_closure_over_a_value_differentiated_at_the_same_level_is_refused(derivative):
    def outer(c):
        f = fad.custom_vjp(lambda x: x * c)
        f.defvjp(lambda x: (x * c, None), lambda res, ct: (ct * 1.0,))
        return f(c)

    with pytest.raises(TypeError, match="closes over a value ~f64.* pass it as an arg"):
        derivative(outer)(3.0)


def test_bwd_closing_over_a_value_of_its_own_level_is_refused():
    def outer(c):
        f = with_rule(lambda x: (x * 1.0, None), lambda res, ct: (ct * c,))
        return f(c)

    with pytest.raises(TypeError, match="grad that has finished"):
        fad.grad(outer)(3.0)


@pytest.mark.parametrize("derivative", [fad.grad, FORWARD])
def test_closure_over_an_example_of_an_inner_vmap(derivative):
    def total(x):
        def one(c):
            f = fad.custom_vjp(lambda x: x * c)
            f.defvjp(lambda x: (x * c, None), lambda res, ct: (10.0 * c * ct,))
            return f(x)

        return fnp.sum(fad.vmap(one)(np.array([1.0, 2.0])))

    assert derivative(total)(3.0) == 30.0


def test_closure_over_examples_of_two_vmaps():
    def outer(a):
        def inner(b):
            f = fad.custom_vjp(lambda x: x * a * b)
            f.defvjp(lambda x: (x * a * b, a), lambda a, ct: (7.0 * a * b * ct,))
            return f

        return fad.vmap(lambda b: fad.grad(inner(b))(2.0))(np.array([1.0, 10.0]))

    assert_array_equal(
        fad.vmap(outer)(np.array([1.0, 2.0])), [[7.0, 70.0], [14.0, 140.0]]
    )


@pytest.mark.parametrize("transform", [fad.grad, FORWARD])
def test_closure_over_a_value_differentiated_inside_a_vmap_is_refused(transform):
    def one(x):
        def inner(c):
            f = with_rule(lambda x: (x * c, None), lambda r, ct: (ct,), lambda x: x * c)
            return f(x)

        return transform(inner)(1.0)

    with pytest.raises(TypeError, match="closes over a value"):
        fad.vmap(one)(np.array([1.0, 2.0]))
    with pytest.raises(TypeError, match="closes over a value"):
        fad.make_jaxpr(one)(1.0)
    with pytest.raises(TypeError, match="closes over a value"):
        fad.make_jaxpr(fad.vmap(one))(np.array([1.0, 2.0]))


def test_vmap_of_a_closure_over_its_example_under_make_jaxpr():
    def one(c, x):
        f = fad.custom_vjp(lambda x: x * c)
        f.defvjp(lambda x: (x * c, None), lambda r, ct: (ct,))
        return f(x)

    jaxpr = fad.make_jaxpr(fad.vmap(one, (0, None)))(np.ones(2), 1.0)
    assert_array_equal(fad.eval_jaxpr(jaxpr, np.array([1.0, 2.0]), 5.0)[0], [5.0, 10.0])
