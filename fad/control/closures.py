"""Functions with closures, and rules as closures: `closure_convert`, `custom_gradient`.

Public names: `closure_convert`, `custom_gradient`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..core.ir import Jaxpr
from ..core.pytree import (
    TreeDef,
    register_pytree_node,
    tree_flatten,
    tree_unflatten,
)
from ..core.trace import Tracer, aval_of
from ..transforms.staging import eval_jaxpr
from .bodies import leaves_of, trace_body
from .custom_vjp import custom_vjp
from .higher import strong

__all__ = ["closure_convert", "custom_gradient"]


def closure_convert(
    fun: Callable[..., Any], *example_args: Any
) -> tuple[Callable[..., Any], list[Any]]:
    """Turn what a function closes over into arguments, if it is being traced.

    A function with a custom rule must not close over differentiated values; pass
    functions to it converted.

    Args:
        fun: a function of pytrees of arrays.
        example_args: arguments of the shapes and dtypes it will be called with.

    Returns:
        `(converted, consts)`, where `converted(*args, *consts)` is `fun(*args)`, and
        `consts` are the traced values that `fun` closes over.

    >>> import fad
    >>> def f(w):
    ...     g, consts = fad.closure_convert(lambda x: w * x, 1.0)
    ...     return g(3.0, *consts)
    >>> float(fad.grad(f)(2.0))
    3.0
    """
    _, avals, tree = leaves_of("closure_convert: example arguments", example_args)
    body = trace_body("closure_convert: the function", fun, tree, avals)
    traced = [isinstance(v, Tracer) for v in body.closure]
    consts = [v for v, t in zip(body.closure, traced, strict=True) if t]
    known = [None if t else v for v, t in zip(body.closure, traced, strict=True)]
    count = len(example_args)

    def converted(*args_and_consts: Any) -> Any:
        args, given = args_and_consts[:count], iter(args_and_consts[count:])
        leaves, found = tree_flatten(args)
        if found != tree:
            raise TypeError(
                f"closure_convert: the function was converted for arguments of the "
                f"structure {tree}, and called with {found}"
            )
        closure = [next(given) if t else v for v, t in zip(known, traced, strict=True)]
        return tree_unflatten(body.tree, eval_jaxpr(body.jaxpr, *closure, *leaves))

    return converted, consts


class _Rule:
    """A traced reverse rule: what it closes over are the residuals."""

    def __init__(self, closure: list[Any], jaxpr: Jaxpr, tree: TreeDef) -> None:
        self.closure = closure
        self.jaxpr = jaxpr
        self.tree = tree

    def __call__(self, ct: Any) -> Any:
        leaves = tree_flatten(ct)[0]
        return tree_unflatten(self.tree, eval_jaxpr(self.jaxpr, *self.closure, *leaves))


register_pytree_node(
    _Rule,
    lambda rule: (tuple(rule.closure), (rule.jaxpr, rule.tree)),
    lambda about, closure: _Rule(list(closure), *about),
)


def custom_gradient(fun: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function return its value together with its reverse rule.

    Args:
        fun: returns `(output, rule)`, where `rule(ct)` returns the cotangent of the
            argument, or a tuple of them if there are several.

    Returns:
        A function that returns `output`, with derivatives by `rule`.

    >>> import fad, fad.numpy as fnp
    >>> @fad.custom_gradient
    ... def clipped(x):
    ...     return x * x, lambda ct: fnp.clip(ct * 2 * x, -1.0, 1.0)
    >>> float(clipped(3.0)), float(fad.grad(clipped)(3.0))
    (9.0, 1.0)
    """

    @custom_vjp
    @functools.wraps(fun)
    def wrapped(*args: Any) -> Any:
        return _pair(fun, fun(*args))[0]

    def fwd(*args: Any) -> tuple[Any, _Rule]:
        out, rule = _pair(fun, fun(*args))
        leaves, tree = tree_flatten((out,))
        avals = [strong(aval_of(v)) for v in leaves]
        body = trace_body(f"the rule of {fun.__name__}", rule, tree, avals)
        return out, _Rule(body.closure, body.jaxpr, body.tree)

    def bwd(rule: _Rule, ct: Any) -> tuple[Any, ...]:
        cts = rule(ct)
        return tuple(cts) if isinstance(cts, (tuple, list)) else (cts,)

    wrapped.defvjp(fwd, bwd)
    return wrapped


def _pair(fun: Callable[..., Any], out: Any) -> tuple[Any, Any]:
    if not isinstance(out, (tuple, list)) or len(out) != 2 or not callable(out[1]):
        raise TypeError(
            f"custom_gradient: {fun.__name__} must return a pair (output, rule), where "
            f"rule is a function of the output's cotangent; got {out!r:.60}"
        )
    return out[0], out[1]
