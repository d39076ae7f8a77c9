"""`cond` and `switch`: run one of several functions.

Every function is traced; they must agree in what they return. If the choice is known,
the program chosen is called; else all of them stand in one equation (`cond_call`).

Public names: `cond`, `switch`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.pytree import tree_unflatten
from ..core.trace import Tracer, aval_of, concrete_value
from ..ops.arithmetic import convert
from ..ops.comparison import gt, lt, ne, where
from .bodies import (
    Body,
    fits_weakly,
    leaves_of,
    share_closure,
    trace_body,
    with_dtypes,
)
from .cond_call import run_branch
from .disabling import jit_is_disabled
from .higher import strong

__all__ = ["cond", "switch"]

_NOTHING: Any = object()


def cond(
    pred: Any,
    true_fun: Callable[..., Any],
    false_fun: Callable[..., Any],
    *operands: Any,
    operand: Any = _NOTHING,
) -> Any:
    """Return `true_fun(*operands)` if `pred` is true, else `false_fun(*operands)`.

    Both functions are traced and must return the same structure, shapes and dtypes.
    Only one of them runs, except under `vmap` with a `pred` that differs from example
    to example: then both run, without letting infinities or nan of the branch not taken
    into values or derivatives.

    Args:
        pred: a scalar: a boolean, or a number, which is true unless it is zero.
        true_fun, false_fun: functions of the operands.
        operands: pytrees of arrays.
        operand: a single operand by keyword.

    The form `cond(pred, x, true_fun, y, false_fun)`, with an operand for each, is
    understood, too.

    Raises:
        TypeError: `pred` is not a scalar, or the results differ in structure or type.

    >>> import fad, numpy as np
    >>> f = lambda x: fad.lax.cond(x > 0, np.log, lambda u: 2.0 * u, x)
    >>> float(fad.grad(f)(4.0)), float(fad.grad(f)(-1.0))
    (0.25, 2.0)
    """
    if _has_operands_apart(true_fun, false_fun, operands):
        x, run_true, (y, run_false) = true_fun, false_fun, operands
        return cond(pred, lambda a, b: run_true(a), lambda a, b: run_false(b), x, y)
    if not (callable(true_fun) and callable(false_fun)):
        raise TypeError(
            "cond takes (pred, true_fun, false_fun, *operands), where true_fun and "
            f"false_fun are functions; got {true_fun!r:.60} and {false_fun!r:.60}"
        )
    if operand is not _NOTHING:
        if operands:
            raise TypeError("cond: pass operands by position or by operand=, not both")
        operands = (operand,)
    aval = _scalar_aval("cond", "predicate", pred)
    if aval.dtype.kind == "c":
        raise TypeError(f"cond: the predicate must be a real number, got {aval!r}")
    if aval.dtype.kind != "b":
        pred = ne(pred, 0) if isinstance(pred, Tracer) else pred != 0
    if jit_is_disabled() and concrete_value(pred) is not None:
        return (true_fun if concrete_value(pred) else false_fun)(*operands)
    return _dispatch("cond", pred, [false_fun, true_fun], operands)


def _has_operands_apart(x: Any, first: Any, rest: tuple[Any, ...]) -> bool:
    return not callable(x) and callable(first) and len(rest) == 2 and callable(rest[1])


def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """Return `branches[index](*operands)`; the index is clamped into range.

    Args:
        index: an integer scalar: below 0 counts as 0, too large as the last.
        branches: functions of the operands with results of one structure and type.
        operands: pytrees of arrays.

    Raises:
        ValueError: there are no branches.
        TypeError: the index is not an integer scalar, or the results differ.

    >>> import fad, numpy as np
    >>> float(fad.lax.switch(7, [np.sin, np.exp], 0.0))
    1.0
    """
    branches = list(branches)
    if not branches:
        raise ValueError("switch needs at least one branch")
    for branch in branches:
        if not callable(branch):
            raise TypeError(f"switch branches are functions, got {branch!r:.60}")
    aval = _scalar_aval("switch", "index", index)
    if aval.dtype.kind not in "iu":
        raise TypeError(f"switch needs an integer index, got {aval!r}")
    last = len(branches) - 1
    if jit_is_disabled() and concrete_value(index) is not None:
        return branches[min(max(int(concrete_value(index)), 0), last)](*operands)
    index = convert(index, dtype=np.dtype(np.int64))
    index = where(lt(index, 0), 0, where(gt(index, last), last, index))
    return _dispatch("switch", index, branches, operands)


def _scalar_aval(name: str, what: str, value: Any) -> Aval:
    try:
        aval = aval_of(value)
    except TypeError:
        raise TypeError(
            f"{name}: the {what} must be a scalar number or boolean, got "
            f"{value!r:.60} of type {type(value).__name__}"
        ) from None
    if aval.shape:
        hint = (
            "; use fnp.where to choose element by element, or vmap to choose example "
            "by example"
        )
        raise TypeError(
            f"{name}: the {what} must be a scalar, got {aval!r} of shape {aval.shape}"
            + hint
        )
    return aval


def _dispatch(
    name: str,
    index: Any,
    functions: Sequence[Callable[..., Any]],
    operands: tuple[Any, ...],
) -> Any:
    leaves, avals, tree = leaves_of(f"{name}: operands", operands)
    bodies = [
        trace_body(f"{name} branch {k}", f, tree, avals)
        for k, f in enumerate(functions)
    ]
    bodies = _same_results(name, bodies)
    jaxprs, closure = share_closure(bodies)
    args = [*closure, *leaves]
    outs = run_branch(index, tuple(jaxprs), args, f"{name}_branch")
    return tree_unflatten(bodies[0].tree, outs)


def _same_results(name: str, bodies: list[Body]) -> list[Body]:
    """Check that branches agree; weak outputs take the dtype of others of their kind.

    A whole number beside floating ones is an error, although NumPy would promote it: a
    result whose type hangs on the branch taken is a fault more often than not.
    """
    first = bodies[0]
    for k, body in enumerate(bodies[1:], 1):
        if body.tree != first.tree:
            raise TypeError(
                f"{name}: the branches must return the same structure, but "
                f"{_branch(name, 0)} returns {first.tree} and {_branch(name, k)} "
                f"returns {body.tree}"
            )
    joint = []
    for column in zip(*(b.out_avals for b in bodies), strict=True):
        known = next((a for a in column if not a.weak), None)
        if known is None:
            dtype = np.result_type(*[a.dtype for a in column])
            known = Aval(column[0].shape, dtype)
        joint.append(strong(known))
    for k, body in enumerate(bodies):
        for i, (found, a) in enumerate(zip(body.out_avals, joint, strict=True)):
            fits = found.dtype == a.dtype or (
                found.dtype.kind == a.dtype.kind and fits_weakly(found, a.dtype)
            )
            if found.shape != a.shape or not fits:
                raise TypeError(
                    f"{name}: the branches must return values of the same shapes and "
                    f"dtypes, but output {i} is {found!r} in {_branch(name, k)} and "
                    f"{a!r} in another; convert one of them, for example with "
                    "x.astype(...) or fnp.broadcast_to"
                )
    return [with_dtypes(b, joint) for b in bodies]


def _branch(name: str, k: int) -> str:
    if name == "cond":
        return ("false_fun", "true_fun")[k]
    return f"branch {k}"
