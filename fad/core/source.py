"""Where in the user's code an operation was called.

The innermost frame outside fad and NumPy is the user's line. Walking the frames costs
about as much as a NumPy call, so only staging traces and errors ask for it.

Public names: `user_source`, `Source`.
"""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

import numpy as np

__all__ = ["Source", "user_source"]

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


def user_source() -> Source | None:
    """Return the innermost line outside fad and NumPy, or None if there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(_INTERNAL):
            return Source(code.co_filename, frame.f_lineno, code.co_name)
        frame = frame.f_back  # type: ignore[assignment]
    return None
