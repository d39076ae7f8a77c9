"""Listing what a module owns, and changing all of it at once.

Listings go through the tree of modules depth first, in the order of assignment, and
name everything by its path, ``body.0.weight``. What occurs twice is listed once.

Public names: `Walk`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

from ..conversion import cast
from ..dtypes import DTYPES, dtype, to_numpy
from ..modes import no_grad
from ..size import check_device, device
from ..tensor import Tensor
from .parameter import Parameter

__all__ = ["Walk"]

Named = Iterator[tuple[str, Any]]


class Walk:
    """The methods of `fad.torch.nn.Module` that go through its parts."""

    training: bool
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]

    def named_children(self) -> Named:
        """Yield the direct children with their names."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Any]:
        """Yield the direct children."""
        for _, module in self.named_children():
            yield module

    def named_modules(
        self,
        memo: set[Any] | None = None,
        prefix: str = "",
        remove_duplicate: bool = True,
    ) -> Named:
        """Yield the module itself and everything below it, with their paths."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, path, remove_duplicate)

    def modules(self) -> Iterator[Any]:
        """Yield the module itself and everything below it."""
        for _, module in self.named_modules():
            yield module

    def _named_members(
        self,
        members: Callable[[Any], Any],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Named:
        seen = set()
        modules = (
            self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
            if recurse
            else [(prefix, self)]
        )
        for path, module in modules:
            for name, value in members(module):
                if value is None or (remove_duplicate and value in seen):
                    continue
                seen.add(value)
                yield f"{path}.{name}" if path else name, value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Named:
        """Yield all parameters with their paths."""
        yield from self._named_members(
            lambda module: module._parameters.items(), prefix, recurse, remove_duplicate
        )

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield all parameters."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Named:
        """Yield all buffers with their paths."""
        yield from self._named_members(
            lambda module: module._buffers.items(), prefix, recurse, remove_duplicate
        )

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yield all buffers."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> Any:
        """Return the module at a path."""
        module: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                owner = type(module).__name__
                raise AttributeError(f"{owner} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Walk):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def _get(self, target: str, table: str, what: str) -> Any:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
        if name not in getattr(module, table):
            raise AttributeError(f"`{name}` is not {what}")
        return getattr(module, name)

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter at a path."""
        found: Parameter = self._get(target, "_parameters", "an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer at a path."""
        found: Tensor = self._get(target, "_buffers", "a buffer")
        return found

    def set_submodule(self, target: str, module: Any, strict: bool = False) -> None:
        """Put a module at a path."""
        if not target:
            raise ValueError("Cannot set the submodule without a target name!")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{type(parent).__name__} has no attribute `{name}`")
        setattr(parent, name, module)

    def apply(self, fn: Callable[[Any], Any]) -> Self:
        """Call a function with every module below, then with this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Self:
        """Set training mode, on which dropout and norms depend."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Set evaluation mode."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set whether the parameters need gradients."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients of the parameters."""
        for parameter in self.parameters():
            clear_grad(parameter, set_to_none)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replace the values of all parameters, their gradients, and buffers."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for parameter in self._parameters.values():
            if parameter is None:
                continue
            grad = parameter._grad
            with no_grad():
                parameter.data = fn(parameter)
                if grad is not None:
                    parameter._grad = fn(grad)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert floating parameters and buffers to a dtype."""
        check_device(kwargs.get("device"))
        d = kwargs.get("dtype")
        for a in args:
            if isinstance(a, Tensor):
                d = a.dtype
            elif isinstance(a, dtype):
                d = a
            elif isinstance(a, (str, device)):
                check_device(a)
        if d is None:
            return self
        if not (d.is_floating_point or d.is_complex):
            raise TypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got "
                f"desired dtype={d}"
            )
        return self._floats_to(d)

    def _floats_to(self, d: dtype) -> Self:
        target = to_numpy(d)
        return self._apply(
            lambda t: cast(t, target) if t.aval.dtype.kind in "fc" else t
        )

    def type(self, dst_type: Any) -> Self:
        """Convert all parameters and buffers to a dtype."""
        return self._apply(lambda t: t.type(dst_type))  # type: ignore[attr-defined]

    def float(self) -> Self:
        """Convert floating parameters and buffers to float32."""
        return self._floats_to(DTYPES["float32"])

    def double(self) -> Self:
        """Convert floating parameters and buffers to float64."""
        return self._floats_to(DTYPES["float64"])

    def half(self) -> Self:
        """Convert floating parameters and buffers to float16."""
        return self._floats_to(DTYPES["float16"])

    def cpu(self) -> Self:
        """Return the module itself."""
        return self

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Return the module itself: there is one device."""
        check_device(device)
        return self

    def share_memory(self) -> Self:
        """Return the module itself."""
        return self

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Let calls of this module run as `torch.compile` makes them."""
        from ..compile_api import CompiledFunction, compile

        run: Any = compile(self.forward, *args, **kwargs)
        if isinstance(run, CompiledFunction):
            self.__dict__["forward"] = run

    def extra_repr(self) -> str:
        """Return what the printed form shows in the parentheses."""
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [
            f"({name}): {indented(repr(module))}"
            for name, module in self._modules.items()
        ]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({lines[0]})"
        if not lines and not children:
            return f"{self._get_name()}()"
        inner = "\n  ".join([*lines, *children])
        return f"{self._get_name()}(\n  {inner}\n)"


def indented(text: str, by: int = 2) -> str:
    """Return a text with all lines but the first moved to the right."""
    return text.replace("\n", "\n" + " " * by)


def clear_grad(parameter: Tensor, set_to_none: bool) -> None:
    """Drop a gradient, or fill it with zeros."""
    grad = parameter._grad
    if grad is None:
        return
    if set_to_none:
        parameter._grad = None
        return
    if grad.grad_fn is not None:
        grad.detach_()  # type: ignore[attr-defined]
    else:
        grad.requires_grad_(False)
    grad.zero_()  # type: ignore[attr-defined]
