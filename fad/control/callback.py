"""Call Python from programs: `pure_callback`, `io_callback`, `debug.callback`.

A callback gets NumPy arrays and runs each time the program does. A *pure* one stands
for a function: it may be left out if its result is not needed, and its result's shape
is declared, because under `jit` it is not known. `io_callback` and `debug.callback` are
for what they do: they always run, once for each run of the program, in program order.

Public names: `pure_callback`, `io_callback`, `debug_callback`, `debug_print`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval, ShapeDtypeStruct
from ..core.ir import Eqn
from ..core.primitive import Plan, Primitive
from ..core.pytree import tree_flatten, tree_unflatten
from ..core.trace import aval_of, bind
from ..ops.batching_rules import at_front
from ..ops.shape import index_along, reshape, stack
from .static import check_leaf

__all__ = ["debug_callback", "debug_print", "io_callback", "pure_callback"]

VMAP_METHODS = ("sequential", "expand_dims", "broadcast_all", "legacy_vectorized")


class _Host:
    """A Python function on leaves, as an equation holds it.

    Attributes:
        name: the function's name.
        in_tree: the structure of `(args, kwargs)`.
        out_tree: the structure of the declared results.
    """

    __slots__ = ("fun", "in_tree", "out_tree", "name")

    def __init__(self, fun: Callable[..., Any], in_tree: Any, out_tree: Any) -> None:
        self.fun = fun
        self.in_tree = in_tree
        self.out_tree = out_tree
        self.name = getattr(fun, "__name__", type(fun).__name__)

    def __call__(self, *leaves: Any) -> list[Any]:
        args, kwargs = tree_unflatten(self.in_tree, leaves)
        out = self.fun(*args, **kwargs)
        outs, tree = tree_flatten(out)
        if tree != self.out_tree:
            raise ValueError(
                f"the callback {self.name} was declared to return the structure "
                f"{self.out_tree}, and returned {tree}"
            )
        return outs

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Host):
            return NotImplemented
        mine = self.fun, self.in_tree, self.out_tree
        return mine == (other.fun, other.in_tree, other.out_tree)

    def __hash__(self) -> int:
        return hash((self.fun, self.in_tree, self.out_tree))

    def __str__(self) -> str:
        return self.name


class _Callback(Primitive):
    """Call a Python function; the shapes of its results are declared."""

    kind = "callback"

    def __init__(self, name: str, effect: bool) -> None:
        super().__init__(name, self._run, multiple_results=True)
        self.effect = effect

    @staticmethod
    def _run(
        *args: Any, host: _Host, avals: tuple[Aval, ...], method: str | None
    ) -> list[Any]:
        outs = host(*[np.asarray(a) if type(a) in _PYTHON else a for a in args])
        return [
            _check_result(host, i, o, a)
            for i, (o, a) in enumerate(zip(outs, avals, strict=True))
        ]

    def infer(self, *args: Aval, avals: tuple[Aval, ...], **params: Any) -> list[Aval]:
        return list(avals)

    def make_plan(self, mask: tuple[bool, ...]) -> Plan:
        raise ValueError(
            f"{self.name} does not support differentiation: Python code is a black "
            "box. Give a rule by fad.custom_jvp or fad.custom_vjp around it, or pass "
            "the arguments through fad.stop_gradient."
        )

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> list[Any]:
        return [None] * len(eqn.aval)

    def pullback(self, eqn: Eqn, ct: Any, live: Any = None) -> list[Any]:
        return [None] * len(eqn.inputs)

    def batch(
        self,
        size: int,
        args: Sequence[Any],
        dims: Sequence[Any],
        *,
        host: _Host,
        avals: tuple[Aval, ...],
        method: str | None,
    ) -> tuple[Any, Any]:
        if method is None:
            raise NotImplementedError(
                f"{self.name} under vmap needs vmap_method=, which says how to call "
                f"{host.name} on {size} examples: 'sequential' one by one, "
                "'broadcast_all' once on stacked arguments, 'expand_dims' once, with "
                "an axis of size 1 on arguments that are not mapped"
            )
        if method == "sequential":
            return _one_by_one(self, size, args, dims, host, avals, method)
        if method == "expand_dims":
            moved = [
                reshape(a, shape=(1, *aval_of(a).shape))
                if d is None
                else at_front(size, a, d)
                for a, d in zip(args, dims, strict=True)
            ]
        elif method == "legacy_vectorized":
            moved = [
                a if d is None else at_front(size, a, d)
                for a, d in zip(args, dims, strict=True)
            ]
        else:
            moved = [at_front(size, a, d) for a, d in zip(args, dims, strict=True)]
        stacked = tuple([Aval((size, *a.shape), a.dtype) for a in avals])
        outs = bind(self, *moved, host=host, avals=stacked, method=method)
        return outs, [0] * len(outs)


class _DebugCallback(_Callback):
    """Call a Python function for its effect; derivatives pass it by."""

    def make_plan(self, mask: tuple[bool, ...]) -> Plan:
        return Plan(mask, (), (), constant=True)


pure_call = _Callback("pure_callback", effect=False)
io_call = _Callback("io_callback", effect=True)
debug_call = _DebugCallback("debug_callback", effect=True)

_PYTHON = (bool, int, float, complex)


def _check_result(host: _Host, i: int, value: Any, aval: Aval) -> Any:
    value = np.asarray(value)
    if value.shape != aval.shape:
        raise ValueError(
            f"result {i} of the callback {host.name} was declared as {aval!r}, and has "
            f"the shape {value.shape}"
        )
    if value.dtype != aval.dtype:
        if not np.can_cast(value.dtype, aval.dtype, "same_kind"):
            raise ValueError(
                f"result {i} of the callback {host.name} was declared as {aval!r}, and "
                f"has the dtype {value.dtype}"
            )
        value = value.astype(aval.dtype)
    return value[()]


def _one_by_one(
    prim: Primitive,
    size: int,
    args: Sequence[Any],
    dims: Sequence[Any],
    host: _Host,
    avals: tuple[Aval, ...],
    method: str,
) -> tuple[Any, Any]:
    rows = [
        bind(
            prim,
            *[
                a if d is None else index_along(a, i, d)
                for a, d in zip(args, dims, strict=True)
            ],
            host=host, avals=avals, method=method,
        )
        for i in range(size)
    ]  # fmt: skip
    if not rows:
        return [np.zeros((0, *a.shape), a.dtype) for a in avals], [0] * len(avals)
    return [stack(column) for column in zip(*rows, strict=True)], [0] * len(avals)


def _call(
    prim: Primitive,
    callback: Callable[..., Any],
    result: Any,
    method: str | None,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    if not callable(callback):
        raise TypeError(f"{prim.name} needs a function, got {callback!r:.60}")
    if method is not None and method not in VMAP_METHODS:
        raise ValueError(
            f"{prim.name}: vmap_method must be one of {VMAP_METHODS}, got {method!r}"
        )
    structs, out_tree = tree_flatten(result)
    avals = tuple([_declared(prim.name, s) for s in structs])
    leaves, in_tree = tree_flatten((args, kwargs))
    for v in leaves:
        check_leaf(v, f"{prim.name}: arguments")
    host = _Host(callback, in_tree, out_tree)
    outs = bind(prim, *leaves, host=host, avals=avals, method=method)
    return tree_unflatten(out_tree, outs)


def _declared(name: str, struct: Any) -> Aval:
    if isinstance(struct, ShapeDtypeStruct):
        return Aval(struct.shape, struct.dtype)
    try:
        aval = aval_of(struct)
    except TypeError:
        raise TypeError(
            f"{name}: results are declared by arrays or fad.ShapeDtypeStruct(shape, "
            f"dtype), got {struct!r:.60}"
        ) from None
    return Aval(aval.shape, aval.dtype)


def pure_callback(
    callback: Callable[..., Any],
    result_shape_dtypes: Any,
    *args: Any,
    vmap_method: str | None = None,
    **kwargs: Any,
) -> Any:
    """Call a Python function that has no effects, also under `jit`.

    Args:
        callback: gets arguments as NumPy arrays, returns arrays as declared.
        result_shape_dtypes: a pytree of `ShapeDtypeStruct` or arrays like the result.
        args, kwargs: pytrees of arrays.
        vmap_method: how to call it under `vmap`: "sequential", "broadcast_all",
            "expand_dims" or "legacy_vectorized" (stacks and single values as they are).

    Raises:
        ValueError: when differentiated, or the result is not as declared.
        NotImplementedError: under `vmap` without `vmap_method`.

    >>> import fad, numpy as np, math
    >>> f = lambda x: fad.pure_callback(math.lgamma, fad.ShapeDtypeStruct((), float), x)
    >>> round(float(fad.jit(f)(5.0)), 6)
    3.178054
    """
    return _call(pure_call, callback, result_shape_dtypes, vmap_method, args, kwargs)


def io_callback(
    callback: Callable[..., Any],
    result_shape_dtypes: Any,
    *args: Any,
    ordered: bool = False,
    **kwargs: Any,
) -> Any:
    """Call a Python function for its effect and its result, also under `jit`.

    It runs each time the program does, in program order, whether or not the result is
    used; under `vmap` once for each example.

    Args:
        callback: gets arguments as NumPy arrays, returns arrays as declared.
        result_shape_dtypes: a pytree of `ShapeDtypeStruct` or of arrays, or None.
        args, kwargs: pytrees of arrays.
        ordered: accepted for compatibility: callbacks are always in order.
    """
    return _call(io_call, callback, result_shape_dtypes, "sequential", args, kwargs)


def debug_callback(
    callback: Callable[..., Any], *args: Any, ordered: bool = False, **kwargs: Any
) -> None:
    """Call a Python function on values at run time; its result is dropped.

    Derivatives and `jit` leave it in place; under `vmap` it runs for each example.

    Args:
        callback: gets arguments as NumPy arrays.
        args, kwargs: pytrees of arrays.
        ordered: accepted for compatibility: callbacks are always in order.
    """
    _call(debug_call, _Dropping(callback), None, "sequential", args, kwargs)


class _Dropping:
    """A function whose result is dropped; equal for equal functions."""

    def __init__(self, fun: Callable[..., Any]) -> None:
        self.fun = fun
        self.__name__ = getattr(fun, "__name__", type(fun).__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        self.fun(*args, **kwargs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Dropping) and self.fun == other.fun

    def __hash__(self) -> int:
        return hash(self.fun)


def debug_print(text: str, *args: Any, ordered: bool = False, **kwargs: Any) -> None:
    """Print values at run time, also under `jit`, `vmap` and `grad`.

    Args:
        text: a format string for `str.format`.
        args, kwargs: pytrees of arrays to fill in.
        ordered: accepted for compatibility: output is always in order.

    >>> import fad
    >>> f = fad.jit(lambda x: fad.debug.print("x = {x}", x=x) or x * 2.0)
    >>> y = f(1.5)
    x = 1.5
    """
    if not isinstance(text, str):
        raise TypeError(f"debug.print needs a format string, got {text!r:.60}")
    debug_callback(_Printing(text), *args, **kwargs)


class _Printing:
    """Print by a format string; equal for equal strings."""

    __slots__ = ("text",)
    __name__ = "print"

    def __init__(self, text: str) -> None:
        self.text = text

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        print(self.text.format(*args, **kwargs))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Printing) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)
