"""Saved values, and the check that nobody wrote into them.

Every tensor has a `Storage`, shared with its views and with `detach()`, that counts
in-place writes. A node notes the count of each tensor whose array it keeps; if it has
moved when backward comes, the value is not what the forward pass saw.

Public names: `Storage`, `Saved`, `check_versions`, `modified`, `reattach`, `FREED`.
"""

from __future__ import annotations

import re
import weakref
from typing import Any

from ..core.primitive import ANS
from ..core.trace import Tracer, aval_of

__all__ = [
    "FREED",
    "Saved",
    "Storage",
    "check_versions",
    "modified",
    "reattach",
]

FREED = (
    "Trying to backward through the graph a second time (or directly access saved "
    "tensors after they have already been freed). Saved intermediate values of the "
    "graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if "
    "you need to access saved tensors after calling backward."
)


class Storage:
    """The memory of tensors that share it.

    Attributes:
        version: how often it has been written to in place.
        writer: a weak reference to the node by which a constant got a history, or None.
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
    if atom is None and storage.writer is not None:
        atom = storage.writer()
    if atom is not None and not of_result:
        atom = latest(atom)
    text = f"[torch.{of_numpy(aval.dtype).title}Tensor {list(aval.shape)}]"
    if atom is not None and not isinstance(atom.eqn, AccumulateGrad):
        text += f", which is output {atom.index} of {short_name(atom.eqn)},"
    return (
        "one of the variables needed for gradient computation has been modified by an "
        f"inplace operation: {text} is at version {storage.version}; expected version "
        f"{expected} instead. Hint: enable anomaly detection to find the operation "
        "that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )


def succeed(old: Any, new: Any) -> None:
    """Note that an in-place write made `new` the history of what `old` had made."""
    if old is not None and new is not None:
        if old.eqn.extra is None:
            old.eqn.extra = {}
        old.eqn.extra["successor"] = weakref.ref(new.eqn)


def latest(atom: Any) -> Any:
    """Return what an atom has become by in-place writes."""
    while True:
        noted = (atom.eqn.extra or {}).get("successor")
        newer = None if noted is None else noted()
        if newer is None:
            return atom
        atom = newer


def short_name(node: Any) -> str:
    """Return a node's name without its ending: Mul for MulBackward0, Sum1."""
    name: str = node.name()
    return re.sub("Backward0?", "", name)
