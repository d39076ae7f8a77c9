"""Laws that hold for every program, tried on random ones.

A program is a random graph of smooth operations over vectors of length 3. The laws:
transposes pair, orders of differentiation and modes commute, vmap is a loop, and a
traced program is the function.
"""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import fad
import fad.numpy as fnp
from fad.testing import check_grads, check_vjp_jvp_duality, check_vmap

N = 3
MATRIX = np.array([[0.3, -0.5, 0.2], [0.1, 0.4, -0.6], [-0.2, 0.3, 0.5]])

UNARY = {
    "sin": fnp.sin,
    "tanh": fnp.tanh,
    "exp": lambda x: fnp.exp(0.3 * fnp.tanh(x)),
    "log": lambda x: fnp.log(2.0 + fnp.sin(x)),
    "sqrt": lambda x: fnp.sqrt(1.5 + fnp.cos(x)),
    "square": lambda x: 0.5 * x**2,
    "matmul": lambda x: MATRIX @ x,
    "flip": lambda x: x[::-1],
    "sum": lambda x: x + fnp.sum(x) * 0.3,
    "cumsum": lambda x: 0.5 * fnp.cumsum(x),
    "where": lambda x: fnp.where(np.array([True, False, True]), x, 2.0 * x),
    "gather": lambda x: x[np.array([0, 0, 2])],
    "concatenate": lambda x: fnp.concatenate([x[1:], x[:1] * 2.0]),
    "negative": lambda x: -x,
}
BINARY = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - 0.7 * y,
    "multiply": lambda x, y: 0.5 * x * y,
    "divide": lambda x, y: x / (2.0 + fnp.cos(y)),
    "outer": lambda x, y: fnp.sum(x[:, None] * fnp.sin(y), axis=1) * 0.3,
    "dot": lambda x, y: x * fnp.dot(x, y) * 0.2,
}


@st.composite
def programs(draw):
    """Return a random function of a vector, and a point."""
    steps = []
    for i in range(draw(st.integers(1, 6))):
        name = draw(st.sampled_from([*UNARY, *BINARY]))
        places = st.integers(0, i)
        steps.append((name, draw(places), draw(places) if name in BINARY else None))
    seed = draw(st.integers(0, 2**16))

    def program(x):
        values = [x]
        for name, a, b in steps:
            if b is None:
                values.append(UNARY[name](values[a]))
            else:
                values.append(BINARY[name](values[a], values[b]))
        return values[-1]

    program.__name__ = " ; ".join(
        f"{n} {a} {'' if b is None else b}" for n, a, b in steps
    )
    return program, np.random.default_rng(seed).normal(size=N)


def law(test):
    """Run a test on random programs, the same in every run."""
    quiet = settings(derandomize=True, database=None, max_examples=25, deadline=None)
    return quiet(given(programs())(test))


def close(a, b):
    assert_allclose(a, b, rtol=1e-9, atol=1e-10)


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
