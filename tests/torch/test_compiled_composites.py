"""A composite that is called often runs as a program, and nobody can tell."""

import numpy as np
import pytest

from fad import torch
from fad.torch import compiled
from fad.torch.declare import composite
from fad.torch.nn import functional as F

X = np.linspace(-1.3, 1.7, 24).reshape(4, 6)


def data(*shape, shift=0.0):
    values = np.sin(np.arange(np.prod(shape)) + shift)
    return torch.from_numpy(values.reshape(shape)).requires_grad_()


def labels():
    return torch.tensor([0, 2, -100, 5])


CALLS = {
    "linear": lambda x: F.linear(x, data(3, 6), data(3)),
    "layer_norm": lambda x: F.layer_norm(x, (6,), data(6), data(6)),
    "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
    "cross_entropy": lambda x: F.cross_entropy(x, labels()),
    "nll_weighted": lambda x: F.nll_loss(x, labels(), torch.arange(6.0).double()),
    "mse_loss": lambda x: F.mse_loss(x, data(4, 6, shift=1.0)),
    "smooth_l1": lambda x: F.smooth_l1_loss(x, data(4, 6, shift=1.0), beta=0.3),
    "gelu": F.gelu,
    "softplus": lambda x: F.softplus(x, beta=2),
    "conv1d": lambda x: F.conv1d(x[None], data(2, 4, 3), padding=1),
    "max_pool1d": lambda x: F.max_pool1d(x, 2),
    "embedding": lambda x: F.embedding(torch.tensor([3, 0, 3]), x),
    "logsumexp": lambda x: x.logsumexp(1),
    "std": lambda x: x.std(0),
    "prod_kept": lambda x: x.prod(1, keepdim=True),
    "sort": lambda x: x.sort(1).values,
    "topk": lambda x: x.topk(2).values,
    "mode": lambda x: x.mode().values,
    "take": lambda x: x.take(torch.tensor([[0, 23], [5, 5]])),
    "masked_select": lambda x: x.masked_select(x > 0),
    "hypot": lambda x: torch.hypot(x, torch.tensor(2.0)),
    "xlogy": lambda x: torch.xlogy(torch.tensor(2), x.abs()),
    "solve": lambda x: torch.linalg.solve(x[:, :4] @ x[:, :4].T + torch.eye(4), x),
}


def derivatives(call):
    """Return the value, the gradient, and the gradient of its square."""
    x = torch.from_numpy(X.copy()).requires_grad_()
    y = call(x)
    weights = torch.from_numpy(np.cos(np.arange(y.numel())).reshape(y.shape))
    (g,) = torch.autograd.grad((y * weights).sum(), x, create_graph=True)
    again = g * g * (1 if g.requires_grad else x)
    (second,) = torch.autograd.grad(again.sum(), x, materialize_grads=True)
    return [v.detach().numpy() for v in (y, g, second)]


@pytest.mark.parametrize("name", CALLS)
def test_programs_give_the_same_numbers(name, monkeypatch):
    monkeypatch.setattr(compiled, "OFTEN", 1 << 60)
    expected = derivatives(CALLS[name])
    monkeypatch.setattr(compiled, "OFTEN", 0)
    for got, known in zip(derivatives(CALLS[name]), expected, strict=True):
        np.testing.assert_array_equal(got, known)


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(compiled, "OFTEN", 0)


def is_program(tensor):
    return isinstance(tensor.grad_fn, compiled.CompiledNode)


@pytest.mark.usefixtures("at_once")
class TestPrograms:
    def test_are_used_and_show_the_same_node(self):
        x = data(3)
        y = composite("SquareBackward0", lambda x: x * x)(x)
        assert is_program(y)
        assert y.grad_fn.name() == "SquareBackward0"

    def test_tell_numbers_apart_by_type_and_sign(self):
        call = composite("ScaledBackward0", lambda x, y: x * y)
        x = torch.ones(1, requires_grad=True)
        results = [call(x, y).item() for y in (0.0, -0.0, 2, 2.0, True)]
        assert [np.copysign(1, r) for r in results[:2]] == [1, -1]
        assert results[2:] == [2.0, 2.0, 1.0]

    def test_see_what_is_no_array_change(self):
        call = composite("ScaledBackward0", lambda x, *, by: x * by)
        x = torch.ones(1, requires_grad=True)
        assert [call(x, by=k).item() for k in (1, 2, 3)] == [1, 2, 3]

    def test_are_not_made_where_the_function_asks_for_values(self):
        call = composite("ChosenBackward0", lambda x: x if x > 0 else -x)
        for sign in (1.0, -1.0):
            x = torch.tensor(sign, requires_grad=True)
            y = call(x)
            assert not is_program(y)
            assert y.item() == 1.0

    def test_are_not_made_where_its_arrays_change(self):
        draws = np.random.default_rng(0)
        call = composite("NoisyBackward0", lambda x: x + draws.random(2))
        x = torch.zeros(2, requires_grad=True)
        first, second = call(x), call(x)
        assert not is_program(first)
        assert (first != second).all()

    def test_check_versions(self):
        x = data(3)
        a = x * 1
        y = composite("SquareBackward0", lambda x: x * x)(a)
        assert is_program(y)
        a.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()

    def test_are_freed_where_values_are_kept(self):
        keeping = composite("SquareBackward0", lambda x: x * x)(data(3)).sum()
        keeping.backward()
        with pytest.raises(RuntimeError, match="backward through the graph a second"):
            keeping.backward()
        linear = composite("TwiceBackward0", lambda x: x + x)(data(3)).sum()
        linear.backward()
        linear.backward()

    def test_leave_saved_tensors_to_hooks(self):
        packed = []
        hooks = torch.autograd.graph.saved_tensors_hooks(
            lambda t: packed.append(t) or t, lambda t: t
        )
        with hooks:
            y = composite("SquareBackward0", lambda x: x * x)(data(3))
        assert packed
        assert not is_program(y)

    def test_know_the_default_dtype(self):
        call = composite("HalvesBackward0", lambda x: x / 2)
        x = torch.arange(3)
        assert call(x).dtype == torch.float64
        torch.set_default_dtype(torch.float64)
        try:
            assert (x / 2).dtype == torch.float64
        finally:
            torch.set_default_dtype(torch.float32)
        assert (x / 2).dtype == torch.float32
