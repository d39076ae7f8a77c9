"""Every function of tensors under every functional transform."""

import numpy as np
import pytest
from torch_functions import CALLS, NEED_VALUES, X

import fad
from fad import torch

STATIC = sorted(CALLS.keys() - NEED_VALUES)
V = torch.tensor([[1.0, -0.5, 0.2], [0.3, 0.7, -1.0]], dtype=torch.float64)


def arrays(result):
    """Return the arrays of a tensor, or of nested sequences of them."""
    if isinstance(result, (tuple, list)):
        return [a for part in result for a in arrays(part)]
    return [np.asarray(result.detach()) if isinstance(result, torch.Tensor) else result]


def agree(got, expected):
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)
        assert np.asarray(a).dtype == np.asarray(b).dtype


def tensors_of(result):
    parts = result if isinstance(result, (tuple, list)) else [result]
    return [p for p in parts if isinstance(p, torch.Tensor)]


def scalar(call):
    """Return a scalar function: weighted sums of the inexact results."""

    def total(x):
        sums = [x.sum() * 0]
        for y in tensors_of(call(x)):
            if y.dtype.is_complex:
                y = y.abs()
            if y.dtype.is_floating_point:
                weights = torch.arange(1.0, y.numel() + 1, dtype=torch.float64)
                sums.append((y * weights.reshape(y.shape)).sum())
        return sum(sums)

    return total


def backward(f):
    x = X.clone().requires_grad_()
    (g,) = torch.autograd.grad(f(x), x)
    return g.numpy()


@pytest.mark.parametrize("name", STATIC)
def test_jit(name):
    agree(arrays(fad.jit(CALLS[name])(X)), arrays(CALLS[name](X)))


@pytest.mark.parametrize("name", sorted(CALLS.keys() - {"mode", "nonzero", "unique"}))
def test_vmap(name):
    if name == "histc":
        pytest.raises(TypeError, fad.vmap(CALLS[name]), X[None])
        return
    examples = [X, X * 0.7 + 0.1]
    expected = zip(*(arrays(CALLS[name](x)) for x in examples), strict=True)
    got = fad.vmap(CALLS[name])(torch.stack(examples))
    agree(arrays(got), [np.stack(pair) for pair in expected])


@pytest.mark.parametrize("name", sorted(CALLS))
def test_grad(name):
    f = scalar(CALLS[name])
    np.testing.assert_allclose(fad.grad(f)(X).numpy(), backward(f), 1e-9, 1e-11)


@pytest.mark.parametrize("name", STATIC)
def test_jit_of_grad(name):
    f = scalar(CALLS[name])
    got = fad.jit(fad.grad(f))(X).numpy()
    np.testing.assert_allclose(got, backward(f), 1e-9, 1e-11)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_jvp(name):
    f = scalar(CALLS[name])
    _, slope = fad.jvp(f, (X,), (V,))
    expected = (backward(f) * V.numpy()).sum()
    np.testing.assert_allclose(slope.item(), expected, 1e-9, 1e-11)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_second_derivatives_of_both_kinds_agree(name):
    f = scalar(CALLS[name])
    x = X.clone().requires_grad_()
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    along = (g * V).sum() if g.requires_grad else x.sum() * 0
    (got,) = torch.autograd.grad(along, x, materialize_grads=True)
    _, expected = fad.jvp(fad.grad(f), (X,), (V,))
    np.testing.assert_allclose(got.numpy(), expected.numpy(), 1e-7, 1e-9)


@pytest.mark.parametrize("name", sorted(NEED_VALUES - {"bincount"}))
def test_what_depends_on_values_says_so_under_jit(name):
    with pytest.raises(fad.core.errors.TracerArrayConversionError):
        fad.jit(CALLS[name])(X)
