"""Names of NumPy that are the same in `fad.numpy`, and those that refuse tracers.

`SAME` names do not act on the values of arrays: dtypes, constants, settings, input and
output, submodules. They are looked up in NumPy when first asked for, so that importing
fad loads no submodule of NumPy that the program does not use. `UNSUPPORTED` names work
on plain arrays as NumPy's do; a call with a tracer raises a TypeError with the reason.

Public names: `SAME`, `UNSUPPORTED`, `lookup`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .dispatch import implementations
from .plain_calls import all_plain, holds_tracer

__all__ = ["SAME", "UNSUPPORTED", "Unsupported", "lookup"]

SAME = frozenset(
    """
    False_ True_ e euler_gamma inf nan newaxis pi little_endian __version__
    typecodes ScalarType sctypeDict index_exp s_ mgrid ogrid

    dtype finfo iinfo issubdtype isdtype promote_types mintypecode typename
    generic number integer signedinteger unsignedinteger inexact floating
    complexfloating flexible character bool bool_ int8 int16 int32 int64 uint8 uint16
    uint32 uint64 float16 float32 float64 float96 float128 complex64 complex128
    complex192 complex256 byte ubyte short ushort intc uintc int_ uint long ulong
    longlong ulonglong intp uintp half single double longdouble csingle cdouble
    clongdouble bytes_ str_ void object_ datetime64 timedelta64 record

    ndarray ufunc ndindex flatiter

    empty eye identity ones tri zeros indices bartlett blackman hamming hanning
    fromfile fromregex fromstring frombuffer load loadtxt genfromtxt
    broadcast_shapes mask_indices tril_indices triu_indices diag_indices

    errstate geterr seterr geterrcall seterrcall getbufsize setbufsize printoptions
    get_printoptions set_printoptions base_repr binary_repr info get_include
    show_config show_runtime test

    busday_count busday_offset busdaycalendar is_busday datetime_as_string
    datetime_data

    char core ctypeslib dtypes exceptions f2py lib ma polynomial rec strings testing
    typing emath __array_namespace_info__
    """.split()
)
"""What passes through unchanged."""

_FILE = (
    "a file holds plain values; return the value from the transformed function, for "
    "example with has_aux=True, and save it outside"
)
_MATRIX = "numpy.matrix is a plain array that multiplies as a matrix; use x @ y"
_MEMORY = "it describes memory, and a traced value has none; use plain arrays"
_ITERATOR = (
    "it hands out plain memory, which does not know derivatives; loop over indices "
    "with ndindex or ndenumerate, or use whole-array operations"
)
_BYTES = "it converts to bytes and from bytes, which carry no derivatives"
_PRINTED = "the text has the digits of one plain number; use float(x)"

UNSUPPORTED = {
    "asmatrix": _MATRIX,
    "bmat": _MATRIX + ", and block to join parts",
    "matrix": _MATRIX,
    "broadcast": "it iterates over plain elements; use broadcast_arrays or "
    "broadcast_shapes",
    "memmap": _FILE,
    "save": _FILE,
    "savetxt": _FILE,
    "savez": _FILE,
    "savez_compressed": _FILE,
    "recarray": _MEMORY,
    "from_dlpack": "it shares memory with another library, which would see values "
    "without derivatives; call it outside the transformed function",
    "nditer": _ITERATOR,
    "nested_iters": _ITERATOR,
    "packbits": _BYTES,
    "unpackbits": _BYTES,
    "poly1d": "its coefficients are a plain array; keep traced coefficients in an "
    "array, with polyval, polymul, polyadd, polyder and polyint",
    "format_float_positional": _PRINTED,
    "format_float_scientific": _PRINTED,
}
"""What refuses tracers, and why."""


class Unsupported:
    """A NumPy function or class that takes plain arrays only.

    It stands for NumPy's own in calls, `isinstance`, `issubclass` and as a base class.
    """

    def __init__(self, name: str, original: Any) -> None:
        self.__name__ = name
        self.__wrapped__ = original
        self.__doc__ = original.__doc__
        implementations[original] = self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call NumPy's function, or refuse a traced argument."""
        if (
            not all_plain(args)
            and holds_tracer(args)
            or (kwargs and holds_tracer(kwargs.values()))
        ):
            raise TypeError(
                f"numpy.{self.__name__} does not take traced values: "
                f"{UNSUPPORTED[self.__name__]}."
            )
        return self.__wrapped__(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.__wrapped__, name)

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, self.__wrapped__)

    def __subclasscheck__(self, subclass: type) -> bool:
        return issubclass(subclass, self.__wrapped__)

    def __mro_entries__(self, bases: Any) -> tuple[Any, ...]:
        return (self.__wrapped__,)

    def __repr__(self) -> str:
        return repr(self.__wrapped__)


def lookup(name: str) -> Any:
    """Return what `fad.numpy` has for a name that no module of it defines.

    Raises:
        AttributeError: there is no such name, here or in this version of NumPy.
    """
    if name in SAME:
        return getattr(np, name)
    if name in UNSUPPORTED:
        return unsupported(name)
    raise AttributeError(f"module 'fad.numpy' has no attribute {name!r}")


def unsupported(name: str) -> Unsupported:
    """Return the stand-in for an unsupported name, one for each."""
    original = getattr(np, name)
    known = implementations.get(original)
    return known if isinstance(known, Unsupported) else Unsupported(name, original)
