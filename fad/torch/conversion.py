"""From tensors to Python and NumPy, and from dtype to dtype.

Public names: none; methods are installed on `Tensor`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of, concrete_value
from ..ops import arithmetic
from .declare import function, method
from .dtypes import DTYPES, dtype, to_numpy
from .node import node_type
from .size import check_device, device
from .tape import record
from .tensor import Tensor

__all__ = ["cast", "known_values"]

_TO_COPY = node_type("ToCopyBackward0")
_CLONE = node_type("CloneBackward0")


def cast(x: Tensor, d: np.dtype[Any]) -> Tensor:
    """Return a tensor of another dtype, itself if it has it."""
    if aval_of(x.value).dtype == d:
        return x
    if aval_of(x.value).dtype.kind == "c" and d.kind != "c":
        if d.kind != "b":
            warnings.warn(
                "Casting complex values to real discards the imaginary part",
                UserWarning,
                stacklevel=3,
            )
        return cast(record(arithmetic.real, _TO_COPY, (x,), {}), d)
    return record(arithmetic.convert, _TO_COPY, (x,), {"dtype": d})


@method()
def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Return the tensor with a dtype; the only device is the CPU."""
    kwargs.pop("non_blocking", None)
    kwargs.pop("memory_format", None)
    copy = kwargs.pop("copy", False)
    d = kwargs.pop("dtype", None)
    check_device(kwargs.pop("device", None))
    for a in args:
        if isinstance(a, dtype):
            d = a
        elif isinstance(a, Tensor):
            d = a.dtype
        elif isinstance(a, (str, device)):
            check_device(a)
    out = self if d is None else cast(self, to_numpy(d))
    return clone(self) if copy and out is self else out


@method("type")
def type_(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """Return the name of the tensor's type, or the tensor with another dtype."""
    if dtype is None:
        return f"torch.{self.dtype.title}Tensor"
    if isinstance(dtype, str):
        titles = {f"torch.{d.title}Tensor": d for d in DTYPES.values()}
        dtype = titles[dtype]
    return cast(self, to_numpy(getattr(dtype, "dtype", dtype)))


@method()
def type_as(self: Tensor, other: Tensor) -> Tensor:
    """Return the tensor with the dtype of another."""
    return cast(self, aval_of(other.value).dtype)


def _casting(d: dtype) -> Callable[[Tensor], Tensor]:
    return lambda self, memory_format=None: cast(self, d.numpy)


for _name in "bool short int long half float double cfloat cdouble".split():
    setattr(Tensor, _name, _casting(DTYPES[_name]))
Tensor.byte = _casting(DTYPES["uint8"])  # type: ignore[attr-defined]
Tensor.char = _casting(DTYPES["int8"])  # type: ignore[attr-defined]


@function()
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """Return a copy, through which gradients flow."""
    return record(arithmetic.copy, _CLONE, (input,), {})


@method()
def contiguous(self: Tensor, memory_format: Any = None) -> Tensor:
    """Return the tensor itself if its memory is in order, or a copy that is."""
    return self if is_contiguous(self) else clone(self)


@method()
def is_contiguous(self: Tensor, memory_format: Any = None) -> bool:
    """Tell whether the memory is in the order of the elements."""
    return isinstance(self.value, Tracer) or bool(self.value.flags.c_contiguous)


@method()
def cpu(self: Tensor) -> Tensor:
    """Return the tensor itself."""
    return self


@method()
def item(self: Tensor) -> Any:
    """Return the one element as a Python number."""
    known = _known(self)
    if known.size != 1:
        raise RuntimeError(
            f"a Tensor with {known.size} elements cannot be converted to Scalar"
        )
    return known.item()


_IN_VMAP = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap "
    "over calling .item() on a Tensor, please try to rewrite what you're doing with "
    "other operations. If error is occurring somewhere inside PyTorch internals, "
    "please file a bug report."
)


def known_values(x: Any) -> Any:
    """Return the values of an operand of a composite, on which its result depends.

    Raises:
        TracerArrayConversionError: they are not known while tracing.
    """
    value = concrete_value(x)
    return x.__array__() if value is None else value  # which raises


def _known(x: Tensor) -> Any:
    if concrete_value(x.value) is None and x.value.owner.name == "vmap":
        raise RuntimeError(_IN_VMAP)
    return np.asarray(known_values(x.value))


@method()
def tolist(self: Tensor) -> Any:
    """Return the elements as nested lists of Python numbers."""
    return _known(self).tolist()


@method()
def numpy(self: Tensor, *, force: bool = False) -> Any:
    """Return the NumPy array that shares the tensor's memory."""
    if force:
        return _known(self)
    if self.requires_grad:
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use "
            "tensor.detach().numpy() instead."
        )
    return self.value if isinstance(self.value, np.ndarray) else _known(self)


def to_array(self: Tensor, dtype: Any = None, copy: Any = None) -> Any:
    """Give NumPy the values."""
    if isinstance(self.value, Tracer):
        return self.value.__array__(dtype, copy)
    array = numpy(self)
    if copy:
        return np.array(array, dtype=dtype)
    return array if dtype is None else array.astype(dtype, copy=False)


def _number(self: Tensor, kind: Callable[[Any], Any]) -> Any:
    if isinstance(self.value, Tracer):
        return kind(self.value)
    if self.value.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return kind(self.value.item())


def to_bool(self: Tensor) -> bool:
    """Return the truth of the one element."""
    if isinstance(self.value, Tracer):
        return bool(self.value)
    if self.value.size == 0:
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
    if self.value.size > 1:
        raise RuntimeError(
            "Boolean value of Tensor with more than one value is ambiguous"
        )
    return bool(self.value.item())


def index(self: Tensor) -> int:
    """Let a whole number stand as an index."""
    if aval_of(self.value).dtype.kind not in "biu" or aval_of(self.value).size != 1:
        raise TypeError(
            "only integer tensors of a single element can be converted to an index"
        )
    return int(_known(self).item())


def rows(self: Tensor) -> Iterator[Tensor]:
    """Iterate over the first dimension."""
    if not self.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))  # type: ignore[attr-defined]


def contains(self: Tensor, element: Any) -> bool:
    """Tell whether an element occurs."""
    return bool((self == element).any())


@method()
def size(self: Tensor, dim: int | None = None) -> Any:
    """Return the shape, or one of its lengths."""
    return self.shape if dim is None else self.shape[_checked_dim(dim, self.ndim)]


def _checked_dim(dim: int, rank: int) -> int:
    bound = max(rank, 1)
    if not -bound <= dim < bound:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-bound}, "
            f"{bound - 1}], but got {dim})"
        )
    return dim


@method("dim", "ndimension")
def dim(self: Tensor) -> int:
    """Return the number of dimensions."""
    return self.ndim


@function("numel", out=False)
def numel(input: Tensor) -> int:
    """Return the number of elements."""
    return aval_of(input.value).size


Tensor.nelement = numel  # type: ignore[attr-defined]


@method()
def element_size(self: Tensor) -> int:
    """Return the size of an element in bytes."""
    return self.dtype.itemsize


@method()
def stride(self: Tensor, dim: int | None = None) -> Any:
    """Return the steps in memory, in elements."""
    steps = tuple(s // self.value.itemsize for s in self.value.strides)
    return steps if dim is None else steps[dim]


@method()
def storage_offset(self: Tensor) -> int:
    """Return where in its base's memory a view begins, in elements."""
    if self._base is None:
        return 0
    return (self.data_ptr() - self._base.data_ptr()) // self.value.itemsize


@method()
def data_ptr(self: Tensor) -> int:
    """Return the address of the first element."""
    return int(self.value.__array_interface__["data"][0])


@function("is_floating_point", out=False)
def is_floating_point(input: Tensor) -> bool:
    """Tell whether the dtype is floating."""
    return aval_of(input.value).dtype.kind == "f"


@function("is_complex", out=False)
def is_complex(input: Tensor) -> bool:
    """Tell whether the dtype is complex."""
    return aval_of(input.value).dtype.kind == "c"


@function("is_nonzero", out=False)
def is_nonzero(input: Tensor) -> bool:
    """Tell whether the one element is not zero."""
    return bool(input)


@method()
def as_subclass(self: Tensor, cls: type) -> Tensor:
    """Return the same values and history as an instance of a subclass."""
    out: Tensor = object.__new__(cls)
    out.value, out.payload = self.value, self.payload
    out._storage, out._view = self.storage, self._view
    return out


def _install() -> None:
    cls: Any = Tensor
    cls.__array__ = to_array
    cls.__bool__ = to_bool
    cls.__float__ = lambda self: _number(self, float)
    cls.__int__ = lambda self: _number(self, int)
    cls.__complex__ = lambda self: _number(self, complex)
    cls.__index__ = index
    cls.__iter__ = rows
    cls.__contains__ = contains
    cls.itemsize = property(element_size)
    cls.nbytes = property(lambda self: numel(self) * element_size(self))


_install()
