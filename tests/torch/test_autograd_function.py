"""autograd.Function: both styles, several outputs, functional transforms."""

import pytest

import fad
from fad import torch


class Square(torch.autograd.Function):
    """Has a wrong factor in its backward, to be told from the true derivative."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 20 * x


class Split(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * 2, "label", x * 3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.label = output[1]

    @staticmethod
    def backward(ctx, first, label, second):
        assert label is None
        return first * 2 + second * 3


def test_backward_is_the_users():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    Square.apply(x).sum().backward()
    assert x.grad.tolist() == [20.0, 40.0]


def test_backward_is_differentiated_again():
    x = torch.tensor(3.0, requires_grad=True)
    (g,) = torch.autograd.grad(Square.apply(x), x, create_graph=True)
    (h,) = torch.autograd.grad(g, x)
    assert h.item() == 20.0


def test_outputs_share_a_node_and_unused_ones_get_zeros():
    x = torch.tensor([1.0], requires_grad=True)
    first, label, second = Split.apply(x)
    assert first.grad_fn is second.grad_fn
    assert (label, first.grad_fn.label) == ("label", "label")
    second.sum().backward()
    assert x.grad.tolist() == [3.0]


@pytest.mark.parametrize("wrap", [lambda f: f, fad.jit])
def test_functional_transforms_use_the_users_backward(wrap):
    g = wrap(fad.grad(lambda x: Square.apply(x).sum()))(torch.tensor([1.0, 2.0]))
    assert g.tolist() == [20.0, 40.0]


def test_vmap_of_grad_of_a_function():
    g = fad.vmap(fad.grad(lambda x: Square.apply(x)))(torch.tensor([1.0, 2.0]))
    assert g.tolist() == [20.0, 40.0]


def test_too_few_gradients_are_refused():
    class Bad(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a + b

        @staticmethod
        def backward(ctx, grad):
            return grad

    x = torch.ones(1, requires_grad=True)
    with pytest.raises(
        RuntimeError, match=r"function BadBackward returned an incorrect"
    ):
        Bad.apply(x, x).backward()


def test_saved_outputs_make_no_reference_cycle():
    import weakref

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    y = Twice.apply(torch.ones(1, requires_grad=True))
    node = weakref.ref(y.grad_fn)
    del y
    assert node() is None
