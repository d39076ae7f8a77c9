"""Checks of results for nan and infinities, while `debug_nans` or `debug_infs` is on.

Public names: `check_results`, `Checking`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from .modes import current_modes
from .source import user_source
from .trace import Trace, ambient, bind, concrete_value

if TYPE_CHECKING:
    from .primitive import Primitive

__all__ = ["Checking", "check_results"]


def check_results(what: str, values: Iterable[Any], source: Any = None) -> None:
    """Raise FloatingPointError if a value has what the current modes look for.

    Args:
        what: the operation, for the message.
        values: arrays, numbers, tracers (those without a value pass) or None.
        source: the user's line, if it is not the one that runs now.
    """
    modes = current_modes()
    if modes is None:
        return
    for value in values:
        known = None if value is None else concrete_value(value)
        if known is None or np.asarray(known).dtype.kind not in "fc":
            continue
        found = None
        if modes.nans and np.isnan(known).any():
            found = "nan"
        elif modes.infs and np.isinf(known).any():
            found = "inf"
        if found:
            place = source or user_source()
            raise FloatingPointError(
                f"invalid value ({found}) encountered in {what}"
                + (f", at {place}" if place else "")
            )


class Checking(Trace):
    """An ambient trace at which every operation on plain values passes by."""

    __slots__ = ()
    name = "debug_nans"

    def process(
        self, prim: Primitive, args: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        with ambient(None):
            outs = bind(prim, *args, **params)
        check_results(prim.name, outs if prim.multiple_results else [outs])
        return outs
