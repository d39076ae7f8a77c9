"""Optimisers: convergence, state, steps that are differentiated, schedules."""

import numpy as np
import pytest

from fad import torch

OPTIMISERS = [
    ("SGD", {"lr": 0.1, "momentum": 0.5}),
    ("ASGD", {"lr": 0.1}),
    ("Adagrad", {"lr": 1.0}),
    ("Adadelta", {"lr": 1.0, "eps": 1e-2}),
    ("RMSprop", {"lr": 0.05, "momentum": 0.5}),
    ("Adafactor", {"lr": 0.1}),
    ("Adam", {"lr": 0.1, "amsgrad": True}),
    ("AdamW", {"lr": 0.1, "weight_decay": 0.0}),
    ("Adamax", {"lr": 0.1}),
    ("NAdam", {"lr": 0.1}),
    ("RAdam", {"lr": 0.1}),
    ("Rprop", {"lr": 0.1}),
    ("LBFGS", {}),
    ("LBFGS", {"line_search_fn": "strong_wolfe"}),
]


def _closure(optimizer, w, goal):
    def closure():
        optimizer.zero_grad()
        loss = ((w - goal) ** 2).sum()
        loss.backward()
        return loss

    return closure


@pytest.mark.parametrize(("name", "options"), OPTIMISERS)
def test_every_optimiser_finds_the_minimum_of_a_bowl(name, options):
    w = torch.tensor([[1.0, -2.0], [0.5, 3.0]], requires_grad=True)
    goal = torch.tensor([[0.0, 1.0], [2.0, 1.0]])
    optimizer = getattr(torch.optim, name)([w], **options)
    for _ in range(200):
        optimizer.step(_closure(optimizer, w, goal))
    assert np.abs(w.detach().numpy() - goal.numpy()).max() < 0.1


@pytest.mark.parametrize(("name", "options"), OPTIMISERS)
def test_a_loaded_state_continues_the_same_way(name, options):
    goal = torch.zeros(2, 2)
    w = torch.tensor([[1.0, -2.0], [0.5, 3.0]], requires_grad=True)
    first = getattr(torch.optim, name)([w], **options)
    first.step(_closure(first, w, goal))
    copy = w.detach().clone().requires_grad_()
    second = getattr(torch.optim, name)([copy])
    second.load_state_dict(first.state_dict())
    first.step(_closure(first, w, goal))
    second.step(_closure(second, copy, goal))
    np.testing.assert_array_equal(copy.detach().numpy(), w.detach().numpy())


def test_a_differentiable_step_gives_the_gradient_of_what_follows_it():
    x = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
    w = x * 1.0
    optimizer = torch.optim.SGD([w], lr=0.25, differentiable=True)
    (w.grad,) = torch.autograd.grad((w.clone() ** 3).sum(), w, create_graph=True)
    optimizer.step()
    w.sum().backward()
    assert x.grad.item() == 1 - 0.25 * 6 * 2.0  # d(w - lr 3 w^2)/dw


def test_a_complex_parameter_moves_as_its_real_and_imaginary_parts():
    z = torch.tensor([1 + 2j, 3 - 1j], dtype=torch.complex128, requires_grad=True)
    parts = torch.view_as_real(z.detach()).clone().requires_grad_()
    pair = [torch.optim.Adam([p], lr=0.1) for p in (z, parts)]
    for _ in range(5):
        for optimizer, value in zip(pair, (z, parts), strict=True):
            optimizer.zero_grad()
            real = torch.view_as_real(value) if value is z else value
            (real**2).sum().backward()
            optimizer.step()
    moved = torch.view_as_real(z.detach()).numpy()
    np.testing.assert_allclose(moved, parts.detach().numpy(), rtol=1e-14)


def test_step_hooks_run_around_the_step():
    w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    seen = []
    optimizer.register_step_pre_hook(lambda *_: seen.append("before"))
    handle = optimizer.register_step_post_hook(lambda *_: seen.append("after"))
    optimizer.step()
    handle.remove()
    optimizer.step()
    assert seen == ["before", "after", "before"]


def test_a_schedule_before_the_step_warns():
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    with pytest.warns(UserWarning, match="before `optimizer.step"):
        scheduler.step()


@pytest.mark.parametrize("name", ["StepLR", "LinearLR", "CosineAnnealingLR"])
def test_the_recursive_form_agrees_with_the_closed_one(name):
    options = {"StepLR": (2,), "LinearLR": (0.5,), "CosineAnnealingLR": (6,)}[name]
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    scheduler = getattr(torch.optim.lr_scheduler, name)(optimizer, *options)
    for _ in range(5):
        optimizer.step()
        scheduler.step()
        closed = scheduler._get_closed_form_lr()
        np.testing.assert_allclose(scheduler.get_last_lr(), closed, rtol=1e-12)


def test_the_rate_falls_on_a_plateau():
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    rates = []
    for loss in (3.0, 3.0, 3.0, 1.0):
        scheduler.step(loss)
        rates.append(optimizer.param_groups[0]["lr"])
    assert rates == [1.0, 1.0, 0.1, 0.1]
