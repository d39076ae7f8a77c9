"""fad's functional transforms see through tensors, and the tape sees through them."""

import numpy as np
import pytest

import fad
from fad import torch


def cube_sum(x):
    return (x * x * x).sum()


def test_grad_of_torch_code_is_a_tensor():
    g = fad.grad(cube_sum)(torch.tensor([1.0, 2.0]))
    assert isinstance(g, torch.Tensor)
    assert g.tolist() == [3.0, 12.0]


def test_vmap_jit_and_hessian():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert fad.vmap(cube_sum)(x).tolist() == [9.0, 91.0]
    assert fad.jit(cube_sum)(x).item() == 100.0
    assert fad.hessian(cube_sum)(x[0]).tolist() == [[6.0, 0.0], [0.0, 12.0]]


def test_writes_inside_a_transform():
    def f(x):
        y = x * 2
        y[0] = y[1] * 3
        y.mul_(x)
        return y.sum()

    x = torch.tensor([1.0, 2.0])
    assert fad.grad(f)(x).tolist() == [12.0, 14.0]
    assert fad.jit(fad.grad(f))(x).tolist() == [12.0, 14.0]


def test_gradients_flow_through_a_transform_to_the_tape():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    inner = fad.grad(lambda x: (x * x * w).sum())(torch.tensor([3.0, 4.0]))
    inner.sum().backward()
    assert w.grad.tolist() == [6.0, 8.0]


def test_jitted_functions_on_tensors_that_require_grad():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (g,) = torch.autograd.grad(fad.jit(cube_sum)(x), x, create_graph=True)
    assert g.tolist() == [3.0, 12.0]
    assert torch.autograd.grad(g.sum(), x)[0].tolist() == [6.0, 12.0]


def test_functions_of_numpy_take_tensors():
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    y = np.sin(x)
    y.sum().backward()
    assert isinstance(y, torch.Tensor)
    assert x.grad.tolist() == pytest.approx(np.cos([0.0, 1.0]).tolist())


def test_methods_of_numpy_arrays_are_hidden():
    with pytest.raises(
        AttributeError, match="'Tensor' object has no attribute 'astype'"
    ):
        torch.ones(2).astype(float)
