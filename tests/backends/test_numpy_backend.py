"""The NumPy backend computes what the equations say, by fewer steps."""

import tracemalloc

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad.backends.grouping import Group, find_groups
from fad.backends.registry import executable, source_of
from fad.transforms.simplify import simplify

rng = np.random.default_rng(0)
LONG = rng.standard_normal(100_003)
WIDE = rng.standard_normal((257, 400))
DEEP = rng.standard_normal((40, 30, 50))
SQUARE = rng.standard_normal((300, 300))


def softmax(x):
    e = fnp.exp(x - fnp.max(x, axis=1, keepdims=True))
    return e / fnp.sum(e, axis=1, keepdims=True)


PROGRAMS = {
    "chain": (lambda x: fnp.sin(x) * x + fnp.exp(-x * x), LONG),
    "reads twice": (
        lambda x: (fnp.sin(x), fnp.sin(x) + 1.0, fnp.cos(x) * fnp.sin(x)),
        LONG,
    ),
    "total": (lambda x: fnp.sum(fnp.tanh(x) * x), LONG),
    "extrema": (lambda x: (fnp.max(x * 2.0), fnp.min(fnp.sin(x)), fnp.sum(x)), LONG),
    "total then use": (lambda x: fnp.sin(x) / fnp.sum(fnp.sin(x) * x), LONG),
    "softmax": (softmax, WIDE),
    "rows": (lambda x: fnp.sum(x * x, axis=1) * fnp.max(x, axis=1) + fnp.sum(x), WIDE),
    "columns": (lambda x: fnp.sum(fnp.exp(x) * x, axis=0), WIDE),
    "bias": (lambda x: fnp.tanh(x + WIDE[0]) * WIDE[:, :1] + WIDE[:1] * 0.5, WIDE),
    "outer axis read whole": (
        lambda x: fnp.exp(x) + fnp.sum(fnp.exp(x), axis=1),
        SQUARE,
    ),
    "transpose between": (lambda x: fnp.exp(x).T * fnp.sin(x), SQUARE),
    "matmul between": (
        lambda x: fnp.sin(fnp.exp(x * 0.01) @ x) + fnp.exp(x * 0.01),
        SQUARE,
    ),
    "three axes": (
        lambda x: fnp.sum(fnp.sin(x) * x, axis=(1, 2)) + fnp.sum(x * x),
        DEEP,
    ),
    "selection": (lambda x: fnp.where(x > 0, fnp.sqrt(fnp.abs(x)), -x), LONG),
    "integers": (lambda x: (x > 0).astype(int) * 3 + 1, LONG),
    "conversion": (lambda x: fnp.sin(x.astype(np.float32)) * x, LONG),
    "power": (lambda x: x**3 + x**2 - x**4 + x**5, LONG),
    "two views": (
        lambda x: (
            fnp.reshape(fnp.reshape(x, (257, 20, 20)) * 2.0, x.shape) + x,
            fnp.sum(fnp.tanh(-fnp.reshape(x, (257, 20, 20)) * 2.0 * 2.0), axis=0),
        ),
        WIDE,
    ),
    "value outlived by its view": (
        lambda x: (
            lambda d: fnp.sin(-fnp.reshape(d * 2.0, x.shape)) + fnp.reshape(d, x.shape)
        )(fnp.reshape(x, (257, 20, 20)) * 2.0),
        WIDE,
    ),
    "reshape": (
        lambda x: fnp.sin(fnp.reshape(fnp.sin(x), (257, 20, 20))).sum(axis=2),
        WIDE,
    ),
}
DIFFERENTIABLE = {n: p for n, p in PROGRAMS.items() if n != "integers"}


def scalar_loss(f):
    def loss(x):
        outs = fad.tree.leaves(f(x))
        return sum(fnp.sum(fnp.sin(o) * o) for o in outs)

    return loss


def check(f, x):
    before = x.copy()
    jaxpr = fad.make_jaxpr(f)(x)
    want = fad.eval_jaxpr(jaxpr, x)
    found = executable(jaxpr)(x)
    np.testing.assert_array_equal(x, before)
    for a, b in zip(found, want, strict=True):
        assert np.shape(a) == np.shape(b) and a.dtype == b.dtype
        rtol = 1e-4 if a.dtype == np.float32 else 1e-11
        scale = np.max(np.abs(b))
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * scale)
    return jaxpr


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_equal_their_equations(name, dtype):
    f, x = PROGRAMS[name]
    check(f, x.astype(dtype))


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradients_equal_their_equations(name):
    f, x = PROGRAMS[name]
    check(fad.grad(scalar_loss(f)), x)


@pytest.mark.parametrize("name", PROGRAMS)
def test_inputs_need_not_be_contiguous(name):
    f, x = PROGRAMS[name]
    strided = np.repeat(x, 2, axis=-1)[..., ::2]
    check(f, strided)
    check(f, np.asfortranarray(x))


def groups(f, *args):
    jaxpr = simplify(fad.make_jaxpr(f)(*args))
    return [g for g in find_groups(jaxpr) if isinstance(g, Group)]


def test_long_chains_run_in_one_group():
    (group,) = groups(fad.grad(scalar_loss(lambda x: fnp.sin(x) * x)), LONG)
    assert len(group.eqns) > 5


def test_small_arrays_are_not_cut():
    assert not groups(lambda x: fnp.sin(x) * x, LONG[:1000])


def test_softmax_is_one_group():
    (group,) = groups(softmax, WIDE)
    assert {e.prim.name for e in group.eqns} >= {
        "reduce_max",
        "exp",
        "reduce_sum",
        "div",
    }


def test_intermediate_arrays_are_not_stored():
    def f(x):
        for _ in range(10):
            x = fnp.sin(x) * x
        return fnp.sum(x)

    x = np.full(1_000_000, 0.5)
    run = fad.jit(f)
    run(x)
    tracemalloc.start()
    run(x)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < x.nbytes / 4


def test_dead_values_are_overwritten():
    source = source_of(fad.make_jaxpr(lambda x: fnp.exp(fnp.sin(x) * 2.0))(np.ones(5)))
    lines = source.splitlines()
    assert len(lines) == 6 and "v1, v1)" in source


def test_values_that_are_still_needed_are_not_overwritten():
    def f(x):
        y = fnp.sin(x)
        z = y[1:]
        w = y * 2.0
        return w, z * 1.5, y.T + 1.0

    check(f, np.arange(5.0))
    check(
        lambda x: fad.lax.scan(lambda c, i: (c, c * i), fnp.sin(x), np.arange(2.0)),
        LONG[:4],
    )


class TestSimplify:
    def eqns(self, f, *args):
        return [e.prim.name for e in simplify(fad.make_jaxpr(f)(*args)).eqns]

    def test_repetitions(self):
        assert self.eqns(lambda x: fnp.sin(x) + fnp.sin(x), 1.0) == ["sin", "add"]
        assert self.eqns(lambda x, y: (x * y) + (y * x), 1.0, 2.0) == ["mul", "add"]

    def test_neutral_elements(self):
        x = np.ones(3)
        assert self.eqns(lambda x: (x + 0.0) * 1.0 / 1.0 - 0, x) == []
        assert self.eqns(lambda x: 1 * (0 + x), x) == []

    def test_a_law_does_not_change_shape_or_dtype(self):
        x = np.float32(2.0)
        out = fad.jit(lambda x: x + np.float64(0.0))(x)
        assert out.dtype == np.float64
        out = fad.jit(lambda x: x + np.broadcast_to(0.0, (3,)))(2.0)
        np.testing.assert_array_equal(out, [2.0, 2.0, 2.0])

    def test_involutions_and_compositions(self):
        m = np.ones((2, 3, 4))
        twice = lambda x: fnp.negative(-x)
        assert self.eqns(twice, m) == []
        assert self.eqns(lambda x: x.T.T, m) == []
        assert self.eqns(lambda x: fnp.transpose(x, (1, 0, 2)).T, m) == ["transpose"]
        f = lambda x: fnp.reshape(fnp.reshape(x, (6, 4)), (2, 12))
        assert self.eqns(f, m) == ["reshape"]
        assert self.eqns(lambda x: fnp.reshape(fnp.reshape(x, 24), m.shape), m) == []
        check(lambda x: fnp.transpose(fnp.transpose(x, (1, 2, 0)), (1, 2, 0)), m)

    def test_numbers_are_computed_once(self):
        assert self.eqns(lambda x: x * (fnp.sin(2.0) + 3.0), 1.0) == ["mul"]

    def test_broadcasts_are_not_made(self):
        f = lambda x: fnp.broadcast_to(x, (4, 3)) * np.ones((4, 3))
        assert "broadcast_to" not in self.eqns(f, np.ones(3))
        grad = fad.grad(lambda x: fnp.sum(fnp.sin(x)))
        assert self.eqns(grad, np.ones(3)) == ["cos"]

    def test_calls_are_put_in_place(self):
        f = fad.jit(lambda x: fnp.sin(x) * 2.0)
        assert self.eqns(lambda x: f(x) + f(x), 1.0) == ["sin", "mul", "add"]

    def test_checkpoints_stay(self):
        f = fad.checkpoint(lambda x: fnp.sin(fnp.sin(x)))
        names = self.eqns(fad.grad(lambda x: fnp.sum(f(x))), np.ones(3))
        assert "checkpoint" in names

    def test_effects_stay_and_are_not_merged(self, capsys):
        def f(x):
            fad.debug.print("{}", x)
            fad.debug.print("{}", x)
            return x * 1.0

        fad.jit(f)(2.0)
        assert capsys.readouterr().out == "2.0\n2.0\n"

    def test_a_scatter_is_done_onto_the_other_summand(self):
        i = np.array([0, 1, 0])

        def f(x):
            return fnp.sum(x[i] ** 2) + fnp.sum(fnp.sin(x))

        names = self.eqns(fad.grad(f), np.ones(4))
        assert "scatter_add" in names and "scatter" not in names
        check(fad.grad(f), np.arange(4.0))

    def test_small_powers_are_products(self):
        assert self.eqns(lambda x: x**3, 2.0) == ["square", "mul"]

    def test_arrays_that_may_change_are_not_looked_into(self):
        x, zeros = np.ones(100_000), np.zeros(100_000)
        assert self.eqns(lambda x: x + zeros, x) == ["add"]
        constant = np.broadcast_to(0.0, x.shape)
        assert self.eqns(lambda x: x + constant, x) == []
        assert self.eqns(lambda x: x + np.zeros(3), x[:3]) == []  # copied when traced


class TestScalars:
    def chain(self, x, y):
        for _ in range(25):
            a = fnp.sin(x)
            d = fnp.tanh(a * y + x)
            y = fnp.exp(d) * 0.5
            x = d + d * d
        return x * y

    def test_equals_numpy(self):
        x, y = np.float64(0.3), np.float64(0.7)
        np.testing.assert_allclose(
            fad.jit(self.chain)(x, y), self.chain(x, y), rtol=1e-12
        )
        g = fad.jit(fad.grad(self.chain, (0, 1)))(x, y)
        np.testing.assert_allclose(g, fad.grad(self.chain, (0, 1))(x, y), rtol=1e-11)
        assert all(type(v) is np.float64 for v in g)

    @pytest.mark.parametrize(
        ("f", "x"),
        [
            (lambda x: fnp.log(x) + 1.0, 0.0),
            (lambda x: 1.0 / x + 1.0, 0.0),
            (lambda x: fnp.sqrt(x) * 2.0, -1.0),
            (lambda x: fnp.exp(x) * 2.0, 1e4),
            (lambda x: x**0.5 + 1.0, -2.0),
            (lambda x: fnp.sin(x) + 1.0, np.inf),
            (lambda x: fnp.where(x > 0, x, -x) * 2.0, np.nan),
        ],
    )
    def test_where_math_raises_numpy_decides(self, f, x):
        with np.errstate(all="ignore"):
            want = f(np.float64(x))
            found = fad.jit(f)(np.float64(x))
        np.testing.assert_array_equal(found, want)

    def test_comparisons_and_selection(self):
        f = lambda x: fnp.where(x > 0.5, fnp.sin(x), x * 2.0)
        for x in (0.2, 0.9):
            np.testing.assert_allclose(fad.jit(f)(np.float64(x)), f(x))
        assert type(fad.jit(lambda x: (x + 1.0) > 0.5)(np.float64(0.0))) is np.bool_

    def test_single_precision_is_left_to_numpy(self):
        assert fad.jit(lambda x: fnp.sin(x) * 2.0)(np.float32(1.0)).dtype == np.float32
