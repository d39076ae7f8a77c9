"""The text of tensors: repr, str and format.

Public names: none; the methods are installed on `Tensor`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from .dtypes import default_float
from .printing import format_tensor
from .tensor import Tensor

__all__: list[str] = []


def text(self: Tensor) -> str:
    """Return what PyTorch prints."""
    prefix = "Parameter containing:\n" if _is_parameter(self) else ""
    if isinstance(self.value, Tracer) or not isinstance(self.value, np.ndarray):
        return f"{prefix}tensor({self.value!r})"
    node = self.grad_fn
    return prefix + format_tensor(
        self.value,
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
