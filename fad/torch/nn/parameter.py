"""Parameters and buffers: tensors that a module owns.

A `Parameter` is a leaf that requires grad, whatever mode it was made in; a module lists
it when it is assigned to an attribute. A `Buffer` is listed in the state only.

Public names: `Parameter`, `Buffer`, `type_name`.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from ..dtypes import default_float
from ..tensor import Tensor, wrap

__all__ = ["Buffer", "Parameter", "type_name"]

_REQUIRES = "Only Tensors of floating point and complex dtype can require gradients"


def _share(cls: type, data: Any) -> Any:
    """Return a leaf of a class that shares the memory of a tensor."""
    if data is None:
        data = wrap(np.empty(0, default_float()))
    made = object.__new__(cls)
    made.value = data.value
    made.payload = None
    made._storage = data.storage
    if data._inference:
        made._inference = True
    return made


class Parameter(Tensor):
    """A tensor that is a parameter of the module it is assigned to.

    Args:
        data: its values, which it shares.
        requires_grad: it needs a gradient.

    Raises:
        RuntimeError: it needs a gradient and its dtype has none.

    >>> from fad import torch
    >>> torch.nn.Parameter(torch.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    _is_parameter = True

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Any:
        made = _share(cls, data)
        if requires_grad and not made.is_differentiable():
            raise RuntimeError(_REQUIRES)
        made._leaf_requires = bool(requires_grad)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            value = copy.copy(self.value)
            memo[id(self)] = type(self)(wrap(value), self.requires_grad)
        return memo[id(self)]


class Buffer(Tensor):
    """A tensor that is a buffer of the module it is assigned to.

    Args:
        data: its values, which it shares.
        persistent: it is part of the module's state.
    """

    persistent = True

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        made = _share(cls, data)
        if data is not None:
            made.payload, made._view = data.payload, data._view
            made._leaf_requires = data._leaf_requires
        made.persistent = persistent
        return made


def type_name(thing: Any) -> str:
    """Return the name of a type as error messages show it.

    >>> from fad import torch
    >>> type_name(torch.ones(2)), type_name(3)
    ('torch.FloatTensor', 'int')
    """
    if isinstance(thing, Tensor):
        return f"torch.{thing.dtype.title}Tensor"
    cls = thing if isinstance(thing, type) else type(thing)
    module = cls.__module__
    if module in ("builtins", "__builtin__", None):
        return cls.__qualname__
    return f"{module}.{cls.__qualname__}"
