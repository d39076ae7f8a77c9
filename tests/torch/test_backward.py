"""Backward of tensors: accumulation, options, freed graphs, hooks, errors."""

import pytest

from fad import torch


def leaf(*values, **options):
    return torch.tensor(list(values), requires_grad=True, **options)


def test_gradients_add_up_in_the_same_object():
    x = leaf(1.0, 2.0)
    (x * 2).sum().backward()
    first = x.grad
    (x * 3).sum().backward()
    assert x.grad is first
    assert first.tolist() == [5.0, 5.0]


def test_the_first_gradient_is_no_alias_of_the_given_one():
    x, g = leaf(1.0, 1.0), torch.tensor([1.0, 2.0])
    x.backward(g)
    g[0] = 100.0
    assert x.grad.tolist() == [1.0, 2.0]


def test_third_derivative_through_create_graph():
    x = torch.tensor(2.0, requires_grad=True)
    y = x**4
    for expected in (32.0, 48.0, 48.0):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
        assert y.item() == expected


def test_composite_operations_have_second_derivatives():
    x = leaf(1.0, 2.0)
    y = torch.add(x, x * x, alpha=3)
    (g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    assert h.tolist() == [2 * (49 + 4 * 6), 2 * (169 + 14 * 6)]


def test_a_graph_that_saved_values_runs_once():
    y = (leaf(1.0, 2.0) * 2).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()


def test_a_graph_that_saved_nothing_runs_again():
    x = leaf(1.0, 2.0)
    y = (x + 1).sum()
    y.backward()
    y.backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_inputs_restrict_what_is_visited():
    x, w = leaf(2.0), leaf(3.0)
    h = x * x
    (h * w).sum().backward(inputs=[w])
    assert x.grad is None
    assert w.grad.tolist() == [4.0]
    h.sum().backward()  # it was not visited, so not freed
    assert x.grad.tolist() == [4.0]


def test_a_write_to_a_saved_value_is_noticed():
    x = leaf(1.0, 2.0)
    y = x.exp()
    y.mul_(2)
    with pytest.raises(
        RuntimeError, match="output 0 of Exp, is at version 1; expected"
    ):
        y.sum().backward()


def test_a_write_through_data_goes_unnoticed():
    x = leaf(2.0, 3.0)
    y = x * x
    x.data.zero_()
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]


def test_unused_inputs_raise_or_give_none():
    x, z = leaf(1.0), leaf(1.0)
    with pytest.raises(RuntimeError, match="index 1 appears to not have been used"):
        torch.autograd.grad((x * x).sum(), [x, z], retain_graph=True)
    found = torch.autograd.grad((x * x).sum(), [x, z], allow_unused=True)
    assert found[1] is None


def test_batched_gradients_are_the_rows_of_the_jacobian():
    x = leaf(1.0, 2.0)
    (rows,) = torch.autograd.grad(x * x, x, torch.eye(2), is_grads_batched=True)
    assert rows.tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_order_of_hooks_at_a_leaf():
    x, seen = leaf(1.0), []
    end = (x * 1).grad_fn.next_functions[0][0]
    x.register_hook(lambda g: seen.append("tensor"))
    end.register_prehook(lambda g: seen.append("pre"))
    x.register_post_accumulate_grad_hook(lambda p: seen.append("accumulated"))
    end.register_hook(lambda gi, go: seen.append("post"))
    x.sum().backward()
    assert seen == ["tensor", "pre", "accumulated", "post"]


def test_a_hook_stays_with_the_version_it_was_registered_on():
    x, seen = leaf(1.0), []
    y = x * 1
    y.register_hook(lambda g: seen.append(g.item()))
    y.mul_(5)
    y.sum().backward()
    assert seen == [5.0]


def test_retained_gradient_follows_the_latest_version():
    y = leaf(1.0).clone()
    y.retain_grad()
    y.mul_(2)
    y.sum().backward()
    assert y.grad.tolist() == [1.0]


def test_saved_tensors_hooks_pack_and_unpack():
    x, seen = leaf(3.0), []
    pack = lambda t: seen.append("pack") or t.clone()
    unpack = lambda t: seen.append("unpack") or t
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = x.exp()
    y.sum().backward()
    assert seen == ["pack", "unpack"]
    assert x.grad.item() == pytest.approx(20.0855, abs=1e-4)


def test_anomaly_mode_names_the_node_that_made_nan():
    x = leaf(0.0)
    with torch.autograd.set_detect_anomaly(True):
        y = (x / x).sum()
        with (
            pytest.warns(UserWarning, match="Error detected in DivBackward0"),
            pytest.raises(RuntimeError, match="'DivBackward0' returned nan values"),
        ):
            y.backward()


def test_long_chains_need_no_recursion():
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(20000):
        y = y + 1
    y.backward()
    assert x.grad.item() == 1.0
    del y  # nor does freeing them
