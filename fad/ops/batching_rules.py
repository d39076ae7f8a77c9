"""Batching rules shared by primitives: what `vmap` does to an operation.

A rule gets the inputs stacked along batch axes `dims` (None: not batched) and returns
the stacked output with its batch axis.

Public names: `batch_pointwise`, `batch_aligned`, `loop_over_examples`, `move_to_front`,
`at_front`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.primitive import Primitive
from ..core.trace import aval_of, bind

__all__ = [
    "at_front",
    "batch_aligned",
    "batch_pointwise",
    "loop_over_examples",
    "move_to_front",
]


def move_to_front(x: Any, dim: int) -> Any:
    """Move the batch axis of `x` to axis 0."""
    if dim == 0:
        return x
    from .shape import transpose

    ndim = aval_of(x).ndim
    return transpose(x, axes=(dim, *[a for a in range(ndim) if a != dim]))


def at_front(size: int, x: Any, dim: int | None) -> Any:
    """Return `x` with a batch axis of `size` in front, repeated if it had none."""
    if dim is not None:
        return move_to_front(x, dim)
    from .shape import broadcast_to

    return broadcast_to(x, shape=(size, *aval_of(x).shape))


def batch_pointwise(
    prim: Primitive, args: Sequence[Any], dims: Sequence[Any], params: dict[str, Any]
) -> tuple[Any, Any]:
    """Batch an elementwise primitive: batch axes to one side, ranks aligned.

    The side is the front, unless the batch axis is last already, or one number per
    example meets an array of few: NumPy is quick along the last axis of its result.
    """
    from .shape import reshape

    if len(args) == 1:
        return bind(prim, *args, **params), dims[0]
    avals = [aval_of(a) for a in args]
    ranks = [v.ndim - (d is not None) for v, d in zip(avals, dims, strict=True)]
    rank = max(ranks)
    if not rank or not _is_best_last(avals, dims, ranks):
        return batch_aligned(prim, args, dims, params)
    aligned = [
        a if d is not None or not v.shape else reshape(a, shape=(*v.shape, 1))
        for a, v, d in zip(args, avals, dims, strict=True)
    ]
    return bind(prim, *aligned, **params), rank


def batch_aligned(
    prim: Primitive, args: Sequence[Any], dims: Sequence[Any], params: dict[str, Any]
) -> tuple[Any, Any]:
    """Batch a primitive whose axes count from the last: batch axes to the front."""
    from .shape import reshape

    ranks = [aval_of(a).ndim - (d is not None) for a, d in zip(args, dims, strict=True)]
    rank = max(ranks)
    aligned = []
    for a, d, r in zip(args, dims, ranks, strict=True):
        if d is not None:
            a = move_to_front(a, d)
            if r < rank:
                shape = aval_of(a).shape
                a = reshape(a, shape=(shape[0], *(1,) * (rank - r), *shape[1:]))
        aligned.append(a)
    return bind(prim, *aligned, **params), 0


def _is_best_last(
    avals: Sequence[Any], dims: Sequence[Any], ranks: Sequence[int]
) -> bool:
    """Tell whether the batch axis of a pointwise result goes to the end."""
    batched = [(v, d, r) for v, d, r in zip(avals, dims, ranks, strict=True)
               if d is not None]  # fmt: skip
    arrays = [d == r for _, d, r in batched if r]
    if arrays:
        return all(arrays)
    count = batched[0][0].shape[0]
    few = max(v.shape[-1] for v, d in zip(avals, dims, strict=True)
              if d is None and v.shape)  # fmt: skip
    return bool(count > few)


def loop_over_examples(name: str) -> Callable[..., tuple[Any, Any]]:
    """Return the rule of last resort: run the primitive example by example."""

    def rule(
        size: int, args: Sequence[Any], dims: Sequence[Any], **params: Any
    ) -> tuple[Any, Any]:
        from ..core.primitive import registry
        from .shape import index_along, stack

        prim = registry[name]
        outs = []
        for i in range(size):
            example = [
                a if d is None else index_along(a, i, d)
                for a, d in zip(args, dims, strict=True)
            ]
            outs.append(bind(prim, *example, **params))
        if prim.multiple_results:
            return [stack(o) for o in zip(*outs, strict=True)], [0] * len(outs[0])
        return stack(outs), 0

    return rule
