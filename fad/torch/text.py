"""The text of tensors: repr, str and format.

Public names: none; the methods are installed on `Tensor`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from .dtypes import default_float
from .printing import format_tensor
from .tape import DUAL_LEVEL
from .tensor import Tensor, tensor_of

__all__: list[str] = []


def text(self: Tensor) -> str:
    """Return what PyTorch prints."""
    prefix = "Parameter containing:\n" if _is_parameter(self) else ""
    value, tangent = self.value, None
    if isinstance(value, Tracer) and value.owner.level == DUAL_LEVEL:
        tangent = f"{tensor_of(value.payload)}" if value.owner.open else None
        value = value.value
    if not isinstance(value, (np.ndarray, np.generic)):
        return f"{prefix}tensor({value!r})"
    node = self.grad_fn
    return prefix + format_tensor(
        value,
        tangent=tangent,
        default_dtype=default_float().name,
        requires_grad=self.requires_grad,
        grad_fn=None if node is None else type(node).__name__,
    )


def _is_parameter(tensor: Tensor) -> bool:
    return bool(getattr(type(tensor), "_is_parameter", False))


def formatted(self: Tensor, spec: str) -> str:
    """Format a 0-dim tensor as its number."""
    if self.ndim == 0 and type(self) is Tensor:
        return format(self.item(), spec)
    return object.__format__(self, spec)


def type_name(self: Tensor) -> str:
    from .dtypes import of_numpy

    return f"torch.{of_numpy(aval_of(self.value).dtype).title}Tensor"


def _install() -> None:
    cls: Any = Tensor
    cls.__repr__ = cls.__str__ = text
    cls.__format__ = formatted


_install()
