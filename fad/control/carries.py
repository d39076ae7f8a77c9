"""Loop carries: what goes in must come out, of the same structure, shapes and dtypes.

A weak initial value (a Python number) takes the dtype that the body gives it.

Public names: `trace_carrying`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.pytree import TreeDef
from ..ops.arithmetic import convert
from .bodies import Body, fits_weakly, trace_body, with_dtypes
from .higher import strong

__all__ = ["trace_carrying"]


def trace_carrying(
    name: str,
    fun: Callable[..., Any],
    tree: TreeDef,
    leaves: Sequence[Any],
    avals: Sequence[Aval],
    rest: Sequence[Aval] = (),
) -> tuple[Body, list[Any]]:
    """Trace a body that returns a tuple whose first part replaces its first argument.

    Args:
        name: of the loop, for messages.
        fun: the body.
        tree: the structure of its tuple of arguments, carry first.
        leaves: of the initial carry.
        avals: their avals.
        rest: avals of the other inputs.

    Returns:
        The body, and the initial leaves in the dtypes that the loop keeps.

    Raises:
        TypeError: the carry changes; the message shows both.
    """
    body = trace_body(name, fun, tree, [*avals, *rest])
    _check_structure(name, tree, body)
    wanted = [
        _settle(a, found) for a, found in zip(avals, body.out_avals, strict=False)
    ]
    if [repr(a) for a in wanted] != [repr(a) for a in avals]:
        leaves = [
            v if not a.weak else convert(v, dtype=w.dtype)
            for v, a, w in zip(leaves, avals, wanted, strict=True)
        ]
        body = trace_body(name, fun, tree, [*wanted, *rest])
    outs = [strong(a) for a in body.out_avals]
    for i, (a, found) in enumerate(zip(wanted, body.out_avals, strict=False)):
        if found.shape != a.shape or not (
            found.dtype == a.dtype or fits_weakly(found, a.dtype)
        ):
            raise TypeError(
                f"{name}: the carry must keep its shapes and dtypes, but leaf {i} goes "
                f"in as {a!r} and comes out as {found!r}. Give the initial value the "
                "shape and dtype of the result, or convert the result by x.astype(...)"
            )
        outs[i] = a
    body = with_dtypes(body, outs)
    return body, [_scalar(v) for v in leaves]


def _scalar(value: Any) -> Any:
    return value[()] if isinstance(value, np.ndarray) and not value.ndim else value


def _settle(initial: Aval, found: Aval) -> Aval:
    """Return the aval that a carry has in the loop."""
    if not initial.weak:
        return initial
    if found.shape == initial.shape:
        return (
            Aval(initial.shape, np.result_type(initial.dtype, found.dtype))
            if (found.weak)
            else strong(found)
        )
    return strong(initial)


def _check_structure(name: str, tree: TreeDef, body: Body) -> None:
    want, found = tree.children()[0], body.tree.children()[0]
    if want != found:
        raise TypeError(
            f"{name}: the carry must keep its structure, but goes in as {want} and "
            f"comes out as {found}"
        )
