"""What is taken out of a scan's loop, and that the result stays that of the loop."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad import lax
from fad.control import fission, scan_program
from fad.control.fission import separate
from fad.transforms.simplify import simplify


@pytest.fixture(autouse=True)
def written_at_once(monkeypatch):
    """Do not wait until a length comes again."""
    monkeypatch.setattr(scan_program, "LONG", 0)


XS = np.random.default_rng(0).normal(size=(7, 3))
W = np.random.default_rng(1).normal(size=(3, 3)) / 2
H = np.array([0.3, -0.1, 0.5])

BODIES = {
    "recurrent": lambda c, x: ((fnp.tanh(W @ c + x)), fnp.sum(c * c)),
    "sum beside": lambda c, x: (c * 0.5 + fnp.sin(x), fnp.exp(x) @ W),
    "only sums": lambda c, x: (c + fnp.sin(x) * 2, fnp.cos(x)),
    "sum that is read": lambda c, x: (c + x, c * 2),
    "sum of itself": lambda c, x: (c + c, x),
    "not of the carry": lambda c, x: (fnp.sin(x), c + x),
    "carry unchanged": lambda c, x: (c, c * x),
    "constants": lambda c, x: (c * fnp.sum(W), 1.0),
    "nothing stacked": lambda c, x: (fnp.tanh(c + fnp.exp(x)), None),
    "fixed part": lambda c, x: (c + fnp.exp(W) @ x, fnp.linalg.inv(W) @ x),
    "matrix": lambda c, x: (fnp.tanh(c * x[0]), fnp.outer(c, x)),
    "choice": lambda c, x: (lax.cond(x[0] > 0, fnp.sin, fnp.cos, c), c.sum()),
    "loop inside": lambda c, x: (
        c * 0.9,
        lax.fori_loop(0, 3, lambda i, v: v * 0.5 + c, x),
    ),
}


def python_loop(f, carry, xs, reverse):
    with fad.disable_jit():
        return lax.scan(f, carry, xs, reverse=reverse)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
@pytest.mark.parametrize("name", BODIES)
def test_the_result_is_that_of_the_loop(name, dtype, reverse):
    if dtype is np.complex128 and name == "choice":
        dtype = np.float64  # complex numbers have no order
    carry, xs = H.astype(dtype), XS.astype(dtype)
    f = BODIES[name]
    body = lambda c, x: fad.tree_util.tree_map(
        lambda v: v if v is None else fnp.asarray(v).astype(dtype), f(c, x)
    )
    got = lax.scan(body, carry, xs, reverse=reverse)
    expected = python_loop(body, carry, xs, reverse)
    tolerance = 100 * np.finfo(dtype).eps
    leaves = fad.tree_util.tree_leaves
    for a, b in zip(leaves(got), leaves(expected), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", BODIES)
def test_gradients_are_those_of_the_loop(name):
    def loss(carry, xs, scan):
        last, ys = scan(BODIES[name], carry, xs)
        parts = fad.tree_util.tree_leaves((last, ys))
        return sum(fnp.sum(fnp.sin(p)) for p in parts)

    unrolled = lambda f, c, xs: lax.scan(f, c, xs, unroll=True)
    got = fad.grad(loss, argnums=(0, 1))(H, XS, lax.scan)
    expected = fad.grad(loss, argnums=(0, 1))(H, XS, unrolled)
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


def test_integer_carries_count():
    last, ys = lax.scan(lambda c, x: (c + 1, c * 2), np.int32(3), XS)
    assert (last, last.dtype) == (10, np.int32)
    np.testing.assert_array_equal(ys, 2 * np.arange(3, 10))


def parts_of(f, *args):
    """Return the parts of the last scan in a program."""
    loops = [e for e in fad.make_jaxpr(f)(*args).eqns if e.prim.name == "scan"]
    params = loops[-1].params
    body = simplify(params["jaxpr"])
    return separate(body, params["length"], params["num_consts"], params["num_carry"])


def recurrent_loss(w, h, xs):
    def step(h, x):
        h = fnp.tanh(h @ w + x)
        return h, fnp.sum(h * h)

    return fnp.sum(lax.scan(step, h, xs)[1])


def test_gradient_of_a_recurrent_net_has_four_operations_in_its_loop():
    parts = parts_of(fad.grad(recurrent_loss), W, H, XS)
    names = [e.prim.name for e in parts.in_loop]
    assert names.count("matmul") == 1
    assert len(names) <= 4
    assert parts.sums  # the gradient of the weights


def test_sum_of_outer_products_is_one_product_of_matrices():
    parts = parts_of(fad.grad(recurrent_loss), W, H, XS)
    parts.make_programs()
    names = {e.prim.name: e.aval.shape for e in simplify(parts.after).eqns}
    assert names["contract"] == W.shape
    assert not any(shape == (len(XS), *W.shape) for shape in names.values())


def test_what_has_effects_stays_in_the_loop():
    seen = []

    def step(c, x):
        fad.debug.callback(lambda v: seen.append(float(v)), x[0])
        return c + 1.0, c

    lax.scan(step, 0.0, XS)
    assert seen == [float(x[0]) for x in XS]
    assert parts_of(lambda xs: lax.scan(step, 0.0, xs), XS) is None


def test_what_would_take_too_much_memory_for_all_steps_stays_in_the_loop(monkeypatch):
    monkeypatch.setattr(fission, "MOST", 100)
    assert parts_of(fad.grad(recurrent_loss), W, H, XS) is None


def test_debug_nans_names_the_step():
    def step(c, x):
        return c, fnp.log(x[0] - 100.0)

    with fad.debug_nans(), pytest.raises(FloatingPointError, match="log"):
        lax.scan(step, 0.0, XS)


def test_a_length_that_comes_again_gets_its_source_and_old_ones_are_forgotten(
    monkeypatch,
):
    written = []
    write = scan_program._written
    monkeypatch.setattr(scan_program, "LONG", 1000)
    monkeypatch.setattr(scan_program, "LENGTHS", 3)
    monkeypatch.setattr(
        scan_program, "_written", lambda *a: written.append(a[1]) or write(*a)
    )
    run = lambda n: lax.scan(lambda c, x: (c * 0.5 + x, c), H, np.ones((n, 3)))
    for n in (4, 5, 4, 4, 5, 6, 7, 8, 4, 2000):
        run(n)
    assert written == [4, 5, 2000]


def test_results_share_no_memory_with_arguments_or_each_other():
    def step(c, x):
        h = fnp.tanh(c + x)
        return h, (x, h, h, c, 1.0, W)

    xs = XS.copy()
    last, ys = lax.scan(step, H, xs)
    arrays = [a for a in (*ys, last, xs, H, W) if isinstance(a, np.ndarray)]
    for i, a in enumerate(arrays):
        assert a.flags.writeable
        assert not any(np.shares_memory(a, b) for b in arrays[i + 1 :])
