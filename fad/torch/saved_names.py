"""The saved values of a node by PyTorch's names: ``node._saved_self``.

Public names: `saved_value`.
"""

from __future__ import annotations

from typing import Any

from ..core.primitive import ANS
from .node import FREED, AccumulateGrad
from .packing import unpacked
from .tensor import tensor_of, wrap

__all__ = ["saved_value"]

_POSITIONS = {"self": 0, "input": 0, "other": 1, "result": ANS, "target": 1}


def saved_value(node: Any, name: str) -> Any:
    """Return what a node saved under a name.

    Raises:
        AttributeError: it saved nothing of that name.
        RuntimeError: it has been freed.
    """
    if node.extra is not None and name in node.extra:
        return node.extra[name]
    if name in (node.params or {}):
        return node.params[name]
    what = _POSITIONS.get(name)
    if node.residuals is None:
        raise RuntimeError(FREED)
    if what is None or node.plan is None or what not in node.plan.picks:
        raise AttributeError(
            f"'{type(node).__name__}' object has no attribute '_saved_{name}'"
        )
    value = unpacked(node)[node.plan.picks.index(what)]
    atom = node if what == ANS else node.inputs[what]
    if isinstance(atom, AccumulateGrad):
        return atom.variable
    return tensor_of(value) if atom is None else wrap(value, atom)
