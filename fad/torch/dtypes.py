"""Dtypes, their promotion, and the default dtype.

A `dtype` is a name for a NumPy dtype: tensors hold NumPy arrays, so nothing more is
needed. Operands of an operation are promoted in three categories, and a lower one
counts only if its kind (bool < integer < floating < complex) is higher:

    tensors with dimensions  >  0-dim tensors  >  Python numbers

so that float32 vector + float64 0-dim stays float32, and integer vector + 0.5 takes the
default dtype.

Public names: `dtype`, `DTYPES`, `of_numpy`, `to_numpy`, `promote_types`, `result_type`,
`can_cast`, `get_default_dtype`, `set_default_dtype`, `default_float`, `finfo`, `iinfo`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = [
    "DTYPES",
    "can_cast",
    "combined",
    "default_complex",
    "default_float",
    "dtype",
    "finfo",
    "get_default_dtype",
    "iinfo",
    "of_numpy",
    "promote_types",
    "set_default_dtype",
    "to_numpy",
]

_KINDS = "biufc".index  # bool < integers < floating < complex


class dtype:
    """The type of a tensor's elements; there is one object for each.

    Attributes:
        name: as in ``torch.float32``.
        title: as in error messages and ``torch.FloatTensor``.
        numpy: NumPy's dtype.

    >>> from fad import torch
    >>> torch.float32, torch.int64.is_floating_point, torch.complex64.itemsize
    (torch.float32, False, 8)
    """

    __slots__ = ("name", "title", "numpy")

    def __init__(self, name: str, title: str, numpy: Any) -> None:
        self.name = name
        self.title = title
        self.numpy: np.dtype[Any] = np.dtype(numpy)

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> Any:
        return _by_name, (self.name,)

    @property
    def is_floating_point(self) -> bool:
        return self.numpy.kind == "f"

    @property
    def is_complex(self) -> bool:
        return self.numpy.kind == "c"

    @property
    def is_signed(self) -> bool:
        return self.numpy.kind in "ifc"

    @property
    def itemsize(self) -> int:
        return self.numpy.itemsize

    def to_complex(self) -> dtype:
        """Return the complex dtype of the same precision."""
        return of_numpy(np.result_type(self.numpy, np.complex64))

    def to_real(self) -> dtype:
        """Return the real dtype of the same precision."""
        return of_numpy(np.empty(0, self.numpy).real.dtype)


_ALL = [
    dtype("bool", "Bool", np.bool_),
    dtype("uint8", "Byte", np.uint8),
    dtype("int8", "Char", np.int8),
    dtype("int16", "Short", np.int16),
    dtype("int32", "Int", np.int32),
    dtype("int64", "Long", np.int64),
    dtype("uint16", "UInt16", np.uint16),
    dtype("uint32", "UInt32", np.uint32),
    dtype("uint64", "UInt64", np.uint64),
    dtype("float16", "Half", np.float16),
    dtype("float32", "Float", np.float32),
    dtype("float64", "Double", np.float64),
    dtype("complex64", "ComplexFloat", np.complex64),
    dtype("complex128", "ComplexDouble", np.complex128),
]
_ALIASES = {
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "cfloat": "complex64",
    "cdouble": "complex128",
}
DTYPES: dict[str, dtype] = {d.name: d for d in _ALL}
DTYPES |= {alias: DTYPES[name] for alias, name in _ALIASES.items()}
_OF_NUMPY: dict[Any, dtype] = {d.numpy: d for d in _ALL}
_OF_PYTHON = {bool: "bool", int: "int64", complex: "complex128"}


def _by_name(name: str) -> dtype:
    return DTYPES[name]


def of_numpy(numpy_dtype: Any) -> dtype:
    """Return the dtype of a NumPy dtype.

    Raises:
        TypeError: there is none.
    """
    found = _OF_NUMPY.get(numpy_dtype)
    if found is None:
        native = np.dtype(numpy_dtype).newbyteorder("=")
        found = _OF_NUMPY.get(native)
    if found is None:
        raise TypeError(
            f"can't convert np.ndarray of type numpy.{np.dtype(numpy_dtype).type.__name__}. The "
            "only supported types are: float64, float32, float16, complex64, "
            "complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, "
            "and bool."
        )
    return found


def to_numpy(spec: Any) -> np.dtype[Any]:
    """Return the NumPy dtype of a dtype, or of a Python type that stands for one."""
    if spec.__class__ is dtype:
        numpy_dtype: np.dtype[Any] = spec.numpy
        return numpy_dtype
    if spec is float:
        return default_float()
    if isinstance(spec, type) and spec in _OF_PYTHON:
        return DTYPES[_OF_PYTHON[spec]].numpy
    raise TypeError(f"dtype must be torch.dtype, not {type(spec).__name__}")


_default = np.dtype(np.float32)  # one for all threads, as in PyTorch


def default_float() -> np.dtype[Any]:
    """Return the default floating dtype, as NumPy's."""
    return _default


def default_complex() -> np.dtype[Any]:
    """Return the complex dtype of the default precision, as NumPy's."""
    return np.result_type(_default, np.complex64)


def get_default_dtype() -> dtype:
    """Return the dtype that Python floats take."""
    return of_numpy(_default)


def set_default_dtype(d: dtype) -> None:
    """Set the dtype that Python floats take.

    Raises:
        TypeError: it is not a floating dtype.
    """
    global _default
    if not isinstance(d, dtype) or not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _default = d.numpy


def combine(a: np.dtype[Any], b: np.dtype[Any]) -> np.dtype[Any]:
    """Promote two NumPy dtypes: integers do not widen floating dtypes."""
    if a is b or a == b:
        return a
    (low, high) = sorted((a, b), key=_rank)
    if _rank(low) == _rank(high) or (low.kind == "f" and high.kind == "c"):
        return np.promote_types(low, high)
    return high


def _rank(d: np.dtype[Any]) -> int:
    return 1 if d.kind == "u" else _KINDS(d.kind)


_SCALAR_RANK = {bool: 0, int: 1, float: 3, complex: 4}


def _scalar_dtype(value: Any) -> np.dtype[Any]:
    if isinstance(value, bool):
        return DTYPES["bool"].numpy
    if isinstance(value, int):
        return DTYPES["int64"].numpy
    return default_complex() if isinstance(value, complex) else default_float()


def combined(operands: Iterable[tuple[int, Any]]) -> np.dtype[Any]:
    """Return the dtype of an operation on operands of the three categories.

    Args:
        operands: pairs (number of dimensions, NumPy dtype), or (-1, Python number).
    """
    classes: list[Any] = [None, None, None]
    for ndim, what in operands:
        category = 0 if ndim > 0 else 1 if ndim == 0 else 2
        d = _scalar_dtype(what) if category == 2 else what
        old = classes[category]
        classes[category] = d if old is None else combine(old, d)
    result = classes[2]
    for higher in (classes[1], classes[0]):
        result = _over(higher, result)
    assert result is not None
    return result


def _over(higher: Any, lower: Any) -> Any:
    """Let the lower category count only by a higher kind."""
    if higher is None or lower is None:
        return lower if higher is None else higher
    if higher.kind == "f" and lower.kind == "c":
        return np.result_type(higher, np.complex64)
    return higher if _rank(higher) >= _rank(lower) else lower


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """Return the smallest dtype to which both can be promoted.

    >>> from fad import torch
    >>> promote_types(torch.int32, torch.float16)
    torch.float16
    """
    return of_numpy(combine(type1.numpy, type2.numpy))


def can_cast(from_: dtype, to: dtype) -> bool:
    """Tell whether values of one dtype may be written into another in place."""
    return castable(from_.numpy, to.numpy)


def castable(source: np.dtype[Any], target: np.dtype[Any]) -> bool:
    """Tell whether the kind of `target` is at least that of `source`."""
    if source.kind in "if" and target.kind == "u" and source.kind == "f":
        return False
    return _rank(source) <= _rank(target)


class finfo:
    """The limits of a floating dtype: `bits eps max min tiny resolution`.

    >>> from fad import torch
    >>> finfo(torch.float32).eps == 2.0**-23
    True
    """

    def __init__(self, type: dtype | None = None) -> None:
        d = type or get_default_dtype()
        if d.numpy.kind not in "fc":
            raise TypeError(
                f"torch.finfo() requires a floating point input type. Use torch.iinfo "
                f"to handle '{d}'"
            )
        info = np.finfo(d.to_real().numpy)
        self.dtype = d.to_real().name
        self.bits = int(info.bits)
        self.eps, self.max, self.min = float(info.eps), float(info.max), float(info.min)
        self.tiny = self.smallest_normal = float(info.smallest_normal)
        self.resolution = float(info.resolution)

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, "
            f"max={self.max:g}, eps={self.eps:g}, smallest_normal={self.tiny:g}, "
            f"tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo:
    """The limits of an integer dtype: `bits max min`.

    >>> from fad import torch
    >>> iinfo(torch.int8).max
    127
    """

    def __init__(self, type: dtype) -> None:
        if type.numpy.kind not in "iu":
            raise TypeError(
                f"torch.iinfo() requires an integer input type. Use torch.finfo to "
                f"handle '{type}'"
            )
        info = np.iinfo(type.numpy)
        self.dtype = type.name
        self.bits, self.max, self.min = info.bits, int(info.max), int(info.min)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
