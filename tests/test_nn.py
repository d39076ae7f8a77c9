"""Activations and normalised exponentials of fad.nn."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad import nn

X = np.array([[-3.7, -0.4, 0.3], [1.2, 2.9, 7.5]])
FAR = np.array([-1000.0, 1000.0])
GATES = ["celu", "elu", "gelu", "glu", "hard_sigmoid", "hard_silu", "hard_tanh"]
GATES += ["identity", "leaky_relu", "log_sigmoid", "mish", "relu", "relu6", "selu"]
GATES += ["sigmoid", "silu", "soft_sign", "softplus", "squareplus", "tanh"]
LIMITS = {  # values far to the left and to the right, divided by |x| if they grow
    "celu": (-1.0, "x"), "elu": (-1.0, "x"), "gelu": (0.0, "x"), "silu": (0.0, "x"),
    "hard_sigmoid": (0.0, 1.0), "hard_silu": (0.0, "x"), "hard_tanh": (-1.0, 1.0),
    "log_sigmoid": ("x", 0.0), "mish": (0.0, "x"), "relu": (0.0, "x"),
    "relu6": (0.0, 6.0), "sigmoid": (0.0, 1.0), "softplus": (0.0, "x"),
    "leaky_relu": (-10.0, "x"), "identity": ("x", "x"), "tanh": (-1.0, 1.0),
}  # fmt: skip


@pytest.mark.parametrize("name", GATES)
def test_derivatives(name):
    x = np.hstack([X, -X[:, :1]])
    fad.testing.check_grads(getattr(nn, name), (x,), order=2)


@pytest.mark.parametrize("name", LIMITS)
def test_values_and_slopes_far_out(name):
    f = getattr(nn, name)
    for x, limit in zip(FAR, LIMITS[name], strict=True):
        value, slope = fad.value_and_grad(f)(x)
        np.testing.assert_allclose(value, x if limit == "x" else limit, atol=1e-12)
        wanted = 1.0 if limit == "x" else 0.01 if limit == -10.0 else 0.0
        np.testing.assert_allclose(slope, wanted, atol=1e-12)


def test_known_values():
    np.testing.assert_allclose(nn.gelu(1.0), 0.8411919906)
    np.testing.assert_allclose(nn.gelu(1.0, approximate=False), 0.8413447461)
    np.testing.assert_allclose(nn.mish(1.0), 0.8650983883)
    np.testing.assert_allclose(nn.selu(-1.0), -1.1113307378)
    np.testing.assert_allclose(nn.celu(-1.0, 2.0), 2.0 * np.expm1(-0.5))
    np.testing.assert_allclose(nn.squareplus(3.0), (3 + np.sqrt(13)) / 2)
    assert np.isnan(nn.relu(np.nan)) and np.isnan(nn.relu6(np.nan))
    assert nn.elu(1).dtype == np.float64


def test_slopes_at_kinks():
    slopes = [fad.grad(f)(x) for f in (nn.relu, nn.relu6) for x in (0.0, 6.0)]
    assert slopes == [0.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize("axis", [-1, 0, (0, 1), None])
def test_softmax_sums_to_one(axis):
    p = nn.softmax(X, axis)
    np.testing.assert_allclose(p.sum(axis), 1.0)
    np.testing.assert_allclose(np.log(p), nn.log_softmax(X, axis))
    np.testing.assert_allclose(nn.logmeanexp(X, axis), np.log(np.mean(np.exp(X), axis)))
    fad.testing.check_grads(lambda x: nn.softmax(x, axis), (X,), order=2)


def test_elements_left_out():
    mask = X < 3
    p = nn.softmax(X, where=mask)
    np.testing.assert_allclose(p[0], nn.softmax(X[0]))
    np.testing.assert_allclose(p[1], [*nn.softmax(X[1, :2]), 0.0])
    assert nn.log_softmax(X, where=mask)[1, 2] == -np.inf
    slope = fad.grad(lambda x: fnp.sum(nn.softmax(x, where=mask)[:, 0]))(X)
    assert slope[1, 2] == 0.0 and np.isfinite(slope).all()
    got = nn.logmeanexp(X, 1, where=mask)
    np.testing.assert_allclose(got[1], np.log(np.mean(np.exp(X[1, :2]))))


def test_standardize():
    z = nn.standardize(X, epsilon=0.0)
    np.testing.assert_allclose(z.mean(1), 0.0, atol=1e-15)
    np.testing.assert_allclose(z.var(1), 1.0)
    np.testing.assert_allclose(nn.standardize(X, 0, 0.0, 4.0, 0.0), X / 2)
    masked = nn.standardize(X, where=X < 3)[1, :2]
    np.testing.assert_allclose(masked, nn.standardize(X[1, :2]))


def test_one_hot():
    got = nn.one_hot(np.array([[2, 0], [5, -1]]), 3, axis=0, dtype=int)
    assert got.shape == (3, 2, 2) and got.dtype == int
    np.testing.assert_array_equal(got[:, 0, 0], [0, 0, 1])
    np.testing.assert_array_equal(got[:, 1], 0)
    np.testing.assert_array_equal(
        fad.vmap(lambda i: nn.one_hot(i, 3))(np.arange(3)), np.eye(3)
    )


def test_glu_halves_an_axis():
    x = np.hstack([X, X])
    np.testing.assert_allclose(nn.glu(x), X * nn.sigmoid(X))
    with pytest.raises(ValueError, match="even size, got 3"):
        nn.glu(X)
