"""`disable_jit`: run everything as plain Python, to debug.

Public names: `disable_jit`, `jit_is_disabled`.
"""

from __future__ import annotations

import contextlib

from ..core.modes import current_modes, with_modes

__all__ = ["disable_jit", "jit_is_disabled"]


def jit_is_disabled() -> bool:
    """Tell whether jitted functions and control flow run as plain Python here."""
    modes = current_modes()
    return modes is not None and modes.jit_disabled


def disable_jit(disable: bool = True) -> contextlib.AbstractContextManager[None]:
    """Run jitted functions and control flow as plain Python in this context.

    Values can then be printed and branched on.

    >>> import fad
    >>> with fad.disable_jit():
    ...     y = fad.jit(lambda x: x + 1.0 if x > 0 else x)(1.0)
    >>> y
    2.0
    """
    return with_modes(jit_disabled=disable)
