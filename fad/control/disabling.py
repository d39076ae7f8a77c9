"""`disable_jit`: run everything as plain Python, to debug.

Public names: `disable_jit`, `jit_is_disabled`.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator

__all__ = ["disable_jit", "jit_is_disabled"]

_disabled: contextvars.ContextVar[bool] = contextvars.ContextVar(
    "fad_disable_jit", default=False
)
jit_is_disabled = _disabled.get
"""Whether functions under `jit` and control flow run as plain Python here."""


@contextlib.contextmanager
def disable_jit(disable: bool = True) -> Iterator[None]:
    """Run jitted functions and control flow as plain Python in this context.

    Values can then be printed and branched on.

    >>> import fad
    >>> with fad.disable_jit():
    ...     y = fad.jit(lambda x: x + 1.0 if x > 0 else x)(1.0)
    >>> y
    2.0
    """
    token = _disabled.set(disable)
    try:
        yield
    finally:
        _disabled.reset(token)
