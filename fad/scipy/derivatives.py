"""Values with derivatives, on one vector or a few pytrees, for the solvers.

The public transforms stand above this package; these are the same loops on what the
solvers need and no more.

Public names: `ravel pushed pulled value_and_gradient hessian_product`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ..core.avals import zeros
from ..core.pytree import tree_flatten, tree_unflatten
from ..core.tape import Tape
from ..core.trace import Tracer, aval_of
from ..numpy.convert import operand
from ..ops.arithmetic import convert
from ..ops.indexing import getitem, slice_along
from ..ops.shape import concatenate, reshape
from ..transforms.forward import Stream
from ..transforms.reverse import backward

__all__ = ["hessian_product", "pulled", "pushed", "ravel", "value_and_gradient"]

Function = Callable[..., Any]


def ravel(tree: Any, what: str) -> tuple[Any, Callable[[Any], Any]]:
    """Return the leaves of a pytree as one vector, and the way back.

    Raises:
        TypeError: a leaf is complex or no number.
    """
    leaves, structure = tree_flatten(tree)
    leaves = [operand(v) for v in leaves]
    avals = [aval_of(v) for v in leaves]
    if any(a.dtype.kind not in "fiub" for a in avals):
        wrong = next(a for a in avals if a.dtype.kind not in "fiub")
        raise TypeError(f"{what} must be of real numbers, got {wrong!r}")
    floating = [a.dtype if a.dtype.kind == "f" else np.dtype(float) for a in avals]
    dtype = np.result_type(*floating) if floating else np.dtype(float)
    flat = [convert(reshape(v, shape=(aval_of(v).size,)), dtype=dtype) for v in leaves]
    vector = concatenate(*flat, axis=0) if flat else np.empty(0)

    def unravel(x: Any) -> Any:
        parts, start = [], 0
        for aval, kind in zip(avals, floating, strict=True):
            stop = start + prod(aval.shape)
            part = (
                reshape(slice_along(x, start, stop, 0), shape=aval.shape)
                if aval.shape
                else getitem(x, index=(start,))
            )
            parts.append(convert(part, dtype=kind))
            start = stop
        return tree_unflatten(structure, parts)

    return vector, unravel


def pushed(
    fun: Function, primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[Any, Any]:
    """Return a function's pytree of values and its tangents; None is a zero tangent."""
    stream = Stream()
    try:
        boxes = [stream.input(v, t) for v, t in zip(primals, tangents, strict=True)]
        outs, tree = tree_flatten(fun(*boxes))
        pairs = [_pair(stream, o) for o in outs]
    finally:
        stream.close()
    values, moved = [p[0] for p in pairs], [p[1] for p in pairs]
    return tree_unflatten(tree, values), tree_unflatten(tree, moved)


def _pair(stream: Stream, out: Any) -> tuple[Any, Any]:
    tangent = stream.tangent(out)
    if tangent is None:
        return out, zeros(aval_of(out).tangent())
    return out.value, tangent


def pulled(
    fun: Function, primals: Sequence[Any], cotangent: Any
) -> tuple[Any, list[Any]]:
    """Return the value of a function of arrays and the cotangents of its arguments."""
    tape = Tape()
    try:
        boxes = [tape.input(v) if aval_of(v).dtype.kind in "fc" else v for v in primals]
        out = fun(*boxes)
        tape.close()
        avals = [aval_of(v) for v in primals]
        if not (isinstance(out, Tracer) and out.owner is tape):
            return out, [zeros(a.tangent()) for a in avals]
        atoms = [
            None if b is v else b.payload for b, v in zip(boxes, primals, strict=True)
        ]
        env = backward([out.payload], [cotangent])
        found = [None if v is None else env.get(v) for v in atoms]
        value = out.value
    finally:
        tape.close()
        tape.guard.release()
    full = [
        zeros(a.tangent()) if c is None else c
        for c, a in zip(found, avals, strict=True)
    ]
    return value, full


def value_and_gradient(fun: Function, x: Any) -> tuple[Any, Any]:
    """Return a scalar function's value and gradient at a vector."""
    value, (gradient,) = pulled(fun, [x], np.ones((), aval_of(x).dtype)[()])
    return value, gradient


def hessian_product(fun: Function, x: Any, direction: Any) -> Any:
    """Return the product of a scalar function's Hessian with a vector."""
    return pushed(lambda x: value_and_gradient(fun, x)[1], [x], [direction])[1]
