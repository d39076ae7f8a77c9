"""utils.checkpoint: the same gradients, less memory, one more run."""

import tracemalloc

import numpy as np
import pytest

from fad import torch

utils = torch.utils.checkpoint


def checkpoint(f, *args, **options):
    return utils.checkpoint(f, *args, use_reentrant=False, **options)


def block(x):
    return (x.sin() * x).exp().softmax(0)


@pytest.mark.parametrize("reentrant", [False, True])
def test_gradients_are_the_same(reentrant):
    x = torch.linspace(0.1, 1.0, 6).requires_grad_()
    block(x).pow(2).sum().backward()
    expected, x.grad = x.grad, None
    utils.checkpoint(block, x, use_reentrant=reentrant).pow(2).sum().backward()
    np.testing.assert_array_equal(x.grad, expected)


def test_second_derivatives():
    x = torch.tensor([0.3, 0.7], requires_grad=True)
    found = []
    for f in (block, lambda x: checkpoint(block, x)):
        (g,) = torch.autograd.grad(f(x)[0], x, create_graph=True)
        found.append(torch.autograd.grad(g.pow(2).sum(), x)[0])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6)


def test_memory_is_lower():
    def held(call):
        x = torch.ones(50_000, requires_grad=True)
        tracemalloc.start()
        y = x
        for _ in range(10):
            y = call(lambda t: t.sin().cos().exp().tanh(), y)
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        y.sum().backward()
        return size

    plain = held(lambda f, y: f(y))
    assert held(checkpoint) < 0.4 * plain


def test_random_numbers_are_drawn_again():
    x = torch.ones(64, requires_grad=True)
    y = checkpoint(lambda t: torch.nn.functional.dropout(t * 2, 0.5), x)
    state = torch.get_rng_state()
    y.sum().backward()
    np.testing.assert_array_equal(x.grad, y.detach())
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize(("early", "runs"), [(True, 1), (False, 2)])
def test_the_second_run_stops_early(early, runs):
    ends = []

    def f(x):
        y = x.exp()
        ends.append(1)
        return y

    with utils.set_checkpoint_early_stop(early):
        y = checkpoint(f, torch.ones(2, requires_grad=True))
    y.sum().backward()
    assert len(ends) == runs


def test_nested():
    x = torch.tensor([0.3, 0.7], requires_grad=True)
    outer = lambda t: checkpoint(block, t.exp()) * t
    checkpoint(outer, x).sum().backward()
    expected = torch.tensor([0.3, 0.7], requires_grad=True)
    (block(expected.exp()) * expected).sum().backward()
    np.testing.assert_allclose(x.grad, expected.grad, rtol=1e-6)


def test_another_computation_is_an_error():
    runs = []

    def f(x):
        runs.append(1)
        return x.exp() if len(runs) == 1 else x[:1].exp()

    y = checkpoint(f, torch.ones(2, requires_grad=True)).sum()
    with pytest.raises(utils.CheckpointError, match="different metadata"):
        y.backward()


def test_reentrant_refuses_selected_gradients():
    x = torch.ones(2, requires_grad=True)
    y = utils.checkpoint(block, x, use_reentrant=True).sum()
    with pytest.raises(RuntimeError, match=r"incompatible with .grad\(\)"):
        torch.autograd.grad(y, x)


def test_sequential():
    torch.manual_seed(0)
    parts = [torch.nn.Linear(3, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1)]
    model = torch.nn.Sequential(*parts)
    x = torch.ones(2, 3, requires_grad=True)
    y = utils.checkpoint_sequential(model, 2, x, use_reentrant=False)
    np.testing.assert_array_equal(y.detach(), model(x).detach())
    y.sum().backward()
    assert parts[0].weight.grad is not None


def test_no_choice_of_variant_warns():
    x = torch.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="passed explicitly"):
        utils.checkpoint(block, x)
    with pytest.raises(ValueError, match="Unexpected keyword"):
        utils.checkpoint(block, x, use_reentrant=True, k=1)
