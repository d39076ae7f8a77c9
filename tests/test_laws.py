"""Laws that hold for every program, tried on random ones.

A program is a random graph of smooth operations over vectors of length 3. The laws:
transposes pair, orders of differentiation and modes commute, vmap is a loop, and a
traced program is the function.
"""

import numpy as np
from numpy.testing import assert_allclose
from random_programs import close, law_of, programs

import fad
import fad.numpy as fnp
from fad.testing import check_grads, check_vjp_jvp_duality, check_vmap

law = law_of(programs())


@law
def test_jvp_and_vjp_are_transposes_and_linearize_is_jvp(case):
    check_vjp_jvp_duality(case[0], (case[1],), directions=1)


@law
def test_derivatives_are_the_limits_of_differences(case):
    check_grads(case[0], (case[1],), order=2, directions=1)


@law
def test_jacobians_by_both_modes_are_equal(case):
    f, x = case
    close(fad.jacfwd(f)(x), fad.jacrev(f)(x))


@law
def test_hessians_are_symmetric_and_the_same_in_every_mix_of_modes(case):
    f, x = case
    scalar = lambda x: fnp.sum(f(x) * np.array([1.0, -0.5, 2.0]))
    first = fad.hessian(scalar)(x)
    close(first, first.T)
    for outer in (fad.jacfwd, fad.jacrev):
        for inner in (fad.jacfwd, fad.jacrev, fad.grad):
            close(outer(inner(scalar))(x), first)


@law
def test_hvp_is_the_hessian_times_a_vector_in_every_mix(case):
    f, x = case
    scalar, v = lambda x: fnp.sum(f(x)), np.array([0.3, -1.0, 0.7])
    expected = fad.hessian(scalar)(x) @ v
    close(fad.hvp(scalar, (x,), (v,)), expected)
    close(fad.grad(lambda x: fad.jvp(scalar, (x,), (v,))[1])(x), expected)
    close(fad.grad(lambda x: fnp.sum(fad.grad(scalar)(x) * v))(x), expected)


@law
def test_vmap_is_a_loop(case):
    f, x = case
    xs = np.stack([x, 0.5 * x, -x])
    check_vmap(f, (xs,))
    check_vmap(f, (xs,), in_axes=1)
    check_vmap(fad.grad(lambda x: fnp.sum(f(x))), (xs,))
    check_vmap(fad.jacfwd(f), (xs,))


@law
def test_gradient_of_a_mapped_function_is_the_mapped_gradient(case):
    f, x = case
    xs = np.stack([x, 0.5 * x])
    total = lambda xs: fnp.sum(fad.vmap(f)(xs))
    close(fad.grad(total)(xs), fad.vmap(fad.grad(lambda x: fnp.sum(f(x))))(xs))


@law
def test_traced_program_is_the_function(case):
    f, x = case
    g = fad.grad(lambda x: fnp.sum(f(x)))
    for h in (f, g, fad.hessian(lambda x: fnp.sum(f(x)))):
        (out,) = fad.eval_jaxpr(fad.make_jaxpr(h)(x), x)
        close(out, h(x))


@law
def test_derivative_of_a_traced_program_is_that_of_the_function(case):
    f, x = case
    jaxpr = fad.make_jaxpr(f)(x)
    run = lambda x: fad.eval_jaxpr(jaxpr, x)[0]
    close(fad.jacrev(run)(x), fad.jacfwd(f)(x))
    close(fad.vmap(run)(np.stack([x, -x]))[1], f(-x))


@law
def test_function_with_its_own_derivative_as_custom_rule_is_the_function(case):
    f, x = case
    by_jvp, by_vjp = fad.custom_jvp(f), fad.custom_vjp(f)
    by_jvp.defjvp(lambda primals, tangents: fad.jvp(f, primals, tangents))
    by_vjp.defvjp(lambda x: (f(x), x), lambda x, ct: fad.vjp(f, x)[1](ct))
    for g in (by_jvp, by_vjp):
        close(fad.jacfwd(g)(x), fad.jacfwd(f)(x))
        close(fad.jacrev(g)(x), fad.jacfwd(f)(x))
        close(fad.jacfwd(fad.jacrev(g))(x), fad.jacfwd(fad.jacfwd(f))(x))
        close(fad.vmap(fad.jacrev(g))(np.stack([x, x]))[1], fad.jacfwd(f)(x))


@law
def test_dtype_of_the_argument_is_the_dtype_of_the_gradient(case):
    f, x = case
    loss = lambda x: fnp.sum(fnp.real(f(x)))
    wide = fad.grad(loss)(x)
    for dtype in (np.float32, np.complex64, np.complex128):
        g = fad.grad(loss)(x.astype(dtype))
        assert g.dtype == dtype
        assert_allclose(g.real, wide, rtol=1e-3, atol=1e-3)
