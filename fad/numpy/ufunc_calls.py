"""The public function of a `Ufunc`: quick ways for the usual calls.

A call with one or two inputs and no more goes straight to NumPy, if the inputs are
plain, or to the trace of its tracer; so does a plain call with `out=` and the like. All
others go through `Ufunc.__call__`, which is right for every call.

Public names: `call_of`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.primitive import Primitive
from ..core.trace import NO_PARAMS, Tracer, staging_trace
from ..core.views import View
from .plain_calls import PLAIN

__all__ = ["call_of"]

_PLAIN = frozenset([ndarray, np.float64, np.float32, float, int])
_SIMPLE = _PLAIN | {Tracer, View}


def call_of(ufunc: Any) -> Callable[..., Any]:
    """Return the function to call for a `Ufunc`."""
    return {1: _unary, 2: _binary}.get(ufunc.nin, _general)(ufunc)


def _unary(self: Any) -> Callable[..., Any]:
    """Return the call of one input: a function costs less than a method."""
    ufunc, apply, direct = self.ufunc, self.apply, isinstance(self.apply, Primitive)

    def call(x: Any, /, out: Any = None, *outs: Any, **options: Any) -> Any:
        if options or outs:
            if type(x) in _PLAIN and not outs and _are_plain(out, options):
                return ufunc(x, out, **options)
            return _pass_on(self, (x,), out, outs, options)
        cls = type(x)
        if out is None:
            if cls is ndarray and staging_trace() is None:
                return ufunc(x)
            if cls is Tracer and direct and staging_trace() is None:
                return x.owner.process_one(apply, x)
            if cls in _PLAIN and staging_trace() is None:
                return ufunc(x)
            if cls in _SIMPLE:
                return apply(x)
        elif cls in _PLAIN and type(out) is ndarray and staging_trace() is None:
            return ufunc(x, out)
        return _pass_on(self, (x,), out, outs, options)

    return call


def _binary(self: Any) -> Callable[..., Any]:
    """Return the call of two inputs."""
    ufunc, apply, direct = self.ufunc, self.apply, isinstance(self.apply, Primitive)

    def call(x: Any, y: Any, /, out: Any = None, *outs: Any, **options: Any) -> Any:
        one, two = type(x), type(y)
        if options or outs or staging_trace() is not None:
            if one in _PLAIN and two in _PLAIN and not outs:
                if _are_plain(out, options):
                    return ufunc(x, y, out, **options)
            return _pass_on(self, (x, y), out, outs, options)
        if out is None:
            if one is ndarray or one in _PLAIN:
                if two is ndarray or two in _PLAIN:
                    return ufunc(x, y)
                if two is Tracer and direct:
                    return y.owner.process(apply, (x, y), NO_PARAMS)
            elif one is Tracer and direct:
                if two in _PLAIN or (two is Tracer and y.owner is x.owner):
                    return x.owner.process(apply, (x, y), NO_PARAMS)
        elif one in _PLAIN and two in _PLAIN and type(out) is ndarray:
            return ufunc(x, y, out)
        return _pass_on(self, (x, y), out, outs, options)

    return call


def _are_plain(out: Any, options: dict[str, Any]) -> bool:
    """Tell whether nothing is staged, and the output and the options are plain."""
    if staging_trace() is not None or (out is not None and type(out) is not ndarray):
        return False
    for v in options.values():
        if type(v) is not ndarray and type(v) not in PLAIN:
            return False
    return True


def _pass_on(
    self: Any,
    inputs: tuple[Any, ...],
    out: Any,
    outs: tuple[Any, ...],
    options: dict[str, Any],
) -> Any:
    """Make the call as it was written, several outputs by position, one by keyword."""
    if outs:
        return self(*inputs, out, *outs, **options)
    if out is not None:
        options["out"] = out
    return self(*inputs, **options)


def _general(self: Any) -> Callable[..., Any]:
    return lambda *args, **kwargs: self(*args, **kwargs)
