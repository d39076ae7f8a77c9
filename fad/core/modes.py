"""Modes of the context, set by context managers: debugging aids that slow things down.

Public names: `Modes`, `current_modes`, `with_modes`.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

__all__ = ["Modes", "current_modes", "with_modes"]


@dataclass(frozen=True, slots=True)
class Modes:
    """What differs from normal operation in this context.

    Attributes:
        jit_disabled: jitted functions and control flow run as plain Python.
        nans, infs: results are checked for nan, for infinities.
        leaks: transforms check that none of their tracers is left behind.
    """

    jit_disabled: bool = False
    nans: bool = False
    infs: bool = False
    leaks: bool = False


_modes: contextvars.ContextVar[Modes | None] = contextvars.ContextVar(
    "fad_modes", default=None
)
current_modes = _modes.get
"""The modes of this context, None if there is nothing special."""

_NORMAL = Modes()


@contextlib.contextmanager
def with_modes(**changes: Any) -> Iterator[None]:
    """Change modes in this context."""
    modes = replace(_modes.get() or _NORMAL, **changes)
    token = _modes.set(None if modes == _NORMAL else modes)
    try:
        yield
    finally:
        _modes.reset(token)
