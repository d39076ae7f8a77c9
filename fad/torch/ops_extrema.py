"""Greatest and least elements, and where they are.

Where PyTorch differs from fad at an edge: `max(dim)` gives its gradient to the first
maximal element alone; `max()` and `amax` share it among ties, as fad does.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.primitive import Primitive
from ..core.trace import aval_of
from ..ops import reductions
from ..ops.indexing import take_along_axis
from ..ops.shape import reshape
from .declare import composite, function, functions
from .dims import axes_of, axis_of, kept_shape
from .node import node_type
from .ops_reduce import as_dims, keeping, noted, reduced, without_axes
from .return_types import returned
from .tape import record
from .tensor import Tensor

__all__: list[str] = []


def _extremum(
    name: str, node: str, prim: Primitive, position: Primitive
) -> Callable[..., Any]:
    """Declare max or min: of all elements, of two tensors, or along a dimension."""
    all_node = node_type(f"{node}Backward1")

    def along(x: Any, *, axis: int, keepdim: bool) -> Any:
        at = position(x, axis=axis)
        at = reshape(at, shape=kept_shape(aval_of(x).shape, (axis,)))
        values = take_along_axis(x, at, axis=axis)
        return tuple(without_axes(v, (axis,), keepdim) for v in (values, at))

    apply = composite(f"{node}Backward0", along)
    scalar = composite(
        f"{node}Backward0", lambda x: (reshape(x, shape=()), np.zeros((), np.int64))
    )

    def call(
        input: Tensor, dim: Any = None, keepdim: bool = False, **other: Any
    ) -> Any:
        dim = other.pop("other", dim)
        if dim is None:
            _refuse_empty(name, input)
            axes = tuple(range(input.ndim))
            return record(prim, all_node, (input,), {"axis": axes})
        if isinstance(dim, Tensor):
            return functions[f"{name}imum"](input, dim)
        axis = axis_of(dim, input.ndim)
        _refuse_zero_length(name, input, axis)
        pair = apply(input, axis=axis, keepdim=keepdim) if input.ndim else scalar(input)
        noted(pair[0], dim=dim, keepdim=keepdim)
        return returned(name, *pair)

    call.__doc__ = f"Return the {name} of all elements, of two tensors, or along a dim."
    return function(name)(call)


def _refuse_empty(name: str, x: Tensor) -> None:
    if not x.aval.size:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
            "Specify the reduction dim with the 'dim' argument."
        )


def _refuse_zero_length(name: str, x: Tensor, axis: int) -> None:
    if x.ndim and not x.shape[axis]:
        raise IndexError(
            f"{name}(): Expected reduction dim {axis} to have non-zero size."
        )


_extremum("max", "Max", reductions.reduce_max, reductions.argmax)
_extremum("min", "Min", reductions.reduce_min, reductions.argmin)


def _evenly(name: str, prim: Primitive) -> None:
    """Declare amax or amin, which share the gradient among ties."""
    node = name.capitalize() + "Backward0"
    cls, kept = node_type(node), keeping(node, prim)

    def call(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
        axes = axes_of(dim, input.ndim)
        for axis in axes:
            if not input.shape[axis]:
                if dim == ():
                    _refuse_empty(name, input)
                raise IndexError(
                    f"{name}(): Expected reduction dim {axis} to have non-zero size."
                )
        out = reduced(input, cls, kept, axes, keepdim)
        return noted(out, dim=as_dims(dim), keepdim=keepdim)

    call.__doc__ = f"Return {name} over dimensions; ties share the gradient."
    function(name)(call)


_evenly("amax", reductions.reduce_max)
_evenly("amin", reductions.reduce_min)


@function("aminmax")
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:
    """Return the least and the greatest element."""
    dims = () if dim is None else dim
    if dim is None:
        _refuse_empty("aminmax", input)
    axes = tuple(sorted(axes_of(dims, input.ndim)))
    pair = _aminmax(input, axis=axes, keepdim=keepdim)
    return returned("aminmax", *pair)


def _both(x: Any, *, axis: Any, keepdim: bool) -> tuple[Any, Any]:
    ends = (reductions.reduce_min(x, axis=axis), reductions.reduce_max(x, axis=axis))
    if not keepdim:
        return ends
    shape = kept_shape(aval_of(x).shape, axis)
    return reshape(ends[0], shape=shape), reshape(ends[1], shape=shape)


_aminmax = composite("AminmaxBackward0", _both)


def _position(name: str, prim: Primitive) -> None:
    def at(x: Any, *, axis: int | None, keepdim: bool) -> Any:
        shape = aval_of(x).shape
        if not shape:
            return np.zeros((), np.int64)
        if axis is None:
            found = prim(reshape(x, shape=(math.prod(shape),)), axis=0)
            return reshape(found, shape=(1,) * len(shape)) if keepdim else found
        found = prim(x, axis=axis)
        return reshape(found, shape=kept_shape(shape, (axis,))) if keepdim else found

    apply = composite("PositionBackward0", at)

    def call(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        axis = None if dim is None else axis_of(dim, input.ndim)
        if axis is None and not input.aval.size:
            raise IndexError(
                f"{name}(): Expected reduction dim to be specified for input.numel() "
                "== 0."
            )
        if axis is not None:
            _refuse_zero_length(name, input, axis)
        out: Tensor = apply(input, axis=axis, keepdim=keepdim)
        return out

    call.__doc__ = f"Return the {name} of all elements, or along a dimension."
    function(name)(call)


_position("argmax", reductions.argmax)
_position("argmin", reductions.argmin)
