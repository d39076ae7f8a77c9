"""`Ufunc`: a NumPy ufunc that takes tracers, and the answer to `__array_ufunc__`.

A `Ufunc` has the call, the keywords, the methods and the attributes of the NumPy ufunc
that it stands for. A call in which nothing is traced goes to NumPy; a tracer goes to
the operation in `fad.ops`. The keywords keep their meaning on traced values:

    dtype=, casting=   the inputs are cast as NumPy's loop would have them
    out=tracer         an in-place write, as `out[...] = result`
    where=mask         with `out`: only there; without, NumPy leaves garbage: refused

Because tracers answer `__array_ufunc__` through the same table, plain NumPy code works:
`np.sin(tracer)`, `np.float64(2) * tracer`, `array * tracer`.

Public names: `Ufunc`, `register`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ..core.errors import TracerArrayConversionError
from ..core.source import user_source
from ..core.trace import Tracer, aval_of, staging_trace
from ..ops.comparison import where as select
from . import ufunc_methods as methods
from .convert import cast, operand
from .dispatch import is_plain, ufuncs
from .operators import foreign
from .plain_calls import PLAIN, all_plain
from .ufunc_calls import call_of

__all__ = ["Ufunc", "register"]


class Ufunc:
    """A ufunc on tracers as well as arrays; see `numpy.ufunc` for calls and methods.

    Args:
        ufunc: the NumPy ufunc.
        apply: the operation on tracers, arrays and numbers, a primitive mostly; it
            returns a tuple if the ufunc has several outputs.
    """

    def __init__(self, ufunc: np.ufunc, apply: Callable[..., Any]) -> None:
        self.ufunc = ufunc
        self.apply = apply
        self.nin, self.nout, self.nargs = ufunc.nin, ufunc.nout, ufunc.nargs
        self.identity, self.signature = ufunc.identity, ufunc.signature
        self.types, self.ntypes = ufunc.types, ufunc.ntypes
        self.__name__ = ufunc.__name__
        self.__doc__ = ufunc.__doc__
        ufuncs[ufunc] = self

    def __repr__(self) -> str:
        return f"<fad ufunc '{self.__name__}'>"

    def __reduce__(self) -> Any:
        return (ufuncs.__getitem__, (self.ufunc,))

    def resolve_dtypes(self, *args: Any, **kwargs: Any) -> tuple[np.dtype[Any], ...]:
        """Return the dtypes that NumPy's loop would use."""
        return self.ufunc.resolve_dtypes(*args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if staging_trace() is None and all_plain(args):
            if not kwargs or all_plain([*kwargs.values()]):
                return self.ufunc(*args, **kwargs)
        if is_plain(args, kwargs):  # arrays that are not NumPy's own
            return self.ufunc(*args, **kwargs)
        return self.traced(args, kwargs)

    def traced(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Apply the ufunc to arguments of which some are traced."""
        if not kwargs and len(args) == self.nin:
            return self.apply(*map(operand, args))
        inputs, outs = self._split(args, kwargs)
        mask = kwargs.get("where", True)
        if any(o is not None and not isinstance(o, Tracer) for o in outs):
            if not any(isinstance(a, Tracer) for a in (*inputs, *outs, mask)):
                return self.ufunc(*args, **kwargs)  # plain, though a program is staged
            self.refuse_out()
        if mask is not True and all(o is None for o in outs):
            raise ValueError(
                f"{self.__name__}: where= without out= leaves the other elements "
                "undefined; use fnp.where(mask, result, other)"
            )
        values, dtypes = self._cast_inputs(inputs, outs, kwargs)
        results = self.apply(*values)
        results = results if self.nout > 1 else (results,)
        if dtypes is not None:
            results = [cast(r, d) for r, d in zip(results, dtypes, strict=True)]
        stored = [
            r if o is None else self._store(o, r, mask)
            for o, r in zip(outs, results, strict=True)
        ]
        return tuple(stored) if self.nout > 1 else stored[0]

    def _split(
        self, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[list[Any], tuple[Any, ...]]:
        """Return the inputs and the `out` arguments, one per output."""
        if not self.nin <= len(args) <= self.nargs:
            raise TypeError(
                f"{self.__name__}() takes from {self.nin} to {self.nargs} positional "
                f"arguments but {len(args)} were given"
            )
        outs = tuple(args[self.nin :]) or kwargs.get("out")
        if not isinstance(outs, tuple):
            outs = (outs,)
        unknown = kwargs.keys() - _KEYWORDS
        if unknown:
            raise TypeError(
                f"{self.__name__}() got an unexpected keyword argument {min(unknown)!r}"
            )
        outs += (None,) * (self.nout - len(outs))
        return [operand(a) for a in args[: self.nin]], outs

    def _cast_inputs(
        self, inputs: list[Any], outs: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[list[Any], Sequence[Any] | None]:
        """Cast the inputs to the loop that NumPy would choose."""
        dtype, casting = kwargs.get("dtype"), kwargs.get("casting", "same_kind")
        signature = kwargs.get("signature")
        if dtype is not None:
            signature = (None,) * self.nin + (np.dtype(dtype),) * self.nout
        stored = any(o is not None for o in outs)
        if signature is None and casting == "same_kind" and not stored:
            return inputs, None
        given = [_dtype_or_python_type(x) for x in inputs]
        targets = [None if o is None else aval_of(o).dtype for o in outs]
        asked = {} if signature is None else {"signature": signature}
        resolved = self.ufunc.resolve_dtypes(
            (*given, *targets), casting=casting, **asked
        )
        if signature is None:
            return inputs, None
        values = [cast(x, d) for x, d in zip(inputs, resolved, strict=False)]
        return values, resolved[self.nin :]

    def _store(self, out: Any, value: Any, mask: Any) -> Any:
        """Write a result into `out`, a tracer, in place."""
        if mask is not True:
            value = select(operand(mask), value, out)
        out[...] = value  # type: ignore[index]
        return out

    def refuse_out(self) -> NoReturn:
        """Say why a plain array cannot take a traced result."""
        raise TracerArrayConversionError(
            f"{self.__name__}, called at {user_source()}, would write a traced result "
            "into a plain numpy.ndarray (out=, or an operator such as +=), where its "
            "derivatives would be lost. Two ways out: make a new value, "
            "array = array + x instead of array += x; or start from a traced array, "
            "for example fnp.zeros_like(x), which can be written into."
        )

    def reduce(
        self,
        array: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = np._NoValue,
        where: Any = True,
    ) -> Any:
        """Reduce `array` over `axis`, as `numpy.ufunc.reduce`."""
        kwargs = {"axis": axis, "dtype": dtype, "keepdims": keepdims}
        if initial is not np._NoValue:
            kwargs["initial"] = initial
        if where is not True:
            kwargs["where"] = where
        if is_plain((array, out), kwargs):
            return self.ufunc.reduce(array, out=out, **kwargs)
        return self._into(out, methods.reduce(self, operand(array), **kwargs))

    def accumulate(
        self, array: Any, axis: int = 0, dtype: Any = None, out: Any = None
    ) -> Any:
        """Accumulate along `axis`, as `numpy.ufunc.accumulate`."""
        if is_plain((array, out), {}):
            return self.ufunc.accumulate(array, axis, dtype, out)
        return self._into(out, methods.accumulate(self, operand(array), axis, dtype))

    def reduceat(
        self,
        array: Any,
        indices: Any,
        axis: int = 0,
        dtype: Any = None,
        out: Any = None,
    ) -> Any:
        """Reduce slices of `array`, as `numpy.ufunc.reduceat`."""
        if is_plain((array, indices, out), {}):
            return self.ufunc.reduceat(array, indices, axis, dtype, out)
        result = methods.reduceat(self, operand(array), indices, axis, dtype)
        return self._into(out, result)

    def outer(self, a: Any, b: Any, /, **kwargs: Any) -> Any:
        """Apply the ufunc to all pairs, as `numpy.ufunc.outer`."""
        if is_plain((a, b), kwargs):
            return self.ufunc.outer(a, b, **kwargs)
        return methods.outer(self, operand(a), operand(b), kwargs)

    def at(self, a: Any, indices: Any, /, *b: Any) -> None:
        """Apply the ufunc in place at `indices`, unbuffered, as `numpy.ufunc.at`."""
        if is_plain((a, indices, *b), {}):
            self.ufunc.at(a, indices, *b)
        elif isinstance(a, Tracer):
            methods.at(self, a, indices, *map(operand, b))
        else:
            self.refuse_out()

    def _into(self, out: Any, result: Any) -> Any:
        (out,) = out if isinstance(out, tuple) else (out,)
        if out is None:
            return result
        if not isinstance(out, Tracer):
            self.refuse_out()
        return self._store(out, result, True)


_KEYWORDS = {"out", "where", "dtype", "casting", "order", "subok", "signature"}
_PYTHON_TYPES = {int: int, float: float, complex: complex}


def _dtype_or_python_type(x: Any) -> Any:
    """Return what `resolve_dtypes` takes: Python's types for weak values."""
    aval = aval_of(x)
    if not aval.weak:
        return aval.dtype
    cls = {"i": int, "f": float, "c": complex}.get(aval.dtype.kind)
    return aval.dtype if cls is None else cls


def register(
    ufunc: np.ufunc, apply: Callable[..., Any], kind: type[Ufunc] = Ufunc
) -> Callable[..., Any]:
    """Enter a ufunc in the table and return the public function for it."""
    made = kind(ufunc, apply)
    call = call_of(made)
    call.__name__ = call.__qualname__ = made.__name__
    call.__module__ = "fad.numpy"
    call.__doc__ = made.__doc__
    for name in _ATTRIBUTES:
        setattr(call, name, getattr(made, name))
    return call


_ATTRIBUTES = (
    "nin nout nargs identity signature types ntypes resolve_dtypes "
    "reduce accumulate reduceat outer at"
).split()


def _array_ufunc(
    self: Tracer, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
) -> Any:
    """Answer NumPy's ufunc protocol for tracers."""
    wrapper = ufuncs.get(ufunc)
    if method == "__call__" and not kwargs and wrapper is not None:
        if any(type(x) not in PLAIN and foreign(x) for x in inputs):
            return NotImplemented
        return wrapper.traced(inputs, kwargs)
    if wrapper is None:
        raise TypeError(
            f"fad has no rule for the ufunc {ufunc.__name__}, called on a traced value "
            f"at {user_source()}. Write it with functions of fad.numpy, give it a rule "
            "with fad.custom_jvp, or cut the derivative with fad.stop_gradient."
        )
    if kwargs.get("out") is not None and len(kwargs["out"]) == 1:
        kwargs["out"] = kwargs["out"][0]
    if method == "__call__":
        return wrapper.traced(inputs, kwargs)
    return getattr(wrapper, method)(*inputs, **kwargs)


Tracer.__array_ufunc__ = _array_ufunc  # type: ignore[attr-defined]
