"""Choosing between values: where, clamp, filling by a mask.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..core.trace import aval_of
from ..ops import comparison, piecewise
from ..ops.arithmetic import convert
from .composite import CompositeNode, record_composite
from .declare import as_operand, composite, function, size_mismatch
from .dtypes import castable, combined
from .filling import c_name
from .inplace import write_into
from .node import node_type
from .ops_reduce import noted
from .tape import record
from .tensor import Tensor

__all__: list[str] = []

_WHERE = node_type("WhereBackward0", CompositeNode)
_WHERE_AT_ONCE = node_type("WhereBackward0")


def _category(v: Any) -> tuple[int, Any]:
    return (v.ndim, v.aval.dtype) if isinstance(v, Tensor) else (-1, v)


def _cast_to(d: np.dtype[Any], v: Any) -> Any:
    if isinstance(v, (bool, int, float, complex)):
        return np.asarray(v).astype(d)
    return v if aval_of(v).dtype == d else convert(v, dtype=d)


@function("where", methods=False)
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """Return elements of one tensor where a condition holds, else of another."""
    if input is None and other is None:
        from .declare import functions

        return functions["nonzero"](condition, as_tuple=True)
    if not isinstance(condition, Tensor):
        raise TypeError(
            "where(): argument 'condition' (position 1) must be Tensor, not "
            f"{type(condition).__name__}"
        )
    x, y = as_operand(input), as_operand(other)
    kind = condition.value.dtype
    if kind.kind != "b" and kind != np.uint8:
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with "
            f"dtype {condition.dtype.title}"
        )
    d = combined([_category(x), _category(y)])
    if condition.value.dtype.kind == "b" and _has(d, x, y):
        return _broadcast_where(condition, x, y)

    def run(mask: Any, x: Any, y: Any) -> Any:
        return comparison.where(mask, _cast_to(d, x), _cast_to(d, y))

    try:
        return record_composite(_WHERE, run, (condition, x, y))
    except ValueError as error:
        raise _mismatch(error, condition, x, y) from error


def _has(d: np.dtype[Any], *operands: Any) -> bool:
    """Tell whether the tensors among operands have a dtype already."""
    tensors = [v for v in operands if isinstance(v, Tensor)]
    return bool(tensors) and all(t.value.dtype == d for t in tensors)


def _broadcast_where(condition: Tensor, x: Any, y: Any) -> Tensor:
    try:
        return record(comparison.where, _WHERE_AT_ONCE, (condition, x, y), {})
    except ValueError as error:
        raise _mismatch(error, condition, x, y) from error


def _mismatch(error: ValueError, condition: Tensor, x: Any, y: Any) -> RuntimeError:
    pairs = ((condition, x), (x, y), (condition, y))
    found = next((m for p in pairs if (m := size_mismatch(*p))), None)
    return RuntimeError(found or str(error))


def _where_method(self: Tensor, condition: Tensor, other: Any) -> Any:
    return where(condition, self, other)


Tensor.where = _where_method  # type: ignore[attr-defined]


def _bounded(x: Any, *bounds: Any, low: bool, high: bool) -> Any:
    """Hold x between its bounds; where they are reversed it is the high one."""
    d = aval_of(x).dtype
    wide = np.finfo if d.kind == "f" else np.iinfo
    given = list(bounds)
    least = given.pop(0) if low else _extreme(d, wide, -1)
    most = given.pop(0) if high else _extreme(d, wide, 1)
    return piecewise.clip(x, _cast_to(d, least), _cast_to(d, most))


def _extreme(d: np.dtype[Any], wide: Any, sign: int) -> Any:
    if d.kind == "f":
        return sign * np.inf
    return wide(d).max if sign > 0 else wide(d).min


def _clamped(nodes: tuple[str, str], x: Tensor, low: Any, high: Any) -> Tensor:
    bounds = [as_operand(b) for b in (low, high) if b is not None]
    boxes = [x, *bounds]
    d = combined([_category(b) for b in boxes])
    if d.kind == "c":
        raise RuntimeError("clamp is not supported for complex types")
    if d.kind == "b":
        raise RuntimeError("\"clamp_scalar_cpu\" not implemented for 'Bool'")
    tensors = any(isinstance(b, Tensor) for b in bounds)
    if d.kind == "f" and _has(d, *boxes) and not tensors:
        ends = [-np.inf if low is None else low, np.inf if high is None else high]
        out = record(piecewise.clip, node_type(nodes[0]), (x, *ends), {})
        return noted(out, min=low, max=high)

    def run(x: Any, *bounds: Any) -> Any:
        x = _cast_to(d, x)
        return _bounded(x, *bounds, low=low is not None, high=high is not None)

    cls = node_type(nodes[tensors], CompositeNode)
    try:
        out = record_composite(cls, run, boxes)
    except ValueError as error:
        found = next((m for b in bounds if (m := size_mismatch(x, b))), str(error))
        raise RuntimeError(found) from error
    return out


@function("clamp", "clip", inplace=True)
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Return the values held between bounds."""
    if min is None and max is None:
        raise RuntimeError(
            "torch.clamp: At least one of 'min' or 'max' must not be None"
        )
    return _clamped(("ClampBackward1", "ClampBackward0"), input, min, max)


@function("clamp_min", inplace=True)
def clamp_min(input: Tensor, min: Any) -> Tensor:
    """Return the values, or the bound where they are less."""
    return _clamped(("ClampMinBackward0", "ClampMinBackward1"), input, min, None)


@function("clamp_max", inplace=True)
def clamp_max(input: Tensor, max: Any) -> Tensor:
    """Return the values, or the bound where they are greater."""
    return _clamped(("ClampMaxBackward0", "ClampMaxBackward1"), input, None, max)


def _filled(x: Any, mask: Any, value: Any) -> Any:
    return comparison.where(mask, _cast_to(aval_of(x).dtype, value), x)


_fill_number = composite("MaskedFillBackward0", _filled)
_fill_tensor = composite("MaskedFillBackward1", _filled)


@function("masked_fill", out=False)
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Return the tensor with a value where the mask is true."""
    if mask.aval.dtype.kind != "b":
        raise RuntimeError(
            "masked_fill_ only supports boolean masks, but got mask with dtype "
            + c_name(mask.aval.dtype)
        )
    value = as_operand(value)
    _check_value(input, value)
    if isinstance(value, Tensor):
        if value.ndim:
            raise RuntimeError(
                "masked_fill_ only supports a 0-dimensional value tensor, but got "
                "tensor "
                f"with {value.ndim} dimension(s)."
            )
        return _fill(_fill_tensor, input, mask, value)
    if _has(combined([_category(input), _category(value)]), input):
        return _fill(_filled_at_once, input, mask, value)
    return _fill(_fill_number, input, mask, value)


@function("masked_fill_", out=False)
def masked_fill_(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Write a value where the mask is true; elements may be one in memory."""
    strides = getattr(input.value, "strides", ())
    if any(n > 1 and s == 0 for n, s in zip(input.shape, strides, strict=False)):
        warnings.warn(
            "Use of masked_fill_ on expanded tensors is deprecated. Please clone() the "
            "tensor before performing this operation. This also applies to advanced "
            "indexing e.g. tensor[mask] = scalar",
            UserWarning,
            stacklevel=2,
        )
    return write_into(input, masked_fill, (mask, value), {}, repeats=True)


def _filled_at_once(x: Tensor, mask: Tensor, value: Any) -> Tensor:
    return record(comparison.where, _MASKED_FILL, (mask, value, x), {})


_MASKED_FILL = node_type("MaskedFillBackward0")


def _check_value(x: Tensor, value: Any) -> None:
    if isinstance(value, Tensor) and not castable(value.aval.dtype, x.aval.dtype):
        raise RuntimeError(
            f"result type {value.dtype.title} can't be cast to the desired output type "
            f"{x.dtype.title}"
        )
    if isinstance(value, complex) and x.aval.dtype.kind != "c":
        raise RuntimeError(
            f"value cannot be converted to type {c_name(x.aval.dtype)} without overflow"
        )


def _fill(apply: Any, x: Tensor, mask: Tensor, value: Any) -> Tensor:
    try:
        return apply(x, mask, value)  # type: ignore[no-any-return]
    except ValueError as error:
        raise RuntimeError(size_mismatch(mask, x) or str(error)) from error
