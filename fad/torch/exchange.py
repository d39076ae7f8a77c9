"""Tensors that leave: DLPack, pickle and deepcopy.

Public names: `from_dlpack`; the rest are methods installed on `Tensor`.
"""

from __future__ import annotations

import copy as copying
from typing import Any

import numpy as np

from .declare import function, method
from .tensor import Tensor, wrap

__all__ = ["from_dlpack"]


@function("from_dlpack", methods=False, out=False)
def from_dlpack(ext_tensor: Any) -> Tensor:
    """Return a tensor that shares the memory of another library's array."""
    return wrap(np.from_dlpack(ext_tensor))


@method()
def __dlpack__(self: Tensor, **options: Any) -> Any:
    """Give another library the memory."""
    if self.requires_grad:
        raise BufferError(
            "Can't export tensors that require gradient, use tensor.detach()"
        )
    return self.numpy().__dlpack__(**options)


@method()
def __dlpack_device__(self: Tensor) -> tuple[int, int]:
    """Return the CPU, as DLPack numbers devices."""
    device: tuple[int, int] = self.value.__dlpack_device__()
    return device


def deepcopy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    """Copy a leaf with its gradient."""
    if self.grad_fn is not None:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the "
            "deepcopy protocol at the moment.  If you were attempting to deepcopy a "
            "module, this may be because of a torch.nn.utils.weight_norm usage, see "
            "https://github.com/pytorch/pytorch/pull/103001"
        )
    if id(self) in memo:
        known: Tensor = memo[id(self)]
        return known
    out: Tensor = object.__new__(type(self))
    memo[id(self)] = out
    out.value, out.payload = self.value.copy(), None
    out._leaf_requires = self._leaf_requires
    out._grad = copying.deepcopy(self._grad, memo)
    return out


def reduce(self: Tensor) -> Any:
    """Pickle the values and whether it requires grad, not the graph."""
    return rebuilt, (type(self), self.value, self.requires_grad)


def rebuilt(cls: type, value: Any, requires_grad: bool) -> Tensor:
    """Make a tensor again from its pickle."""
    out: Tensor = object.__new__(cls)
    out.value, out.payload = value, None
    out._leaf_requires = requires_grad
    return out


def _install() -> None:
    cls: Any = Tensor
    cls.__deepcopy__ = deepcopy
    cls.__reduce_ex__ = lambda self, protocol: reduce(self)


_install()
