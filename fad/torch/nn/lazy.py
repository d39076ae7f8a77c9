"""Parameters whose shape is not known yet, and modules that learn it from an input.

A lazy module becomes an ordinary one, of the class `cls_to_become`, when it is first
called: a hook before `forward` gives its parameters their shapes and initial values.

Public names: `UninitializedParameter`, `UninitializedBuffer`, `LazyModuleMixin`,
`is_lazy`.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np

from ..dtypes import default_float, to_numpy
from ..modes import no_grad
from ..size import check_device
from ..tensor import Tensor
from .parameter import Parameter

__all__ = [
    "LazyModuleMixin",
    "UninitializedBuffer",
    "UninitializedParameter",
    "is_lazy",
]

_NO_SHAPE = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually "
    "happens in `load_state_dict` when trying to load an uninitialized parameter into "
    "an initialized one. Call `forward` to initialize the parameters before accessing "
    "their attributes."
)
_NO_VALUE = (
    "Attempted to use an uninitialized parameter in {}. This error happens when you "
    "are using a `LazyModule` or explicitly manipulating `torch.nn.parameter.{}` "
    "objects. When using LazyModules Call `forward` with a dummy batch to initialize "
    "the parameters before calling torch functions"
)


class _Uninitialized(Tensor):
    """A tensor that has a dtype and no values."""

    cls_to_become: ClassVar[Any]
    _known_dtype: np.dtype[Any]
    _given: Any = None

    def __new__(
        cls, requires_grad: bool = True, device: Any = None, dtype: Any = None
    ) -> Any:
        check_device(device)
        made = object.__new__(cls)
        made.payload = None
        made._known_dtype = default_float() if dtype is None else to_numpy(dtype)
        made._leaf_requires = bool(requires_grad)
        return made

    @property
    def value(self) -> Any:  # type: ignore[override]
        """The values, which are not there."""
        raise ValueError(_NO_VALUE.format("a function", type(self).__name__))

    @value.setter
    def value(self, array: Any) -> None:
        Tensor.value.__set__(self, array)  # type: ignore[attr-defined]

    @property
    def shape(self) -> Any:  # type: ignore[override]
        raise RuntimeError(_NO_SHAPE)

    @property
    def dtype(self) -> Any:  # type: ignore[override]
        from ..dtypes import of_numpy

        return of_numpy(self._known_dtype)

    def is_differentiable(self) -> bool:
        """Tell whether the dtype is floating or complex."""
        return self._known_dtype.kind in "fc"

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become an ordinary tensor of a shape, with arbitrary values."""
        check_device(device)
        kind = self._known_dtype if dtype is None else to_numpy(dtype)
        array = np.empty(tuple(shape) if not isinstance(shape, int) else shape, kind)
        self.__class__ = self.cls_to_become  # type: ignore[assignment]
        self.value = array

    def detach(self) -> Any:
        """Return an uninitialised tensor that needs no gradient."""
        return type(self)(False, dtype=self.dtype)

    def __repr__(self, **kwargs: Any) -> str:
        return f"<{type(self).__name__}>"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self._leaf_requires, dtype=self.dtype)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (self._leaf_requires, None, self.dtype)


class UninitializedParameter(_Uninitialized, Parameter):
    """A parameter without a shape.

    >>> from fad import torch
    >>> p = torch.nn.UninitializedParameter()
    >>> p.materialize((2, 3))
    >>> p.shape
    torch.Size([2, 3])
    """

    cls_to_become = Parameter


class UninitializedBuffer(_Uninitialized):
    """A buffer without a shape."""

    cls_to_become = Tensor
    persistent = True

    def __new__(
        cls,
        requires_grad: bool = False,
        device: Any = None,
        dtype: Any = None,
        persistent: bool = True,
    ) -> Any:
        made = super().__new__(cls, requires_grad, device, dtype)
        made.persistent = persistent
        return made


def is_lazy(tensor: Any) -> bool:
    """Tell whether a tensor has no shape yet."""
    return isinstance(tensor, _Uninitialized)


class LazyModuleMixin:
    """What a lazy module has besides the module that it becomes.

    Attributes:
        cls_to_become: its class once its parameters have shapes.
    """

    cls_to_become: ClassVar[Any] = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        module: Any = self
        module._load_hook = module._register_load_state_dict_pre_hook(self._lazy_load)
        module._initialize_hook = module.register_forward_pre_hook(
            self._infer_parameters, with_kwargs=True
        )
        warnings.warn(
            "Lazy modules are a new feature under heavy development so changes to the "
            "API or functionality can happen at any moment.",
            UserWarning,
            stacklevel=2,
        )

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Give the parameters their shapes, by the arguments of `forward`."""
        raise NotImplementedError(
            f"initialize_parameters is not implemented for {type(self).__name__}"
        )

    def has_uninitialized_params(self) -> bool:
        """Tell whether a parameter or buffer has no shape yet."""
        module: Any = self
        both = (*module._parameters.values(), *module._buffers.values())
        return any(map(is_lazy, both))

    def _lazy_load(self, state_dict: Any, prefix: str, *_: Any) -> None:
        """Take shapes from what is about to be loaded."""
        module: Any = self
        for table in (module._parameters, module._buffers):
            for name, target in table.items():
                given = state_dict.get(prefix + name)
                if is_lazy(target) and given is not None and not is_lazy(given):
                    with no_grad():
                        target.materialize(given.shape)

    def _infer_parameters(self, module: Any, args: Any, kwargs: Any = None) -> None:
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(
                f"module {type(self).__name__} has not been fully initialized"
            )
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become
