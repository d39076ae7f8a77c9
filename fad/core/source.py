"""Where in the user's code an operation was called.

The innermost frame outside fad and NumPy is the user's line. Walking the frames costs
about as much as a NumPy call, so only staging traces and errors ask for it.

Public names: `user_source`, `assigns_an_item`, `Source`.
"""

from __future__ import annotations

import contextlib
import contextvars
import opcode
import os
import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

__all__ = ["Source", "assigns_an_item", "scoped", "user_source"]

_INTERNAL = tuple(
    os.path.dirname(os.path.abspath(path)) + os.sep
    for path in (os.path.dirname(__file__), np.__file__)
)
"""The folders of fad and of NumPy."""


class Source(NamedTuple):
    """A place in the user's code; prints as `file.py:12 (function)`."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} ({self.function})"


_scopes: contextvars.ContextVar[tuple[str, ...]] = contextvars.ContextVar(
    "fad_named_scopes", default=()
)


@contextlib.contextmanager
def scoped(name: str) -> Iterator[None]:
    """Name the sources of this context, see `fad.named_scope`."""
    token = _scopes.set((*_scopes.get(), name))
    try:
        yield
    finally:
        _scopes.reset(token)


def user_source() -> Source | None:
    """Return the innermost line outside fad and NumPy, or None if there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(_INTERNAL):
            scopes = _scopes.get()
            name = f"{code.co_name} in {'/'.join(scopes)}" if scopes else code.co_name
            return Source(code.co_filename, frame.f_lineno, name)
        frame = frame.f_back  # type: ignore[assignment]
    return None


_STORES = {opcode.opmap[name] for name in ("STORE_SUBSCR", "STORE_SLICE")
           if name in opcode.opmap}  # fmt: skip


_READS = {opcode.opmap[name] for name in ("BINARY_SUBSCR", "BINARY_SLICE")
          if name in opcode.opmap}  # fmt: skip
_BINARY = opcode.opmap["BINARY_OP"]


def reads_an_item(depth: int) -> bool:
    """Tell whether the frame `depth` above the caller is at `source[...]`.

    Since Python 3.14 that is one of the binary operations, of number 26.
    """
    frame = sys._getframe(depth + 1)
    code, at = frame.f_code.co_code, frame.f_lasti
    return code[at] in _READS or (code[at] == _BINARY and code[at + 1] == 26)


def assigns_an_item(depth: int) -> bool:
    """Tell whether the frame `depth` above the caller is at `target[...] = value`.

    `array[0] = tracer` on a plain array asks the tracer for a float, as `float(tracer)`
    does; only the instruction tells the two apart.
    """
    frame = sys._getframe(depth + 1)
    return frame.f_code.co_code[frame.f_lasti] in _STORES
