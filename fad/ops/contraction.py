"""Products that sum: `matmul`, and `contract` for every other pair of arrays.

    matmul     NumPy's, in all its combinations of ranks
    contract   out[out] = sum x[xs] * y[ys],  spec "xs,ys->out"

In `contract` every label stands in at least two of xs, ys and out, and once in each. So
swapping out with xs gives a valid spec again, and that is the transpose: it contracts
the cotangent with y. `einsum` (in `fad.ops.einsum`), `tensordot` and the batching rules
come down to it. Both primitives evaluate as BLAS calls on reshaped views; cotangents of
`matmul` are BLAS calls of the right transposes, summed over batches inside the call
where one factor has none. Nothing is conjugated: pairing is Re(ct * t).

Public names: `matmul contract tensordot outer swap_last`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..core.avals import Aval
from ..core.trace import aval_of
from .batching_rules import move_to_front
from .infer_rules import broadcast_shapes
from .kinds import multilinear
from .shape import expand_dims, reshape, transpose

__all__ = ["LABELS", "contract", "matmul", "outer", "swap_last", "tensordot"]

LABELS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" + "".join(
    map(chr, range(0x3B1, 0x3B1 + 64))
)
"""What axes of a contraction are called; NumPy arrays have at most 64 of them."""

_ndarray = np.ndarray


def swap_last(x: Any) -> Any:
    """Swap the last two axes: transpose each matrix of a stack."""
    if x.__class__ is _ndarray:
        return x.swapaxes(-1, -2)
    n = aval_of(x).ndim
    return transpose(x, axes=(*range(n - 2), n - 1, n - 2))


def _product(a: Any, b: Any) -> Any:
    """Multiply two matrices: the hot path of training."""
    if a.__class__ is _ndarray and b.__class__ is _ndarray:
        return a.dot(b)
    return matmul(a, b)


def _left(ct: Any, y: Any, like: Aval) -> Any:
    """Return the cotangent of x in x @ y; `like` is the aval of x."""
    rank, other = len(like.shape), y.ndim
    if rank == 2 and other == 2:
        return _product(ct, swap_last(y))
    if other == 1:
        return ct * y if rank == 1 else expand_dims(ct, rank - 1) * y
    if rank > 2:
        return matmul(ct, swap_last(y))
    if other == 2:
        return matmul(y, ct)
    stack = LABELS[: other - 2]
    if rank == 1:
        return contract(ct, y, spec=f"{stack}Z,{stack}YZ->Y")
    return contract(ct, y, spec=f"{stack}XZ,{stack}YZ->XY")


def _right(ct: Any, x: Any, like: Aval) -> Any:
    """Return the cotangent of y in x @ y; `like` is the aval of y."""
    other, rank = x.ndim, len(like.shape)
    if rank == 2 and other == 2:
        return _product(swap_last(x), ct)
    if other == 1:
        return ct * x if rank == 1 else expand_dims(x, 1) * expand_dims(ct, rank - 2)
    if rank > 2:
        return matmul(swap_last(x), ct)
    if other == 2:
        return matmul(ct, x)
    stack = LABELS[: other - 2]
    if rank == 1:
        return contract(ct, x, spec=f"{stack}X,{stack}XY->Y")
    return contract(x, ct, spec=f"{stack}XY,{stack}XZ->YZ")


def _infer_matmul(x: Aval, y: Aval) -> Aval:
    if not x.shape or not y.shape:
        raise ValueError(
            f"matmul: operands {x} and {y} must have at least one axis; multiply by a "
            "number with *"
        )
    rows = x.shape[-2:-1]
    columns = y.shape[-1:] if len(y.shape) > 1 else ()
    depth = y.shape[-2] if len(y.shape) > 1 else y.shape[0]
    if x.shape[-1] != depth:
        raise ValueError(
            f"matmul: shapes {x.shape} and {y.shape} do not match: the last axis of "
            f"the first has size {x.shape[-1]}, the axis of the second that it is "
            f"summed with has size {depth}"
        )
    stack = broadcast_shapes("matmul", x.shape[:-2], y.shape[:-2])
    return Aval((*stack, *rows, *columns), np.result_type(x.dtype, y.dtype))


def _batch_matmul(
    size: int, args: Sequence[Any], dims: Sequence[int | None]
) -> tuple[Any, int]:
    (x, y), (dx, dy) = args, dims
    x = x if dx is None else move_to_front(x, dx)
    y = y if dy is None else move_to_front(y, dy)
    rx, ry = aval_of(x).ndim - (dx is not None), aval_of(y).ndim - (dy is not None)
    if dy is None and rx == 1 and ry <= 2:
        return matmul(x, y), 0
    if dx is None and ry == 1 and rx <= 2:
        return matmul(y, x if rx == 1 else swap_last(x)), 0
    if rx == ry == 1:
        return contract(x, y, spec="ab,ab->a"), 0
    x = expand_dims(x, aval_of(x).ndim - 1) if rx == 1 else x
    y = expand_dims(y, aval_of(y).ndim) if ry == 1 else y
    rank = max(rx, ry, 2)
    x = x if dx is None else _pad_stack(x, rank + 1)
    y = y if dy is None else _pad_stack(y, rank + 1)
    out = matmul(x, y)
    shape = aval_of(out).shape
    if rx == 1:
        shape = (*shape[:-2], shape[-1])
    if ry == 1:
        shape = shape[:-1]
    return reshape(out, shape=shape), 0


def _pad_stack(x: Any, rank: int) -> Any:
    """Insert axes of size 1 after the batch axis until `x` has `rank` axes."""
    shape = aval_of(x).shape
    if len(shape) == rank:
        return x
    return reshape(x, shape=(shape[0], *(1,) * (rank - len(shape)), *shape[1:]))


matmul = multilinear(
    "matmul", np.matmul, [_left, _right], infer=_infer_matmul, batch=_batch_matmul
)


class _Plan(NamedTuple):
    """How a spec is evaluated on NumPy arrays.

    Attributes:
        x_axes, y_axes: orders (stack, free, summed) of x and (stack, summed, free) of
            y; without a summed label, orders aligned with the output.
        stack, free_x, summed: their numbers of axes.
        out_axes: the order of the output, from (stack, free of x, free of y).
        x_first: x is the left factor; else y is, so that the output lies in order.
    """

    x_axes: tuple[int, ...]
    y_axes: tuple[int, ...]
    stack: int
    free_x: int
    summed: int
    out_axes: tuple[int, ...] | None
    x_first: bool


def split_spec(spec: str) -> tuple[str, str, str]:
    """Return xs, ys and out of "xs,ys->out"."""
    inputs, out = spec.split("->")
    xs, ys = inputs.split(",")
    return xs, ys, out


@lru_cache(maxsize=1024)
def _plan(spec: str) -> _Plan:
    xs, ys, out = split_spec(spec)
    stack = [c for c in out if c in xs and c in ys]
    summed = [c for c in xs if c not in out]
    free = [c for c in out if c not in stack]
    x_first = not free or free[0] in xs
    if not x_first:
        xs, ys = ys, xs
    free_x = [c for c in free if c in xs]
    free_y = [c for c in free if c not in xs]
    result = stack + free_x + free_y
    out_axes = tuple(result.index(c) for c in out)
    return _Plan(
        tuple(xs.index(c) for c in stack + free_x + summed),
        tuple(ys.index(c) for c in stack + summed + free_y),
        len(stack),
        len(free_x),
        len(summed),
        None if out_axes == tuple(range(len(out))) else out_axes,
        x_first,
    )


@lru_cache(maxsize=1024)
def _aligned(spec: str) -> tuple[Any, ...]:
    """Return orders and indices that line x and y up with the output."""
    xs, ys, out = split_spec(spec)
    found: list[Any] = []
    for labels in (xs, ys):
        found.append(tuple(labels.index(c) for c in out if c in labels))
        found.append(tuple(slice(None) if c in labels else None for c in out))
    return tuple(found)


def _contract(x: Any, y: Any, *, spec: str) -> Any:
    plan = _plan(spec)
    if not plan.summed:
        x_axes, x_index, y_axes, y_index = _aligned(spec)
        x, y = np.asarray(x), np.asarray(y)
        return x.transpose(x_axes)[x_index] * y.transpose(y_axes)[y_index]
    if plan.stack and plan.stack + plan.summed == x.ndim == y.ndim:
        return np.einsum(spec, x, y)  # many short sums: a loop beats calls of BLAS
    if not plan.x_first:
        x, y = y, x
    x, y = x.transpose(plan.x_axes), y.transpose(plan.y_axes)
    n, free, k = plan.stack, plan.free_x, plan.summed
    stack, rows = x.shape[:n], x.shape[n : n + free]
    columns = y.shape[n + k :]
    depth = prod(x.shape[n + free :])
    if free != 1 or k != 1:
        x = x.reshape((*stack, prod(rows), depth))
    if k != 1 or len(columns) != 1:
        y = y.reshape((*stack, depth, prod(columns)))
    out = np.matmul(x, y) if n else x.dot(y)
    if free != 1 or len(columns) != 1:
        out = out.reshape((*stack, *rows, *columns))
    return out[()] if plan.out_axes is None else out.transpose(plan.out_axes)


def _infer_contract(x: Aval, y: Aval, *, spec: str) -> Aval:
    xs, ys, out = split_spec(spec)
    sizes: dict[str, int] = {}
    for labels, aval in ((xs, x), (ys, y)):
        if len(labels) != len(aval.shape):
            raise ValueError(f"contract {spec}: {aval} has not the axes {labels}")
        for c, n in zip(labels, aval.shape, strict=True):
            if sizes.setdefault(c, n) != n:
                raise ValueError(
                    f"contract {spec}: the axes called {c} have sizes {sizes[c]} and "
                    f"{n} in shapes {x.shape} and {y.shape}"
                )
    return Aval(tuple(sizes[c] for c in out), np.result_type(x.dtype, y.dtype))


def _batch_contract(
    size: int, args: Sequence[Any], dims: Sequence[int | None], *, spec: str
) -> tuple[Any, int]:
    xs, ys, out = split_spec(spec)
    new = next(c for c in LABELS if c not in spec)
    (dx, dy) = dims
    xs = xs if dx is None else xs[:dx] + new + xs[dx:]
    ys = ys if dy is None else ys[:dy] + new + ys[dy:]
    return contract(*args, spec=f"{xs},{ys}->{new}{out}"), 0


@lru_cache(maxsize=1024)
def _transposed(spec: str, i: int) -> str:
    parts = split_spec(spec)
    return f"{parts[2]},{parts[1 - i]}->{parts[i]}"


contract = multilinear(
    "contract",
    _contract,
    [
        lambda ct, y, *, spec: contract(ct, y, spec=_transposed(spec, 0)),
        lambda ct, x, *, spec: contract(ct, x, spec=_transposed(spec, 1)),
    ],
    infer=_infer_contract,
    batch=_batch_contract,
)


def tensordot(x: Any, y: Any, axes: tuple[Sequence[int], Sequence[int]]) -> Any:
    """Sum products over pairs of axes (non-negative) of x and y."""
    rank_x, rank_y = aval_of(x).ndim, aval_of(y).ndim
    pairs = dict(zip(axes[1], axes[0], strict=True))
    xs = LABELS[:rank_x]
    ys = "".join(
        xs[pairs[j]] if j in pairs else LABELS[rank_x + j] for j in range(rank_y)
    )
    out = [c for i, c in enumerate(xs) if i not in axes[0]]
    out += [c for j, c in enumerate(ys) if j not in axes[1]]
    return contract(x, y, spec=f"{xs},{ys}->{''.join(out)}")


def outer(x: Any, y: Any) -> Any:
    """Multiply every element of the vector x by every element of the vector y."""
    return contract(x, y, spec="a,b->ab")
