"""Every function of tensors, compiled: values, gradients and second gradients."""

import numpy as np
import pytest
from torch_functions import CALLS, X

from fad import torch

VIEWS_OR_VALUES = 40
"""At most so many of them may run as they are."""


def tensors(out):
    if isinstance(out, torch.Tensor):
        return [out]
    parts = out.values() if isinstance(out, dict) else out
    return [t for p in parts for t in tensors(p)]


def results(function):
    """Return the outputs, the gradient and the second gradient of a function."""
    torch.manual_seed(0)
    x = X.clone().requires_grad_()
    outs = tensors(function(x))
    found = [t.detach() for t in outs]
    linked = [t.abs().sum() for t in outs if t.requires_grad]
    if linked:
        (g,) = torch.autograd.grad(linked, x, create_graph=True, materialize_grads=True)
        found.append(g.detach())
        if g.requires_grad:
            (h,) = torch.autograd.grad(g.sum(), x, materialize_grads=True)
            found.append(h)
    return found


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_compiled_function_is_the_function(name):
    compiled = torch.compile(CALLS[name])
    compiled(X.clone().requires_grad_())
    for a, b in zip(results(CALLS[name]), results(compiled), strict=True):
        assert a.dtype is b.dtype
        np.testing.assert_allclose(b.numpy(), a.numpy(), rtol=1e-7, atol=1e-9)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_most_functions_become_programs():
    broken = []
    for name, function in CALLS.items():
        compiled = torch.compile(function, fullgraph=True)
        try:
            compiled(X.clone())
        except RuntimeError:
            broken.append(name)
    assert len(broken) <= VIEWS_OR_VALUES, broken
