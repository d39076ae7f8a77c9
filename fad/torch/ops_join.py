"""Joining and repeating: cat, stack, repeat, meshgrid, block_diag.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import numpy as fnp
from ..core.trace import aval_of
from ..ops import shape as shapes
from .composite import CompositeNode, record_composite
from .declare import composite, function, functions, method
from .dims import axis_of
from .dtypes import combined
from .node import node_type
from .ops_reduce import noted
from .ops_shape import atleast_1d, atleast_2d, atleast_3d, expand, reshape
from .ops_split import tensor_split
from .tape import record
from .tensor import Tensor

__all__ = ["cat"]

_CAT = node_type("CatBackward0")
_STACK = node_type("StackBackward0", CompositeNode)


def _checked(name: str, tensors: Any) -> list[Tensor]:
    if isinstance(tensors, Tensor):
        raise TypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
            "Tensor"
        )
    found = list(tensors)
    for i, t in enumerate(found):
        if not isinstance(t, Tensor):
            raise TypeError(
                f"expected Tensor as element {i} in argument 0, but got "
                f"{type(t).__name__}"
            )
    return found


def _common(tensors: Sequence[Tensor]) -> np.dtype[Any] | None:
    first = tensors[0].aval.dtype
    if all(t.aval.dtype == first for t in tensors):
        return None
    return combined([(t.ndim, t.aval.dtype) for t in tensors])


@function("cat", "concat", "concatenate", methods=False)
def cat(tensors: Sequence[Tensor], dim: int = 0, **names: Any) -> Tensor:
    """Return tensors joined along a dimension."""
    dim = names.pop("axis", dim)
    found = _checked("cat", tensors)
    if not found:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    for i, t in enumerate(found):
        if not t.ndim:
            raise RuntimeError(
                f"zero-dimensional tensor (at position {i}) cannot be concatenated"
            )
    dtype = _common(found)
    parts = [t for t in found if t.value.shape != (0,)] or found[:1]
    axis = axis_of(dim, parts[0].ndim)
    _check_shapes(parts, axis)
    out = record(shapes.concatenate, _CAT, parts, {"axis": axis}, dtype)
    return noted(out, dim=dim)


def _check_shapes(parts: Sequence[Tensor], axis: int) -> None:
    first = parts[0].value.shape
    for i, t in enumerate(parts):
        shape = t.value.shape
        if len(shape) != len(first):
            raise RuntimeError(
                "Tensors must have same number of dimensions: got "
                f"{len(first)} and {len(shape)}"
            )
        for a, (m, n) in enumerate(zip(first, shape, strict=True)):
            if a != axis and m != n:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {axis}. Expected "
                    f"size {m} but got size {n} for tensor number {i} in the list."
                )


@function("stack", methods=False)
def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Return tensors of one shape joined along a new dimension."""
    found = _checked("stack", tensors)
    if not found:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = list(found[0].shape)
    for i, t in enumerate(found):
        if list(t.shape) != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {first} at entry "
                "0 "
                f"and {list(t.shape)} at entry {i}"
            )
    axis = axis_of(dim, len(first) + 1)
    dtype = _common(found)

    def joined(*xs: Any) -> Any:
        if dtype is not None:
            xs = tuple(fnp.astype(x, dtype) for x in xs)
        parts = [shapes.expand_dims(x, axis) for x in xs]
        return shapes.concatenate(*parts, axis=axis)

    return noted(record_composite(_STACK, joined, found), dim=dim)


@function("hstack", methods=False)
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Return tensors joined along columns; vectors end to end."""
    parts = [atleast_1d(t) for t in tensors]
    return cat(parts, 0 if parts[0].ndim == 1 else 1)


@function("vstack", "row_stack", methods=False)
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Return tensors joined along rows; vectors are rows."""
    return cat([atleast_2d(t) for t in tensors], 0)


@function("dstack", methods=False)
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Return tensors joined along the third dimension."""
    return cat([atleast_3d(t) for t in tensors], 2)


@function("column_stack", methods=False)
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Return tensors joined along columns; vectors are columns."""
    parts = [t if t.ndim > 1 else reshape(t, t.aval.size, 1) for t in tensors]
    return cat(parts, 1)


def _splitting(name: str, dim: int, least: int) -> None:
    def call(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
        if input.ndim < least:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {least} dimension"
                f"{'s' if least > 1 else ''}, but got a tensor with {input.ndim} "
                "dimensions!"
            )
        axis = 0 if name == "hsplit" and input.ndim == 1 else dim
        if (
            isinstance(indices_or_sections, int)
            and input.shape[axis] % indices_or_sections
        ):
            raise RuntimeError(
                f"torch.{name} attempted to split along dimension {axis}, but the size "
                f"of the dimension {input.shape[axis]} is not divisible by the "
                f"split_size {indices_or_sections}!"
            )
        return tensor_split(input, indices_or_sections, axis)

    call.__doc__ = f"Return views between indices along dimension {dim}."
    function(name, out=False)(call)


_splitting("hsplit", 1, 1)
_splitting("vsplit", 0, 2)
_splitting("dsplit", 2, 3)


@method()
def repeat(self: Tensor, *repeats: Any) -> Tensor:
    """Return copies of the tensor side by side along every dimension."""
    if len(repeats) == 1 and isinstance(repeats[0], (tuple, list)):
        repeats = tuple(repeats[0])
    if len(repeats) < self.ndim:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of "
            "dimensions of tensor"
        )
    out: Tensor = _repeat(self, reps=tuple(int(r) for r in repeats))
    return out


_repeat = composite("RepeatBackward0", lambda x, *, reps: fnp.tile(x, reps))


@function("tile", out=False)
def tile(input: Tensor, *dims: Any) -> Tensor:
    """Return copies of the tensor side by side; missing dimensions count as 1."""
    if len(dims) == 1 and isinstance(dims[0], (tuple, list)):
        dims = tuple(dims[0])
    return repeat(input, (1,) * (input.ndim - len(dims)) + tuple(dims))


_interleave = composite(
    "ViewBackward0", lambda x, *, times, axis: fnp.repeat(x, times, axis)
)
_interleave_by = composite(
    "IndexSelectBackward0", lambda x, *, times, axis: fnp.repeat(x, times, axis)
)


@function("repeat_interleave", out=False)
def repeat_interleave(
    input: Tensor,
    repeats: Any = None,
    dim: int | None = None,
    *,
    output_size: Any = None,
) -> Tensor:
    """Return each element (or slice along a dimension) several times in a row."""
    if repeats is None:
        counts = input.value
        return functions["tensor"](np.repeat(np.arange(len(counts)), counts))
    axis = None if dim is None else axis_of(dim, input.ndim)
    if isinstance(repeats, int):
        if repeats < 0:
            raise RuntimeError("Repeats must be non-negative")
        out: Tensor = _interleave(input, times=repeats, axis=axis)
        return out
    counts = np.asarray(repeats.value)
    length = input.aval.size if axis is None else input.shape[axis]
    if counts.size not in (1, length):
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got "
            "repeats.size(0) "
            f"= {counts.size} and input.size({axis or 0}) = {length}"
        )
    out = _interleave_by(input, times=counts, axis=axis)
    return out


@function("meshgrid", methods=False, out=False)
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Return the coordinates of a grid, one tensor for each dimension."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    if indexing is None:
        warnings.warn(
            "torch.meshgrid: in an upcoming release, it will be required to pass the "
            "indexing argument.",
            UserWarning,
            stacklevel=2,
        )
    elif indexing not in ("ij", "xy"):
        raise RuntimeError(
            'torch.meshgrid: indexing must be one of "xy" or "ij", but received: '
            f"{indexing}"
        )
    for t in tensors:
        if t.ndim > 1:
            raise RuntimeError(
                "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: "
                f"{t}"
            )
    swap = indexing == "xy" and len(tensors) > 1
    given = list(tensors)
    if swap:
        given[0], given[1] = given[1], given[0]
    full = [t.aval.size for t in given]
    rank = len(given)
    grids = [
        expand(reshape(t, [-1 if a == i else 1 for a in range(rank)]), full)
        for i, t in enumerate(given)
    ]
    if swap:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


@function("cartesian_prod", methods=False, out=False)
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Return all tuples of elements of vectors, one in a row."""
    if len(tensors) == 1:
        return tensors[0]
    grids = meshgrid(*tensors, indexing="ij")
    return stack([reshape(g, -1) for g in grids], 1)


@function("combinations", out=False)
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Return all choices of r elements of a vector, one in a row."""
    pick = (
        itertools.combinations_with_replacement
        if with_replacement
        else itertools.combinations
    )
    rows = list(pick(range(input.shape[0]), r))
    places = np.asarray(rows, np.int64).reshape(-1, r)
    return stack([input[places[:, i]] for i in range(r)], 1)  # type: ignore[index]


def _blocks(*xs: Any) -> Any:
    parts = [shapes.reshape(x, shape=_matrix_shape(aval_of(x).shape)) for x in xs]
    width = sum(aval_of(p).shape[1] for p in parts)
    dtype = np.result_type(*[aval_of(p).dtype for p in parts])
    rows, start = [], 0
    for p in parts:
        m, n = aval_of(p).shape
        before, after = (
            np.zeros((m, start), dtype),
            np.zeros((m, width - start - n), dtype),
        )
        rows.append(shapes.concatenate(before, p, after, axis=1))
        start += n
    return shapes.concatenate(*rows, axis=0)


def _matrix_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (1,) * (2 - len(shape)) + tuple(shape)


_block_diag = composite("BlockDiagBackward0", _blocks)


@function("block_diag", methods=False, out=False)
def block_diag(*tensors: Tensor) -> Tensor:
    """Return a matrix with matrices on its diagonal, zeros elsewhere."""
    out: Tensor = _block_diag(*tensors)
    return out
