"""`make_jaxpr`, `eval_jaxpr`, `eval_shape`: programs as users look at them.

Public names: `eval_jaxpr eval_shape make_jaxpr`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..core.avals import Aval, ShapeDtypeStruct
from ..core.ir import Jaxpr, validate
from ..core.pytree import TreeDef, tree_flatten, tree_unflatten
from ..transforms.staging import eval_jaxpr, stage
from .arguments import check_leaf, function_name

__all__ = ["eval_jaxpr", "eval_shape", "make_jaxpr"]


def make_jaxpr(
    fun: Callable[..., Any],
    static_argnums: int | Sequence[int] = (),
    return_shape: bool = False,
) -> Callable[..., Any]:
    """Return a function that traces `fun` and returns its program.

    Args:
        fun: a function of pytrees of arrays.
        static_argnums: positional arguments to pass on as they are.
        return_shape: return `(jaxpr, shapes)`, with a pytree of `ShapeDtypeStruct`.

    Returns:
        A function that takes arrays, numbers or `ShapeDtypeStruct` values.

    Raises:
        TracerBoolConversionError: `fun` branches on a traced value.

    >>> import fad, numpy as np
    >>> fad.make_jaxpr(lambda x: np.sin(x) * 2.0)(np.zeros(3))
    { lambda ; a:f64[3]. let b:f64[3] = sin a; c:f64[3] = mul b 2.0:f64[] in (c,) }
    """
    if not callable(fun):
        raise TypeError(f"make_jaxpr needs a function, got {fun!r:.60}")

    @functools.wraps(
        fun, assigned=("__module__", "__name__", "__qualname__", "__doc__")
    )
    def make_jaxpr_f(*args: Any, **kwargs: Any) -> Any:
        jaxpr, out_tree = _trace(fun, static_argnums, args, kwargs)
        if not return_shape:
            return jaxpr
        return jaxpr, tree_unflatten(out_tree, _structs(jaxpr))

    return make_jaxpr_f


def _structs(jaxpr: Jaxpr) -> list[ShapeDtypeStruct]:
    return [ShapeDtypeStruct(a.shape, a.dtype, a.weak) for a in jaxpr.out_avals]


def _trace(
    fun: Callable[..., Any],
    static_argnums: int | Sequence[int],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[Jaxpr, TreeDef]:
    nums = (static_argnums,) if isinstance(static_argnums, int) else static_argnums
    static = {i % len(args) for i in nums} if args else set()
    dynamic = tuple(a for i, a in enumerate(args) if i not in static)
    leaves, tree = tree_flatten((dynamic, kwargs))
    name = function_name(fun)
    avals = [_aval(v, name) for v in leaves]
    out_trees: list[TreeDef] = []

    def flat(*boxes: Any) -> list[Any]:
        new, named = tree_unflatten(tree, boxes)
        rest = iter(new)
        full = [a if i in static else next(rest) for i, a in enumerate(args)]
        outs, out_tree = tree_flatten(fun(*full, **named))
        for o in outs:
            check_leaf(o, f"{name}: outputs")
        out_trees.append(out_tree)
        return outs

    return validate(stage(flat, avals)), out_trees[0]


def _aval(value: Any, name: str) -> Aval:
    if isinstance(value, ShapeDtypeStruct):
        return Aval(value.shape, value.dtype, value.weak_type)
    return check_leaf(value, f"{name}: arguments")


def eval_shape(fun: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return the shapes and dtypes of a function's outputs without computing them.

    Args:
        fun: a function of pytrees of arrays.
        args, kwargs: its arguments: arrays, numbers or `ShapeDtypeStruct` values.

    Returns:
        A pytree of `ShapeDtypeStruct` like the output.

    >>> import fad, numpy as np
    >>> fad.eval_shape(lambda x: x @ x.T, fad.ShapeDtypeStruct((2, 3), np.float32))
    ShapeDtypeStruct(shape=(2, 2), dtype=float32)
    """
    jaxpr, out_tree = _trace(fun, (), args, kwargs)
    return tree_unflatten(out_tree, _structs(jaxpr))
