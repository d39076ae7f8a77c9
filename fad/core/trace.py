"""Traces and their one box, the tracer; `bind` sends an operation to the right trace.

A transform opens a `Trace` and boxes its arguments in `Tracer`s of that trace. `bind`
looks for the highest level among the tracers it is given (inner transforms open later
and have higher levels) and lets that trace process the operation; with no tracer at
all it calls the NumPy implementation. A trace evaluates on the values inside its
boxes, again by `bind`, so that outer traces see what inner ones do: levels nest to any
depth and never collide.

A *staging* trace (make_jaxpr, jit) also captures operations that touch no tracer; it is
ambient while its function runs, per thread and context.

Public names: `Tracer`, `Trace`, `bind`, `aval_of`, `staging_trace`, `ambient`.
"""

from __future__ import annotations

import contextlib
import contextvars
import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from .avals import Aval, concrete_aval
from .calls import silent_caller
from .errors import (
    ConcretizationTypeError,
    TracerArrayConversionError,
    TracerBoolConversionError,
    TracerIntegerConversionError,
    UnexpectedTracerError,
)
from .ir import next_serial
from .source import assigns_an_item, reads_an_item, user_source
from .storing import arrives

if TYPE_CHECKING:
    from .primitive import Primitive

__all__ = [
    "NO_PARAMS",
    "Trace",
    "Tracer",
    "ambient",
    "aval_of",
    "bind",
    "concrete_value",
    "full_lower",
    "staging_trace",
]


NO_PARAMS: dict[str, Any] = {}  # one for all equations: parameters are never changed


class Trace:
    """What a transform opens; it processes the operations on its tracers.

    Attributes:
        level: grows with every trace opened; inner transforms have higher levels.
        concrete: its tracers carry values, so Python may branch on them.
        open: 0 once the transform has finished; it counts who is at work.
        writes: counts in-place assignments, so that views know when they are stale.
        outer: the staging trace that was at work when it opened, or None.
    """

    __slots__ = ("level", "open", "writes", "outer", "__weakref__")
    concrete = True
    name = "trace"

    def __init__(self) -> None:
        self.level = next_serial()
        self.open = 1
        self.writes = 0
        self.outer = staging_trace()

    def process(
        self, prim: Primitive, args: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        """Evaluate `prim` on arguments of which at least one is this trace's."""
        raise NotImplementedError

    def process_one(self, prim: Primitive, x: Tracer) -> Any:
        """Evaluate `prim`, which has no parameters, on one tracer of this trace."""
        return self.process(prim, (x,), NO_PARAMS)

    def aval(self, tracer: Tracer) -> Aval:
        """Return the aval of a tracer of this trace."""
        return aval_of(tracer.value)

    def escaped(self, what: str) -> NoReturn:
        raise UnexpectedTracerError(
            f"{what} met a tracer of a {self.name} that has finished"
            f"{_at_user_line()}. The tracer escaped from the function being "
            "transformed, through a global, a closure or an attribute. Return the "
            "value instead, for example with has_aux=True."
        )


class Tracer:
    """The box around a value while it is traced; it behaves as a NumPy array.

    Attributes:
        owner: the trace it belongs to.
        value: the value one level below, or None in an abstract trace.
        payload: what the trace knows besides the value: an atom, a tangent, a stack.
    """

    __slots__ = ("owner", "value", "payload", "__weakref__")
    __array_priority__ = 1000
    __hash__ = None  # type: ignore[assignment]  # as for arrays: == is elementwise

    def __init__(self, owner: Trace, value: Any, payload: Any) -> None:
        self.owner = owner
        self.value = value
        self.payload = payload

    @property
    def aval(self) -> Aval:
        return self.owner.aval(self)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.owner.aval(self).shape

    @property
    def dtype(self) -> Any:
        return self.owner.aval(self).dtype

    @property
    def ndim(self) -> int:
        return len(self.owner.aval(self).shape)

    @property
    def size(self) -> int:
        return self.owner.aval(self).size

    def __len__(self) -> int:
        shape = self.shape
        if not shape:
            raise TypeError("len() of unsized object")
        return shape[0]

    def __bool__(self) -> bool:
        return bool(self._known(bool, TracerBoolConversionError, _BOOL_HINT))

    def __float__(self) -> float:
        return float(self._known(float, ConcretizationTypeError, _NUMBER_HINT))

    def __int__(self) -> int:
        return int(self._known(int, ConcretizationTypeError, _NUMBER_HINT))

    def __complex__(self) -> complex:
        return complex(self._known(complex, ConcretizationTypeError, _NUMBER_HINT))

    def __index__(self) -> int:
        known = self._known(operator.index, TracerIntegerConversionError, _INDEX_HINT)
        return operator.index(known)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        if reads_an_item(1):
            raise TracerArrayConversionError(
                f"A plain numpy.ndarray was indexed by a traced value {self.aval!r}"
                f"{_at_user_line()}: NumPy needs to know the index. {_READ_HINT}"
            )
        raise TracerArrayConversionError(
            f"A traced value {self.aval!r} cannot become a plain numpy.ndarray"
            f"{_at_user_line()}: the array would not know its derivatives. "
            f"{_ARRAY_HINT}"
        )

    def _known(self, what: Any, error: type[Exception], hint: str) -> Any:
        value = concrete_value(self)
        if what in _NUMBERS:
            self._refuse_to_lose(what, value is not None)
        if value is None:
            raise error(
                f"{what.__name__}() was asked of a value of shape and dtype "
                f"{self.aval!r} that is not known while tracing under "
                f"{self.owner.name}{_at_user_line()}. {hint}"
            )
        return value

    def _refuse_to_lose(self, what: type, known: bool) -> None:
        """Raise if an array, or a function written in C, takes a number in silence."""
        caller = silent_caller(3) if known and what is not int else None
        if assigns_an_item(3):
            error = TracerArrayConversionError(
                f"A traced value {self.aval!r} cannot be written into a plain "
                f"numpy.ndarray{_at_user_line()}: the array would not know its "
                f"derivatives. {_ARRAY_HINT}"
            )
        elif caller is not None:
            error = TracerArrayConversionError(
                f"{caller}() asked a traced value {self.aval!r} for a plain number"
                f"{_at_user_line()}: its result would not know the derivatives. Use a "
                "function of fad.numpy, or write into a traced array, such as "
                f"fnp.zeros_like(x). For a plain number, pass {what.__name__}(x)."
            )
        else:
            return
        raise arrives(error, 3)

    def __repr__(self) -> str:
        inner = "" if self.value is None else f", value={self.value!r}"
        return f"Tracer<{self.aval!r}, {self.owner.name}{inner}>"


_NUMBERS = (float, int, complex)

_BOOL_HINT = (
    "Its truth differs from call to call or from example to example: write "
    "fnp.where(condition, a, b) or fad.lax.cond instead of if, and "
    "fad.lax.while_loop instead of while."
)
_NUMBER_HINT = (
    "Use array operations (x.astype(...), fnp functions), or compute the number "
    "outside the transformed function."
)
_INDEX_HINT = (
    "Shapes, range() and list indices must be plain integers: pass it as a static "
    "argument, or write fnp.take(values, i) instead of values[i]."
)
_READ_HINT = (
    "Write fnp.take(a, i, axis=0) or fnp.at(a)[i].get() instead of a[i], and "
    "fnp.where(mask, a, 0.0) for a mask."
)
_ARRAY_HINT = (
    "Two ways out: build the result from its parts with fnp.stack, fnp.concatenate or "
    "fnp.array, or make a new array with out = fnp.at(out)[index].set(value). To "
    "cut the derivative on purpose, use fad.stop_gradient. If a NumPy or SciPy "
    "function asked for the array, call its counterpart in fad.numpy."
)


def _at_user_line() -> str:
    source = user_source()
    return f", at {source}" if source is not None else ""


_ambient: contextvars.ContextVar[Trace | None] = contextvars.ContextVar(
    "fad_staging_trace", default=None
)
staging_trace = _ambient.get
"""The staging trace that captures everything in this context, or None."""


@contextlib.contextmanager
def ambient(trace: Trace | None) -> Iterator[None]:
    """Make `trace` the staging trace of this context."""
    token = _ambient.set(trace)
    try:
        yield
    finally:
        _ambient.reset(token)


def bind(prim: Primitive, *args: Any, **params: Any) -> Any:
    """Apply a primitive: send it to the innermost trace involved, or evaluate it."""
    top = staging_trace()
    for a in args:
        if isinstance(a, Tracer):
            trace = a.owner
            if top is None or trace.level > top.level:
                top = trace
    if top is None:
        return prim.impl(*args, **params)
    return top.process(prim, args, params)


def aval_of(value: Any) -> Aval:
    """Return the aval of a tracer, an array or a number."""
    if isinstance(value, Tracer):
        return value.owner.aval(value)
    return concrete_aval(value)


def concrete_value(value: Any) -> Any:
    """Return the plain value inside nested concrete tracers, None if there is none."""
    while isinstance(value, Tracer):
        value = value.value
    return value


def full_lower(trace: Trace, value: Any) -> Any:
    """Unbox `value` if it is a tracer of `trace`; any other value stays."""
    if isinstance(value, Tracer) and value.owner is trace:
        return value.value
    return value
