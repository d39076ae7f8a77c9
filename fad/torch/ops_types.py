"""What a tensor is, as scripts ask: its type, layout, and where it is not.

    torch.FloatTensor(2, 3)      the older constructors, which are types, too
    x.is_cuda, x.layout          answers that are the same for every tensor here
    x.resize_(2, 2), x.set_(y)   the memory of a tensor exchanged

Public names: none; all is declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .data import from_data, shape_from
from .declare import function, functions, method
from .dtypes import DTYPES, dtype, set_default_dtype
from .size import CPU, check_device, device
from .tensor import Tensor, wrap

__all__: list[str] = []


class _Type(type):
    """The class of `FloatTensor` and the like: tensors of its dtype are instances."""

    dtype: dtype

    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, Tensor) and thing.dtype is cls.dtype

    def __call__(cls, *args: Any, **options: Any) -> Any:
        check_device(options.get("device"))
        if len(args) == 1 and isinstance(args[0], Tensor):
            if args[0].dtype is not cls.dtype:
                raise TypeError(
                    f"expected a tensor of dtype {cls.dtype}, got {args[0].dtype}"
                )
            return args[0].detach()  # type: ignore[attr-defined]
        if len(args) == 1 and isinstance(args[0], (list, tuple, np.ndarray)):
            if args[0].__class__ in (list, tuple, np.ndarray):
                return wrap(from_data(args[0], cls.dtype))
        shape = shape_from(args, "new") if args else (0,)
        return wrap(np.zeros(shape, cls.dtype.numpy))

    def __repr__(cls) -> str:
        return f"<class 'torch.{cls.__name__}'>"


_TITLES = """
    BoolTensor bool ByteTensor uint8 CharTensor int8 ShortTensor int16 IntTensor int32
    LongTensor int64 HalfTensor float16 FloatTensor float32 DoubleTensor float64
""".split()
for _title, _name in zip(_TITLES[::2], _TITLES[1::2], strict=True):
    functions[_title] = _Type(_title, (), {"dtype": DTYPES[_name]})


@function("set_default_tensor_type", methods=False, out=False)
def set_default_tensor_type(t: Any) -> None:
    """Set the default dtype by the type of its tensors, or that type's name."""
    if isinstance(t, str):
        t = functions.get(t.removeprefix("torch."))
    if not isinstance(t, _Type):
        raise TypeError("invalid type object")
    set_default_dtype(t.dtype)


class layout:
    """How the elements of a tensor are kept: always strided."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


class memory_format(layout):
    """An order of dimensions in memory; accepted, and left to NumPy."""


strided = layout("strided")
functions["layout"], functions["memory_format"] = layout, memory_format
functions["strided"] = strided  # type: ignore[assignment]
for _name in ("contiguous_format", "preserve_format", "channels_last"):
    functions[_name] = memory_format(_name)  # type: ignore[assignment]
functions["channels_last_3d"] = memory_format("channels_last_3d")  # type: ignore[assignment]


_ABSENT = """
    is_cuda is_sparse is_quantized is_meta is_mps is_nested is_xpu is_mkldnn is_vulkan
    is_ipu is_xla is_mtia is_maia is_sparse_csr
""".split()


def _install() -> None:
    cls: Any = Tensor
    for name in _ABSENT:
        setattr(cls, name, property(lambda self: False, doc="Tensors here are not."))
    cls.is_cpu = property(lambda self: True, doc="They are on the CPU.")
    cls.layout = property(lambda self: strided, doc="How elements are kept.")
    cls.name = property(lambda self: None, doc="Tensors have no names.")


_install()


@function("is_signed", out=False)
def is_signed(input: Tensor) -> bool:
    """Tell whether the dtype has negative numbers."""
    return input.aval.dtype.kind not in "bu"


@function("is_inference", methods=False, out=False)
def is_inference(input: Tensor) -> bool:
    """Tell whether a tensor was made in inference mode."""
    return input._inference


@function("get_device", out=False)
def get_device(input: Tensor) -> int:
    """Return -1: a tensor on the CPU."""
    return -1


@function("get_default_device", methods=False, out=False)
def get_default_device() -> device:
    """Return the device of new tensors: the CPU."""
    return CPU


@function("set_default_device", methods=False, out=False)
def set_default_device(device: Any) -> None:
    """Accept the CPU, on which all tensors are."""
    check_device(device)


@method("is_pinned", "is_shared")
def _is_not(self: Tensor, device: Any = None) -> bool:
    """Return False: memory is NumPy's."""
    return False


@method("share_memory_", "to_dense")
def _itself(self: Tensor, *args: Any, **options: Any) -> Tensor:
    """Return the tensor itself."""
    return self


@method()
def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """Raise: there is no accelerator that would need it."""
    raise RuntimeError("Cannot access accelerator device when none is available.")


@method()
def cuda(self: Tensor, *args: Any, **options: Any) -> Tensor:
    """Raise: there is no GPU."""
    raise AssertionError("Torch not compiled with CUDA enabled")


@method()
def dense_dim(self: Tensor) -> int:
    """Return the number of dimensions."""
    return self.ndim


@method()
def dim_order(self: Tensor) -> tuple[int, ...]:
    """Return the dimensions, the one of the largest steps first."""
    return tuple(sorted(range(self.ndim), key=lambda i: -self.value.strides[i]))


@method()
def new(self: Tensor, *args: Any, device: Any = None) -> Tensor:
    """Return a new tensor of the same dtype: of a size, or with data."""
    check_device(device)
    if len(args) == 1 and args[0].__class__ in (list, tuple, np.ndarray):
        return wrap(from_data(args[0], self.dtype))
    shape = shape_from(args, "new") if args else (0,)
    return wrap(np.zeros(shape, self.aval.dtype))


@method()
def resize_(self: Tensor, *sizes: Any, memory_format: Any = None) -> Tensor:
    """Change the size; the first elements stay, new ones are arbitrary."""
    if self.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    shape = shape_from(sizes, "resize_")
    count = int(np.prod(shape, dtype=int))
    flat = self.value.reshape(-1)
    if count > flat.size:
        flat = np.concatenate([flat, np.zeros(count - flat.size, flat.dtype)])
    self.value = flat[:count].reshape(shape)
    self.storage.version += 1
    return self


@method()
def resize_as_(self: Tensor, other: Tensor, *, memory_format: Any = None) -> Tensor:
    """Change the size to that of another tensor."""
    return resize_(self, tuple(other.shape))


@method()
def set_(self: Tensor, source: Any = None) -> Tensor:
    """Let the tensor share the memory of another."""
    if source is None:
        self.value = np.empty(0, self.aval.dtype)
        return self
    if source.dtype is not self.dtype:
        raise RuntimeError(
            "Could not set tensor of type "
            f"{source.dtype} to a tensor of type {self.dtype}"
        )
    self.value, self._storage = source.value, source.storage
    return self


@method()
def map_(self: Tensor, tensor: Tensor, callable: Any) -> Tensor:
    """Overwrite each element by a function of it and that of another tensor."""
    if self.requires_grad or tensor.requires_grad:
        raise TypeError(
            "Can't call map_() on Variable that requires grad. Use var.detach().map_() "
            "instead."
        )
    other = np.broadcast_to(tensor.value, self.value.shape)
    pairs = zip(self.value.ravel().tolist(), other.ravel().tolist(), strict=True)
    found = [callable(a, b) for a, b in pairs]
    self.value[...] = np.asarray(found, self.value.dtype).reshape(self.value.shape)
    self.storage.version += 1
    return self


class UntypedStorage:
    """The memory of a tensor, as bytes; views of one tensor have the same."""

    def __init__(self, array: np.ndarray) -> None:
        while isinstance(array.base, np.ndarray):
            array = array.base
        self._array = array

    def data_ptr(self) -> int:
        """Return the address of the first byte."""
        return int(self._array.__array_interface__["data"][0])

    def nbytes(self) -> int:
        """Return the number of bytes."""
        return self._array.nbytes

    size = __len__ = nbytes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and self.data_ptr() == other.data_ptr()

    __hash__ = object.__hash__


functions["UntypedStorage"] = UntypedStorage


@method()
def untyped_storage(self: Tensor) -> UntypedStorage:
    """Return the memory that the tensor shares with its views."""
    return UntypedStorage(self.value)


@function("empty_strided", methods=False, out=False)
def empty_strided(size: Any, stride: Any, **options: Any) -> Tensor:
    """Return a tensor with steps of its own, whose values are arbitrary."""
    made = functions["empty"](0, **options)
    last = sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    flat = np.zeros(0 if 0 in tuple(size) else last + 1, made.value.dtype)
    steps = tuple(s * flat.itemsize for s in stride)
    made.value = np.lib.stride_tricks.as_strided(flat, tuple(size), steps)
    return made  # type: ignore[no-any-return]


@method()
def new_empty_strided(self: Tensor, size: Any, stride: Any, **options: Any) -> Tensor:
    """Return a tensor of the same dtype with steps of its own."""
    options.setdefault("dtype", self.dtype)
    return empty_strided(size, stride, **options)  # type: ignore[no-any-return]


@function("empty_permuted", methods=False, out=False)
def empty_permuted(size: Any, physical_layout: Any, **options: Any) -> Tensor:
    """Return a tensor whose dimensions lie in memory in another order."""
    steps, step = [0] * len(size), 1
    for dim in reversed(physical_layout):
        steps[dim] = step
        step *= size[dim]
    return empty_strided(size, steps, **options)  # type: ignore[no-any-return]


@function("frombuffer", methods=False, out=False)
def frombuffer(
    buffer: Any,
    *,
    dtype: dtype,
    count: int = -1,
    offset: int = 0,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor of one dimension that shares the memory of a buffer."""
    array = np.frombuffer(buffer, dtype.numpy, count, offset)
    return wrap(array).requires_grad_(requires_grad)
