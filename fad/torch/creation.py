"""Making tensors: from data, filled, ranges, likenesses.

Public names: `tensor`, `as_tensor`, `from_numpy`, `zeros`, `ones`, `full`, `empty`,
`arange`, `linspace`, `eye` and the like; all are in `fad.torch`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .data import finish, from_data, number_of, shape_from
from .declare import function, functions
from .dtypes import DTYPES, default_complex, default_float, dtype, of_numpy, to_numpy
from .size import check_device
from .tensor import Tensor, wrap

__all__ = ["finish", "from_data", "shape_from"]


@function(methods=False, out=False)
def tensor(
    data: Any,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return a new tensor holding a copy of data.

    >>> from fad import torch
    >>> torch.tensor([[1, 2.5], [3, 4]])
    tensor([[1.0000, 2.5000],
            [3.0000, 4.0000]])
    """
    if isinstance(data, Tensor):
        warnings.warn(_COPY_WARNING, UserWarning, stacklevel=2)
    return finish(from_data(data, dtype), requires_grad, device)


_COPY_WARNING = (
    "To copy construct from a tensor, it is recommended to use "
    "sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than "
    "torch.tensor(sourceTensor)."
)


@function("as_tensor", "asarray", methods=False, out=False)
def as_tensor(data: Any, dtype: dtype | None = None, device: Any = None) -> Tensor:
    """Return data as a tensor, sharing memory where that is possible."""
    check_device(device)
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, np.ndarray) and dtype is None:
        return from_numpy(data)
    return wrap(from_data(data, dtype))


@function(methods=False, out=False)
def from_numpy(ndarray: Any) -> Tensor:
    """Return a tensor that shares the memory of a NumPy array."""
    if not isinstance(ndarray, np.ndarray):
        kind = type(ndarray)
        module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
        raise TypeError(f"expected np.ndarray (got {module}{kind.__qualname__})")
    of_numpy(ndarray.dtype)
    if any(s < 0 for s in ndarray.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors "
            "with negative strides are not currently supported. (You can probably work "
            "around this by making a copy of your array  with array.copy().) "
        )
    return wrap(ndarray)


def _filled(
    shape: tuple[int, ...],
    fill: Any,
    dtype: dtype | None,
    requires_grad: bool,
    device: Any,
) -> Tensor:
    d = default_float() if dtype is None else to_numpy(dtype)
    array = np.zeros(shape, d) if fill == 0 else np.full(shape, fill, d)
    return finish(array, requires_grad, device)


def _filling(name: str, fill: float) -> None:
    def make(
        *size: Any,
        dtype: dtype | None = None,
        layout: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        pin_memory: bool = False,
        memory_format: Any = None,
    ) -> Tensor:
        return _filled(shape_from(size, name), fill, dtype, requires_grad, device)

    def like(
        input: Tensor,
        *,
        dtype: dtype | None = None,
        layout: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        memory_format: Any = None,
    ) -> Tensor:
        return _filled(input.shape, fill, dtype or input.dtype, requires_grad, device)

    def new(
        self: Tensor,
        *size: Any,
        dtype: dtype | None = None,
        device: Any = None,
        requires_grad: bool = False,
        layout: Any = None,
        pin_memory: bool = False,
    ) -> Tensor:
        d = dtype or self.dtype
        return _filled(shape_from(size, f"new_{name}"), fill, d, requires_grad, device)

    make.__doc__ = f"Return a tensor made by {name}, of a size."
    like.__doc__ = f"Return a tensor made by {name}, of the shape and dtype of another."
    function(name, methods=False)(make)
    function(f"{name}_like", methods=False, out=False)(like)
    function(f"new_{name}", namespace=False, out=False)(new)


for _name, _fill in {"zeros": 0, "ones": 1, "empty": 0}.items():
    _filling(_name, _fill)


def _full_dtype(fill: Any) -> Any:
    if isinstance(fill, Tensor):
        return fill.dtype
    if isinstance(fill, bool):
        return DTYPES["bool"]
    if isinstance(fill, int):
        return DTYPES["int64"]
    return of_numpy(default_complex() if isinstance(fill, complex) else default_float())


@function(methods=False)
def full(
    size: Sequence[int],
    fill_value: Any,
    *,
    dtype: dtype | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor of one value."""
    d = to_numpy(dtype or _full_dtype(fill_value))
    if not isinstance(size, (tuple, list)):
        raise TypeError(
            "full(): argument 'size' (position 1) must be tuple of ints, not "
            f"{type(size).__name__}"
        )
    shape = shape_from(size, "full")
    return finish(np.full(shape, number_of(fill_value), d), requires_grad, device)


@function(methods=False, out=False)
def full_like(
    input: Tensor,
    fill_value: Any,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Return a tensor of one value, of the shape and dtype of another."""
    d = to_numpy(dtype or input.dtype)
    return finish(np.full(input.shape, number_of(fill_value), d), requires_grad, device)


@function(namespace=False, out=False)
def new_full(
    self: Tensor,
    size: Any,
    fill_value: Any,
    *,
    dtype: dtype | None = None,
    **options: Any,
) -> Tensor:
    """Return a tensor of one value, of the dtype of this one."""
    return functions["full"](size, fill_value, dtype=dtype or self.dtype, **options)


@function(namespace=False, out=False)
def new_tensor(
    self: Tensor, data: Any, *, dtype: dtype | None = None, requires_grad: bool = False
) -> Tensor:
    """Return a tensor of data, of the dtype of this one."""
    return finish(from_data(data, dtype or self.dtype), requires_grad)


@function(methods=False)
def arange(
    start: Any,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: dtype | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return the numbers from `start` to before `end`."""
    if end is None:
        start, end = 0, start
    start, end, step = (number_of(v) for v in (start, end, step))
    whole = all(isinstance(v, int) for v in (start, end, step))
    d = (
        to_numpy(dtype)
        if dtype is not None
        else DTYPES["int64"].numpy
        if whole
        else default_float()
    )
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = max(0, math.ceil((end - start) / step))
    if whole:
        values = start + step * np.arange(count)
    else:
        values = start + step * np.arange(count, dtype=np.float64)
    return finish(values.astype(d), requires_grad, device)


@function(methods=False)
def linspace(
    start: Any,
    end: Any,
    steps: int,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return `steps` numbers from `start` to `end`, both included."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    d = default_float() if dtype is None else to_numpy(dtype)
    values = np.linspace(number_of(start), number_of(end), steps)
    return finish(values.astype(d), requires_grad, device)


@function(methods=False)
def logspace(
    start: Any,
    end: Any,
    steps: int,
    base: float = 10.0,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return the powers of `base` at `steps` exponents from `start` to `end`."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    d = default_float() if dtype is None else to_numpy(dtype)
    values = float(base) ** np.linspace(number_of(start), number_of(end), steps)
    return finish(values.astype(d), requires_grad, device)


@function(methods=False)
def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return the identity matrix, `n` by `m`."""
    for what, size in (("n", n), ("m", m)):
        if size is not None and size < 0:
            raise RuntimeError(f"{what} must be greater or equal to 0, got {size}")
    d = default_float() if dtype is None else to_numpy(dtype)
    return finish(np.eye(n, m, dtype=d), requires_grad, device)


@function("scalar_tensor", methods=False, out=False)
def scalar_tensor(s: Any, **options: Any) -> Tensor:
    """Return a 0-dim tensor of the default dtype."""
    options.setdefault("dtype", of_numpy(default_float()))
    return functions["tensor"](s, **options)


@function("is_tensor", methods=False, out=False)
def is_tensor(obj: Any) -> bool:
    """Tell whether an object is a tensor."""
    return isinstance(obj, Tensor)
