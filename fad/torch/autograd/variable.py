"""torch.autograd.Variable: the old name of a tensor that records.

Public names: `Variable`.
"""

from __future__ import annotations

import warnings
from typing import Any

from ..tensor import Tensor

__all__ = ["Variable"]


class _IsTensor(type):
    """Every tensor is a Variable."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_IsTensor):
    """Return a tensor that shares the data of another, and may require grad.

    >>> from fad import torch
    >>> torch.autograd.Variable(torch.ones(2), requires_grad=True)
    tensor([1., 1.], requires_grad=True)
    """

    def __new__(  # type: ignore[misc]
        cls, data: Tensor, requires_grad: bool = False, volatile: bool = False
    ) -> Tensor:
        if volatile:
            warnings.warn(
                "volatile was removed and now has no effect. Use `with "
                "torch.no_grad():` instead.",
                UserWarning,
                stacklevel=2,
            )
        made: Tensor = data.detach()  # type: ignore[attr-defined]
        return made.requires_grad_(requires_grad)
