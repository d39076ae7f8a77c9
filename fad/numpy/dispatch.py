"""How a call reaches fad: `fad.numpy` functions and NumPy's own protocols.

Every function of `fad.numpy` that acts on arrays is declared once, with `implements`,
beside the NumPy function it stands for. A call in which nothing is traced goes straight
to NumPy. Otherwise the implementation, written over `fad.ops`, takes it. The same table
answers `__array_function__`, and `Ufunc` answers `__array_ufunc__`, so that plain
`np.sin(tracer)` and `np.sum(tracer)` work.

Public names: `implements`, `call_traced`, `is_plain`, `implementations`, `ufuncs`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.pytree_nodes import LEAF_TYPES
from ..core.trace import Tracer, aval_of, staging_trace
from .plain_calls import dispatching, holds_tracer

__all__ = ["call_traced", "implementations", "implements", "is_plain", "ufuncs"]

implementations: dict[Callable[..., Any], Callable[..., Any]] = {}
"""NumPy function -> its traced implementation."""

ufuncs: dict[np.ufunc, Any] = {}
"""NumPy ufunc -> the `Ufunc` that stands for it."""

LEAF_TYPES.add(Tracer)


def is_plain(args: Any, kwargs: dict[str, Any]) -> bool:
    """Tell whether a call involves no tracer and no staging trace."""
    if staging_trace() is not None or holds_tracer(args):
        return False
    return not kwargs or not holds_tracer(kwargs.values())


def implements(
    numpy_function: Callable[..., Any],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the traced implementation of a NumPy function.

    The decorated function has NumPy's signature and is called only when something is
    traced. The result is the public function: it sends plain calls to NumPy.
    """

    def decorate(implementation: Callable[..., Any]) -> Callable[..., Any]:
        def otherwise(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            if is_plain(args, kwargs):  # by the way of arrays that are not NumPy's own
                return numpy_function(*args, **kwargs)
            return call_traced(implementation, args, kwargs)

        implementations[numpy_function] = implementation
        public = dispatching(numpy_function, implementation, otherwise)
        functools.update_wrapper(public, implementation)
        public.__module__ = "fad.numpy"
        return public

    return decorate


def call_traced(
    implementation: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call an implementation; its result goes into `out=` if that is a traced array."""
    out = kwargs.get("out")
    if not isinstance(out, Tracer):
        return implementation(*args, **kwargs)
    return store(out, implementation(*args, **{**kwargs, "out": None}))


def store(out: Tracer, value: Any) -> Tracer:
    """Write a result into a traced array of its shape, in place.

    Raises:
        ValueError: the shapes differ.
        TypeError: the dtype cannot be cast.
    """
    aval, found = out.aval, aval_of(value)
    if aval.shape != found.shape:
        raise ValueError(f"out= of shape {aval.shape} cannot take a result {found!r}")
    if not np.can_cast(found.dtype, aval.dtype, "same_kind"):
        raise TypeError(
            f"out= of dtype {aval.dtype} cannot take a result {found!r} under the rule "
            "'same_kind'"
        )
    out[...] = value  # type: ignore[index]
    return out
