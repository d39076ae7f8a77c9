"""`torch.compile`: fad's jit over functions and modules of tensors.

A call looks for a program by its signature, which is the structure of the arguments,
dtypes, shapes and `requires_grad` of their tensors, the other arguments themselves, and
the modes (grad, default dtype); of the programs with this signature the one is taken
whose state holds (`fad.torch.compile_guards`). Otherwise the function is traced once
more (`fad.torch.compile_program`). Parameters and buffers are inputs of a program, so
an optimizer's steps are seen, and running statistics are written to.

What cannot be a program, as a whole, runs as it is: PyTorch calls that a graph break.
With ``fullgraph=True`` it raises `Unsupported`.

Public names: `compile`, `CompiledFunction`, `OptimizedModule`, `Unsupported`.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.pytree import tree_flatten
from ..core.trace import Tracer, staging_trace
from .compile_gate import GATE
from .compile_guards import State
from .compile_program import CompiledProgram, is_leaf, trace_program
from .dtypes import default_float, dtype
from .modes import GraphBreak, current
from .nn.module import Module
from .random import default_generator
from .size import device
from .tensor import Tensor

__all__ = ["CompiledFunction", "OptimizedModule", "Unsupported", "compile"]

_MODES = "default lite reduce-overhead max-autotune-no-cudagraphs max-autotune".split()
BACKENDS = frozenset({"inductor", "eager", "aot_eager", "cudagraphs"})
"""PyTorch's names, which all stand for fad's programs."""
_MOST = 8
"""How many programs one signature has before it runs as it is."""
_SIGNATURES = 64
"""How many signatures one function has before it runs as it is."""

generation = 0
"""Counts `torch.compiler.reset`: programs of earlier generations are forgotten."""


class Unsupported(RuntimeError):
    """A function compiled with ``fullgraph=True`` cannot be one program."""


class InvalidBackend(RuntimeError):
    """There is no backend of this name."""


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable[..., Any] = "inductor",
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    disable: bool = False,
) -> Any:
    """Return a function or module that runs as compiled programs; also a decorator.

    Args:
        model: the function or module; None makes a decorator.
        fullgraph: raise `Unsupported` where the function cannot be one program.
        dynamic: accepted; each shape has a program of its own.
        backend: one of PyTorch's names; all mean fad's NumPy programs.
        mode, options: accepted; at most one of them.
        disable: return `model` as it is.

    >>> from fad import torch
    >>> @torch.compile
    ... def swish(x):
    ...     return x * x.sigmoid()
    >>> swish(torch.tensor([1., 2.], requires_grad=True))
    tensor([0.7311, 1.7616], grad_fn=<CompiledFunctionBackward>)
    """
    _check_options(dynamic, mode, options)
    if model is None:
        return lambda model: compile(
            model,
            fullgraph=fullgraph,
            dynamic=dynamic,
            backend=backend,
            disable=disable,
        )
    if not callable(model):
        raise AssertionError(
            f"A callable function is expected, but {type(model)} is provided."
        )
    if disable:
        return model
    if isinstance(model, Module):
        return OptimizedModule(model, CompiledFunction(model, fullgraph, backend))
    return CompiledFunction(model, fullgraph, backend)


def _check_options(dynamic: Any, mode: str | None, options: Any) -> None:
    if mode is not None and options is not None:
        raise RuntimeError(
            "Either mode or options can be specified, but both can't be specified at "
            "the same time."
        )
    if mode is not None and mode not in _MODES:
        raise RuntimeError(
            f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}"
        )
    if dynamic is not None and not isinstance(dynamic, bool):
        raise AssertionError(f"Expected enable to be a bool, got {type(dynamic)}")


class _Entry:
    """What is known of a signature in one state.

    Attributes:
        program: None if the function runs as it is.
        reason: why, then.
    """

    __slots__ = ("state", "program", "reason")

    def __init__(
        self, state: State | None, program: CompiledProgram | None, reason: Any
    ) -> None:
        self.state, self.program, self.reason = state, program, reason

    def holds(self) -> bool:
        if self.state is not None and not self.state.holds():
            return False
        return self.program is None or self.program.fits()


def _refused(why: str) -> _Entry:
    return _Entry(None, None, GraphBreak(why))


_INLINED = _Entry(None, None, None)
"""Of calls inside functional transforms: the function is part of them."""


class CompiledFunction:
    """A function that runs as compiled programs.

    Attributes:
        function: what was compiled.
    """

    _watched = ("function",)  # all that matters of it to what calls it

    def __init__(self, function: Any, fullgraph: bool, backend: Any) -> None:
        functools.update_wrapper(self, function, updated=())
        self.function = self._torchdynamo_orig_callable = function
        self._fullgraph, self._backend = fullgraph, backend
        self._known: dict[Any, list[_Entry]] = {}
        self._generation = generation

    def __reduce__(self) -> Any:
        return CompiledFunction, (self.function, self._fullgraph, self._backend)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if isinstance(self._backend, str) and self._backend not in BACKENDS:
            raise InvalidBackend(
                f"Invalid backend: {self._backend!r}, see "
                "`torch._dynamo.list_backends()` for available backends."
            )
        if staging_trace() is not None:  # part of a program already
            return self.function(*args, **kwargs)
        leaves: Any = args
        tree = None  # the common case: tensors alone
        if kwargs or not all(isinstance(a, Tensor) for a in args):
            leaves, tree = tree_flatten((args, kwargs), is_leaf=is_leaf)
        given = list(dict.fromkeys([v for v in leaves if isinstance(v, Tensor)]))
        GATE.enter()
        try:
            if any(isinstance(t.value, Tracer) for t in given):
                entry: _Entry | None = _INLINED
            else:
                entries, entry = self._found(leaves, tree, given)
            if entry is not None and entry.program is not None:
                return entry.program(given)
        finally:
            GATE.leave()
        if entry is None:
            entries.append(self._traced(leaves, tree))
            return self(*args, **kwargs)
        if self._fullgraph and entry is not _INLINED:
            raise Unsupported(_explained(self.function, entry.reason)) from entry.reason
        return self.function(*args, **kwargs)

    def _found(
        self, leaves: Sequence[Any], tree: Any, given: Sequence[Any]
    ) -> tuple[list[_Entry], _Entry | None]:
        """Return what is known of a signature, and the entry that holds now."""
        key = _signature(leaves, tree, given)
        if key is None:
            return [], _refused("an argument is an array of NumPy")
        if self._generation != generation:
            self._known.clear()
            self._generation = generation
        entries = self._known.get(key)
        if entries is None:
            if len(self._known) >= _SIGNATURES:
                return [], _refused("it has too many signatures")
            entries = self._known[key] = []
        for entry in entries:
            if entry.holds():
                return entries, entry
        if len(entries) >= _MOST:
            return entries, _refused("what it reads changes too often")
        return entries, None

    def _traced(self, leaves: Sequence[Any], tree: Any) -> _Entry:
        if tree is None:
            leaves, tree = tree_flatten((tuple(leaves), {}), is_leaf=is_leaf)
        others = [v for v in leaves if not isinstance(v, Tensor)]
        state = program = None
        try:
            state = State(self.function, default_generator, *others)
            program = trace_program(self.function, leaves, tree, state)
        except Exception as error:  # run as it is, it raises what is to be raised
            error.__cause__ = error.__context__ = None
            return _Entry(state, None, error.with_traceback(None))
        finally:
            if state is not None:
                state.forget(() if program is None else program.jaxpr.consts)
        return _Entry(state, program, None)


def _explained(function: Any, reason: Exception) -> str:
    name = getattr(function, "__qualname__", type(function).__name__)
    title, _, why = str(reason).rpartition(": ")
    if not isinstance(reason, GraphBreak):
        title, why = "", f"tracing it raised {reason!r}"
    return (
        f"{title or 'Graph break'}\n  Explanation: {name} cannot be compiled as one "
        f"graph, because {why}.\n  Hint: without fullgraph=True it runs uncompiled."
    )


def _signature(leaves: Sequence[Any], tree: Any, given: Sequence[Any]) -> Any:
    """Return what a program depends on besides the elements of tensors."""
    mode = current()
    parts: list[Any] = [tree, mode.grad, mode.inference, default_float()]
    places = {id(t): i for i, t in enumerate(given)}
    for v in leaves:
        if isinstance(v, Tensor):
            a = v.value
            parts += (places[id(v)], v.__class__, a.dtype, a.shape, v.requires_grad)
        elif isinstance(v, np.ndarray):
            return None
        elif isinstance(v, _VALUES):
            parts += (v.__class__, v, str(v) if v.__class__ is float else None)
        else:
            parts.append(_Same(v))
    return tuple(parts)


_VALUES = (
    *(bool, int, float, complex, str, bytes, range, type(None), enum.Enum),
    *(dtype, device, np.dtype, np.generic),
)
"""What arguments are told apart by; other objects, by which object they are."""


class _Same:
    """An object as a key: equal to nothing but itself."""

    __slots__ = ("thing",)

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.thing is other.thing

    def __hash__(self) -> int:
        return id(self.thing)


class OptimizedModule(Module):
    """A module whose calls run as compiled programs; its state is the module's."""

    def __init__(self, module: Module, call: CompiledFunction) -> None:
        super().__init__()
        del self.__dict__["training"]
        self._modules["_orig_mod"] = module
        self.__dict__["_call"] = call

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the module, compiled."""
        return self._call(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        module = self.__dict__.get("_modules", {}).get("_orig_mod")
        if name == "_orig_mod" and module is not None:
            return module
        if module is None:  # while it is being copied
            raise AttributeError(name)
        return getattr(module, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__:
            self.__dict__[name] = value
        elif name == "_orig_mod":
            self._modules[name] = value
        else:
            setattr(self._orig_mod, name, value)
