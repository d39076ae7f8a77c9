"""volatile, as it was before PyTorch 0.4."""

import numpy as np
import pytest

from fad import torch
from fad.torch.legacy import Variable, backward


@pytest.fixture
def pair():
    x = Variable(torch.tensor([[1.0, 2.0]]), volatile=True)
    return x, Variable(torch.tensor([[3.0, 4.0]]), requires_grad=True)


FUNCTIONS = {
    "one operation": lambda x, w: x * w,
    "reflected": lambda x, w: w - x,
    "composite": lambda x, w: torch.nn.functional.mse_loss(w, x),
    "deep": lambda x, w: ((w * 2 + x).sin() @ w.t()).sum() * w,
    "view": lambda x, w: x.view(2) + w[0],
    "several": lambda x, w: (x + w).max(1).values,
    "in place": lambda x, w: (w * 1).add_(x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_of_volatile_never_require_grad(name, pair):
    y = FUNCTIONS[name](*pair)
    assert y.volatile
    assert not y.requires_grad
    assert y.grad_fn is None
    with pytest.raises(RuntimeError, match="does not require grad"):
        y.sum().backward()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_are_the_same(name, pair):
    expected = FUNCTIONS[name](torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0]]))
    np.testing.assert_array_equal(FUNCTIONS[name](*pair).detach(), expected)


def test_volatile_wins_over_requires_grad():
    x = Variable(torch.ones(2), requires_grad=True, volatile=True)
    assert not x.requires_grad


def test_others_record():
    t = torch.ones(2)
    x = Variable(t, requires_grad=True)
    assert x.data.data_ptr() == t.data_ptr()
    backward(x * 3, grad_variables=torch.tensor([1.0, 2.0]))
    assert x.grad.tolist() == [3.0, 6.0]


def test_the_present_variable_ignores_the_flag():
    with pytest.warns(UserWarning, match="volatile was removed"):
        x = torch.autograd.Variable(torch.ones(2), volatile=True)
    assert (x * torch.ones(2, requires_grad=True)).requires_grad
