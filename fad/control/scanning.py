"""`scan`, `map` and `associative_scan`: loops over the leading axis of arrays.

Public names: `scan`, `map_`, `associative_scan`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from ..core.avals import Aval
from ..core.pytree import tree_flatten, tree_map, tree_unflatten
from ..core.trace import bind
from ..ops.indexing import slice_along
from ..ops.shape import concatenate, index_along, reshape, stack
from ..transforms.partial import batch_jaxpr
from .bodies import leaves_of, trace_body
from .call import jit_call
from .carries import trace_carrying
from .disabling import jit_is_disabled
from .revolve import revolve_call
from .scan import scan_call
from .unrolled import bind_in_groups

__all__ = ["map_", "scan"]


def scan(
    f: Callable[..., Any],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
    checkpoint: int | None = None,
) -> tuple[Any, Any]:
    """Loop over the leading axis of `xs` with a carry; stack the results.

    As if::

        carry, ys = init, []
        for x in xs:
            carry, y = f(carry, x)
            ys.append(y)
        return carry, stack(ys)

    The body is traced once. Derivatives take time and memory linear in the length.

    Args:
        f: `(carry, x) -> (carry, y)`, on pytrees; the carry keeps its structure, shapes
            and dtypes.
        init: the initial carry.
        xs: a pytree of arrays of shape `(n, ...)`, or None with `length`.
        length: the number of steps, if `xs` does not tell it.
        reverse: go from the last step to the first; `ys` keep the order of `xs`.
        unroll: how many steps the body does at once, True for all: less overhead for
            a longer program. It has no effect together with `checkpoint`.
        checkpoint: let the reverse pass keep so many carries, instead of what every
            step needs, and run steps again (Revolve): with s carries, C(s + t, s) steps
            run at most t more times each.

    Returns:
        `(carry, ys)`; every leaf of `ys` has a leading axis of length n.

    Raises:
        TypeError: `f` does not return a pair, or changes the carry's structure or type.
        ValueError: lengths differ, or neither `xs` nor `length` is given.

    >>> import fad, numpy as np
    >>> fad.lax.scan(lambda c, x: (c + x, c), 0.0, np.array([1.0, 2.0, 3.0]))
    (np.float64(6.0), array([0., 1., 3.]))
    """
    leaves, avals, tree = leaves_of("scan: init and xs", (init, xs))
    num_carry = tree.children()[0].num_leaves
    steps = _length(avals[num_carry:], length)

    def pair(carry: Any, x: Any) -> tuple[Any, Any]:
        out = f(carry, x)
        if not isinstance(out, (tuple, list)) or len(out) != 2:
            raise TypeError(
                "scan: the body must return a pair (carry, y), where y may be None, "
                f"got {type(out).__name__}: {out!r:.60}"
            )
        return out[0], out[1]

    if jit_is_disabled():
        return _python_scan(pair, init, xs, steps, reverse)
    body, start = trace_carrying(
        "scan", pair, tree, leaves[:num_carry], avals[:num_carry],
        [Aval(a.shape[1:], a.dtype) for a in avals[num_carry:]],
    )  # fmt: skip
    params = {
        "jaxpr": body.jaxpr,
        "length": steps,
        "num_consts": len(body.closure),
        "num_carry": num_carry,
        "reverse": bool(reverse),
    }
    values = [*body.closure, *start, *leaves[num_carry:]]
    size = min(steps, steps if unroll is True else max(1, operator.index(unroll)))
    if checkpoint is None and size > 1:
        outs = bind_in_groups(values, size, **params)
    elif checkpoint is None:
        outs = bind(scan_call, *values, **params)
    else:
        snapshots = operator.index(checkpoint)
        if snapshots < 1:
            raise ValueError(f"scan: checkpoint must be at least 1, got {checkpoint}")
        outs = bind(revolve_call, *values, snapshots=snapshots, **params)
    carry, ys = tree_unflatten(body.tree, outs)
    return carry, ys


def _length(avals: Sequence[Aval], length: Any) -> int:
    """Return the number of steps, after checks."""
    if length is not None:
        length = operator.index(length)
        if length < 0:
            raise ValueError(f"scan: length must not be negative, got {length}")
    for a in avals:
        if not a.shape:
            raise ValueError(
                f"scan: the arrays in xs need a leading axis to loop over, got {a!r}"
            )
    sizes = [a.shape[0] for a in avals]
    if length is None:
        if not sizes:
            raise ValueError(
                "scan: without xs, the number of steps must be given: length="
            )
        length = sizes[0]
    if any(n != length for n in sizes):
        raise ValueError(
            "scan: the arrays in xs must have one leading length"
            f"{'' if length is None else f' (here {length})'}, got shapes "
            f"{', '.join(str(a.shape) for a in avals)}"
        )
    return int(length)


def _python_scan(
    pair: Callable[..., Any], carry: Any, xs: Any, steps: int, reverse: bool
) -> tuple[Any, Any]:
    if not steps:
        raise ValueError("scan of length 0 cannot run under disable_jit")
    ys: list[Any] = [None] * steps
    for i in range(steps - 1, -1, -1) if reverse else range(steps):
        carry, ys[i] = pair(carry, tree_map(lambda x, i=i: index_along(x, i, 0), xs))
    return carry, tree_map(lambda *parts: stack(parts), *ys)


def map_(f: Callable[..., Any], xs: Any, *, batch_size: int | None = None) -> Any:
    """Apply a function to the slices of arrays along axis 0, one after the other.

    Against `vmap` it saves memory: nothing is done for all slices at once.

    Args:
        f: a function of one slice, a pytree.
        xs: a pytree of arrays of shape `(n, ...)`.
        batch_size: take so many slices at once, by `vmap`.

    Returns:
        The results, stacked along axis 0.

    >>> import fad, numpy as np
    >>> fad.lax.map(lambda x: x.sum(), np.ones((3, 2)))
    array([2., 2., 2.])
    """
    if batch_size is None:
        return scan(lambda _, x: ((), f(x)), (), xs)[1]
    if batch_size < 1:
        raise ValueError(f"map: batch_size must be at least 1, got {batch_size}")
    leaves, avals, tree = leaves_of("map: xs", (xs,))
    steps = _length(avals, None)
    slices = [Aval(a.shape[1:], a.dtype) for a in avals]
    body = trace_body("map", f, tree, slices)
    mask = [False] * len(body.closure) + [True] * len(leaves)
    every = [True] * len(body.jaxpr.outputs)

    def batched(size: int, parts: Sequence[Any]) -> list[Any]:
        program, _ = batch_jaxpr(body.jaxpr, size, mask, every)
        outs: list[Any] = bind(
            jit_call, *body.closure, *parts, jaxpr=program, name="map"
        )
        return outs

    whole, left = divmod(steps, batch_size)
    pieces = []
    if whole:
        chunks = [
            reshape(
                slice_along(x, 0, whole * batch_size, 0),
                shape=(whole, batch_size, *a.shape),
            )
            for x, a in zip(leaves, slices, strict=True)
        ]
        _, outs = scan(lambda _, parts: ((), batched(batch_size, parts)), (), chunks)
        pieces.append(
            [
                reshape(o, shape=(whole * batch_size, *a.shape))
                for o, a in zip(outs, body.out_avals, strict=True)
            ]
        )
    if left or not whole:
        tail = [slice_along(x, whole * batch_size, steps, 0) for x in leaves]
        pieces.append(batched(left, tail))
    joined = [
        column[0] if len(column) == 1 else concatenate(*column, axis=0)
        for column in zip(*pieces, strict=True)
    ]
    return tree_unflatten(body.tree, joined)


def associative_scan(
    fn: Callable[[Any, Any], Any], elems: Any, reverse: bool = False, axis: int = 0
) -> Any:
    """Return all prefix results of an associative operation, in O(log n) array steps.

    Args:
        fn: an associative function of two pytrees of stacked elements, elementwise
            along `axis`, of the structure of `elems`.
        elems: a pytree of arrays of one length n along `axis`.
        reverse: combine from the end.
        axis: the axis to scan along.

    Returns:
        The structure of `elems`: element i combines the elements 0, ..., i.

    >>> import fad, numpy as np
    >>> fad.lax.associative_scan(np.add, np.array([1.0, 2.0, 3.0]))
    array([1., 3., 6.])
    """
    if not callable(fn):
        raise TypeError(f"associative_scan needs a function, got {fn!r:.60}")
    leaves, avals, tree = leaves_of("associative_scan: elems", elems)
    axes = []
    for a in avals:
        if not -a.ndim <= axis < a.ndim:
            raise ValueError(f"associative_scan: axis {axis} is out of range for {a!r}")
        axes.append(axis % a.ndim)
    lengths = {a.shape[d] for a, d in zip(avals, axes, strict=True)}
    if len(lengths) > 1:
        raise ValueError(
            "associative_scan: the arrays must have one length along axis "
            f"{axis}, got shapes {', '.join(str(a.shape) for a in avals)}"
        )

    def combine(a: list[Any], b: list[Any]) -> list[Any]:
        first, second = tree_unflatten(tree, a), tree_unflatten(tree, b)
        out = fn(second, first) if reverse else fn(first, second)
        return list(tree_flatten(out)[0])

    lines = _Lines(axes, combine)
    if reverse:
        leaves = lines.slices(leaves, slice(None, None, -1))
    found = lines.scan(leaves, lengths.pop() if lengths else 0)
    if reverse:
        found = lines.slices(found, slice(None, None, -1))
    return tree_unflatten(tree, found)


class _Lines:
    """Arrays taken along an axis each."""

    def __init__(
        self, axes: list[int], combine: Callable[[list[Any], list[Any]], list[Any]]
    ) -> None:
        self.axes = axes
        self.combine = combine

    def slices(self, xs: Sequence[Any], part: slice) -> list[Any]:
        from ..ops.indexing import getitem

        return [
            getitem(x, index=(slice(None),) * d + (part,))
            for x, d in zip(xs, self.axes, strict=True)
        ]

    def scan(self, xs: list[Any], n: int) -> list[Any]:
        """Combine neighbours, scan the half, fill in the elements between."""
        if n < 2:
            return xs
        pairs = self.combine(
            self.slices(xs, slice(0, n - 1, 2)), self.slices(xs, slice(1, None, 2))
        )
        odd = self.scan(pairs, n // 2)
        first = self.slices(xs, slice(0, 1))
        if n > 2:
            before = odd if n % 2 else self.slices(odd, slice(0, n // 2 - 1))
            even = self.combine(before, self.slices(xs, slice(2, None, 2)))
            even = self.join(first, even)
        else:
            even = first
        return self.interleave(even, odd, n)

    def join(self, a: list[Any], b: list[Any]) -> list[Any]:
        return [
            concatenate(x, y, axis=d) for x, y, d in zip(a, b, self.axes, strict=True)
        ]

    def interleave(self, even: list[Any], odd: list[Any], n: int) -> list[Any]:
        """Return arrays whose elements come from `even` and `odd` in turn."""
        last = self.slices(even, slice(n // 2, None))
        out = []
        for x, y, d in zip(
            self.slices(even, slice(0, n // 2)), odd, self.axes, strict=True
        ):
            shape = y.shape
            wide = (*shape[: d + 1], 1, *shape[d + 1 :])
            both = concatenate(
                reshape(x, shape=wide), reshape(y, shape=wide), axis=d + 1
            )
            flat = (*shape[:d], 2 * shape[d], *shape[d + 1 :])
            out.append(reshape(both, shape=flat))
        return self.join(out, last) if n % 2 else out
