"""Abstract values: what is known of a value without the value.

An `Aval` is a shape, a dtype and whether the value is a weak (Python) scalar. It prints
as the IR writes it, `f64[3,4]`, or `~f64[]` for a weak one.

Public names: `Aval`, `ShapeDtypeStruct`, `concrete_aval`, `zeros`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .dtypes import WEAK_DTYPES, float0, short_name, tangent_dtype

__all__ = [
    "Aval",
    "ShapeDtypeStruct",
    "concrete_aval",
    "is_array_like",
    "redefines_operations",
    "zeros",
]


class Aval:
    """The shape, dtype and weakness of a value; immutable by convention."""

    __slots__ = ("shape", "dtype", "weak")

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    weak: bool

    def __init__(
        self, shape: tuple[int, ...], dtype: np.dtype[Any], weak: bool = False
    ) -> None:
        self.shape = shape
        self.dtype = dtype
        self.weak = weak

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        size = 1
        for n in self.shape:
            size *= n
        return size

    def tangent(self) -> Aval:
        """Return the aval of this value's tangents: never weak, `float0` for ints."""
        return Aval(self.shape, tangent_dtype(self.dtype))

    def with_shape(self, shape: tuple[int, ...]) -> Aval:
        return Aval(shape, self.dtype, self.weak and not shape)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Aval):
            return NotImplemented
        return (
            self.shape == other.shape
            and self.dtype == other.dtype
            and self.weak == other.weak
        )

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype, self.weak))

    def __str__(self) -> str:
        return f"{short_name(self.dtype)}[{','.join(map(str, self.shape))}]"

    def __repr__(self) -> str:
        return f"~{self}" if self.weak else str(self)


class ShapeDtypeStruct:
    """A stand-in for an array of known shape and dtype, as `eval_shape` returns it.

    Args:
        shape: the array's shape.
        dtype: anything NumPy takes for a dtype.

    >>> ShapeDtypeStruct((2, 3), np.float32)
    ShapeDtypeStruct(shape=(2, 3), dtype=float32)
    """

    __slots__ = ("shape", "dtype", "weak_type")

    def __init__(self, shape: Any, dtype: Any, weak_type: bool = False) -> None:
        if dtype is None:
            raise ValueError("a ShapeDtypeStruct needs a dtype, as np.float64")
        self.shape: tuple[int, ...] = tuple(int(n) for n in shape)
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.weak_type = bool(weak_type)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return Aval(self.shape, self.dtype).size

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a ShapeDtypeStruct of shape () has no length")
        return self.shape[0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ShapeDtypeStruct):
            return NotImplemented
        return self.shape == other.shape and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"ShapeDtypeStruct(shape={self.shape}, dtype={self.dtype})"


_WEAK_AVALS = {cls: Aval((), dtype, True) for cls, dtype in WEAK_DTYPES.items()}


def concrete_aval(value: Any) -> Aval:
    """Return the aval of an array, a NumPy scalar, a Python scalar or a stand-in.

    Raises:
        TypeError: `value` is none of these.
    """
    cls = value.__class__
    if cls is np.ndarray:
        return Aval(value.shape, value.dtype)
    weak = _WEAK_AVALS.get(cls)
    if weak is not None:
        return weak
    if isinstance(value, (np.ndarray, np.generic)):
        return Aval(value.shape, value.dtype)
    if isinstance(value, ShapeDtypeStruct):
        return Aval(value.shape, value.dtype, value.weak_type)
    if isinstance(value, Aval):
        return value
    for cls, aval in _WEAK_AVALS.items():  # subclasses of Python's scalars, enums
        if isinstance(value, cls):
            return aval
    raise TypeError(
        f"{type(value).__name__} is not an array or a number: {value!r:.80}. "
        "Arguments of fad operations are arrays, NumPy scalars and Python numbers; "
        "convert other values with np.asarray first."
    )


def is_array_like(value: Any) -> bool:
    """Tell whether `value` is an array or a number that fad computes with."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype.kind in "fciub" and not redefines_operations(value)
    return isinstance(value, (bool, int, float, complex))


def redefines_operations(value: Any) -> bool:
    """Tell whether an ndarray subclass gives operations another meaning than NumPy's.

    A masked array skips elements and `*` of matrices is their product: to treat them as
    the plain arrays that they also are would give other results.
    """
    cls = value.__class__
    return cls is not np.ndarray and (
        isinstance(value, np.matrix) or cls.__module__.startswith("numpy.ma")
    )


def zeros(aval: Aval) -> Any:
    """Return zeros of an aval: an array, or a NumPy scalar for shape ()."""
    if aval.dtype == float0:
        return np.zeros(aval.shape, float0)
    return np.zeros(aval.shape, aval.dtype) if aval.shape else aval.dtype.type(0)
