"""Random programs of tensor operations, through the tape and through `fad.grad`.

The values, the gradient and the second derivative along the gradient have to agree. The
programs write in place and through views.
"""

import random

import numpy as np
import pytest

import fad
from fad import torch


def program(seed):
    """Return a function of one vector of four elements."""
    choose = random.Random(seed)
    steps = [(choose.choice(sorted(STEPS)), choose.random()) for _ in range(8)]

    def run(x):
        y = x * 1
        views = [y]
        for name, share in steps:
            view = views[int(share * len(views))]
            made = STEPS[name](view, x)
            if made is not None:
                views.append(made)
        return sum(((v * v).sum() for v in views), start=0.0 * x.sum())

    return run


# What an operation saves is a clone, so that no later write spoils it.
STEPS = {
    "first": lambda v, x: v[:1],
    "rest": lambda v, x: v[1:] if v.shape[0] > 1 else v.clone(),
    "reversed rows": lambda v, x: v.view(-1, 1).t()[0],
    "sine": lambda v, x: v.clone().sin(),
    "product": lambda v, x: v.clone() * x.sum(),
    "scale": lambda v, x: void(v.mul_(0.5)),
    "add": lambda v, x: void(v.add_(x[: v.shape[0]])),
    "times": lambda v, x: void(v.mul_(x[1])),
    "write": lambda v, x: v.__setitem__(0, x[2] * x[3]),
    "fill": lambda v, x: v.__setitem__(-1, 0.25),
}


def void(_):
    return None


POINT = [0.5, -0.25, 0.75, 0.125]


@pytest.mark.parametrize("seed", range(25))
def test_the_tape_agrees_with_the_functional_transforms(seed):
    f = program(seed)
    x = torch.tensor(POINT, dtype=torch.float64, requires_grad=True)
    value = f(x)
    (g,) = torch.autograd.grad(value, x, create_graph=True)
    (h,) = torch.autograd.grad((g * g.detach()).sum(), x)

    plain = torch.tensor(POINT, dtype=torch.float64)
    expected, slope = fad.value_and_grad(f)(plain)
    curved = fad.grad(lambda p: (fad.grad(f)(p) * slope).sum())(plain)
    np.testing.assert_allclose(value.detach().numpy(), expected.numpy(), rtol=1e-12)
    np.testing.assert_allclose(
        g.detach().numpy(), slope.numpy(), rtol=1e-12, atol=1e-14
    )
    np.testing.assert_allclose(h.numpy(), curved.numpy(), rtol=1e-11, atol=1e-13)
