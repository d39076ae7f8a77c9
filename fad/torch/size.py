"""Sizes and devices: what `Tensor.shape` and `Tensor.device` are.

Public names: `Size`, `device`, `CPU`.
"""

from __future__ import annotations

import math
from typing import Any

from .printing import format_size

__all__ = ["CPU", "Size", "check_device", "device"]


class Size(tuple):
    """The shape of a tensor: a tuple of its lengths.

    >>> Size((2, 3)).numel()
    6
    """

    __slots__ = ()

    def numel(self) -> int:
        """Return the number of elements."""
        return math.prod(self)

    def __repr__(self) -> str:
        return format_size(self)

    __str__ = __repr__

    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other: Any) -> Size:
        return Size(tuple.__add__(self, tuple(other)))

    def __radd__(self, other: Any) -> Size:
        return Size(tuple(other) + tuple(self))

    def __mul__(self, times: Any) -> Size:
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__


class device:
    """Where a tensor lives: there is only ``device("cpu")``.

    Raises:
        RuntimeError: another device is asked for.

    >>> device("cpu")
    device(type='cpu')
    """

    __slots__ = ("type", "index")

    def __init__(self, type: Any = "cpu", index: int | None = None) -> None:
        if isinstance(type, device):
            type, index = type.type, type.index
        name, _, number = str(type).partition(":")
        if name not in _KINDS:
            raise RuntimeError(
                f"Expected one of {', '.join(_KINDS)} device type at start of device "
                f"string: {name}"
            )
        self.type = name
        self.index = int(number) if number else index

    def __repr__(self) -> str:
        at = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{at})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, device):
            return NotImplemented
        return self.type == other.type and self.index == other.index

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __enter__(self) -> device:
        return self

    def __exit__(self, *error: object) -> None:
        return None


_KINDS = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve",
    "fpga", "maia", "xla", "lazy", "vulkan", "mps", "meta", "hpu", "mtia",
    "privateuseone",
)  # fmt: skip
CPU = device("cpu")


def check_device(where: Any) -> device:
    """Return a device given by name or object; None is the CPU.

    Raises:
        AssertionError: it is a GPU; PyTorch without one says the same.
        RuntimeError: it is another one that is not there.
    """
    if where is None:
        return CPU
    found = device(where)
    if found.type == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    if found.type != "cpu":
        raise RuntimeError(
            f"fad.torch computes on the CPU only: there is no device '{found}'. Leave "
            "device= out, or write device='cpu'"
        )
    return found
