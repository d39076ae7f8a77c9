"""Equal programs become one, so that what was derived from it is used again.

Control flow traces its bodies at every call, because a Python function may close over
other values each time. Equal programs share their cache: derivatives and executables
are made once.

Public names: `intern`, `freeze`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

import numpy as np

from ..core.ir import Jaxpr, Lit, key_of

__all__ = ["freeze", "intern"]

CAPACITY = 512
_known: OrderedDict[Any, Jaxpr] = OrderedDict()
_lock = threading.Lock()


def intern(jaxpr: Jaxpr) -> Jaxpr:
    """Return a program equal to `jaxpr`, the same one for equal programs."""
    if jaxpr.consts:
        return jaxpr
    try:
        key = _fingerprint(jaxpr)
        hash(key)
    except TypeError:  # a parameter that cannot be compared
        return jaxpr
    with _lock:
        found = _known.setdefault(key, jaxpr)
        _known.move_to_end(key)
        while len(_known) > CAPACITY:
            _known.popitem(last=False)
    return found


def _fingerprint(jaxpr: Jaxpr) -> Any:
    numbers = {key_of(v): i for i, v in enumerate(jaxpr.inputs)}

    def code(atom: Any) -> Any:
        if isinstance(atom, Lit):
            value = atom.value
            return type(value), repr(value), atom.aval
        return numbers[key_of(atom)]

    eqns = []
    for eqn in jaxpr.eqns:
        inputs = tuple([code(v) for v in eqn.inputs])
        for v in eqn.outputs:
            numbers[key_of(v)] = len(numbers)
        params = tuple([(k, freeze(v)) for k, v in sorted(eqn.params.items())])
        eqns.append((eqn.prim, inputs, params, tuple(eqn.avals_out)))
    outs = tuple([code(v) for v in jaxpr.outputs])
    return tuple(jaxpr.in_avals), tuple(eqns), outs


def freeze(value: Any) -> Any:
    """Return a hashable stand-in that is equal for equal parameters only."""
    if isinstance(value, dict):
        return dict, tuple([(k, freeze(v)) for k, v in sorted(value.items())])
    if isinstance(value, (tuple, list)):
        return type(value), tuple([freeze(v) for v in value])
    if isinstance(value, slice):
        return slice, freeze((value.start, value.stop, value.step))
    if isinstance(value, np.ndarray):
        if value.size > 1024:
            raise TypeError("too large to compare")
        return np.ndarray, value.shape, value.dtype, value.tobytes()
    if isinstance(value, float):
        return float, repr(value)
    return type(value), value
