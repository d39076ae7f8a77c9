"""`vmap`: a function of one example becomes a function of a stack of examples.

Public names: `vmap`.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.pytree import TreeDef, broadcast_prefix, tree_flatten, tree_unflatten
from ..core.trace import aval_of
from ..ops.batching_rules import at_front
from ..ops.indexing import slice_along
from ..ops.shape import concatenate, move_axis
from ..transforms.batching import Batch, named_axis
from .arguments import check_leaf, finish, float0, function_name

__all__ = ["vmap"]


def vmap(
    fun: Callable[..., Any],
    in_axes: Any = 0,
    out_axes: Any = 0,
    axis_name: Any = None,
    axis_size: int | None = None,
    chunk_size: int | None = None,
    spmd_axis_name: Any = None,
) -> Callable[..., Any]:
    """Return a function that maps `fun` over array axes, all examples at once.

    Args:
        fun: a function of pytrees of arrays.
        in_axes: which axis of each argument to map: an int, None (not mapped), or a
            tuple or list with an entry per positional argument, each a pytree prefix of
            it. Keyword arguments are mapped over axis 0.
        out_axes: where the mapped axis appears in the outputs, likewise.
        axis_name: a name for the mapped axis, for the collectives of `fad.lax`.
        axis_size: the number of examples, needed when nothing is mapped.
        chunk_size: map so many examples at a time, which bounds memory.
        spmd_axis_name: accepted for compatibility; there is one device.

    Returns:
        A function of stacked arguments.

    Raises:
        ValueError: sizes differ, an axis is out of range, or nothing is mapped.
        TypeError: an axis is not an integer or None.

    >>> import fad, numpy as np
    >>> fad.vmap(lambda x, y: x @ y, in_axes=(0, None))(np.eye(2), np.array([1.0, 2.0]))
    array([1., 2.])
    """
    if not callable(fun):
        raise TypeError(f"vmap needs a function, got {fun!r:.60}")
    if not isinstance(in_axes, (int, tuple, list, dict, type(None))):
        raise TypeError(
            f"vmap in_axes must be an int, None, or a tuple or list of them (pytree "
            f"prefixes of the arguments), got {in_axes!r} of type "
            f"{type(in_axes).__name__}"
        )
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)

    @functools.wraps(
        fun, assigned=("__module__", "__name__", "__qualname__", "__doc__")
    )
    def mapped(*args: Any, **kwargs: Any) -> Any:
        leaves, tree = tree_flatten((args, kwargs))
        axes = _input_axes(fun, in_axes, args, kwargs)
        avals = [
            check_leaf(v, f"vmap of {function_name(fun)}: arguments") for v in leaves
        ]
        dims = [_normal_axis(d, a.ndim, a) for d, a in zip(axes, avals, strict=True)]
        size = _common_size(fun, avals, dims, axis_size)

        def run(
            values: Sequence[Any], count: int
        ) -> tuple[list[Any], list[Any], TreeDef]:
            batch = Batch(count, axis_name)
            boxes = [
                v if d is None else batch.input(v, d)
                for v, d in zip(values, dims, strict=True)
            ]
            try:
                new_args, new_kwargs = tree_unflatten(tree, boxes)
                with named_axis(batch):
                    out = fun(*new_args, **new_kwargs)
                outs, out_tree = tree_flatten(out)
                out_dims = _output_axes(fun, out_axes, out)
                results = [
                    _unbatch(batch, fun, o, d)
                    for o, d in zip(outs, out_dims, strict=True)
                ]
            finally:
                batch.open = 0
            return results, out_dims, out_tree

        if chunk_size is None or chunk_size >= size:
            results, _, out_tree = run(leaves, size)
        else:
            _check_chunks(chunk_size, axis_name)
            results, out_tree = _in_chunks(run, leaves, dims, size, chunk_size)
        return tree_unflatten(out_tree, finish(results, leaves))

    return mapped


def _check_chunks(chunk_size: int, axis_name: Any) -> None:
    if chunk_size < 1:
        raise ValueError(f"vmap: chunk_size must be at least 1, got {chunk_size}")
    if axis_name is not None:
        raise ValueError(
            f"vmap: the axis {axis_name!r} cannot be mapped in chunks, because "
            "collectives need all examples at once; leave out chunk_size or axis_name"
        )


def _in_chunks(
    run: Callable[..., Any],
    leaves: Sequence[Any],
    dims: Sequence[int | None],
    size: int,
    chunk_size: int,
) -> tuple[list[Any], TreeDef]:
    """Map over a few examples at a time and join the results."""
    chunks = []
    for start in range(0, size, chunk_size):
        stop = min(start + chunk_size, size)
        part = [
            v if d is None else slice_along(v, start, stop, d)
            for v, d in zip(leaves, dims, strict=True)
        ]
        results, out_dims, out_tree = run(part, stop - start)
        chunks.append(results)
    joined = [
        column[0]
        if d is None
        else concatenate(*column, axis=operator.index(d) % aval_of(column[0]).ndim)
        for column, d in zip(zip(*chunks, strict=True), out_dims, strict=True)
    ]
    return joined, out_tree


def _input_axes(
    fun: Callable[..., Any], in_axes: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[Any]:
    if isinstance(in_axes, tuple) and len(in_axes) != len(args):
        raise ValueError(
            f"vmap in_axes {in_axes} has {len(in_axes)} entries for the {len(args)} "
            f"positional arguments of {function_name(fun)}; it needs one for each "
            "(keyword arguments are mapped over axis 0)"
        )
    try:
        positional = broadcast_prefix(in_axes, args, is_leaf=lambda x: x is None)
    except ValueError as error:
        raise ValueError(
            f"vmap in_axes must be a pytree prefix of the positional arguments: {error}"
        ) from None
    return [*positional, *broadcast_prefix(0, kwargs)]


def _output_axes(fun: Callable[..., Any], out_axes: Any, out: Any) -> list[Any]:
    if isinstance(out_axes, list):
        out_axes = tuple(out_axes) if isinstance(out, tuple) else out_axes
    try:
        return list(broadcast_prefix(out_axes, out, is_leaf=lambda x: x is None))
    except ValueError as error:
        raise ValueError(
            f"vmap out_axes must be a pytree prefix of the output of "
            f"{function_name(fun)}: {error}"
        ) from None


def _normal_axis(axis: Any, ndim: int, what: Any) -> int | None:
    """Return a non-negative axis, or None."""
    if axis is None:
        return None
    try:
        axis = operator.index(axis)
    except TypeError:
        raise TypeError(
            f"vmap axes must be integers or None, got {axis!r} of type "
            f"{type(axis).__name__}"
        ) from None
    if not -ndim <= axis < ndim:
        raise ValueError(
            f"vmap was asked to map axis {axis} of {what!r}, which has {ndim} axes"
        )
    return int(axis) % ndim


def _common_size(
    fun: Callable[..., Any], avals: Sequence[Any], dims: Sequence[Any], size: int | None
) -> int:
    sizes = [a.shape[d] for a, d in zip(avals, dims, strict=True) if d is not None]
    if not sizes and size is None:
        raise ValueError(
            f"vmap of {function_name(fun)} needs at least one argument that is mapped "
            "(an in_axes entry that is not None), or axis_size"
        )
    wanted = sizes[0] if size is None else size
    if any(s != wanted for s in sizes):
        listed = "; ".join(
            f"leaf {i} {a!r} has size {a.shape[d]} along axis {d}"
            for i, (a, d) in enumerate(zip(avals, dims, strict=True))
            if d is not None
        )
        raise ValueError(
            f"vmap of {function_name(fun)} got mapped axes of different sizes"
            + (f" (axis_size={size})" if size is not None else "")
            + f": {listed}"
        )
    return wanted


def _unbatch(batch: Batch, fun: Callable[..., Any], out: Any, dim: Any) -> Any:
    """Return an output as a stack with the mapped axis at `dim`."""
    if isinstance(out, np.ndarray) and out.dtype == float0:
        shape = list(out.shape)
        if dim is not None:
            shape.insert(_normal_axis(dim, out.ndim + 1, aval_of(out)) or 0, batch.size)
        return np.zeros(shape, float0)
    check_leaf(out, f"vmap of {function_name(fun)}: outputs")
    stacked, found = batch.unbox(out)
    if dim is None:
        if found is not None:
            raise ValueError(
                f"vmap of {function_name(fun)} has out_axes None for an output "
                f"{aval_of(out)!r} that differs from example to example; give its axis"
            )
        return out
    ndim = aval_of(stacked).ndim + (found is None)
    dim = _normal_axis(dim, ndim, aval_of(out))
    if found is None:
        stacked, found = at_front(batch.size, out, None), 0
    return move_axis(stacked, found, dim)
