"""Collectives over a named vmap axis, and vmap in chunks."""

import tracemalloc

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad import lax

rng = np.random.default_rng(0)
X = rng.standard_normal((4, 3))
SQUARE = rng.standard_normal((4, 4, 2))


def mapped(f, **options):
    return fad.vmap(f, axis_name="i", **options)


def permuted(x, perm):
    out = np.zeros_like(x)
    for a, b in perm:
        out[b] = x[a]
    return out


PERM = [(0, 1), (1, 3), (3, 0)]

CASES = {
    "psum": (lambda x: lax.psum(x, "i"), lambda x: np.broadcast_to(x.sum(0), x.shape)),
    "pmean": (
        lambda x: lax.pmean(x, "i"),
        lambda x: np.broadcast_to(x.mean(0), x.shape),
    ),
    "pmax": (lambda x: lax.pmax(x, "i"), lambda x: np.broadcast_to(x.max(0), x.shape)),
    "pmin": (lambda x: lax.pmin(x, "i"), lambda x: np.broadcast_to(x.min(0), x.shape)),
    "all_gather": (
        lambda x: lax.all_gather(x, "i"),
        lambda x: np.broadcast_to(x, (4, *x.shape)),
    ),
    "all_gather axis": (
        lambda x: lax.all_gather(x, "i", axis=1),
        lambda x: np.broadcast_to(
            np.moveaxis(x, 0, 1), (4, *np.moveaxis(x, 0, 1).shape)
        ),
    ),
    "ppermute": (lambda x: lax.ppermute(x, "i", PERM), lambda x: permuted(x, PERM)),
    "all_to_all": (
        lambda x: lax.all_to_all(x, "i", 0, 0),
        lambda x: np.swapaxes(x, 0, 1),
    ),
    "all_to_all concat": (
        lambda x: lax.all_to_all(x, "i", 0, 1),
        lambda x: np.moveaxis(x, 0, 2),
    ),
    "psum_scatter": (lambda x: lax.psum_scatter(x, "i"), lambda x: x.sum(0)),
    "mixed": (
        lambda x: x * lax.psum(fnp.sin(x), "i") + lax.axis_index("i"),
        lambda x: x * np.sin(x).sum(0) + np.arange(4).reshape(4, *[1] * (x.ndim - 1)),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_values(name):
    f, want = CASES[name]
    np.testing.assert_allclose(mapped(f)(SQUARE), want(SQUARE))
    np.testing.assert_allclose(fad.jit(mapped(f))(SQUARE), want(SQUARE))
    np.testing.assert_allclose(mapped(fad.jit(f))(SQUARE), want(SQUARE))


@pytest.mark.parametrize("name", CASES)
def test_derivatives_from_outside(name):
    f, _ = CASES[name]
    weighted = lambda y: fnp.sum(fnp.sin(y) * (1.0 + np.arange(y.shape[-1])))
    loss = lambda x: weighted(mapped(f)(x))
    g = fad.grad(loss)(SQUARE)
    t = rng.standard_normal(SQUARE.shape)
    h = 1e-5
    difference = (loss(SQUARE + h * t) - loss(SQUARE - h * t)) / (2 * h)
    np.testing.assert_allclose(np.sum(g * t), difference, rtol=1e-7)
    np.testing.assert_allclose(fad.jvp(loss, (SQUARE,), (t,))[1], difference, rtol=1e-7)
    np.testing.assert_allclose(fad.jit(fad.grad(loss))(SQUARE), g)
    inner_jit = lambda x: weighted(mapped(fad.jit(f))(x))
    np.testing.assert_allclose(fad.grad(inner_jit)(SQUARE), g)


@pytest.mark.parametrize("name", CASES)
def test_gradients_inside_are_those_of_the_sum_over_all_examples(name):
    f, _ = CASES[name]
    one = lambda x: fnp.sum(fnp.sin(f(x)))
    total = lambda x: fnp.sum(fad.vmap(one, axis_name="i")(x))
    for inside in (mapped(fad.grad(one)), mapped(fad.jit(fad.grad(one)))):
        np.testing.assert_allclose(inside(SQUARE), fad.grad(total)(SQUARE))


@pytest.mark.parametrize("name", CASES)
def test_other_axes_pass_by(name):
    f, want = CASES[name]
    xs = np.stack([SQUARE, 2 * SQUARE, SQUARE - 1])
    expected = np.stack([want(x) for x in xs])
    np.testing.assert_allclose(fad.vmap(mapped(f))(xs), expected)
    swapped = np.swapaxes(xs, 0, 1)
    got = mapped(fad.vmap(f))(swapped)
    np.testing.assert_allclose(np.swapaxes(got, 0, 1), expected)


def test_two_named_axes():
    f = lambda x: lax.psum(x, ("i", "j")) + 10 * lax.axis_index("j")
    x = np.arange(6.0).reshape(2, 3)
    out = fad.vmap(fad.vmap(f, axis_name="j"), axis_name="i")(x)
    np.testing.assert_array_equal(out, 15 + 10 * np.arange(3) + np.zeros((2, 1)))


def test_collectives_in_control_flow():
    def f(x):
        total, _ = lax.scan(lambda c, y: (c + lax.psum(y, "i"), None), 0.0, x)
        return lax.cond(
            total > 0, lambda t: lax.pmean(t * x[0], "i"), lambda t: t, total
        )

    want = abs(X.sum()) * X[:, 0].mean()
    x = X if X.sum() > 0 else -X
    np.testing.assert_allclose(mapped(f)(x), np.full(4, x.sum() * x[:, 0].mean()))
    assert np.isfinite(want)


def test_numbers_are_summed_without_tracing():
    sizes = []
    mapped(lambda x: sizes.append((lax.psum(1, "i"), lax.axis_size("i"))) or x)(X)
    assert sizes == [(4, 4)]


def test_pytrees():
    out = mapped(lambda x: lax.psum({"a": x, "b": (x * 2,)}, "i"))(X)
    np.testing.assert_allclose(out["b"][0], np.broadcast_to(2 * X.sum(0), X.shape))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: lax.psum(x, "j"),
        lambda x: lax.axis_index("j"),
        lambda x: lax.pmax(x, "j"),
    ],
)
def test_unbound_names_are_refused(f):
    with pytest.raises(NameError, match=r"unbound axis name 'j'.*'i'"):
        mapped(f)(X)
    with pytest.raises(NameError, match="axis_name="):
        f(X)


def test_bad_permutations_and_shapes_are_refused():
    with pytest.raises(ValueError, match="twice"):
        mapped(lambda x: lax.ppermute(x, "i", [(0, 1), (2, 1)]))(X)
    with pytest.raises(ValueError, match="from 0 to 3"):
        mapped(lambda x: lax.ppermute(x, "i", [(0, 7)]))(X)
    with pytest.raises(ValueError, match="must have the size 4"):
        mapped(lambda x: lax.all_to_all(x, "i", 0, 0))(X)


def test_tiled_forms():
    x = rng.standard_normal((2, 6, 2))
    out = mapped(lambda v: lax.all_gather(v, "i", axis=0, tiled=True))(x)
    np.testing.assert_allclose(out[0], x.reshape(12, 2))
    out = mapped(lambda v: lax.psum_scatter(v, "i", tiled=True))(x)
    np.testing.assert_allclose(out, x.sum(0).reshape(2, 3, 2))
    out = mapped(lambda v: lax.all_to_all(v, "i", 0, 0, tiled=True))(x)
    np.testing.assert_allclose(out[0], np.concatenate([x[0, :3], x[1, :3]]))


@pytest.mark.parametrize("chunk", [1, 2, 3, 5, 100])
@pytest.mark.parametrize("axes", [(0, 0), (1, 0), (1, -1), (0, None)])
def test_chunks_change_nothing(chunk, axes):
    in_axis, out_axis = axes
    x = rng.standard_normal((5, 5))
    f = lambda v: {"a": fnp.sin(v), "s": fnp.sum(v)}
    if out_axis is None:
        g = lambda c: fad.vmap(
            lambda v: 3.0, in_axes=in_axis, out_axes=None, chunk_size=c
        )
        assert g(chunk)(x) == 3.0
        return
    out_axes = {"a": out_axis, "s": 0}
    found = fad.vmap(f, in_axis, out_axes, chunk_size=chunk)(x)
    want = fad.vmap(f, in_axis, out_axes)(x)
    np.testing.assert_array_equal(found["a"], want["a"])
    np.testing.assert_allclose(found["s"], want["s"])


def test_chunks_under_other_transforms():
    x = rng.standard_normal((5, 3))
    total = lambda c: lambda x: fnp.sum(fad.vmap(fnp.sin, chunk_size=c)(x) ** 2)
    np.testing.assert_allclose(fad.grad(total(2))(x), fad.grad(total(None))(x))
    np.testing.assert_allclose(fad.jit(fad.grad(total(2)))(x), fad.grad(total(None))(x))


def test_chunks_bound_memory():
    x = np.ones((64, 100))
    f = lambda v: fnp.sum(fnp.sin(v[:, None] * v) ** 2)

    def peak(**options):
        g = fad.vmap(f, **options)
        g(x)
        tracemalloc.start()
        g(x)
        _, top = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return top

    assert peak(chunk_size=4) < peak() / 8


@pytest.mark.parametrize("jit", [lambda f: f, fad.jit])
def test_examples_off_the_branch_take_part_in_its_collectives(jit):
    x = np.array([0.0, 1.0, 2.0])
    add_up = lambda x: lax.cond(x > 0, lambda u: lax.psum(u, "i"), lambda u: u, x)
    np.testing.assert_array_equal(jit(mapped(add_up))(x), [0.0, 3.0, 3.0])
    inside = lambda x: lax.cond(
        x > 0, lambda u: fad.jit(lambda v: lax.psum(v, "i"))(u), lambda u: u, x
    )
    np.testing.assert_array_equal(jit(mapped(inside))(x), [0.0, 3.0, 3.0])
    grow = lambda x: lax.while_loop(
        lambda u: u < 4.0, lambda u: u + lax.psum(u, "i") * 0.0 + 1.0, x
    )
    np.testing.assert_array_equal(jit(mapped(grow))(x), [4.0, 4.0, 4.0])


def test_axis_index_of_several_axes_counts_row_by_row():
    f = lambda x: (lax.axis_index(("i", "j")), lax.axis_size(("i", "j")))
    inner = fad.vmap(f, axis_name="j", out_axes=(0, None))
    i, n = fad.vmap(inner, axis_name="i", out_axes=(0, None))(np.ones((2, 3)))
    np.testing.assert_array_equal(i, [[0, 1, 2], [3, 4, 5]])
    assert n == 6


def test_pswapaxes_swaps_with_the_named_axis():
    out = mapped(lambda x: lax.pswapaxes(x, "i", 0))(SQUARE)
    np.testing.assert_array_equal(out, SQUARE.swapaxes(0, 1))


def test_chunks_and_names_exclude_each_other():
    with pytest.raises(ValueError, match="collectives"):
        mapped(lambda x: x, chunk_size=2)(X)
    with pytest.raises(ValueError, match="at least 1"):
        fad.vmap(lambda x: x, chunk_size=0)(X)


def test_custom_vmap_rule_is_used_with_and_without_jit():
    calls = []

    @fad.custom_vmap
    def f(x, y):
        return x * y

    @f.def_vmap
    def rule(axis_size, in_batched, x, y):
        calls.append((axis_size, in_batched))
        return x * y + 100.0, True

    np.testing.assert_array_equal(f(2.0, 3.0), 6.0)
    np.testing.assert_array_equal(fad.vmap(f, (0, None))(np.ones(3), 2.0), [102.0] * 3)
    assert calls == [(3, [True, False])]
    np.testing.assert_array_equal(
        fad.vmap(fad.jit(f), (None, 0))(2.0, np.ones(3)), [102.0] * 3
    )
    np.testing.assert_array_equal(
        fad.jit(fad.vmap(f, (None, 0)))(2.0, np.ones(3)), [102.0] * 3
    )
    assert fad.grad(f)(2.0, 3.0) == 3.0
    np.testing.assert_array_equal(fad.vmap(fad.grad(f))(np.ones(2), np.ones(2)), [1, 1])


def sine_or_cosine():
    """Sine, whose rule for stacks is, to tell them apart, cosine."""
    f = fad.custom_vmap(lambda x: fnp.sin(x))
    f.def_vmap(lambda axis_size, in_batched, x: (fnp.cos(x), in_batched[0]))
    return f


@pytest.mark.parametrize("jit", [lambda f: f, fad.jit])
def test_custom_vmap_rule_is_obeyed_by_forward_mode(jit):
    f, t = sine_or_cosine(), X + 1
    alone = jit(lambda x, t: fad.jvp(f, (x,), (t,)))(X, t)
    np.testing.assert_allclose(alone, (np.sin(X), t * np.cos(X)))
    each = jit(fad.vmap(lambda x, t: fad.jvp(f, (x,), (t,))))(X, t)
    np.testing.assert_allclose(each, (np.cos(X), -t * np.sin(X)))
    one = jit(fad.vmap(lambda t: fad.jvp(f, (X[0],), (t,))))(t)
    np.testing.assert_allclose(one[1], -t * np.sin(X[0]))
    twice = jit(fad.vmap(fad.jacfwd(fad.jacfwd(f))))(X[0])
    np.testing.assert_allclose(twice, -np.cos(X[0]))
    np.testing.assert_allclose(
        fad.jvp(fad.vmap(f), (X,), (t,)), (np.cos(X), -t * np.sin(X))
    )


def test_custom_vmap_takes_keywords_and_defaults():
    f = fad.custom_vmap(lambda x, y=2.0: x * y)
    f.def_vmap(lambda axis_size, in_batched, x, y: (x * y + 1.0, True))
    assert (f(3.0), f(3.0, y=5.0)) == (6.0, 15.0)
    np.testing.assert_array_equal(fad.vmap(f)(np.ones(2)), [3.0, 3.0])
    g = fad.custom_vmap(lambda x, *, y=2.0: x * y)
    g.def_vmap(lambda axis_size, in_batched, x: (x, True))
    with pytest.raises(TypeError, match="by position"):
        g(1.0, y=2.0)


def test_custom_vmap_rule_returns_a_pair_of_the_right_structure():
    f = fad.custom_vmap(lambda x: x)
    f.def_vmap(lambda axis_size, in_batched, x: x)
    with pytest.raises(TypeError, match="output_batched"):
        fad.vmap(f)(np.ones(3))
    f.def_vmap(lambda axis_size, in_batched, x: ((x, x), True))
    with pytest.raises(ValueError, match="must return the structure"):
        fad.vmap(f)(np.ones(3))


def test_custom_vmap_without_a_rule_says_so():
    with pytest.raises(AttributeError, match="def_vmap"):
        fad.custom_vmap(lambda x: x)(1.0)


def test_sequential_vmap_runs_one_by_one():
    f = fad.sequential_vmap(lambda x, w: fnp.sin(x) * w)
    np.testing.assert_allclose(fad.vmap(f, (0, None))(X, 2.0), np.sin(X) * 2)
    np.testing.assert_allclose(fad.jit(fad.vmap(f))(X, X), np.sin(X) * X)
