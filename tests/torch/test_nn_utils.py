"""Clipping of gradients, and parameters as one vector."""

import numpy as np
import pytest

from fad import torch

utils = torch.nn.utils


def with_grads(*grads):
    found = []
    for g in grads:
        p = torch.nn.Parameter(torch.zeros(len(g)))
        p.grad = torch.tensor(g)
        found.append(p)
    return found


@pytest.mark.parametrize(
    ("order", "norm"), [(2.0, 13.0), (1, 19.0), (float("inf"), 12.0)]
)
def test_norm_of_all_together(order, norm):
    parameters = with_grads([3.0, 4.0], [12.0])
    assert utils.clip_grad_norm_(parameters, 1.0, order).item() == norm
    total = utils.get_total_norm([p.grad for p in parameters], order)
    assert total.item() == pytest.approx(1.0, abs=1e-5)


def test_small_gradients_stay():
    (p,) = with_grads([0.3, 0.4])
    utils.clip_grad_norm_(p, 1.0)
    np.testing.assert_array_equal(p.grad, np.float32([0.3, 0.4]))


def test_a_norm_that_is_not_finite_may_be_an_error():
    parameters = with_grads([float("nan")])
    with pytest.raises(RuntimeError, match="non-finite"):
        utils.clip_grad_norm_(parameters, 1.0, error_if_nonfinite=True)


def test_parameters_without_gradient_are_passed_over():
    parameters = [torch.nn.Parameter(torch.zeros(2)), *with_grads([5.0])]
    assert utils.clip_grad_norm_(iter(parameters), 1.0).item() == 5.0
    utils.clip_grad_value_(parameters, 0.5)
    assert parameters[1].grad.tolist() == [0.5]


def test_empty_generators_warn():
    with pytest.warns(UserWarning, match="empty generator"):
        assert utils.clip_grad_norm_(iter(()), 1.0).item() == 0.0


def test_vectors_and_back():
    model = torch.nn.Linear(2, 3)
    vector = utils.parameters_to_vector(model.parameters())
    assert vector.shape == (9,)
    vector.sum().backward()
    assert model.weight.grad.tolist() == [[1, 1]] * 3
    new = torch.arange(9.0)
    utils.vector_to_parameters(new, model.parameters())
    assert model.weight.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert model.bias.tolist() == [6, 7, 8]
    with pytest.raises(TypeError, match="expected torch.Tensor"):
        utils.vector_to_parameters([1.0], model.parameters())
