"""The meaning that PyTorch before 0.4 gave to `Variable` and ``volatile``, on request.

Today ``volatile=True`` only warns, and `no_grad` takes its place. Old tutorials rely on
it: one volatile operand makes a result volatile, whatever else it is computed from, so
nothing is recorded and `backward` is an error. Here that is a subclass of `Tensor`:

>>> from fad import torch
>>> from fad.torch.legacy import Variable
>>> x = Variable(torch.ones(1), volatile=True)
>>> w = Variable(torch.ones(1), requires_grad=True)
>>> y = w * x
>>> y.volatile, y.requires_grad
(True, False)

Public names: `Variable`, `is_volatile`.
"""

from __future__ import annotations

__all__ = ["Variable", "is_volatile"]
