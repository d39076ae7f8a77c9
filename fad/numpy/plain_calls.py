"""The way of a plain call: from `fad.numpy` to NumPy in a tenth of a microsecond.

A public function has to see that nothing is traced before it lets NumPy take a call.
Written with `*args, **kwargs` that costs as much as a small NumPy function: Python
packs the keywords into a dictionary and unpacks them again. So a public function is
compiled when it is first called, from the signature that it shares with NumPy's:

    def sum(a, axis=None, out=None):
        if (
            staging_trace() is None
            and (type(a) is ndarray or type(a) in PLAIN or all_plain(a))
            and (axis is None or type(axis) in PLAIN or all_plain(axis))
            and (out is None or type(out) in PLAIN or all_plain(out))
        ):
            return plain(a, axis, out)
        if out is None and (staging_trace() is not None or holds_tracer((a, axis))):
            return traced(a, axis, out)
        return otherwise(*arguments(locals()))

`plain` is the function inside NumPy's own dispatcher. The dispatcher looks for objects
with `__array_function__` among the arguments; plain ones have none, and the time saved
pays for most of our own look. Functions of another signature than NumPy's, or whose
signature NumPy does not tell, keep `*args, **kwargs`.

Public names: `PLAIN`, `all_plain`, `dispatching`, `holds_tracer`.
"""

# ruff: noqa: F821  # `_first_call` runs on the names of `dispatching`

from __future__ import annotations

import builtins
import inspect
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import partial
from inspect import BoundArguments, Parameter, Signature
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.trace import Tracer, staging_trace

__all__ = ["PLAIN", "all_plain", "dispatching", "holds_tracer"]

Function = Callable[..., Any]

_MISSING = object()

_DTYPES = [np.dtype(code) for code in np.typecodes["All"]]
PLAIN = frozenset(
    [ndarray, float, int, bool, complex, str, slice, type, np.dtype]
    + [type(v) for v in (None, Ellipsis, np._NoValue, *_DTYPES)]
    + [FunctionType, BuiltinFunctionType, np.ufunc, type(np.sum)]
    + [dtype.type for dtype in _DTYPES]
)
"""Types of values that no one but NumPy answers for."""


def all_plain(value: Any) -> bool:
    """Tell whether a value is plain, or sequences of plain values."""
    cls = type(value)
    if cls is tuple or cls is list:
        for v in value:
            if type(v) is not ndarray and type(v) not in PLAIN and not all_plain(v):
                return False
        return True
    return cls in PLAIN


def holds_tracer(values: Iterable[Any]) -> bool:
    """Tell whether a tracer is among values, or in sequences among them."""
    for v in values:
        if isinstance(v, Tracer):
            return True
        if isinstance(v, (list, tuple)) and holds_tracer(v):
            return True
    return False


def dispatching(
    numpy_function: Function, traced: Function, otherwise: Function
) -> Function:
    """Return the public function that sends a call to NumPy or to `traced`.

    Args:
        numpy_function: takes the calls in which all is plain and nothing is staged.
        traced: has the signature; takes calls with a tracer, but for those with `out`.
        otherwise: takes all other calls, as `otherwise(args, kwargs)`.
    """
    dispatched = type(numpy_function) is type(np.sum)
    plain = numpy_function.__wrapped__ if dispatched else numpy_function
    scope: dict[str, Any] = {"__builtins__": builtins}
    public = FunctionType(_first_call.__code__, scope)
    scope |= dict(
        public=public,
        specialise=lambda: _specialise(public, plain, traced),
        plain=plain,
        traced=traced,
        otherwise=otherwise,
        staging_trace=staging_trace,
        all_plain=all_plain,
        holds_tracer=holds_tracer,
        PLAIN=PLAIN,
        NO_VALUE=np._NoValue,
        MISSING=_MISSING,
        ndarray=ndarray,
    )
    return public


def _first_call(*args: Any, **kwargs: Any) -> Any:
    specialise()
    return public(*args, **kwargs)


def _any_call(
    a: Any = None, b: Any = None, c: Any = None, /, *rest: Any, **options: Any
) -> Any:
    # C functions have few arguments; to pack and unpack them costs more than this
    if staging_trace() is None and not rest:
        if type(a) is ndarray or type(a) in PLAIN or all_plain(a):
            if b is MISSING:
                if not options:
                    return plain(a)
                if all_plain([*options.values()]):
                    return plain(a, **options)
            elif not options and (type(b) is ndarray or all_plain(b)):
                if c is MISSING:
                    return plain(a, b)
                if type(c) is ndarray or all_plain(c):
                    return plain(a, b, c)
    args = [v for v in (a, b, c, *rest) if v is not MISSING]
    if (rest or options) and staging_trace() is None:
        if all_plain(args) and all_plain([*options.values()]):
            return plain(*args, **options)
    return otherwise(tuple(args), options)


def _specialise(public: FunctionType, plain: Function, traced: Function) -> None:
    """Give a public function its code."""
    if _shape(plain) != _shape(traced):
        public.__defaults__ = (_MISSING,) * 3  # for None, which may be an argument
        public.__code__ = _any_call.__code__
        return
    file = os.path.join(os.path.dirname(__file__), f"<call of {traced.__name__}>")
    signature = inspect.signature(traced)
    scope: dict[str, Any] = {}
    exec(compile(_source(signature), file, "exec"), scope)
    public.__globals__["arguments"] = partial(_arguments, signature)
    public.__defaults__ = traced.__defaults__
    public.__kwdefaults__ = traced.__kwdefaults__
    public.__code__ = scope["public"].__code__


def _shape(function: Function) -> list[tuple[Any, ...]] | None:
    """Return the names, kinds and defaults of the parameters; None if not told."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return None
    return [(p.name, p.kind, p.default) for p in parameters]


def _source(signature: Signature) -> str:
    """Write the function that the head of this file shows."""
    parameters = [*signature.parameters.values()]
    checks = [_check(p) for p in parameters if p.annotation not in _NEVER_ARRAYS]
    options = next((p.name for p in parameters if p.kind is p.VAR_KEYWORD), None)
    others = [p for p in parameters if p.kind is not p.VAR_KEYWORD]
    passed = ", ".join(_PASSED.get(p.kind, "{}").format(p.name) for p in others)
    seen = ", ".join(p.name for p in others)
    no_out = "out is None and " if "out" in signature.parameters else ""
    return f"""
def public{_bare(parameters)}:
    if {" and ".join(["staging_trace() is None", *checks])}:
        {f"if {options}: return plain({passed}, **{options})" if options else ""}
        return plain({passed})
    if {no_out}(staging_trace() is not None or holds_tracer(({seen},))):
        return traced({passed}{f", **{options}" if options else ""})
    return otherwise(*arguments(locals()))
"""


def _bare(parameters: list[Parameter]) -> Signature:
    """Return the signature without annotations and with any defaults."""
    empty = Parameter.empty
    return Signature(
        [
            p.replace(annotation=empty, default=empty if p.default is empty else 0)
            for p in parameters
        ]
    )


def _check(p: Parameter) -> str:
    """Write the condition that an argument is plain; the usual case comes first."""
    if p.kind is Parameter.VAR_POSITIONAL:
        return f"all_plain({p.name})"
    if p.kind is Parameter.VAR_KEYWORD:
        return f"(not {p.name} or all_plain([*{p.name}.values()]))"
    if p.default is None:
        usual = f"{p.name} is None"
    elif p.default is np._NoValue:
        usual = f"{p.name} is NO_VALUE"
    elif type(p.default) in (int, float, str):
        usual = f"type({p.name}) is {type(p.default).__name__}"
    else:
        usual = f"type({p.name}) is ndarray"
    return f"({usual} or type({p.name}) in PLAIN or all_plain({p.name}))"


_NEVER_ARRAYS = (bool, str, "bool", "str")
"""Annotations of parameters at which there is nothing to look for."""

_PASSED = {
    Parameter.VAR_POSITIONAL: "*{}",
    Parameter.KEYWORD_ONLY: "{0}={0}",
}


def _arguments(signature: Signature, values: dict[str, Any]) -> tuple[Any, Any]:
    """Return positional and keyword arguments, without those left at their default.

    Not everyone who takes a call over from NumPy knows all of NumPy's parameters.
    """
    given = {
        name: values[name]
        for name, p in signature.parameters.items()
        if p.default is p.empty or values[name] is not p.default
    }
    bound = BoundArguments(signature, OrderedDict(given))
    return bound.args, bound.kwargs
