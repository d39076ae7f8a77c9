"""torch.save and torch.load: PyTorch's own files, read and written without PyTorch.

A file is a zip archive with a pickle of the structure (``data.pkl``) and the memory of
each storage as raw bytes (``data/0``, ...). Tensors that share memory share it again
when they are loaded.

A pickle can name any function to be called, so a file from elsewhere could run any
code. `load` therefore builds only what it knows: tensors, parameters, dtypes, numbers,
strings and containers of them, and classes that were allowed by `add_safe_globals`.
``weights_only=False`` lifts this; use it only on files you made yourself.

Public names: `save`, `load`, `add_safe_globals`, `get_safe_globals`,
`clear_safe_globals`.
"""

from __future__ import annotations

import io
import os
import pickle
import sys
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from .dtypes import DTYPES, dtype, of_numpy
from .size import Size, device
from .tensor import Tensor, wrap

__all__ = [
    "add_safe_globals",
    "clear_safe_globals",
    "get_safe_globals",
    "load",
    "save",
]

_STORAGES = {
    f"{d.title}Storage": d for d in DTYPES.values() if not d.title.startswith("UInt")
}


class _Global:
    """A name in PyTorch's modules, as a pickle refers to it."""

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self.name = name

    def __call__(self, *args: Any) -> Any:
        raise TypeError(f"{self.module}.{self.name} is only a name in a file")


_TENSOR = _Global("torch._utils", "_rebuild_tensor_v2")
_PARAMETER = _Global("torch._utils", "_rebuild_parameter")
_SIZE = _Global("torch", "Size")
_DEVICE = _Global("torch", "device")


class _Memory:
    """The memory of tensors in a file."""

    def __init__(self, array: Any, key: str) -> None:
        self.array = array
        self.key = key


class _Pickler(pickle._Pickler):  # type: ignore[misc, name-defined]
    """Writes tensors as PyTorch does, also names of modules that are not installed."""

    dispatch = dict(pickle._Pickler.dispatch)  # type: ignore[attr-defined]

    def __init__(self, file: Any, protocol: int) -> None:
        super().__init__(file, protocol)
        self.memories: dict[int, _Memory] = {}

    def persistent_id(self, obj: Any) -> Any:
        if not isinstance(obj, _Memory):
            return None
        title = of_numpy(obj.array.dtype).title
        storage = _Global("torch", f"{title}Storage")
        return ("storage", storage, obj.key, "cpu", obj.array.size)

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, Tensor):
            return self._tensor(obj)
        if isinstance(obj, Size):
            return _SIZE, (tuple(obj),)
        if isinstance(obj, device):
            return _DEVICE, ("cpu",)
        return NotImplemented

    def _tensor(self, tensor: Tensor) -> Any:
        array = tensor.value
        if f"{tensor.dtype.title}Storage" not in _STORAGES:
            raise TypeError(f"cannot save a tensor of dtype {tensor.dtype}")
        memory, offset = self._memory_of(array)
        strides = tuple([s // array.itemsize for s in array.strides])
        if memory.array.size == array.size and array.flags.c_contiguous:
            strides = _contiguous(array.shape)
        requires = tensor.requires_grad
        is_parameter = getattr(tensor, "_is_parameter", False)
        flag = requires and not is_parameter
        parts = (memory, offset, tuple(array.shape), strides, flag, OrderedDict())
        if not is_parameter:
            return _TENSOR, parts
        return _PARAMETER, (_Call(_TENSOR, parts), requires, OrderedDict())

    def _memory_of(self, array: Any) -> tuple[_Memory, int]:
        """Return the memory that an array lies in and where it begins there."""
        root = array
        while isinstance(root.base, np.ndarray) and root.base.dtype == array.dtype:
            root = root.base
        if not root.flags.c_contiguous or any(s < 0 for s in array.strides):
            root = np.ascontiguousarray(array)
        if id(root) not in self.memories:
            self.memories[id(root)] = _Memory(root, str(len(self.memories)))
        start = array.__array_interface__["data"][0] - root.ctypes.data
        inside = 0 <= start <= root.nbytes and np.may_share_memory(root, array)
        return self.memories[id(root)], start // array.itemsize if inside else 0

    def _save_name(self, obj: _Global) -> None:
        self.write(b"c" + f"{obj.module}\n{obj.name}\n".encode())  # the GLOBAL opcode
        self.memoize(obj)

    def _save_dtype(self, obj: dtype) -> None:
        self._save_name(_Global("torch", obj.name))

    def _save_call(self, obj: _Call) -> None:
        self.save_reduce(obj.function, obj.args)

    dispatch[_Global] = _save_name
    dispatch[dtype] = _save_dtype


class _Call:
    """A function with arguments, which the file calls."""

    def __init__(self, function: _Global, args: tuple[Any, ...]) -> None:
        self.function = function
        self.args = args


_Pickler.dispatch[_Call] = _Pickler._save_call


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def save(
    obj: Any,
    f: Any,
    pickle_module: Any = None,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
) -> None:
    """Write tensors, and containers of them, to a file that PyTorch can read too.

    Args:
        obj: what to save.
        f: a path or a file open for writing bytes.

    >>> import io
    >>> from fad import torch
    >>> file = io.BytesIO()
    >>> torch.save({"w": torch.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    {'w': tensor([1., 1.])}
    """
    structure = io.BytesIO()
    pickler = _Pickler(structure, pickle_protocol)
    pickler.dump(obj)
    if isinstance(f, (str, os.PathLike)):
        name = os.path.splitext(os.path.basename(os.fspath(f)))[0]
        if not isinstance(name, str):
            name = "archive"
    else:
        name = "archive"
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(f"{name}/data.pkl", structure.getvalue())
        archive.writestr(f"{name}/byteorder", sys.byteorder)
        for memory in pickler.memories.values():
            archive.writestr(f"{name}/data/{memory.key}", memory.array.tobytes())
        archive.writestr(f"{name}/version", "3\n")


_allowed: dict[tuple[str, str], Any] = {}


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Allow classes or functions in files that `load` reads."""
    for item in safe_globals:
        _allowed[item.__module__, item.__qualname__] = item


def get_safe_globals() -> list[Any]:
    """Return what `add_safe_globals` allowed."""
    return list(_allowed.values())


def clear_safe_globals() -> None:
    """Allow nothing beyond what `load` knows."""
    _allowed.clear()


class _Unpickler(pickle.Unpickler):
    """Reads a structure; builds nothing but what is known."""

    def __init__(self, file: Any, read: Callable[[str], bytes], safe: bool) -> None:
        super().__init__(file)
        self.read_memory = read
        self.safe = safe
        self.memories: dict[str, Any] = {}

    def find_class(self, module: str, name: str) -> Any:
        known = _KNOWN.get((module, name)) or _allowed.get((module, name))
        if known is not None:
            return known
        if module == "torch" and name in _STORAGES:
            return _STORAGES[name]
        if module == "torch" and name in DTYPES:
            return DTYPES[name]
        if not self.safe and module.split(".")[0] != "torch":
            return super().find_class(module, name)
        raise pickle.UnpicklingError(
            f"Weights only load failed: the file asks for `{module}.{name}`, which is "
            "not among what a file of weights holds. If you trust the file, allow it "
            "with `torch.serialization.add_safe_globals`, or pass `weights_only=False`, "
            "which lets the file run any code."
        )

    def persistent_load(self, pid: Any) -> Any:
        kind, d, key, _, count = pid
        if kind != "storage" or not isinstance(d, dtype):
            raise pickle.UnpicklingError(f"unknown entry {kind!r} in the file")
        if key not in self.memories:
            memory = np.frombuffer(bytearray(self.read_memory(key)), d.numpy)
            if memory.size != count:
                raise pickle.UnpicklingError(
                    f"storage {key} has {memory.size} elements where {count} are meant"
                )
            self.memories[key] = memory
        return self.memories[key]


def _rebuild_tensor(
    memory: Any,
    offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    hooks: Any = None,
    metadata: Any = None,
) -> Tensor:
    """Return the tensor that lies in a memory, after checking that it does."""
    size, stride = tuple(map(int, size)), tuple(map(int, stride))
    bad = len(size) != len(stride) or min((offset, *size, *stride)) < 0
    reach = sum((n - 1) * s for n, s in zip(size, stride, strict=False))
    if not isinstance(memory, np.ndarray) or bad:
        raise pickle.UnpicklingError("the file describes no valid tensor")
    if 0 not in size and offset + reach >= memory.size:
        raise pickle.UnpicklingError("a tensor in the file exceeds its storage")
    strides = [s * memory.itemsize for s in stride]
    where = min(offset, memory.size)
    view = np.lib.stride_tricks.as_strided(memory[where:], size, strides)
    made = wrap(view)
    made.requires_grad_(bool(requires_grad))
    return made


def _rebuild_parameter(data: Tensor, requires_grad: bool, hooks: Any = None) -> Any:
    from .nn.parameter import Parameter

    return Parameter(data, requires_grad)


def _cpu(*args: Any) -> device:
    return device("cpu")


_KNOWN: dict[tuple[str, str], Any] = {
    ("torch._utils", "_rebuild_tensor_v2"): _rebuild_tensor,
    ("torch._utils", "_rebuild_parameter"): _rebuild_parameter,
    ("torch", "Size"): Size,
    ("torch", "device"): _cpu,
    ("collections", "OrderedDict"): OrderedDict,
    ("builtins", "complex"): complex,
    ("__builtin__", "complex"): complex,
    ("builtins", "set"): set,
    ("__builtin__", "set"): set,
    ("builtins", "bytearray"): bytearray,
    ("_codecs", "encode"): lambda text, encoding="latin1": text.encode("latin1"),
}


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Read what `save`, or PyTorch, wrote.

    Args:
        f: a path or a file open for reading bytes.
        map_location: accepted; there is one device.
        weights_only: build only tensors and plain containers; unless False.

    Raises:
        UnpicklingError: the file holds something else, or is damaged.
    """
    if not isinstance(f, (str, os.PathLike)) and not hasattr(f, "read"):
        raise AttributeError(f"'{type(f).__name__}' object has no attribute 'read'")
    try:
        archive = zipfile.ZipFile(f)
    except zipfile.BadZipFile:
        raise pickle.UnpicklingError(
            "this is no zip archive; files of PyTorch before 1.6 have to be saved again"
        ) from None
    with archive:
        names = [n for n in archive.namelist() if n.endswith("/data.pkl")]
        if len(names) != 1:
            raise pickle.UnpicklingError("the archive has no data.pkl")
        root = names[0].removesuffix("data.pkl")

        def read(key: str) -> bytes:
            return archive.read(f"{root}data/{key}")

        order = f"{root}byteorder"
        if order in archive.namelist() and archive.read(order) != _ORDER:
            raise pickle.UnpicklingError(
                "the file has the byte order of other machines"
            )
        structure = io.BytesIO(archive.read(names[0]))
        return _Unpickler(structure, read, weights_only is not False).load()


_ORDER = sys.byteorder.encode()
