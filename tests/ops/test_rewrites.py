"""Programs rewritten by laws compute what was written, by fewer or cheaper steps."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad.backends.registry import executable, source_of
from fad.ops.logsumexp import reduce_logsumexp, softmax
from fad.scipy.special import logsumexp
from fad.transforms.simplify import simplify

rng = np.random.default_rng(3)
X = rng.standard_normal((40, 30))
COLUMN = rng.standard_normal((40, 1))
V = rng.standard_normal(30)
STACK = rng.standard_normal((7, 20, 5))
MATRICES = rng.standard_normal((7, 5, 6))
SQUARE = rng.standard_normal((30, 30))
EYE = np.eye(40)


def names(f, *args):
    jaxpr = simplify(fad.make_jaxpr(f)(*args))
    return [e.prim.name for e in jaxpr.eqns]


def check(f, *args):
    """Compare a program with its equations one by one."""
    before = [np.copy(a) for a in args]
    jaxpr = fad.make_jaxpr(f)(*args)
    want = fad.eval_jaxpr(jaxpr, *args)
    for a, b in zip(executable(jaxpr)(*args), want, strict=True):
        assert np.shape(a) == np.shape(b) and a.dtype == b.dtype
        tol = 1e-5 if a.dtype == np.float32 else 1e-12
        np.testing.assert_allclose(a, b, rtol=tol, atol=tol)
    for a, b in zip(args, before, strict=True):
        np.testing.assert_array_equal(a, b)


LAWS = {
    "doubled product": (lambda x, c: x * c + x * c, (X, COLUMN), ["add", "mul"]),
    "sign of a product": (lambda x, c: -(x * c), (X, COLUMN), ["neg", "mul"]),
    "sign before a factor": (lambda x, y: -(x + X) * y, (X, V), ["add", "neg", "mul"]),
    "sum of short products": (
        lambda x, y: fnp.sum(x * y, axis=2),
        (STACK, STACK + 1),
        ["contract"],
    ),
    "sum of squares": (lambda x: fnp.sum(x * x, axis=-1), (X,), ["contract"]),
    "weighted rows": (
        lambda c, x: fnp.sum(c * x, axis=0),
        (COLUMN, X),
        ["reshape", "contract"],
    ),
    "weighted columns": (lambda x, v: fnp.sum(x * v, axis=1), (X, V), ["contract"]),
    "weighted rows of a stack": (
        lambda w, x: fnp.sum(w * x, axis=1),
        (rng.standard_normal((3, 60, 1)), rng.standard_normal((3, 60, 40))),
        ["reshape", "contract"],
    ),
    "sum of rows of a product": (
        lambda x, y: fnp.sum(x @ y, axis=1),
        (STACK, MATRICES),
        ["reduce_sum", "reshape", "matmul", "reshape"],
    ),
    "stack of few rows": (
        lambda x, y: x @ y,
        (rng.standard_normal((30, 2, 5)), MATRICES[0]),
        ["reshape", "matmul", "reshape"],
    ),
    "identity": (lambda x: EYE @ x, (X,), []),
    "identity of a stack": (lambda x: x @ np.eye(5), (STACK,), []),
    "repeated number": (
        lambda x: x * fnp.reshape(fnp.broadcast_to(x[0, 0] * 2.0, 30), (1, 30)),
        (X,),
        ["getitem", "mul", "mul"],
    ),
    "operation on repeated numbers": (
        lambda x: x + -fnp.broadcast_to(x[0, 0], (40, 30)),
        (X,),
        ["getitem", "neg", "add"],
    ),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", LAWS)
def test_rewritten_programs_equal_their_equations(name, dtype):
    f, args, _ = LAWS[name]
    check(f, *[a.astype(dtype) for a in args])


@pytest.mark.parametrize("name", LAWS)
def test_the_law_applies(name):
    f, args, want = LAWS[name]
    assert sorted(names(f, *args)) == sorted(want)


def test_integers_and_complex_numbers_follow_the_same_laws():
    numbers = rng.integers(-5, 5, (6, 4)), rng.integers(-5, 5, (6, 1))
    twice = LAWS["doubled product"][0]
    check(twice, *numbers)
    check(twice, numbers[0] + 1j, numbers[1] * 1j)
    check(LAWS["sign of a product"][0], *numbers)
    check(LAWS["sum of short products"][0], *[numbers[0].reshape(2, 3, 4)] * 2)


def test_a_number_repeated_to_a_matrix_is_no_identity():
    one = np.ones((1, 1))
    check(lambda x: fnp.broadcast_to(one, (30, 30)) @ x, SQUARE)
    check(lambda x: np.ones((30, 30)) @ x, SQUARE)


def test_the_sum_of_a_product_stays_where_its_factor_is_wider():
    tall = rng.standard_normal((50, 40)), rng.standard_normal((40, 2))
    assert names(lambda x, y: fnp.sum(x @ y, axis=0), *tall) == ["matmul", "reduce_sum"]


EDGES = np.array(
    [
        [0.0, 1.0, 700.0],
        [-np.inf, -np.inf, -np.inf],
        [np.inf, 0.0, np.inf],
        [np.inf, -np.inf, 0.0],
        [-np.inf, 0.0, 1.0],
        [np.nan, 0.0, 1.0],
        [np.nan, np.inf, -np.inf],
        [-1e308, 1e308, 0.0],
    ]
)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("axis", [(0,), (1,), (0, 1)])
def test_logsumexp_and_softmax_are_the_same_at_infinities(axis, dtype):
    with np.errstate(over="ignore"):
        x = EDGES.astype(dtype)

    def both(x):
        return reduce_logsumexp(x, axis=axis), softmax(x, axis=axis)

    for part in (x, x[:2], x[3:5], np.repeat(x, 9000, axis=0)):
        found, want = fad.jit(both)(part), both(part)
        for a, b in zip(found, want, strict=True):
            np.testing.assert_allclose(
                a, b, rtol=1e-4 if dtype == np.float32 else 1e-12
            )


def test_logsumexp_and_its_gradient_take_one_exponential():
    found = names(fad.value_and_grad(lambda x: fnp.sum(logsumexp(x, axis=1))), X)
    assert found.count("exp_below") == 1 and "softmax" not in found


def test_values_are_added_into_an_array_that_nobody_else_has():
    rows, columns = np.arange(40), rng.integers(0, 30, 40)

    def loss(x):
        return fnp.sum(logsumexp(x, axis=1) - x[rows, columns])

    check(fad.grad(loss), X)
    check(lambda x: fnp.asarray(x).at[rows, columns].add(1.0), X)
    check(lambda x: (lambda y: (y.at[rows, columns].add(1.0), y))(x * 2.0), X)


def test_blocks_are_written_over_an_array_that_dies():
    large = rng.standard_normal((300, 200))

    def over(x, w):
        y = x @ w
        return fnp.sum(fnp.sin(y) * y) + fnp.sum(x), fnp.exp(-y)

    w = rng.standard_normal((200, 200)) * 0.1
    check(over, large, w)
    assert source_of(fad.make_jaxpr(over)(large, w)).count("empty") == 0
    check(lambda x, w: (lambda y: (fnp.sin(y) + y.T[0], y))(x @ w), w, w)
    check(lambda x, w: (lambda y: fnp.sin(fnp.exp(y) + y[0]) + y)(x @ w), w, w)
    check(
        lambda x, w: (lambda y: fnp.cos(fnp.exp(y) * 2.0) + fnp.sum(y, 0))(x @ w), w, w
    )
