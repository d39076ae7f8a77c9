"""`jacfwd`, `jacrev`, `hessian`, `hvp`: shapes, trees, chunks, and their agreement."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fad
import fad.numpy as fnp

A = np.arange(6.0).reshape(2, 3)
X = np.array([1.0, 2.0, 3.0])
both = pytest.mark.parametrize("jac", [fad.jacfwd, fad.jacrev])


@both
def test_of_a_linear_map_is_its_matrix(jac):
    assert_array_equal(jac(lambda x: A @ x)(X), A)


@both
def test_shape_is_output_shape_then_input_shape(jac):
    f = lambda x: fnp.sin(x)[:, None] * np.ones(2)
    x = np.linspace(0, 1, 4)
    j = jac(f)(x)
    assert j.shape == (4, 2, 4)
    assert_allclose(
        j, np.eye(4)[:, None, :] * np.cos(x)[:, None, None] * np.ones((2, 1))
    )


@both
def test_of_scalars(jac):
    j = jac(lambda x: x * x)(3.0)
    assert j == 6.0
    assert j.shape == ()


@both
def test_pytrees_have_the_output_tree_outside(jac):
    f = lambda p: {"u": p["a"] * p["b"], "v": [p["a"]]}
    p = {"a": X, "b": 2.0}
    j = jac(f)(p)
    assert_array_equal(j["u"]["a"], 2 * np.eye(3))
    assert_array_equal(j["u"]["b"], X)
    assert_array_equal(j["v"][0]["a"], np.eye(3))
    assert_array_equal(j["v"][0]["b"], np.zeros(3))


@both
def test_argnums(jac):
    f = lambda x, y: x * y
    assert_array_equal(jac(f, argnums=1)(X, 2 * X), np.diag(X))
    jx, jy = jac(f, argnums=(0, 1))(X, 2 * X)
    assert_array_equal(jx, np.diag(2 * X))
    assert_array_equal(jy, np.diag(X))
    (j,) = jac(f, argnums=[0])(X, 2 * X)
    assert_array_equal(j, np.diag(2 * X))


@both
def test_aux(jac):
    j, aux = jac(lambda x: (x * x, {"sum": fnp.sum(x)}), has_aux=True)(X)
    assert_array_equal(j, np.diag(2 * X))
    assert aux == {"sum": 6.0}


@both
def test_keywords_are_passed_on(jac):
    assert_array_equal(jac(lambda x, k: k * x)(X, k=2.0), 2 * np.eye(3))


@both
@pytest.mark.parametrize("chunk_size", [1, 2, 3, 100])
def test_chunks_change_nothing(jac, chunk_size):
    f = lambda p: {"u": fnp.sin(p["a"]) * p["b"], "v": p["b"] ** 2}
    p = {"a": X, "b": 2.0}
    whole, chunked = jac(f)(p), jac(f, chunk_size=chunk_size)(p)
    assert_allclose(chunked["u"]["a"], whole["u"]["a"])
    assert_allclose(chunked["u"]["b"], whole["u"]["b"])
    assert_allclose(chunked["v"]["b"], whole["v"]["b"])


@both
@pytest.mark.parametrize("chunk_size", [0, -1])
def test_chunk_size_must_be_positive(jac, chunk_size):
    with pytest.raises(ValueError, match="at least 1"):
        jac(lambda x: x, chunk_size=chunk_size)(X)


@both
def test_output_that_does_not_depend_on_the_input(jac):
    assert_array_equal(jac(lambda x: np.ones(2))(X), np.zeros((2, 3)))


@both
def test_empty_inputs_and_outputs(jac):
    assert jac(lambda x: x * 2)(np.zeros(0)).shape == (0, 0)
    assert jac(lambda x: fnp.sum(x))(np.zeros((0, 2))).shape == (0, 2)
    assert jac(lambda x: x[:0])(X).shape == (0, 3)


@both
def test_single_precision_stays_single(jac):
    j = jac(fnp.sin)(X.astype(np.float32))
    assert j.dtype == np.float32


@both
def test_holomorphic(jac):
    z = np.array([1 + 1j, 2 - 1j])
    assert_allclose(jac(lambda z: z * z, holomorphic=True)(z), np.diag(2 * z))
    with pytest.raises(TypeError, match="holomorphic=True"):
        jac(lambda z: z * z)(z)
    with pytest.raises(TypeError, match="needs complex inputs"):
        jac(lambda z: z * z, holomorphic=True)(X)
    with pytest.raises(TypeError, match="needs complex outputs"):
        jac(fnp.real, holomorphic=True)(z)


@both
def test_integer_input_is_refused(jac):
    with pytest.raises(TypeError, match="floating"):
        jac(lambda x: x * 1.0)(3)


def test_jacrev_refuses_integer_outputs_and_allows_integer_inputs_on_demand():
    with pytest.raises(TypeError, match="needs outputs of a real floating dtype"):
        fad.jacrev(lambda x: fnp.argmax(x))(X)
    j = fad.jacrev(lambda x, n: x * n, argnums=(0, 1), allow_int=True)(X, 2)
    assert_array_equal(j[0], 2 * np.eye(3))
    assert j[1].dtype == fad.float0


def test_jacobian_is_jacrev():
    assert fad.jacobian is fad.jacrev


@both
def test_under_grad_and_vmap(jac):
    f = lambda x: fnp.sum(jac(lambda y: y * y * y)(x))
    assert_allclose(fad.grad(f)(X), 6 * X)
    xs = np.stack([X, 2 * X])
    assert_allclose(
        fad.vmap(jac(lambda y: y * y))(xs), [np.diag(2 * X), np.diag(4 * X)]
    )


class TestHessian:
    def test_of_a_quadratic_form(self):
        m = A.T @ A
        assert_allclose(fad.hessian(lambda x: 0.5 * x @ (m @ x))(X), m)

    def test_of_a_pytree_is_a_pytree_of_pytrees(self):
        h = fad.hessian(lambda p: fnp.sum(p["a"] ** 2) * p["b"])({"a": X, "b": 2.0})
        assert_allclose(h["a"]["a"], 4 * np.eye(3))
        assert_allclose(h["a"]["b"], 2 * X)
        assert_allclose(h["b"]["a"], 2 * X)
        assert h["b"]["b"] == 0.0

    def test_of_several_arguments(self):
        (xx, xy), (yx, yy) = fad.hessian(lambda x, y: x * x * y, argnums=(0, 1))(
            2.0, 3.0
        )
        assert (xx, xy, yx, yy) == (6.0, 4.0, 4.0, 0.0)

    def test_of_a_vector_function(self):
        h = fad.hessian(lambda x: x**3)(X)
        assert h.shape == (3, 3, 3)
        assert_allclose(h[1, 1, 1], 12.0)

    def test_aux_and_chunks(self):
        h, aux = fad.hessian(lambda x: (fnp.sum(x**3), 7), has_aux=True, chunk_size=2)(
            X
        )
        assert_allclose(h, np.diag(6 * X))
        assert aux == 7

    @pytest.mark.parametrize("outer", [fad.jacfwd, fad.jacrev])
    @pytest.mark.parametrize("inner", [fad.jacfwd, fad.jacrev])
    def test_is_the_same_in_every_mix_of_modes(self, outer, inner):
        f = lambda x: fnp.sum(fnp.sin(x[0] * x) * x[1])
        assert_allclose(outer(inner(f))(X), fad.hessian(f)(X), rtol=1e-12)


class TestHvp:
    def test_is_the_hessian_times_a_vector(self):
        f = lambda x: fnp.sum(fnp.sin(x) * x[0])
        v = np.array([1.0, -1.0, 0.5])
        assert_allclose(fad.hvp(f, (X,), (v,)), fad.hessian(f)(X) @ v)

    def test_of_pytrees_and_several_arguments(self):
        h = fad.hvp(lambda p: p["a"] ** 2 * p["b"], [{"a": 2.0, "b": 3.0}],
                    [{"a": 1.0, "b": 0.0}])  # fmt: skip
        assert h == {"a": 6.0, "b": 4.0}
        assert fad.hvp(lambda x, y: x * x * y, (2.0, 3.0), (1.0, 0.0)) == (6.0, 4.0)

    def test_primals_must_be_a_tuple_or_list(self):
        with pytest.raises(TypeError, match=r"write \(x,\)"):
            fad.hvp(fnp.sum, X, X)
