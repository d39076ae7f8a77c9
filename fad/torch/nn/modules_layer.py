"""The base of modules that call a function with the constructor's arguments.

    class ELU(Layer):
        function = staticmethod(F.elu)

        def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
            super().__init__()
            self.alpha = alpha
            self.inplace = inplace

The constructor's signature says it all: forward passes these attributes on by name, and
the printed form shows them. `Loss` is the same for losses, whose printed form is empty.

Public names: `Layer`, `Loss`, `new_parameter`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ..dtypes import default_float, to_numpy
from ..size import check_device
from ..tensor import Tensor, wrap
from .loss_reduction import checked_reduction
from .module import Module
from .parameter import Parameter

__all__ = ["Layer", "Loss", "new_parameter"]


def new_parameter(shape: Any, dtype: Any = None, device: Any = None) -> Parameter:
    """Return a parameter of a shape, to be filled."""
    check_device(device)
    d = default_float() if dtype is None else to_numpy(dtype)
    return Parameter(wrap(np.zeros(shape, d)))


class Layer(Module):
    """A module that is one function.

    Attributes:
        function: what is called, with the inputs and the options by name.
        names: the options: the arguments of the constructor.
    """

    function: ClassVar[Callable[..., Any]]
    names: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "__init__" in vars(cls):
            arguments = list(inspect.signature(cls.__init__).parameters)[1:]
            cls.names = tuple(arguments)

    def options(self) -> dict[str, Any]:
        """Return what the function is called with besides the inputs."""
        return {name: getattr(self, name) for name in self.names}

    def forward(self, *inputs: Tensor) -> Any:
        return type(self).function(*inputs, **self.options())

    def extra_repr(self) -> str:
        shown = [f"{n}={getattr(self, n)}" for n in self.names if n != "inplace"]
        if getattr(self, "inplace", False):
            shown.append("inplace=True")
        return ", ".join(shown)


class Loss(Layer):
    """A loss; `reduction` is ``"mean"``, ``"sum"`` or ``"none"``."""

    reduction: str

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.names = tuple(n for n in cls.names if n not in ("size_average", "reduce"))

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = checked_reduction(reduction, size_average, reduce)
        self.reduction = reduction

    def extra_repr(self) -> str:
        return ""
