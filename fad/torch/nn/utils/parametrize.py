"""Parametrizations: parameters that are computed from others.

`register_parametrization(layer, "weight", f)` keeps the tensor as
``layer.parametrizations.weight.original`` and makes ``layer.weight`` a property,
``f(original)``. The layer gets a class of its own that has the property.

Public names: `register_parametrization`, `remove_parametrizations`, `is_parametrized`,
`cached`, `ParametrizationList`, `type_before_parametrizations`,
`transfer_parametrizations_and_params`.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator, Sequence
from typing import Any

from ...modes import no_grad
from ...tensor import Tensor
from ..containers import ModuleDict, ModuleList
from ..module import Module
from ..parameter import Parameter

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]

_cache: contextvars.ContextVar[dict[Any, Any] | None] = contextvars.ContextVar(
    "fad_torch_parametrized", default=None
)


@contextlib.contextmanager
def cached() -> Iterator[None]:
    """Compute each parametrized tensor once inside a ``with`` block."""
    if _cache.get() is not None:
        yield
        return
    token = _cache.set({})
    try:
        yield
    finally:
        _cache.reset(token)


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, and the tensor it is computed from.

    Attributes:
        original: the tensor; `original0`, `original1` ... if there are several.
    """

    original: Tensor

    def __init__(
        self, modules: Sequence[Module], original: Any, unsafe: bool = False
    ) -> None:
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        found = original
        with no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    found = module.right_inverse(found)
        self.is_tensor = isinstance(found, Tensor)
        self.ntensors = 1 if self.is_tensor else len(found)
        if self.is_tensor:
            self._check_shape(original, found)
            _keep(self, "original", found, original)
        else:
            for i, part in enumerate(found):
                if not isinstance(part, Tensor):
                    raise ValueError(
                        "'right_inverse' must return a Tensor or a Sequence of tensors "
                        f"(list, tuple...). Got element {i} of the sequence with type "
                        f"{type(part).__name__}."
                    )
                _keep(self, f"original{i}", part, original)
        if not unsafe:
            self._check_value(original)

    def _check_shape(self, original: Any, found: Any) -> None:
        if original.dtype != found.dtype:
            raise ValueError(
                "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                f"original.dtype: {original.dtype}\n"
                f"right_inverse(original).dtype: {found.dtype}"
            )

    def _check_value(self, original: Any) -> None:
        found = self()
        if not isinstance(found, Tensor):
            raise ValueError(
                f"A parametrization must return a tensor. Got {type(found).__name__}."
            )
        if found.dtype != original.dtype:
            raise ValueError(
                "Registering a parametrization may not change the dtype of the tensor, "
                f"unless `unsafe` flag is enabled.\nunparametrized dtype: "
                f"{original.dtype}\nparametrized dtype: {found.dtype}"
            )
        if found.shape != original.shape:
            raise ValueError(
                "Registering a parametrization may not change the shape of the tensor, "
                f"unless `unsafe` flag is enabled.\nunparametrized shape: "
                f"{original.shape}\nparametrized shape: {found.shape}"
            )

    def originals(self) -> list[Any]:
        """Return the tensors that the tensor is computed from."""
        if self.is_tensor:
            return [self.original]
        return [getattr(self, f"original{i}") for i in range(self.ntensors)]

    def right_inverse(self, value: Any) -> None:
        """Set the originals so that the parametrization gives a value."""
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement "
                        "right_inverse."
                    )
                value = module.right_inverse(value)
            parts = [value] if self.is_tensor else value
            for target, part in zip(self.originals(), parts, strict=True):
                target.copy_(part)

    def forward(self) -> Any:
        """Return the tensor."""
        first, *rest = self
        found = first(*self.originals())
        for module in rest:
            found = module(found)
        return found


def _keep(owner: Module, name: str, tensor: Any, original: Any) -> None:
    """Register a tensor as what the original was, a parameter or a buffer."""
    if isinstance(original, Parameter):
        if not isinstance(tensor, Parameter):
            tensor = Parameter(tensor.detach(), tensor.is_differentiable())
        tensor.requires_grad_(original.requires_grad)
        owner.register_parameter(name, tensor)
    else:
        owner.register_buffer(name, tensor)


def register_parametrization(
    module: Any, tensor_name: str, parametrization: Any, *, unsafe: bool = False
) -> Any:
    """Let a tensor of a module be computed by another module; return the module.

    Args:
        parametrization: takes the original tensor; if it has `right_inverse`, the
            original is that of the tensor as it is.
        unsafe: it may change shape or dtype.

    Raises:
        ValueError: the module has no such tensor, or its shape would change.

    >>> from fad import torch
    >>> from fad.torch.nn.utils import parametrize
    >>> class Symmetric(torch.nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).T
    >>> layer = torch.nn.Linear(2, 2)
    >>> layer = parametrize.register_parametrization(layer, "weight", Symmetric())
    >>> bool((layer.weight == layer.weight.T).all())
    True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        known = module.parametrizations[tensor_name]
        _append(module, tensor_name, known, parametrization, unsafe)
        return module
    if tensor_name not in module._parameters and tensor_name not in module._buffers:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized "
            f"element with name '{tensor_name}'"
        )
    original = getattr(module, tensor_name)
    made = ParametrizationList([parametrization], original, unsafe=unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        _give_class(module)
        module.parametrizations = ModuleDict()
    _give_property(module, tensor_name)
    module.parametrizations[tensor_name] = made
    return module


def _append(module: Any, name: str, known: Any, more: Any, unsafe: bool) -> None:
    value = getattr(module, name)
    if not unsafe:
        found = more(value)
        if found.shape != value.shape or found.dtype != value.dtype:
            raise ValueError(
                "Registering a parametrization may not change the shape of the tensor, "
                "unless `unsafe` flag is enabled."
            )
    known.append(more)
    known.unsafe |= unsafe


def _give_class(module: Any) -> None:
    """Make a class for this module alone, to hold its properties."""
    cls = type(module)
    body = {"__getstate__": _refuse_pickling, "_is_parametrized_class": True}
    made = type(f"Parametrized{cls.__name__}", (cls,), body)
    made.__module__ = cls.__module__
    module.__class__ = made


def _refuse_pickling(self: Any) -> Any:
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict(). "
        "See:\nhttps://pytorch.org/tutorials/beginner/saving_loading_models.html"
        "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
    )


def _give_property(module: Any, name: str) -> None:
    def read(self: Any) -> Any:
        cache = _cache.get()
        if cache is None:
            return self.parametrizations[name]()
        key = id(self), name
        if key not in cache:
            cache[key] = self.parametrizations[name]()
        return cache[key]

    def write(self: Any, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(read, write))


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Tell whether a module, or one of its tensors, is parametrized."""
    found = module._modules.get("parametrizations")
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def remove_parametrizations(
    module: Any, tensor_name: str, leave_parametrized: bool = True
) -> Any:
    """Make a tensor of a module an ordinary one again; return the module.

    Args:
        leave_parametrized: keep the computed value, not the original.

    Raises:
        ValueError: it is not parametrized, or has several originals to leave.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(
            f"Module {module} does not have a parametrization on {tensor_name}"
        )
    known = module.parametrizations[tensor_name]
    first = known.originals()[0]
    if leave_parametrized:
        with no_grad():
            value = getattr(module, tensor_name).detach().clone()
        kept: Any = Parameter(value) if isinstance(first, Parameter) else value
        if isinstance(first, Parameter):
            kept.requires_grad_(first.requires_grad)
    elif known.is_tensor:
        kept = first
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is "
            "parametrized in terms of a sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if isinstance(kept, Parameter):
        module.register_parameter(tensor_name, kept)
    else:
        module.register_buffer(tensor_name, kept)
    if not is_parametrized(module):
        del module._modules["parametrizations"]
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Any) -> type:
    """Return the class of a module before it was parametrized."""
    cls = type(module)
    return cls.__bases__[0] if is_parametrized(module) else cls


def transfer_parametrizations_and_params(
    from_module: Any, to_module: Any, tensor_name: str | None = None
) -> Any:
    """Give a module the parametrizations of another, and what they compute from."""
    if not is_parametrized(from_module):
        return to_module
    names = [tensor_name] if tensor_name else list(from_module.parametrizations)
    for name in names:
        if not hasattr(to_module, name):
            to_module.register_parameter(name, Parameter(getattr(from_module, name)))
        for part in from_module.parametrizations[name]:
            register_parametrization(to_module, name, part, unsafe=True)
        source = from_module.parametrizations[name].originals()
        with no_grad():
            for target, value in zip(
                to_module.parametrizations[name].originals(), source, strict=True
            ):
                target.copy_(value)
    return to_module
