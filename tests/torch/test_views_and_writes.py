"""Views and in-place operations: memory, versions, histories, refusals."""

import pytest

from fad import torch


def leaf(*values):
    return torch.tensor(list(values), requires_grad=True)


def test_a_write_through_a_view_rewrites_the_history_of_the_base():
    x = leaf(1.0, 2.0, 3.0)
    base = x.clone()
    view = base[:2]
    view.mul_(10)
    assert base.grad_fn.name() == "torch::autograd::CopySlices"
    assert view.grad_fn.name() == "AsStridedBackward0"
    base.sum().backward()
    assert x.grad.tolist() == [10.0, 10.0, 1.0]


def test_an_earlier_view_follows_a_write_to_its_base():
    w = leaf(3.0)
    base = torch.ones(3)
    view = base[1]
    base.mul_(w)
    assert view.requires_grad
    view.backward()
    assert w.grad.tolist() == [1.0]


def test_a_write_to_a_transposed_view_of_a_view():
    x = torch.ones(2, 3, requires_grad=True)
    base = x * 1
    base.t()[1:].mul_(torch.tensor([[2.0, 3.0], [4.0, 5.0]]))
    base.sum().backward()
    assert x.grad.tolist() == [[1.0, 2.0, 4.0], [1.0, 3.0, 5.0]]


def test_second_derivatives_pass_through_writes_to_views():
    x = leaf(1.0, 2.0)
    y = x * 1
    y[0] = x[1] ** 3
    (g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
    assert g.tolist() == [0.0, 6 * 2.0**5 + 4.0]
    (h,) = torch.autograd.grad(g.sum(), x)
    assert h.tolist() == [0.0, 30 * 2.0**4 + 2.0]


def test_versions_are_shared_by_views_and_detach_but_not_by_data():
    x = torch.zeros(4)
    x[1:].add_(1)
    x.detach().add_(1)
    x.data.add_(1)
    assert x._version == 2


def test_a_saved_operand_is_kept_by_an_in_place_product():
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    y = x * 2
    y.mul_(w)
    y.sum().backward()
    assert w.grad.tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    ("write", "text"),
    [
        (lambda x: x.add_(1), "a leaf Variable that requires grad"),
        (lambda x: x.view(2, 1).mul_(2), "a view of a leaf Variable"),
        (lambda x: (x * 1).unbind()[0].mul_(2), "Output 0 of Unbind is a view"),
        (lambda x: (x * 1).expand(2, 2).mul_(2), "more than one element"),
    ],
)
def test_refused_writes(write, text):
    with pytest.raises(RuntimeError, match=text):
        write(leaf(1.0, 2.0))


def test_a_refused_write_changes_nothing():
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="leaf Variable"):
        x.mul_(2)
    assert x.tolist() == [1.0, 2.0]
    assert x._version == 0


def test_a_view_made_without_grad_refuses_a_recorded_write():
    x = leaf(1.0, 2.0) * 1
    with torch.no_grad():
        view = x.view(2)
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is"):
        view.mul_(2)


def test_reading_part_of_what_is_written_is_refused():
    x = torch.arange(4.0)
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        x[1:] = x[:-1]
    x[1:] = x[:-1].clone()
    assert x.tolist() == [0.0, 0.0, 1.0, 2.0]


def test_results_of_a_higher_kind_are_not_written_into_integers():
    x = torch.tensor([1, 2])
    with pytest.raises(RuntimeError, match="Float can't be cast to the desired output"):
        x.div_(2)


def test_masks_and_index_tensors_are_written():
    x = leaf(-1.0, 2.0, -3.0)
    y = x * 1
    y[y < 0] = 0.0
    y[torch.tensor([2])] = x[1:2] * 5
    y.sum().backward()
    assert y.tolist() == [0.0, 2.0, 10.0]
    assert x.grad.tolist() == [0.0, 6.0, 0.0]


def test_out_takes_the_result_and_its_shape():
    target = torch.zeros(1)
    assert torch.add(torch.ones(2), 2, out=target) is target
    assert target.tolist() == [3.0, 3.0]
