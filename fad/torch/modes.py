"""Modes of the current thread and context: is the gradient recorded, and how.

    no_grad enable_grad set_grad_enabled inference_mode

serve as `with` blocks and as decorators, with or without parentheses, also of
generators, which are in the mode only while they run.

Public names: the above, `Modes`, `current`, `changed`, `is_grad_enabled`,
`is_inference_mode_enabled`, `GraphBreak`, `not_compiled`.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ..core.ir import next_serial

__all__ = [
    "GraphBreak",
    "Modes",
    "changed",
    "current",
    "enable_grad",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "not_compiled",
    "set_grad_enabled",
]


class GraphBreak(Exception):
    """A function cannot become one program; the text says why."""


class Modes(NamedTuple):
    """How operations on tensors behave in this context.

    Attributes:
        grad: operations record what backward needs.
        inference: new tensors are inference tensors, for ever without a gradient.
        anomaly: nodes remember where they were made.
        check_nan: with `anomaly`, backward refuses nan.
        saved_hooks: pairs (pack, unpack) for what nodes save; the last one counts.
        selective: a backward is running that wants the gradients of some inputs only.
        cut: transforms opened before this serial number get no gradients, since `grad`
            was switched off then; 0 where it is on.
        compiling: `torch.compile` is tracing a function, and keeps the random numbers
            that it draws here; None otherwise.
        mapped: pairs of a map (`torch.vmap`) and how it takes random numbers.
        hooks_refused: what to say if such hooks are asked for, None if they may be.
    """

    grad: bool = True
    inference: bool = False
    anomaly: bool = False
    check_nan: bool = True
    saved_hooks: tuple[Any, ...] = ()
    selective: bool = False
    cut: int = 0
    compiling: Any = None
    mapped: tuple[Any, ...] = ()
    hooks_refused: str | None = None


_modes: contextvars.ContextVar[Modes] = contextvars.ContextVar(
    "fad_torch_modes",
    default=Modes(),  # noqa: B039  (frozen)
)
current = _modes.get
"""The modes of this context."""


def set_modes(**changes: Any) -> Modes:
    """Change modes from now on and return the old ones."""
    old = _modes.get()
    if "grad" in changes:
        changes["cut"] = 0 if changes["grad"] else next_serial()
    _modes.set(old._replace(**changes))
    return old


@contextlib.contextmanager
def changed(**changes: Any) -> Iterator[None]:
    """Change modes inside a ``with`` block."""
    old = _modes.get()
    _modes.set(old._replace(**changes))
    try:
        yield
    finally:
        _modes.set(old)


def not_compiled(what: str) -> None:
    """Leave the tracing of `torch.compile`, if this is part of it.

    Args:
        what: the function does that cannot be in a program.
    """
    if _modes.get().compiling is not None:
        raise GraphBreak(what)


def is_grad_enabled() -> bool:
    """Tell whether operations are recorded in this context."""
    return _modes.get().grad


def is_inference_mode_enabled() -> bool:
    """Tell whether inference mode is on in this context."""
    return _modes.get().inference


class ModeGuard:
    """A mode as a context manager and decorator.

    Attributes:
        previous: the modes to go back to; a stack, since one object may be nested.
    """

    changes: dict[str, Any] = {}

    def __new__(cls, function: Any = None, *args: Any) -> Any:
        guard = super().__new__(cls)
        if callable(function) and not isinstance(function, bool):
            guard.__init__()  # type: ignore[misc]
            return guard(function)
        return guard

    def __init__(self) -> None:
        self.previous: list[Modes] = []

    def fresh(self) -> ModeGuard:
        """Return an equal guard for one more use."""
        return type(self)()

    def __enter__(self) -> None:
        self.previous.append(set_modes(**self.changes))

    def __exit__(self, *error: object) -> None:
        old = self.previous.pop()
        changes = {"grad": old.grad, "inference": old.inference, "cut": old.cut}
        _modes.set(_modes.get()._replace(**changes))

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isclass(function):
            warnings.warn(
                "Decorating classes is deprecated and will be disabled in future "
                "versions. You should only decorate functions or methods. To preserve "
                "the current behavior of class decoration, you can directly decorate "
                "the `__init__` method and nothing else.",
                FutureWarning,
                stacklevel=2,
            )
            function.__init__ = self(function.__init__)  # type: ignore[misc]
            return function
        if inspect.isgeneratorfunction(function):
            return self._around_generator(function)

        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self.fresh():
                return function(*args, **kwargs)

        return inside

    def _around_generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            generator = function(*args, **kwargs)
            send: Callable[[], Any] = functools.partial(next, generator)
            while True:
                try:
                    with self.fresh():
                        item = send()
                except StopIteration as stop:
                    return stop.value
                try:
                    send = functools.partial(generator.send, (yield item))
                except GeneratorExit:
                    with self.fresh():
                        generator.close()
                    raise
                except BaseException as error:  # thrown in: it belongs inside
                    send = functools.partial(generator.throw, error)

        return inside


class no_grad(ModeGuard):
    """Record nothing: results do not require grad.

    >>> from fad import torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad():
    ...     (x * 2).requires_grad
    False
    """

    changes = {"grad": False}


class enable_grad(ModeGuard):
    """Record again inside `no_grad`."""

    changes = {"grad": True}


class set_grad_enabled(ModeGuard):
    """Switch recording on or off: at once, and until the end of a ``with`` block."""

    def __new__(cls, mode: bool) -> Any:
        return object.__new__(cls)

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self.mode = bool(mode)
        self.before = set_modes(grad=self.mode)

    def fresh(self) -> ModeGuard:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        set_modes(grad=self.mode)

    def __exit__(self, *error: object) -> None:
        self._go_back()

    def _go_back(self) -> None:
        changes = {"grad": self.before.grad, "cut": self.before.cut}
        _modes.set(_modes.get()._replace(**changes))

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        self._go_back()  # as a decorator it acts on the function only
        return super().__call__(function)

    def __repr__(self) -> str:
        return f"set_grad_enabled(mode={self.mode})"


class inference_mode(ModeGuard):
    """Record nothing, for ever: tensors made inside are inference tensors."""

    def __init__(self, mode: bool = True) -> None:
        super().__init__()
        self.mode = mode if isinstance(mode, bool) else True
        self.changes = {"grad": not self.mode, "inference": self.mode}

    def fresh(self) -> ModeGuard:
        return type(self)(self.mode)
