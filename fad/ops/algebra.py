"""What is known of operations besides their derivatives: laws and blocks.

`Algebra` states laws by which `transforms.simplify` makes programs shorter; it knows no
operation by name. `Blocks` states how an operation acts on blocks of rows, a row being
a slice along axis 0, so that a backend can run several operations on one block while it
is in the cache.

    pointwise   on every block by itself; other inputs are broadcast as ever
    reduce      over axes of each row, or over the rows: then `combine` joins blocks
    shape       the parameter `shape` starts with the number of rows

Public names: none; importing the module declares laws.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core.avals import Aval
from . import (
    arithmetic,
    contraction,
    indexing,
    logsumexp,
    piecewise,
    powers,
    reductions,
    rewrites,
    shape,
)
from .shape import transpose

__all__ = ["Algebra", "Blocks"]


class Algebra(NamedTuple):
    """Laws of an operation f.

    Attributes:
        left, right: f(left, x) = x, f(x, right) = x; or a function that tells whether
            an array is such an element.
        commutes: f(x, y) = f(y, x).
        sums: f(x, y) = x + y.
        involution: f(f(x)) = x.
        fuse: f[outer](f[inner](x)) = f[fuse(inner, outer)](x), on parameters.
        trivial: from the aval of x and the parameters, whether f(x) = x.
        repeats: it only repeats elements, as broadcasting does by itself.
        onto: `(emit, z, *inputs, **params) -> y`, the sum of z and f(*inputs).
        expand: `(emit, *inputs, **params) -> y` in other operations, or None.

    `emit(prim, *xs, **params)` makes an operation.
    """

    left: Any = None
    right: Any = None
    commutes: bool = False
    sums: bool = False
    involution: bool = False
    fuse: Callable[..., Any] | None = None
    trivial: Callable[..., bool] | None = None
    repeats: bool = False
    expand: Callable[..., Any] | None = None
    onto: Callable[..., Any] | None = None


class Blocks(NamedTuple):
    """How an operation acts on blocks of rows, see above."""

    kind: str
    combine: Any = None


def _compose_axes(inner: dict[str, Any], outer: dict[str, Any]) -> dict[str, Any]:
    return {"axes": tuple(inner["axes"][a] for a in outer["axes"])}


def _outer(inner: dict[str, Any], outer: dict[str, Any]) -> dict[str, Any]:
    return outer


def _same_shape(x: Aval, *, shape: tuple[int, ...]) -> bool:
    return tuple(shape) == tuple(x.shape) and not x.weak


def _always(x: Aval, **params: Any) -> bool:
    return True


def _write_onto(emit: Callable[..., Any], z: Any, *inputs: Any, **params: Any) -> Any:
    """Add up in z what `scatter` would add up in zeros."""
    del params["shape"]
    return emit(indexing.scatter_add, z, *inputs, **params)


logsumexp.reduce_logsumexp.algebra = Algebra(expand=rewrites.expand_logsumexp)
logsumexp.softmax.algebra = Algebra(expand=rewrites.expand_softmax)
indexing.scatter.algebra = Algebra(onto=_write_onto)
arithmetic.add.algebra = Algebra(
    left=0, right=0, commutes=True, sums=True, expand=rewrites.sum_twice
)
arithmetic.sub.algebra = Algebra(right=0)
arithmetic.mul.algebra = Algebra(
    left=1, right=1, commutes=True, expand=rewrites.move_sign
)
arithmetic.div.algebra = Algebra(right=1)
arithmetic.neg.algebra = Algebra(involution=True, expand=rewrites.expand_neg)
arithmetic.positive.algebra = Algebra(trivial=_always)
arithmetic.stop_gradient.algebra = Algebra(trivial=_always)
arithmetic.convert.algebra = Algebra(
    trivial=lambda x, *, dtype: x.dtype == np.dtype(dtype) and not x.weak
)
piecewise.maximum.algebra = Algebra(commutes=True)
piecewise.minimum.algebra = Algebra(commutes=True)
powers.integer_pow.algebra = Algebra(expand=rewrites.expand_power)
transpose.algebra = Algebra(
    fuse=_compose_axes, trivial=lambda x, *, axes: list(axes) == list(range(len(axes)))
)
shape.reshape.algebra = Algebra(
    fuse=_outer, trivial=_same_shape, expand=rewrites.expand_reshape
)
shape.broadcast_to.algebra = Algebra(fuse=_outer, trivial=_same_shape, repeats=True)
reductions.reduce_sum.algebra = Algebra(expand=rewrites.expand_sum)
contraction.matmul.algebra = Algebra(
    left=rewrites.is_identity,
    right=rewrites.is_identity,
    expand=rewrites.expand_matmul,
)
contraction.contract.fresh = True

arithmetic.convert.blocks = Blocks("pointwise")
shape.reshape.blocks = Blocks("shape")
shape.broadcast_to.blocks = Blocks("shape")
reductions.reduce_sum.blocks = Blocks("reduce", np.add)
reductions.reduce_prod.blocks = Blocks("reduce", np.multiply)
reductions.reduce_max.blocks = Blocks("reduce", np.maximum)
reductions.reduce_min.blocks = Blocks("reduce", np.minimum)
