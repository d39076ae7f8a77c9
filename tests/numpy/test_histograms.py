import numpy as np
import pytest
from numpy_agreement import KNOWN_VALUES, check_agrees

import fad
import fad.numpy as fnp
from fad.testing import check_grads, check_vmap

rng = np.random.default_rng(11)
X = rng.standard_normal((3, 4))
W = rng.uniform(0.5, 2.0, size=(3, 4))
BINS = [
    {},
    dict(bins=3, range=(-1, 1)),
    dict(bins=[-1, 0, 0.5, 1]),
    dict(bins=[0, 1, 1]),
]


@pytest.mark.parametrize("bins", BINS, ids=str)
def test_histograms_are_those_of_numpy(bins):
    for x in (X, X.astype("f4"), np.arange(12) % 5 - 1):
        check_agrees("histogram", x, **bins)
        check_agrees("histogram_bin_edges", x, **bins)
    for w in (X, X.astype("f4"), X + 1j * W, np.arange(12).reshape(3, 4)):
        check_agrees("histogram", X, weights=w, **bins, rtol=1e-5)
    check_agrees("histogram", X, density=True, **bins)
    check_agrees("histogram", X, density=True, weights=W, **bins, rtol=1e-12)


def test_automatic_bins_need_known_values():
    check_agrees("histogram", X, bins="auto", ways=KNOWN_VALUES)
    with pytest.raises(TypeError, match="not known"):
        fad.vmap(lambda x: fnp.histogram(x, "fd"))(X)


def test_data_without_a_range():
    check_agrees("histogram", np.zeros(3))
    check_agrees("histogram", np.zeros(0))
    check_agrees("histogram", np.array([0.0, np.nan]), ways=KNOWN_VALUES)
    check_agrees("histogram", np.array([0.0, np.nan, 1.0]), range=(0, 1))


def test_bad_arguments_raise_as_in_numpy():
    for bins in (0, 1.5, [2, 1], [[1]]):
        check_agrees("histogram", X, bins=bins)
    check_agrees("histogram", X, range=(1, 0))
    check_agrees("histogram", X, weights=W[0])
    check_agrees("histogramdd", X, bins=[1, 2])
    check_agrees("histogramdd", X, range=[(0, 1)])


def test_histograms_in_several_dimensions():
    for kwargs in (
        dict(bins=2), dict(bins=(2, 3)), dict(bins=[[-1, 0, 1], 3], density=True),
        dict(bins=2, range=[(0, 1), None], weights=W[:, 0]),
    ):  # fmt: skip
        _check_several("histogramdd", kwargs, X[:, :2])
        kwargs = (
            kwargs | {"weights": kwargs["weights"][[0, 1, 2, 0]]}
            if ("weights" in kwargs)
            else kwargs
        )
        _check_several("histogram2d", kwargs, X[0], X[1])
    _check_several("histogram2d", dict(bins=[-1.0, 0.0, 1.0]), X[0], X[1])


def _check_several(name, kwargs, *args):
    got = fad.vjp(lambda *xs: getattr(fnp, name)(*xs, **kwargs), *args)[0]
    want = getattr(np, name)(*args, **kwargs)
    for g, w in zip(fad.tree.leaves(got), fad.tree.leaves(list(want)), strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-12)


def test_weights_are_differentiable():
    f = lambda w: fnp.histogram(X, 4, weights=w, density=True)[0]
    check_grads(f, (W,), order=2)
    check_vmap(lambda w: f(w), (np.stack([W, 2 * W, W**2]),))
    g = lambda w: fnp.histogramdd(X[:, :2], (2, 3), weights=w, density=True)[0]
    check_grads(g, (W[:, 0],), order=2)


def test_densities_are_differentiable_through_the_edges():
    x = np.array([0.0, 0.12, 0.61, 0.93, 1.0])
    heights = lambda x: fnp.histogram(x, 2, density=True)[0]
    jacobian = fad.jacrev(heights)(x)
    # 2 of 5 points in a bin of half the width: 4 / 5 / (last - first)
    np.testing.assert_allclose(jacobian[0], [0.8, 0, 0, 0, -0.8], atol=1e-14)
    np.testing.assert_allclose(fad.jacfwd(heights)(x), jacobian, rtol=1e-14)


def test_counts_have_no_derivative():
    f = lambda x: fnp.sum(fnp.histogram(x, 3)[0] * 1.0) + x[0, 0]
    np.testing.assert_array_equal(np.flatnonzero(fad.grad(f)(X)), [0])
