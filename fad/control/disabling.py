"""`disable_jit`, `ensure_compile_time_eval`: compute now, not in a program.

Public names: `disable_jit`, `ensure_compile_time_eval`, `jit_is_disabled`.
"""

from __future__ import annotations

import contextlib

from ..core.modes import current_modes, with_modes
from ..core.trace import ambient

__all__ = ["disable_jit", "ensure_compile_time_eval", "jit_is_disabled"]


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


def ensure_compile_time_eval() -> contextlib.AbstractContextManager[None]:
    """Evaluate operations on plain arrays at once in this context, also under `jit`.

    What depends on no argument then is a constant of the program, and Python may branch
    on it. Operations on traced values are traced as ever.

    >>> import fad, fad.numpy as fnp
    >>> def f(x):
    ...     with fad.ensure_compile_time_eval():
    ...         big = fnp.sum(fnp.ones(3)) > 2
    ...     return x if big else -x
    >>> fad.jit(f)(1.0)
    np.float64(1.0)
    """
    return ambient(None)
