"""What `no_grad` means inside functional transforms.

A value inside transforms is boxes within boxes. Those of reverse mode are taken off;
those of forward mode and of `vmap` stay, around values without the others. A program
that is being staged gets a `stop_gradient`.

Public names: `without_gradients`.
"""

from __future__ import annotations

from typing import Any

from ..core.tape import Tape
from ..core.trace import Tracer, aval_of
from ..ops.arithmetic import stop_gradient
from ..transforms.batching import Batch, BatchedValue
from ..transforms.forward import Stream

__all__ = ["without_gradients"]


def without_gradients(value: Any, cut: int) -> Any:
    """Return a value without the boxes of reverse mode that were made before `cut`."""
    if not isinstance(value, Tracer) or not 0 <= value.owner.level < cut:
        return value
    if aval_of(value).dtype.kind not in "fc":
        return value
    owner = value.owner
    if isinstance(owner, Tape):
        return without_gradients(value.value, cut)
    if isinstance(owner, Batch):
        stacked, dim = value.payload
        inner = without_gradients(stacked, cut)
        if inner is stacked:
            return value
        return Tracer(owner, None, BatchedValue(inner, dim))
    if isinstance(owner, Stream):
        parts = value.value, value.payload
        inner, tangent = (without_gradients(p, cut) for p in parts)
        if inner is parts[0] and tangent is parts[1]:
            return value
        return Tracer(owner, inner, tangent)
    return stop_gradient(value)
