"""Trace the functions given to control flow.

A body becomes a program whose first inputs are the arrays and tracers that it closes
over. Equal programs are made one (`transforms.interning`), so that calling `scan` again
does not derive and compile again.

Public names: `Body`, `trace_body`, `share_closure`, `leaves_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.avals import Aval
from ..core.ir import Jaxpr
from ..core.pytree import TreeDef, tree_flatten, tree_unflatten
from ..core.trace import aval_of
from ..ops.arithmetic import convert
from ..transforms.interning import intern
from ..transforms.staging import eval_jaxpr, stage
from .static import check_leaf

__all__ = [
    "Body",
    "fits_weakly",
    "leaves_of",
    "share_closure",
    "trace_body",
    "with_dtypes",
]


class Body(NamedTuple):
    """A traced function.

    Attributes:
        jaxpr: the program; its first inputs are what the function closed over.
        closure: the values of those.
        tree: the structure of the result.
    """

    jaxpr: Jaxpr
    closure: list[Any]
    tree: TreeDef

    @property
    def out_avals(self) -> list[Aval]:
        return self.jaxpr.out_avals


def leaves_of(what: str, tree: Any) -> tuple[list[Any], list[Aval], TreeDef]:
    """Return the leaves of an argument, their avals and the structure."""
    leaves, treedef = tree_flatten(tree)
    return leaves, [check_leaf(v, what) for v in leaves], treedef


def trace_body(
    what: str, fun: Callable[..., Any], tree: TreeDef, avals: Sequence[Aval]
) -> Body:
    """Trace `fun(*args)`, for a tuple `args` of structure `tree` and leaves `avals`.

    Args:
        what: the function's name for messages.
        fun: a function of pytrees.
        tree: the structure of its tuple of arguments.
        avals: of the leaves.
    """
    trees: list[TreeDef] = []

    def flat(*boxes: Any) -> list[Any]:
        outs, out_tree = tree_flatten(fun(*tree_unflatten(tree, boxes)))
        for o in outs:
            check_leaf(o, f"{what}: outputs")
        trees.append(out_tree)
        return outs

    jaxpr = stage(flat, avals)
    opened = Jaxpr(
        (*jaxpr.const_vars, *jaxpr.inputs), (), (), jaxpr.eqns, jaxpr.outputs
    )
    return Body(intern(opened), list(jaxpr.consts), trees[0])


def with_dtypes(body: Body, avals: Sequence[Aval]) -> Body:
    """Return a body whose outputs are converted to the dtypes of `avals`, not weak."""
    pairs = list(zip(body.out_avals, avals, strict=True))
    if all(a.dtype == b.dtype and not a.weak for a, b in pairs):
        return body

    def converted(*args: Any) -> list[Any]:
        outs = eval_jaxpr(body.jaxpr, *args)
        return [
            o
            if aval_of(o).dtype == a.dtype and not aval_of(o).weak
            else convert(o, dtype=a.dtype)
            for o, a in zip(outs, avals, strict=True)
        ]

    return body._replace(jaxpr=intern(stage(converted, body.jaxpr.in_avals)))


def fits_weakly(aval: Aval, dtype: np.dtype[Any]) -> bool:
    """Tell whether a weak value takes `dtype` when it meets it."""
    if not aval.weak:
        return False
    example = {"b": True, "i": 0, "f": 0.0, "c": 0j}[aval.dtype.kind]
    return bool(np.result_type(np.empty(0, dtype), example) == dtype)


def share_closure(bodies: Sequence[Body]) -> tuple[list[Jaxpr], list[Any]]:
    """Give bodies one joint closure.

    Returns:
        Programs that all take the same inputs, and the values of the closure.
    """
    if not any(b.closure for b in bodies):
        return [b.jaxpr for b in bodies], []
    shared: list[Any] = []
    places: dict[int, int] = {}
    for body in bodies:
        for value in body.closure:
            if places.setdefault(id(value), len(shared)) == len(shared):
                shared.append(value)
    avals = [aval_of(v) for v in shared]
    jaxprs = []
    for body in bodies:
        where = [places[id(v)] for v in body.closure]
        if where == list(range(len(shared))):
            jaxprs.append(body.jaxpr)
            continue
        jaxprs.append(intern(_widen(body.jaxpr, where, avals)))
    return jaxprs, shared


def _widen(jaxpr: Jaxpr, where: Sequence[int], avals: Sequence[Aval]) -> Jaxpr:
    """Return the program with inputs `avals` in front, its closure being at `where`."""
    own = jaxpr.in_avals[len(where) :]

    def wide(*args: Any) -> list[Any]:
        return eval_jaxpr(jaxpr, *[args[i] for i in where], *args[len(avals) :])

    return stage(wide, [*avals, *own])
