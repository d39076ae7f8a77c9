"""Functions of tensors: what holds beside their values.

Second derivatives, functional transforms that see through tensors, promotion, edges.
"""

import numpy as np
import pytest

import fad
from fad import torch

X = [[0.3, -1.2, 2.0], [1.5, 0.4, -0.7]]
COMPOSITES = {
    "atan2": lambda x: torch.atan2(x, x * x + 1),
    "hypot": lambda x: torch.hypot(x, x + 3),
    "maximum": lambda x: torch.maximum(x * x, x),
    "fmin": lambda x: torch.fmin(x * x, x),
    "lerp": lambda x: torch.lerp(x, x * x, x.sin()),
    "addcdiv": lambda x: torch.addcdiv(x, x, x + 4, value=2),
    "clamp": lambda x: (x * x).clamp(min=0.2, max=x + 3),
    "where": lambda x: torch.where(x > 0, x**3, -x),
    "masked_fill": lambda x: (x**3).masked_fill(x > 1, 2.0),
    "logit": lambda x: (x.sigmoid() * 0.9 + 0.05).logit(),
    "prod": lambda x: x.prod(dim=1),
    "var": lambda x: x.var(dim=0, keepdim=True),
    "std": lambda x: x.std(),
    "norm": lambda x: x.norm(p=3, dim=1),
    "logsumexp": lambda x: x.logsumexp(1),
    "softmax": lambda x: x.softmax(1),
    "log_softmax": lambda x: x.log_softmax(0),
    "logcumsumexp": lambda x: x.logcumsumexp(1),
    "cumprod": lambda x: x.cumprod(1),
    "cummax": lambda x: (x**2).cummax(1).values,
    "sort": lambda x: (x**3).sort(1).values,
    "topk": lambda x: (x**3).topk(2, 1).values,
    "median": lambda x: (x**3).median(1).values,
    "quantile": lambda x: (x**3).quantile(0.4, 1),
    "trapezoid": lambda x: torch.trapezoid(x**2, dx=0.5),
    "stack": lambda x: torch.stack([x**2, x]),
    "repeat": lambda x: (x**2).repeat(2, 1),
    "roll": lambda x: (x**2).roll(1, 0),
    "unfold": lambda x: (x**2).unfold(1, 2, 1),
    "tril": lambda x: (x**2).tril(),
    "gather": lambda x: (x**2).gather(1, torch.tensor([[0, 2], [1, 1]])),
    "scatter_add": lambda x: (x**2).scatter_add(1, torch.tensor([[0, 0], [1, 2]]), x),
    "scatter_reduce": lambda x: x.scatter_reduce(
        1, torch.tensor([[0, 0], [1, 2]]), x**2, "prod"
    ),
    "index_select": lambda x: (x**2).index_select(1, torch.tensor([2, 0, 0])),
    "index_copy": lambda x: (x**2).index_copy(1, torch.tensor([2]), x[:, :1] ** 3),
    "take": lambda x: (x**2).take(torch.tensor([0, -1])),
    "diagonal": lambda x: (x**2).diagonal(1),
    "block_diag": lambda x: torch.block_diag(x**2, x),
}


def weighted(f):
    def total(x):
        y = f(x)
        weights = torch.arange(1.0, y.numel() + 1, dtype=torch.float64)
        return (y * weights.reshape(y.shape) * y).sum()

    return total


def slopes(f, x, step=1e-5):
    """Return central differences of a scalar function of an array."""
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        e = np.zeros_like(x)
        e[place] = step
        found[place] = (f(x + e) - f(x - e)) / (2 * step)
    return found


@pytest.mark.parametrize("name", COMPOSITES)
def test_gradient_is_the_slope(name):
    f = weighted(COMPOSITES[name])
    x = torch.tensor(X, dtype=torch.float64, requires_grad=True)
    f(x).backward()
    expected = slopes(lambda v: f(torch.tensor(v)).item(), np.array(X))
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", COMPOSITES)
def test_second_derivative_is_the_slope_of_the_gradient(name):
    f = weighted(COMPOSITES[name])

    def swept(v, create):
        x = torch.tensor(v, dtype=torch.float64, requires_grad=True)
        (g,) = torch.autograd.grad(f(x), x, create_graph=create)
        return x, (g * torch.arange(6.0, dtype=torch.float64).reshape(2, 3)).sum()

    x, total = swept(X, True)
    total.backward()
    expected = slopes(lambda v: swept(v, False)[1].item(), np.array(X))
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", COMPOSITES)
def test_functional_gradient_equals_backward(name):
    f = weighted(COMPOSITES[name])
    x = torch.tensor(X, dtype=torch.float64, requires_grad=True)
    f(x).backward()
    found = fad.grad(f)(x.detach())
    np.testing.assert_allclose(found.numpy(), x.grad.numpy(), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", COMPOSITES)
def test_vmap_equals_a_loop(name):
    f = COMPOSITES[name]
    xs = torch.tensor([X, X[::-1]], dtype=torch.float64) * 0.8
    looped = torch.stack([f(xs[0]), f(xs[1])])
    np.testing.assert_allclose(
        fad.vmap(f)(xs).numpy(), looped.numpy(), rtol=1e-12, atol=1e-14
    )


def test_softmax_keeps_its_result_alone():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    out = y.softmax(0)
    y.add_(1)  # the input may change
    out.sum().backward()
    out = (x * 1).softmax(0)
    out.mul_(2)
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0"):
        out.sum().backward()


def test_integer_inputs_of_smooth_functions_become_the_default_dtype():
    assert torch.tensor([1, 2]).sqrt().dtype is torch.float32
    assert torch.atan2(torch.tensor([1]), torch.tensor([2])).dtype is torch.float32
    assert torch.tensor([1, 2], dtype=torch.int8).sum().dtype is torch.int64
    assert torch.tensor([1, 2], dtype=torch.int8).max().dtype is torch.int8


def test_a_wider_scalar_tensor_does_not_widen():
    x = torch.ones(2)
    wide = torch.tensor(2.0, dtype=torch.float64)
    for y in (torch.maximum(x, wide), torch.where(x > 0, x, wide), x.clamp(max=wide)):
        assert y.dtype is torch.float32


def test_views_share_memory_and_copies_do_not():
    x = torch.zeros(2, 3)
    for view in (x.diagonal(), x.unfold(1, 2, 2)[0], x.permute(1, 0), x.T):
        view.add_(1)
    assert x.sum() > 0
    before = x.clone()
    for copy in (x.flip(0), x.roll(1), x.diag(), x.tril(), x.repeat(1, 1)):
        copy.add_(1)
    assert torch.equal(x, before)


def test_in_place_transpose_keeps_the_gradient():
    x = torch.tensor(X, requires_grad=True)
    y = x * 2
    y.t_()
    (y * torch.arange(6.0).reshape(3, 2)).sum().backward()
    assert x.grad.tolist() == [[0, 4, 8], [2, 6, 10]]


def test_a_seed_gives_the_same_numbers_again():
    torch.manual_seed(3)
    first = torch.rand(2), torch.randn(3), torch.randperm(4), torch.randint(9, (2,))
    torch.manual_seed(3)
    second = torch.rand(2), torch.randn(3), torch.randperm(4), torch.randint(9, (2,))
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


def test_fork_rng_puts_the_stream_back():
    torch.manual_seed(1)
    expected = torch.rand(2)
    torch.manual_seed(1)
    with torch.random.fork_rng():
        torch.rand(5)
    assert torch.equal(torch.rand(2), expected)


def test_named_results_have_names():
    values, indices = torch.tensor([[3.0, 1.0]]).max(dim=1)
    found = torch.tensor([[3.0, 1.0]]).max(dim=1)
    assert found.values is found[0]
    assert (values.item(), indices.item()) == (3.0, 0)
    assert repr(found).startswith("torch.return_types.max(\nvalues=tensor([3.])")


def test_functions_of_networks_are_in_the_namespace_too():
    x = torch.ones(1, 1, 4)
    assert torch.conv1d(x, torch.ones(1, 1, 2)).tolist() == [[[2.0, 2.0, 2.0]]]
    assert torch.max_pool1d(x, 2) is not None
    for name in torch._OF_NETWORKS:
        assert callable(getattr(torch, name)), name
    assert (torch.pi, torch.newaxis) == (np.pi, None)
