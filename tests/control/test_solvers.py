"""Implicit derivatives: of solutions, not of solvers, in every mode and order."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad import lax


def newton(f, x):
    def step(x):
        value, slope = fad.jvp(f, (x,), (1.0,))
        return x - value / slope

    return lax.while_loop(lambda x: abs(f(x)) > 1e-13, step, x)


def bisect(f, x):
    low, high = 0.0, 20.0
    while high - low > 1e-14 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if f(middle) > 0 else (middle, high)
    return low


def scalar_solve(g, y):
    return y / g(1.0)


def root(a, solve=newton):
    """The root of x**3 - a x - 2, which is 2 for a = 3."""
    return lax.custom_root(lambda x: x**3 - a * x - 2.0, 3.0, solve, scalar_solve)


def derivatives(a):
    """Of the root by a, from the equation."""
    x = root(a)
    first = x / (3 * x**2 - a)
    second = (2 * first - 6 * x * first**2) / (3 * x**2 - a)
    return first, second


@pytest.mark.parametrize("solve", [newton, bisect])
def test_derivatives_of_a_scalar_root(solve):
    f = lambda a: root(a, solve)
    first, second = derivatives(3.0)
    np.testing.assert_allclose(f(3.0), 2.0)
    np.testing.assert_allclose(fad.grad(f)(3.0), first)
    np.testing.assert_allclose(fad.jvp(f, (3.0,), (1.0,))[1], first)
    np.testing.assert_allclose(fad.linearize(f, 3.0)[1](1.0), first)
    np.testing.assert_allclose(fad.grad(fad.grad(f))(3.0), second)
    np.testing.assert_allclose(fad.jvp(fad.grad(f), (3.0,), (1.0,))[1], second)


def test_roots_under_jit_and_vmap():
    aa = np.array([2.0, 3.0, 4.0])
    first, second = zip(*[derivatives(a) for a in aa], strict=True)
    np.testing.assert_allclose(fad.jit(root)(3.0), 2.0)
    np.testing.assert_allclose(fad.jit(fad.grad(root))(3.0), first[1])
    np.testing.assert_allclose(fad.grad(fad.jit(root))(3.0), first[1])
    np.testing.assert_allclose(fad.vmap(root)(aa)[1], 2.0)
    np.testing.assert_allclose(fad.vmap(fad.grad(root))(aa), first)
    np.testing.assert_allclose(
        fad.grad(lambda v: fnp.sum(fad.vmap(root)(v)))(aa), first
    )
    np.testing.assert_allclose(fad.vmap(fad.grad(fad.grad(root)))(aa), second)
    np.testing.assert_allclose(fad.jit(fad.vmap(fad.grad(root)))(aa), first)


def test_vector_roots():
    """x with A x + x**3 = b."""
    A = np.array([[3.0, 1.0], [0.5, 2.0]])

    def f(A, b):
        def solve(f, x):
            jacobian = fad.jacfwd(f)
            for _ in range(30):
                x = x - fnp.linalg.solve(jacobian(x), f(x))
            return x

        tangent = lambda g, y: fnp.linalg.solve(fad.jacfwd(g)(np.zeros(2)), y)
        return lax.custom_root(lambda x: A @ x + x**3 - b, np.ones(2), solve, tangent)

    b = np.array([1.0, 2.0])
    x = f(A, b)
    J = A + np.diag(3 * x**2)
    np.testing.assert_allclose(A @ x + x**3, b)
    np.testing.assert_allclose(fad.jacrev(f, 1)(A, b), np.linalg.inv(J))
    np.testing.assert_allclose(fad.jacfwd(f, 1)(A, b), np.linalg.inv(J))
    want = -np.linalg.inv(J)[:, :, None] * x
    np.testing.assert_allclose(fad.jacrev(f)(A, b), want)
    np.testing.assert_allclose(fad.jit(fad.jacrev(f))(A, b), want)


def test_auxiliary_results_of_a_root():
    f = lambda a: lax.custom_root(
        lambda x: x * x - a,
        1.0,
        lambda f, x: (newton(f, x), "steps"),
        scalar_solve,
        True,
    )
    x, aux = f(4.0)
    np.testing.assert_allclose(x, 2.0)
    assert aux == "steps"


def test_structure_of_f_must_be_kept():
    with pytest.raises(TypeError, match="structure"):
        lax.custom_root(lambda x: (x, x), 1.0, newton, scalar_solve)
    with pytest.raises(TypeError, match="solve must return"):
        lax.custom_root(lambda x: x, 1.0, lambda f, x: np.ones(2), scalar_solve)


A = np.array([[3.0, 1.0, 0.2], [0.5, 2.0, 0.1], [0.3, -0.4, 4.0]])
B = np.array([1.0, -2.0, 0.5])


def jacobi(matvec, b):
    diagonal = fnp.diag(fad.jacfwd(matvec)(b))
    return lax.fori_loop(0, 100, lambda i, x: x + (b - matvec(x)) / diagonal, b)


def solve(A, b):
    return lax.custom_linear_solve(lambda x: A @ x, b, jacobi, jacobi)


def direct(A, b):
    return fnp.linalg.inv(A) @ b


LINEAR = {
    "value": lambda f: f,
    "jit": fad.jit,
    "jacrev": lambda f: fad.jacrev(f, (0, 1)),
    "jacfwd": lambda f: fad.jacfwd(f, (0, 1)),
    "jit of jacrev": lambda f: fad.jit(fad.jacrev(f, (0, 1))),
    "jacrev of jit": lambda f: fad.jacrev(fad.jit(f), (0, 1)),
    "hessian": lambda f: fad.hessian(lambda a, b: fnp.sum(f(a, b) ** 2)),
    "jacrev of jacrev": lambda f: fad.jacrev(fad.jacrev(f), 1),
}


@pytest.mark.parametrize("name", LINEAR)
def test_linear_solve_equals_the_inverse(name):
    transform = LINEAR[name]
    found, want = transform(solve)(A, B), transform(direct)(A, B)
    for a, b in zip(fad.tree.leaves(found), fad.tree.leaves(want), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("axes", [(0, None), (None, 0), (0, 0)])
def test_batches_of_linear_systems(axes):
    As, Bs = np.stack([A, A.T + 1.0]), np.stack([B, 2 * B])
    args = [v if d is not None else v[0] for v, d in zip((As, Bs), axes, strict=True)]
    np.testing.assert_allclose(
        fad.vmap(solve, axes)(*args), fad.vmap(direct, axes)(*args), rtol=1e-9
    )
    total = lambda f: lambda a, b: fnp.sum(fad.vmap(f, axes)(a, b) ** 2)
    for g, h in zip(
        fad.grad(total(solve), (0, 1))(*args),
        fad.grad(total(direct), (0, 1))(*args),
        strict=True,
    ):
        np.testing.assert_allclose(g, h, rtol=1e-8, atol=1e-10)


def test_symmetric_systems_need_no_transposed_solver():
    S = A + A.T
    f = lambda s, b: lax.custom_linear_solve(
        lambda x: s @ x, b, lambda mv, b: fnp.linalg.solve(S, b), symmetric=True
    )
    np.testing.assert_allclose(
        fad.jacrev(f, 1)(S, B), np.linalg.inv(S), rtol=1e-9, atol=1e-12
    )


def test_reverse_mode_without_a_transposed_solver_says_what_is_missing():
    f = lambda b: fnp.sum(lax.custom_linear_solve(lambda x: A @ x, b, jacobi))
    np.testing.assert_allclose(fad.jvp(f, (B,), (B,))[1], f(B))
    with pytest.raises(TypeError, match="transpose_solve"):
        fad.grad(f)(B)


def test_pytrees_and_auxiliary_results():
    def f(a):
        return lax.custom_linear_solve(
            lambda x: {"u": a * x["u"], "v": 2.0 * x["v"]},
            {"u": 6.0, "v": 4.0},
            lambda mv, b: ({"u": b["u"] / a, "v": b["v"] / 2.0}, {"steps": 7}),
            lambda mv, b: ({"u": b["u"] / a, "v": b["v"] / 2.0}, {"steps": 0}),
            has_aux=True,
        )

    x, aux = f(2.0)
    assert x == {"u": 3.0, "v": 2.0} and aux == {"steps": 7}
    assert fad.grad(lambda a: f(a)[0]["u"])(2.0) == -1.5


def test_structure_must_be_kept():
    with pytest.raises(TypeError, match="matvec"):
        lax.custom_linear_solve(lambda x: (x, x), 1.0, lambda mv, b: b)
    with pytest.raises(TypeError, match="solve"):
        lax.custom_linear_solve(lambda x: x, 1.0, lambda mv, b: (b, b))


def test_select_n():
    x, y, z = np.zeros(3), np.ones(3), np.full(3, 2.0)
    np.testing.assert_array_equal(
        lax.select_n(np.array([True, False, True]), x, y), [1, 0, 1]
    )
    np.testing.assert_array_equal(lax.select_n(np.array([0, 2, 1]), x, y, z), [0, 2, 1])
    np.testing.assert_array_equal(lax.select_n(1, x, y, z), y)
    f = lambda v: fnp.sum(lax.select_n(v > 0, v, fnp.sqrt(v)))
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(fad.grad(f)(np.array([4.0, -1.0])), [0.25, 1.0])
    with pytest.raises(TypeError, match="one shape"):
        lax.select_n(True, x, np.ones(2))
    with pytest.raises(TypeError, match="two cases"):
        lax.select_n(True, x, y, z)
    with pytest.raises(TypeError, match="boolean or integer"):
        lax.select_n(0.5, x, y)
