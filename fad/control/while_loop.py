"""`while_loop` and `fori_loop`: loops whose length may depend on values.

Public names: `while_loop`, `fori_loop`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.pytree import tree_unflatten
from ..core.pytree_structure import LEAF
from ..core.trace import aval_of, bind, concrete_value
from ..ops.arithmetic import add, convert
from ..ops.comparison import lt
from .bodies import Body, leaves_of, trace_body
from .carries import trace_carrying
from .disabling import jit_is_disabled
from .scanning import scan
from .while_call import while_call

__all__ = ["fori_loop", "while_loop"]


def while_loop(
    cond_fun: Callable[..., Any], body_fun: Callable[..., Any], init_val: Any
) -> Any:
    """Apply `body_fun` while `cond_fun` holds, and return the last value.

    As if::

        val = init_val
        while cond_fun(val):
            val = body_fun(val)
        return val

    Forward and reverse mode work; reverse mode keeps what each step needs, and runs the
    loop once more under `jit` and `vmap`. Under `vmap` each example stops by itself.

    Args:
        cond_fun: from the value to a boolean scalar.
        body_fun: from the value to the next, of the same structure, shapes and dtypes.
        init_val: a pytree of arrays.

    Raises:
        TypeError: the condition is not a boolean scalar, or the value changes its type.

    >>> import fad
    >>> f = lambda x: fad.lax.while_loop(lambda u: u < 10.0, lambda u: 2.0 * u, x)
    >>> float(f(3.0)), float(fad.grad(f)(3.0))
    (12.0, 4.0)
    """
    if not (callable(cond_fun) and callable(body_fun)):
        raise TypeError("while_loop takes (cond_fun, body_fun, init_val)")
    leaves, avals, tree = leaves_of("while_loop: init_val", (init_val,))
    if jit_is_disabled():
        while cond_fun(init_val):
            init_val = body_fun(init_val)
        return init_val
    body, start = trace_carrying(
        "while_loop", lambda val: (body_fun(val),), tree, leaves, avals
    )
    carry_avals = body.jaxpr.in_avals[len(body.closure) :]
    cond = trace_body("while_loop condition", cond_fun, tree, carry_avals)
    _check_condition(cond)
    outs = bind(
        while_call, *cond.closure, *body.closure, *start,
        cond_jaxpr=cond.jaxpr, body_jaxpr=body.jaxpr,
        cond_nconsts=len(cond.closure), body_nconsts=len(body.closure),
    )  # fmt: skip
    (val,) = tree_unflatten(body.tree, outs)
    return val


def _check_condition(cond: Body) -> None:
    outs = cond.out_avals
    if cond.tree != LEAF or outs[0].shape or outs[0].dtype.kind != "b":
        found = tree_unflatten(cond.tree, outs)
        raise TypeError(
            f"while_loop: the condition must return one boolean scalar, got {found!r}; "
            "compare, or use fnp.any or fnp.all"
        )


def fori_loop(
    lower: Any,
    upper: Any,
    body_fun: Callable[..., Any],
    init_val: Any,
    *,
    unroll: int | bool | None = None,
) -> Any:
    """Apply `body_fun(i, val)` for i from `lower` to `upper - 1`.

    With plain integers for bounds it is a `scan`, otherwise a `while_loop`; both can be
    differentiated in every mode.

    Args:
        lower, upper: integer scalars.
        body_fun: `(i, val) -> val` of the same structure, shapes and dtypes.
        init_val: a pytree of arrays.
        unroll: how many steps the body does at once, as in `scan`; of loops with plain
            bounds.

    Raises:
        TypeError: a bound is not an integer scalar, or the value changes its type.
        ValueError: `unroll` is given and a bound is traced.

    >>> import fad
    >>> float(fad.grad(lambda x: fad.lax.fori_loop(0, 3, lambda i, v: v * x, 1.0))(2.0))
    12.0
    """
    for what, bound in (("lower", lower), ("upper", upper)):
        aval = aval_of(bound)
        if aval.shape or aval.dtype.kind not in "iu":
            raise TypeError(
                f"fori_loop: {what} must be an integer scalar, got {aval!r}"
            )
    dtype = _index_dtype(lower, upper)
    first, last = concrete_value(lower), concrete_value(upper)
    if first is not None and last is not None:
        steps = np.arange(int(first), max(int(first), int(last)), dtype=dtype)
        body = lambda val, i: (body_fun(i, val), None)
        return scan(body, init_val, steps, unroll=1 if unroll is None else unroll)[0]
    if unroll is not None:
        raise ValueError("fori_loop: a loop with a traced bound cannot be unrolled")
    lower, upper = convert(lower, dtype=dtype), convert(upper, dtype=dtype)
    _, val = while_loop(
        lambda carry: lt(carry[0], upper),
        lambda carry: (add(carry[0], 1), body_fun(carry[0], carry[1])),
        (lower, init_val),
    )
    return val


def _index_dtype(lower: Any, upper: Any) -> np.dtype[Any]:
    """Return the dtype of the counter: that of the bounds, int64 of Python's."""
    avals = aval_of(lower), aval_of(upper)
    return np.result_type(*([a.dtype for a in avals if not a.weak] or [np.int64]))
