"""Contexts that help to find faults: nan, infinities, leaked tracers; names for places.

Public names: `debug_nans`, `debug_infs`, `checking_leaks`, `named_call`,
`named_scope`.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..core.checks import Checking
from ..core.modes import with_modes
from ..core.source import scoped
from ..core.trace import ambient, staging_trace

__all__ = ["checking_leaks", "debug_infs", "debug_nans", "named_call", "named_scope"]


@contextlib.contextmanager
def debug_nans(enable: bool = True) -> Iterator[None]:
    """Raise FloatingPointError at the operation that makes a nan, in this context.

    Programs run operation by operation, so that the message names the primitive and the
    line, also inside `jit` and in reverse mode. Calls of NumPy itself on plain arrays
    are not seen; those of `fad.numpy` are.

    >>> import fad, fad.numpy as fnp
    >>> with fad.debug_nans():
    ...     fad.jit(lambda x: fnp.log(x) + 1.0)(-1.0)
    Traceback (most recent call last):
        ...
    FloatingPointError: invalid value (nan) encountered in log, at ...
    """
    with with_modes(nans=enable), _checking(enable):
        yield


@contextlib.contextmanager
def debug_infs(enable: bool = True) -> Iterator[None]:
    """Raise FloatingPointError at the operation that makes an infinity.

    See `debug_nans`.
    """
    with with_modes(infs=enable), _checking(enable):
        yield


@contextlib.contextmanager
def _checking(enable: bool) -> Iterator[None]:
    if not enable or staging_trace() is not None:
        yield
        return
    with ambient(Checking()), np.errstate(invalid="ignore", divide="ignore"):
        yield


def checking_leaks() -> contextlib.AbstractContextManager[None]:
    """Check that traced functions leave no tracer behind, in this context.

    A tracer that is kept in a global, an attribute or a closure cannot be used later.
    Here the transform that made it raises, where otherwise its later use would.

    >>> import fad
    >>> kept = []
    >>> with fad.checking_leaks():
    ...     fad.jit(lambda x: kept.append(x) or x + 1.0)(1.0)
    Traceback (most recent call last):
        ...
    fad.core.errors.UnexpectedTracerError: ... left 1 tracer behind...
    """
    return with_modes(leaks=True)


@contextlib.contextmanager
def named_scope(name: str) -> Iterator[None]:
    """Name the operations of a context, in the sources that programs and errors show.

    Also a decorator.

    >>> import fad, fad.numpy as fnp
    >>> @fad.named_scope("layer 1")
    ... def f(x):
    ...     return fnp.sin(x)
    >>> str(fad.make_jaxpr(f)(1.0).eqns[0].source).endswith("in layer 1)")
    True
    """
    if not isinstance(name, str):
        raise TypeError(f"named_scope takes a string, got {name!r:.60}")
    with scoped(name):
        yield


def named_call(
    fun: Callable[..., Any], *, name: str | None = None
) -> Callable[..., Any]:
    """Return a function whose operations bear its name, or another one.

    >>> import fad
    >>> f = fad.named_call(lambda x: x * 2.0, name="double")
    >>> str(fad.make_jaxpr(f)(1.0).eqns[0].source).endswith("in double)")
    True
    """
    scope = getattr(fun, "__name__", "function") if name is None else name

    @functools.wraps(
        fun, assigned=("__module__", "__name__", "__qualname__", "__doc__")
    )
    def named(*args: Any, **kwargs: Any) -> Any:
        with named_scope(scope):
            return fun(*args, **kwargs)

    return named
