"""saved_tensors_hooks: what nodes save is held by the user's hooks.

`graph.saved_tensors_hooks` gives every array that a node saves to a pack hook; backward
gets it back from the unpack hook. Between the two, residuals are `Packed` entries.

Public names: `Everything`, `Packed`, `packed`, `unpacked`, `opened`, `pack_program`,
`unpacked_program`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..core.ir import program
from .modes import no_grad
from .saving import FREED

__all__ = [
    "Everything",
    "Packed",
    "opened",
    "pack_program",
    "packed",
    "unpacked",
    "unpacked_program",
]

Pair = tuple[Any, Any]


class Everything(tuple[Any, Any]):
    """A pair of hooks that takes over the inputs of composites too.

    A composite keeps its inputs for the case that its gradient is differentiated.
    PyTorch has no such values, so users' hooks do not see them.
    """

    __slots__ = ()


class Packed(tuple[Any, ...]):
    """Residuals that hooks hold: pairs (unpack hook or None, what pack returned)."""

    __slots__ = ()


def packed(residuals: Sequence[Any], hooks: Pair) -> Packed:
    """Give the arrays among residuals to a pack hook."""
    from .tensor import tensor_of

    pack, unpack = hooks
    with no_grad():
        return Packed(
            (unpack, pack(tensor_of(r))) if isinstance(r, np.ndarray) else (None, r)
            for r in residuals
        )


def unpacked(eqn: Any) -> tuple[Any, ...]:
    """Return the residuals of an equation, from the hook that holds them if one does.

    Raises:
        RuntimeError: they have been freed.
    """
    if eqn.residuals is None:
        raise RuntimeError(FREED)
    return opened(eqn.residuals)


def opened(values: Any) -> tuple[Any, ...]:
    """Return values, from the hook that holds them if one does."""
    if values.__class__ is not Packed:
        return tuple(values)
    return tuple(v if unpack is None else unpack(v).value for unpack, v in values)


def pack_program(outs: Sequence[Any], hooks: Pair) -> None:
    """Pack what the equations of a composite node's program keep."""
    for eqn in program(outs):
        if any(isinstance(r, np.ndarray) for r in eqn.residuals):
            eqn.residuals = packed(eqn.residuals, hooks)


@contextlib.contextmanager
def unpacked_program(outs: Sequence[Any]) -> Iterator[None]:
    """Have the residuals of a program unpacked inside a ``with`` block."""
    held = [e for e in program(outs) if e.residuals.__class__ is Packed]
    kept = [e.residuals for e in held]
    for eqn in held:
        eqn.residuals = unpacked(eqn)
    try:
        yield
    finally:
        for eqn, residuals in zip(held, kept, strict=True):
            eqn.residuals = residuals
