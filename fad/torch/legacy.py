"""Spellings of PyTorch before 0.4, with their meaning then.

    x = Variable(t, volatile=True)     nothing computed from x is recorded
    backward(y, grad_variables=g)

One volatile input is enough to make a result volatile, at any depth, and it wins over
`requires_grad`. In `torch.autograd.Variable` the flag is ignored with a warning, as it is
in PyTorch today; `torch.no_grad` is what to write instead.

Public names: `Variable`, `backward`.
"""

from __future__ import annotations

from typing import Any

from . import backprop
from .node import VOLATILE
from .tensor import Tensor, wrap

__all__ = ["Variable", "backward"]


def Variable(
    data: Tensor, requires_grad: bool = False, volatile: bool = False
) -> Tensor:
    """Return a tensor that shares the data of another.

    Args:
        requires_grad: gradients are computed for it, unless it is volatile.
        volatile: nothing computed from it is recorded.

    >>> from fad import torch
    >>> x = torch.legacy.Variable(torch.ones(2), volatile=True)
    >>> w = torch.legacy.Variable(torch.ones(2), requires_grad=True)
    >>> y = x * w
    >>> y.volatile, y.requires_grad, y.grad_fn
    (True, False, None)
    """
    found = wrap(data.value)
    found._storage = data.storage
    if volatile:
        found.payload = VOLATILE
    elif requires_grad:
        found.requires_grad_()
    return found


def backward(
    variables: Any,
    grad_variables: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
) -> None:
    """Compute the gradients of leaves, as `torch.autograd.backward` does.

    Raises:
        RuntimeError: a variable is volatile, or has no graph for another reason.
    """
    backprop.backward(variables, grad_variables, retain_graph, create_graph)
