"""Ways round the general code, against the general code.

`fad.debug_nans` checks every cotangent and so takes the plain way through the reverse
pass: one equation at a time, by its pullback, each contribution added to the others.
"""

import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fad
import fad.numpy as fnp
from fad.core.primitive import registry
from fad.core.tape import Tape
from fad.core.trace import Trace
from fad.ops.contraction import matmul
from fad.ops.kinds import Elementwise
from fad.transforms.cotangents import LARGE

ROWS, COLUMNS = 300, 700
R = np.random.default_rng(5)
X = R.uniform(0.5, 1.5, (ROWS, COLUMNS))
assert X.nbytes > LARGE


def both_ways(f, *args):
    """Return the gradients of `f` in all arguments, fast and plain."""
    gradient = fad.grad(f, tuple(range(len(args))))
    fast = gradient(*args)
    with fad.debug_nans():
        plain = gradient(*args)
    return zip(fast, plain, strict=True)


def agree(f, *args):
    for fast, plain in both_ways(f, *args):
        assert fast.shape == plain.shape and fast.dtype == plain.dtype
        assert_allclose(fast, plain, rtol=1e-12 if fast.dtype.char in "dD" else 1e-5)


SMALL = {
    "one array after another": lambda x, y: fnp.sum(fnp.exp(-fnp.sin(x * 2.0) + 1.0)),
    "an array used again": lambda x, y: fnp.sum(fnp.sin(x) * x + x * x),
    "twice in one operation": lambda x, y: fnp.sum((x + y) * (x + y)),
    "two chains": lambda x, y: fnp.sum(fnp.sin(x) * fnp.cos(fnp.exp(y))),
    "broadcast": lambda x, y: fnp.sum(fnp.tanh(x * y[:1]) - y[0]),
    "other dtypes between": lambda x, y: fnp.sum(
        fnp.sqrt(x.astype(np.float32)) * fnp.real(y * (1 + 2j))
    ),
    "a younger value waits": lambda x, y: fnp.sum(
        fnp.cos(x) * fnp.sum(fnp.exp(fnp.cos(x) * y))
    ),
}


UNARY = [
    prim
    for prim in registry.values()
    if isinstance(prim, Elementwise) and len(prim.formulas) == 1 and all(prim.formulas)
]


@pytest.mark.parametrize("prim", UNARY, ids=lambda prim: prim.name)
def test_formulas_on_arrays_are_the_formulas(prim):
    plan = prim.plan(0b11)
    if plan.only is None:
        return  # there is no second way
    x = np.linspace(0.1, 0.9, 5)
    eqn = SimpleNamespace(residuals=(x,))
    with np.errstate(all="ignore"):
        found, want = plan.only[1](X[0, :5], x), plan.steps[0][1](X[0, :5], eqn)
    assert_array_equal(found, want)


@pytest.mark.parametrize("f", SMALL.values(), ids=SMALL.keys())
def test_chains_of_small_arrays(f):
    agree(f, X[0, :8].copy(), X[1, :8].copy())


LARGE_CASES = {
    "chain": lambda x, y: fnp.sum(fnp.tanh(fnp.log1p(fnp.exp(-x)) ** 3)),
    "two factors": lambda x, y: fnp.sum(fnp.sin(x * y) / (x + y)),
    "square": lambda x, y: fnp.sum(fnp.exp(x * x)),
    "row": lambda x, y: fnp.sum(fnp.tanh(x * y[0]) * y[3]),
    "column": lambda x, y: fnp.sum(fnp.tanh(x / y[:, :1])),
    "scalar": lambda x, y: fnp.sum((x * y[2, 5]) ** y[1, 1]),
    "subtracted row": lambda x, y: fnp.sum(fnp.exp(x - y[0])),
    "used again": lambda x, y: fnp.sum(fnp.sin(x) * x) + fnp.sum(x * y * x),
    "transposed": lambda x, y: fnp.sum(fnp.sin(x.T * 2.0) * y.T),
    "constant array": lambda x, y: fnp.sum(fnp.exp(x * X) + X / y),
    "complex between": lambda x, y: fnp.sum(fnp.abs(fnp.exp(x * 1j) * y + 2j)),
    "narrower dtype": lambda x, y: fnp.sum(fnp.sin(x.astype(np.float32)) * y),
    "maximum": lambda x, y: fnp.sum(fnp.maximum(x, y) * fnp.maximum(x, 1.0)),
    "select": lambda x, y: fnp.sum(fnp.where(x > 1, fnp.sqrt(x), x * y)),
}


@pytest.mark.parametrize("f", LARGE_CASES.values(), ids=LARGE_CASES.keys())
def test_blocks_of_large_arrays(f):
    agree(f, X, X[::-1].copy())


@pytest.mark.parametrize("x", [np.asfortranarray(X), X.T, X[None], X[:, ::2]])
def test_blocks_follow_the_memory_order(x):
    agree(lambda x: fnp.sum(fnp.exp(-x) * x * 2.0), x)


@pytest.mark.parametrize("f", LARGE_CASES.values(), ids=LARGE_CASES.keys())
def test_second_order_of_large_arrays(f):
    v = X - 1.0
    small, rest = (slice(None), slice(0, 8)), X[::-1].copy()
    large = fad.hvp(lambda x: f(x, rest), (X,), (v,))
    eps = 1e-6
    up, down = (fad.grad(f)(X + s * eps * v, rest) for s in (1, -1))
    if "float32" not in f.__code__.co_names:
        assert_allclose(large[small], ((up - down) / (2 * eps))[small], atol=1e-5)


def test_nothing_of_the_callers_is_overwritten():
    def f(x):
        return fnp.exp(fnp.sin(x) * kept) + x

    kept, ct, x = X.copy(), np.ones_like(X), X.copy()
    out, pull = fad.vjp(f, x)
    value = out.copy()
    (first,) = pull(ct)
    (second,) = pull(ct)
    assert_array_equal(first, second)
    assert_array_equal(out, value)
    for array, before in ((kept, X), (ct, np.ones_like(X)), (x, X)):
        assert_array_equal(array, before)


def test_a_cotangent_with_two_destinations_is_not_overwritten():
    def f(x, y):
        z = x + y  # both get the same cotangent
        return fnp.sum(fnp.exp(z) * 3.0)

    gx, gy = fad.grad(lambda x, y: f(fnp.sin(x), fnp.cos(y)), (0, 1))(X, X)
    assert_allclose(gx, 3 * np.exp(np.sin(X) + np.cos(X)) * np.cos(X))
    assert_allclose(gy, -3 * np.exp(np.sin(X) + np.cos(X)) * np.sin(X))


def test_reverse_pass_of_large_arrays_needs_no_new_ones():
    def f(x):
        for _ in range(20):
            x = fnp.tanh(x)
        return fnp.sum(x)

    fad.grad(f)(X)
    tracemalloc.start()
    fad.grad(f)(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 22.5 * X.nbytes  # the residuals, one cotangent, and blocks


READS = {
    "numbers": lambda x: x[0, 1] * x[2, 3] + x[0, 1] ** 2,
    "rows": lambda x: fnp.sum(x[0] * x[1] + x[0] * x[-1]),
    "slices": lambda x: fnp.sum((x[1:] - x[:-1] ** 2) ** 2),
    "pieces": lambda x: fnp.sum(fnp.tanh(x[:, :2]) * x[:, 2:4] + x[:, 4:6]),
    "index arrays": lambda x: fnp.sum(x[:, np.array([0, 0, 3])] ** 3) + x[1, 1],
    "read and used whole": lambda x: fnp.sum(x * x) * x[0, 0] + fnp.sum(x[1] * x),
    "read of a read": lambda x: x[1:][0][2] * x[1:][0, 3],
    "read of a result": lambda x: fnp.sum(fnp.exp(x)[0] * fnp.exp(x)[:, 1:2]),
    "new axis": lambda x: fnp.sum(x[None, :2] * x[:2, None]),
}


@pytest.mark.parametrize("f", READS.values(), ids=READS.keys())
@pytest.mark.parametrize("x", [X[:4, :6].copy(), X[:, :6].copy()], ids=["few", "many"])
def test_reads_of_parts_are_pulled_back_together(f, x):
    agree(f, x)


@pytest.mark.parametrize("f", READS.values(), ids=READS.keys())
def test_reads_of_parts_at_second_order(f):
    x = X[:4, :6].copy()
    hessian = fad.hessian(f)(x)
    assert_allclose(hessian, fad.jacfwd(fad.jacfwd(f))(x), atol=1e-12)
    assert_allclose(hessian, fad.jacrev(fad.jacrev(f))(x), atol=1e-12)


@pytest.mark.parametrize("f", READS.values(), ids=READS.keys())
def test_reads_of_parts_under_vmap(f):
    xs = X[:12, :6].reshape(3, 4, 6)
    found = fad.vmap(fad.grad(f))(xs)
    assert_allclose(found, [fad.grad(f)(x) for x in xs], rtol=1e-13)


def test_read_of_a_few_elements_holds_no_array_of_zeros():
    x = np.ones(1_000_000)
    tracemalloc.start()
    fad.grad(lambda x: x[3] * x[5] + x[7])(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.5 * x.nbytes


@pytest.mark.parametrize(
    "x", [X[0, :8].copy(), X[0, :8] + 0j, np.float64(0.5), X[0, :8].astype(np.float32)]
)
@pytest.mark.parametrize("f", [fnp.sin, fnp.abs, fnp.negative, fnp.sign, fnp.tanh])
def test_one_array_is_processed_as_any_arguments_are(f, x, monkeypatch):
    def run():
        tape = Tape()
        out = f(tape.input(x))
        eqn = getattr(out, "payload", None)
        return out, eqn and (eqn.prim, eqn.plan, eqn.params, eqn.aval, eqn.residuals)

    fast, fast_eqn = run()
    monkeypatch.setattr(Tape, "process_one", Trace.process_one)
    plain, plain_eqn = run()
    assert fast.__class__ is plain.__class__
    assert_array_equal(getattr(fast, "value", fast), getattr(plain, "value", plain))
    assert (fast_eqn is None) == (plain_eqn is None)
    if fast_eqn is not None:
        assert fast_eqn[:4] == plain_eqn[:4]
        for a, b in zip(fast_eqn[4], plain_eqn[4], strict=True):
            assert_array_equal(a, b)


W, B, D = R.standard_normal((4, 6)), R.standard_normal(6), R.standard_normal((9, 4))

PRODUCTS = {
    "linear model": lambda w, b: fnp.sum(fnp.log1p(fnp.exp(D @ w + b))),
    "used twice": lambda w, b: fnp.sum((D @ w) ** 3) + fnp.sum(w @ b) ** 2,
    "two inputs in one product": lambda w, b: fnp.sum(fnp.sin(w @ b)),
    "two layers": lambda w, b: fnp.sum(fnp.tanh(fnp.tanh(D @ w) @ w.T + b[:4]) ** 2),
    "no second derivative": lambda w, b: fnp.sum(D @ w) + fnp.sum(b * b),
    "selected": lambda w, b: fnp.sum(fnp.where(D @ w > 0, (D @ w) ** 2, b)),
    "contraction": lambda w, b: fnp.einsum("ni,ij,j->n", D, w, b)[2] ** 2,
}


@pytest.mark.parametrize("f", PRODUCTS.values(), ids=PRODUCTS.keys())
def test_tangents_of_a_gradient_are_those_of_jvp_of_grad(f):
    v = R.standard_normal(W.shape), R.standard_normal(B.shape)
    plain = fad.jvp(fad.grad(f, (0, 1)), (W, B), v)[1]
    for found, expected in zip(fad.hvp(f, (W, B), v), plain, strict=True):
        assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_hvp_of_a_linear_model_passes_three_times_over_the_data(monkeypatch):
    passes = []

    def counted(x, y, impl=matmul.impl):
        passes.append(1)
        return impl(x, y)

    monkeypatch.setattr(matmul, "impl", counted)
    f = lambda w: fnp.sum(fnp.exp(D @ w))
    fad.hvp(f, (W[:, 0],), (W[:, 1],))
    assert len(passes) == 3
