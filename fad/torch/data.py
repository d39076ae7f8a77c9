"""Arrays from data: what `torch.tensor` makes of numbers, sequences, arrays, tensors.

Public names: `finish`, `from_data`, `legacy_tensor`, `number_of`, `shape_from`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.trace import Tracer
from .dtypes import default_complex, default_float, of_numpy, to_numpy
from .size import check_device
from .tensor import Tensor, wrap

__all__ = ["finish", "from_data", "legacy_tensor", "number_of", "shape_from"]

_REQUIRES = "Only Tensors of floating point and complex dtype can require gradients"


def finish(value: Any, requires_grad: bool = False, device: Any = None) -> Tensor:
    """Return a new leaf around an array."""
    check_device(device)
    made = wrap(value)
    if requires_grad:
        if not made.is_differentiable():
            raise RuntimeError(_REQUIRES)
        made._leaf_requires = True
    return made


def from_data(data: Any, spec: Any = None) -> Any:
    """Return a new array of data: nested sequences of numbers, arrays, tensors."""
    target = None if spec is None else to_numpy(spec)
    if isinstance(data, Tensor):
        return _copied(data.value, target)
    if isinstance(data, (np.ndarray, np.generic)):
        of_numpy(data.dtype)
        native = data.dtype.newbyteorder("=")
        return np.array(data, dtype=target or native)
    if hasattr(data, "__array__") and not isinstance(data, (list, tuple)):
        return np.array(data, dtype=target)
    if isinstance(data, str):
        raise TypeError("new(): invalid data type 'str'")
    if isinstance(data, (list, tuple)) or not _is_number(data):
        _check_even(data)
        if any(isinstance(leaf, Tensor) for leaf in _leaves(data)):
            data = _plain_numbers(data)
    return _array(data, target)


def _copied(value: Any, target: Any) -> Any:
    if isinstance(value, Tracer):
        from ..ops.arithmetic import convert, copy

        return copy(value) if target is None else convert(value, dtype=target)
    return np.array(value, dtype=target)


def _is_number(x: Any) -> bool:
    return isinstance(x, (bool, int, float, complex))


def _plain_numbers(data: Any) -> Any:
    if isinstance(data, Tensor):
        return data.tolist()
    return (
        [_plain_numbers(d) for d in data] if isinstance(data, (list, tuple)) else data
    )


def _leaves(data: Any) -> Any:
    if isinstance(data, (list, tuple)):
        for d in data:
            yield from _leaves(d)
    else:
        yield data


def _array(data: Any, target: Any) -> Any:
    """Return an array of Python numbers, of the dtype PyTorch infers."""
    if target is None:
        array = np.array(data)
        if array.size == 0 or array.dtype.kind == "f":
            target = default_float()
        elif array.dtype.kind == "c":
            target = default_complex()
        elif array.dtype.kind == "O" or array.dtype.kind == "u":
            raise RuntimeError("Overflow when unpacking long long")
        if any(isinstance(leaf, np.generic) for leaf in _leaves(data)):
            target = array.dtype
        return array.astype(target or array.dtype, copy=False)
    array = np.array(data)
    if array.dtype.kind in "if" and target.kind in "iu" and array.size:
        bounds = np.iinfo(target)
        if array.max() > bounds.max or array.min() < _lowest(bounds):
            raise RuntimeError(
                f"value cannot be converted to type {target.name} without overflow"
            )
    with np.errstate(all="ignore"):
        return array.astype(target)


def _lowest(bounds: np.iinfo) -> int:
    """Return the least number that converts: negative ones wrap around if unsigned."""
    return int(bounds.min) if bounds.kind == "i" else -int(bounds.max)


def _check_even(data: Any, dim: int = 0) -> None:
    """Raise if nested sequences have different lengths, or hold what is no number."""
    if not isinstance(data, (list, tuple)):
        if not _is_number(data) and not hasattr(data, "__array__"):
            kind = type(data).__name__
            if hasattr(data, "__getitem__") and not isinstance(data, (str, dict)):
                return
            text = f"Could not infer dtype of {kind}"
            if isinstance(data, str):
                if dim:
                    raise ValueError("too many dimensions 'str'")
                raise TypeError("new(): invalid data type 'str'")
            raise RuntimeError(text)
        return
    parts = [d for d in data if isinstance(d, (list, tuple))]
    if parts:
        for d in data:
            found = len(d) if isinstance(d, (list, tuple)) else None
            if found is None:
                raise TypeError("not a sequence")
            if found != len(data[0]):
                raise ValueError(
                    f"expected sequence of length {len(data[0])} at dim {dim + 1} "
                    f"(got {found})"
                )
    for d in data:
        _check_even(d, dim + 1)


def legacy_tensor(*args: Any, **kwargs: Any) -> Tensor:
    """Do what ``torch.Tensor(...)`` does: data as float32, or sizes."""
    kwargs.pop("device", None)
    if len(args) == 1 and isinstance(args[0], (list, tuple, np.ndarray)):
        if not isinstance(args[0], tuple) or type(args[0]) is tuple:
            return wrap(from_data(args[0], of_numpy(default_float())))
    if len(args) == 1 and isinstance(args[0], Tensor):
        return args[0].detach()
    shape = shape_from(args, "new") if args else (0,)
    return wrap(np.zeros(shape, default_float()))


def shape_from(sizes: Sequence[Any], name: str) -> tuple[int, ...]:
    """Return a shape given as numbers, or as one sequence of them.

    Args:
        sizes: what was given.
        name: of the function that it was given to.

    Raises:
        RuntimeError: a length is negative.
        TypeError: a length is no integer.
    """
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = sizes[0]
    for i, n in enumerate(sizes):
        if not hasattr(n, "__index__"):
            kind = type(n).__name__
            raise TypeError(
                f"{name}(): argument 'size' "
                + (
                    f'failed to unpack the object at pos {i + 1} with error "type must '
                    f'be tuple of ints,but got {kind}"'
                    if i
                    else f"(position 1) must be tuple of ints, not {kind}"
                )
            )
    shape = tuple([int(n) for n in sizes])
    if any(n < 0 for n in shape):
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {min(shape)}: "
            f"{list(shape)}"
        )
    return shape


def number_of(value: Any) -> Any:
    """Return a number that may be given as a tensor of one element."""
    return value.item() if isinstance(value, Tensor) else value  # type: ignore[attr-defined]
