"""All columns of a Jacobian at once: the tangents of `jvp`, with common factors."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp

X = np.array([0.3, -1.2, 0.9, 2.0])
A = np.array([[1.0, 2.0, 0.5, -1.0], [0.3, -0.2, 1.5, 0.7], [0.1, 0.4, 2.0, 1.0]])


def columns(f, x):
    units = np.eye(x.size, dtype=x.dtype).reshape(x.size, *x.shape)
    pushed = [fad.jvp(f, (x,), (u,))[1] for u in units]
    return np.stack(pushed, -1).reshape(*np.shape(pushed[0]), *x.shape)


FUNCTIONS = {
    "chain": lambda x: fnp.exp(fnp.sin(x) * x) / (1 + x**2),
    "two ways": lambda x: fnp.tanh(x) + x * fnp.cos(x),
    "after a product": lambda x: fnp.tanh(A @ x) ** 2 * (A @ x),
    "two products": lambda x: fnp.sin(A @ x) * fnp.exp(A @ (x * x)),
    "between products": lambda x: A.T @ fnp.tanh(A @ fnp.exp(x)),
    "broadcasting": lambda x: x * fnp.sin(x)[:, None],
    "where": lambda x: fnp.where(x > 0, fnp.sqrt(fnp.where(x > 0, x, 1.0)), -x),
    "maximum": lambda x: fnp.maximum(x * x, x),
    "to float32": lambda x: fnp.float32(2) * x.astype(np.float32) ** 2,
    "through complex": lambda x: fnp.abs(fnp.exp(1j * x) + x),
    "reductions": lambda x: fnp.sum(x * x) * fnp.cumsum(fnp.sin(x)),
    "constant": lambda x: fnp.floor(x) + 1.0,
    "in place": lambda x: written(x),
    "loop": lambda x: fad.lax.fori_loop(0, 3, lambda i, y: fnp.sin(y) * x, x),
    "custom": lambda x: cube(fnp.sin(x)) * x,
    "called": lambda x: fad.jit(lambda y: fnp.exp(y) * y)(fnp.sin(x)),
}


@fad.custom_jvp
def cube(x):
    return x**3


cube.defjvp(
    lambda primals, tangents: (primals[0] ** 3, 3 * primals[0] ** 2 * tangents[0])
)


def written(x):
    y = fnp.sin(x)
    y[1:] *= x[1:]
    return y * y


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_columns_are_those_of_jvp(name, dtype):
    f, x = FUNCTIONS[name], X.astype(dtype)
    jac, expected = fad.jacfwd(f)(x), columns(f, x)
    assert jac.dtype == expected.dtype
    tolerance = 50 * np.finfo(expected.dtype).eps
    np.testing.assert_allclose(jac, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_staged_columns_are_the_eager_ones(name):
    f = FUNCTIONS[name]
    eager, staged = fad.jacfwd(f)(X), fad.jit(fad.jacfwd(f))(X)
    tolerance = 50 * np.finfo(eager.dtype).eps
    np.testing.assert_allclose(staged, eager, rtol=tolerance, atol=tolerance)


def test_one_operation_gives_the_digits_of_jvp():
    np.testing.assert_array_equal(fad.jacfwd(fnp.tanh)(X), columns(fnp.tanh, X))


def test_a_chain_multiplies_the_columns_once():
    def f(x):
        for _ in range(10):
            x = fnp.sin(x) * 2.0
        return x

    jaxpr = fad.make_jaxpr(fad.jacfwd(f))(X)
    wide = [e for e in jaxpr.eqns if e.prim.pointwise and e.aval.ndim == 2]
    assert len(wide) == 1


def test_hessian_of_a_generalised_linear_model_scales_the_data_once():
    def loss(w):
        return fnp.sum(fnp.log1p(fnp.exp(-(A.T @ w))))

    jaxpr = fad.make_jaxpr(fad.hessian(loss))(X[:3])
    wide = [e for e in jaxpr.eqns if e.prim.pointwise and e.aval.shape == (3, 4)]
    assert len(wide) <= 2


def test_nested_jacobians():
    def f(x):
        return fnp.sin(x) * fnp.exp(A @ x)[0]

    third = fad.jacfwd(fad.jacfwd(fad.jacfwd(f)))(X)
    reverse = fad.jacrev(fad.jacfwd(fad.jacrev(f)))(X)
    np.testing.assert_allclose(third, reverse, rtol=1e-12, atol=1e-13)


def test_zeros_of_masked_infinities_stay_zero():
    def f(x):
        return fnp.where(x > 0, fnp.sqrt(fnp.where(x > 0, x, 0.0)), 0.0)

    x = np.array([0.0, 4.0])
    np.testing.assert_array_equal(fad.jacfwd(f)(x), columns(f, x))
