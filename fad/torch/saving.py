"""Saved values: the check that nobody wrote into them, and saved_tensors_hooks.

Every tensor has a `Storage`, shared with its views and with `detach()`, that counts
in-place writes. A node notes the count of each tensor whose array it keeps; if it has
moved when backward comes, the value is not what the forward pass saw.

Public names: `Storage`, `Saved`, `check_versions`, `reattach`, `unpacked`, `packed`,
`FREED`.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..core.primitive import ANS
from ..core.trace import Tracer, aval_of

__all__ = [
    "FREED",
    "Saved",
    "Storage",
    "Unpacked",
    "check_versions",
    "modified",
    "packed",
    "reattach",
    "unpacked",
]

FREED = (
    "Trying to backward through the graph a second time (or directly access saved "
    "tensors after they have already been freed). Saved intermediate values of the graph "
    "are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if "
    "you need to backward through the graph a second time or if you need to access saved "
    "tensors after calling backward."
)


class Storage:
    """The memory of tensors that share it.

    Attributes:
        version: how often it has been written to in place.
        writer: a weak reference to the node of the last recorded write, or None.
    """

    version = 0  # class attributes, since most storages are never written to
    writer: Any = None


class Saved(Tracer):
    """A value that a node saved, with its place in the graph, read in backward."""

    __slots__ = ("storage",)
    storage: Storage


def reattach(value: Any, atom: Any, storage: Storage | None = None) -> Any:
    """Return a saved value as a tracer of the tape, if it is differentiated."""
    from .tape import TAPE

    if atom is None:
        return value
    if storage is None:
        return Tracer(TAPE, value, atom)
    saved = Saved(TAPE, value, atom)
    saved.storage = storage
    return saved


def check_versions(node: Any) -> None:
    """Raise if a saved value has been written to in place.

    Raises:
        RuntimeError: naming the tensor, the operation that made it and the versions.
    """
    for what, storage, version in node.saved:
        if storage.version != version:
            atom = node if what == ANS else node.inputs[what] if what >= 0 else None
            value = node.residuals[node.plan.picks.index(what)]
            raise RuntimeError(
                modified(value, atom, storage, version, of_result=what == ANS)
            )


def modified(
    value: Any, atom: Any, storage: Storage, expected: int, of_result: bool = False
) -> str:
    """Say that a saved value was modified, and which operation made it last."""
    from .dtypes import of_numpy
    from .node import AccumulateGrad

    aval = aval_of(value)
    if not of_result and storage.writer is not None:
        atom = storage.writer() or atom
    text = f"[torch.{of_numpy(aval.dtype).title}Tensor {list(aval.shape)}]"
    if atom is not None and not isinstance(atom.eqn, AccumulateGrad):
        text += f", which is output {atom.index} of {short_name(atom.eqn)},"
    return (
        "one of the variables needed for gradient computation has been modified by an "
        f"inplace operation: {text} is at version {storage.version}; expected version {expected} "
        "instead. Hint: enable anomaly detection to find the operation that failed to "
        "compute its gradient, with torch.autograd.set_detect_anomaly(True, "
        "check_nan=False)."
    )


def short_name(node: Any) -> str:
    """Return a node's name without its ending: Mul, Sum1 for MulBackward0, SumBackward1."""
    name: str = node.name()
    return re.sub("Backward0?", "", name)


class Unpacked(tuple[Any, ...]):
    """Residuals that saved_tensors_hooks hold: pairs (unpack, what pack returned)."""

    __slots__ = ()


def packed(residuals: Any, hooks: tuple[Any, Any]) -> Any:
    """Give the arrays among residuals to a pack hook."""
    from .modes import no_grad
    from .tensor import tensor_of

    pack, unpack = hooks
    with no_grad():
        return Unpacked(
            (unpack, pack(tensor_of(r))) if isinstance(r, np.ndarray) else (None, r)
            for r in residuals
        )


def unpacked(node: Any) -> tuple[Any, ...]:
    """Return the residuals of a node, unpacked by the hook that holds them."""
    if node.residuals is None:
        raise RuntimeError(FREED)
    if node.residuals.__class__ is not Unpacked:
        found: tuple[Any, ...] = node.residuals
        return found
    return tuple(r if u is None else u(r).value for u, r in node.residuals)
