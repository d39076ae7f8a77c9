"""Jacobians, Hessians and Hessian-vector products on pytrees.

    jacfwd   one tangent per input element, all pushed forward at once (vmap of jvp)
    jacrev   one cotangent per output element, all pulled back at once (vmap of vjp)
    hessian  jacfwd of jacrev          hvp  jvp of grad, the tangent alone

With `chunk_size`, so many tangents or cotangents go at once, which bounds the memory.

Public names: `jacfwd jacrev jacobian hessian hvp`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.pytree import TreeDef, tree_flatten, tree_map, tree_unflatten
from ..core.tape import Tape
from ..core.trace import Tracer, aval_of
from ..ops.shape import concatenate, expand_dims, reshape
from ..transforms.columns import Columns
from ..transforms.forward import Stream
from ..transforms.second import tangents_of_gradient
from .arguments import (
    check_differentiable,
    choose,
    finish,
    function_name,
    instantiate,
)
from .functional import match_leaves, push_through, vjp_of
from .gradients import scalar_leaf
from .vectorize import vmap

__all__ = ["hessian", "hvp", "jacfwd", "jacobian", "jacrev"]

Function = Callable[..., Any]


def jacfwd(
    fun: Function,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    chunk_size: int | None = None,
) -> Function:
    """Return a function that computes the Jacobian by forward mode.

    Args:
        fun: a function of pytrees of arrays that returns a pytree of arrays.
        argnums: which positional arguments to differentiate.
        has_aux: `fun` returns `(output, aux)`; the result is `(jacobian, aux)`.
        holomorphic: `fun` is complex differentiable with complex input.
        chunk_size: how many columns to compute at once; None for all.

    Returns:
        A function whose result has, for each output leaf, the structure of the chosen
        arguments, with arrays of shape `output.shape + input.shape`.

    Raises:
        TypeError: inputs are not real floating (complex without `holomorphic`).

    >>> import fad, numpy as np
    >>> fad.jacfwd(lambda x: x**2)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """

    @functools.wraps(
        fun, assigned=("__module__", "__name__", "__qualname__", "__doc__")
    )
    def jacfwd_f(*args: Any, **kwargs: Any) -> Any:
        values, call = choose(fun, argnums, None, args, kwargs)
        values = values if isinstance(argnums, (tuple, list)) else values[0]
        leaves, tree = tree_flatten(values)
        avals = [_check_input("jacfwd", v, holomorphic) for v in leaves]
        found: list[Any] = []

        def push(*tangents: Any) -> Any:
            def flat(*new: Any) -> Any:
                new_values = tree_unflatten(tree, new)
                return call(*(new_values if _many(argnums) else (new_values,)))

            out = push_through(Columns(), flat, tuple(leaves), tangents, has_aux)
            found[:] = [out]
            return out[1]

        columns = _in_chunks(push, avals, chunk_size)
        value, aux = found[0][0], found[0][2] if has_aux else None
        tree_map(lambda o: _check_output("jacfwd", fun, o, holomorphic), value)
        jac = tree_map(lambda c: _split_columns(c, avals, tree), columns)
        return (jac, aux) if has_aux else jac

    return jacfwd_f


def jacrev(
    fun: Function,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
    chunk_size: int | None = None,
) -> Function:
    """Return a function that computes the Jacobian by reverse mode.

    Arguments are those of `jacfwd`, and `allow_int` that of `grad`; `chunk_size` counts
    rows here. The result is the same up to rounding.

    Raises:
        TypeError: inputs or outputs are not real floating (complex without
            `holomorphic`).

    >>> import fad, numpy as np
    >>> fad.jacrev(lambda x: x**2)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """

    @functools.wraps(
        fun, assigned=("__module__", "__name__", "__qualname__", "__doc__")
    )
    def jacrev_f(*args: Any, **kwargs: Any) -> Any:
        values, call = choose(fun, argnums, None, args, kwargs)
        leaves, _ = tree_flatten(values)
        for v in leaves:
            check_differentiable("jacrev", v, holomorphic, allow_int)
        out, pull, *aux = vjp_of(call, values, has_aux, outlives=False)
        outs, out_tree = tree_flatten(out)
        avals = [_check_output("jacrev", fun, o, holomorphic) for o in outs]

        def pull_flat(*cts: Any) -> Any:
            found = pull(tree_unflatten(out_tree, cts))
            return found if _many(argnums) else found[0]

        rows = _in_chunks(pull_flat, avals, chunk_size)
        jac = _split_rows(rows, avals, out_tree)
        return (jac, aux[0]) if has_aux else jac

    return jacrev_f


jacobian = jacrev


def hessian(
    fun: Function,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    chunk_size: int | None = None,
) -> Function:
    """Return a function that computes the Hessian, forward over reverse.

    Arguments and errors are those of `jacfwd`.

    Returns:
        A function whose result has the structure of the argument twice, one inside the
        other, as in `{'a': {'a': ..., 'b': ...}, 'b': ...}`.

    >>> import fad, numpy as np
    >>> fad.hessian(lambda x: np.sum(x**3))(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    inner = jacrev(fun, argnums, has_aux, holomorphic)
    return jacfwd(inner, argnums, has_aux, holomorphic, chunk_size)


def hvp(fun: Function, primals: Any, tangents: Any) -> Any:
    """Return the Hessian of a scalar function times a vector, forward over reverse.

    Args:
        fun: a scalar function of pytrees of arrays.
        primals: a tuple or list of its arguments.
        tangents: the vector, of the same structure.

    Returns:
        The product, with the structure of the argument if there is one, else a tuple.

    >>> import fad, numpy as np
    >>> fad.hvp(lambda x: np.sum(x**3), (np.array([1.0, 2.0]),), (np.ones(2),))
    array([ 6., 12.])
    """
    if not isinstance(primals, (tuple, list)):
        raise TypeError(
            "hvp takes primals as a tuple or list of arguments, got "
            f"{type(primals).__name__}; for one argument write (x,)"
        )
    if not isinstance(tangents, (tuple, list)):
        raise TypeError(
            "hvp takes tangents as a tuple or list, as the primals, got "
            f"{type(tangents).__name__}"
        )
    leaves, tree = tree_flatten(tuple(primals))
    avals = [check_differentiable("hvp", v) for v in leaves]
    ts = match_leaves("tangent", tuple(tangents), tree, avals, TypeError)
    stream, tape = Stream(), Tape()
    try:
        boxes = [
            tape.input(stream.input(v, t)) for v, t in zip(leaves, ts, strict=True)
        ]
        out = scalar_leaf(fun, fun(*tree_unflatten(tree, boxes)))
        tape.close()
        found = _along(stream, tape, out, [box.payload for box in boxes])
    finally:
        tape.close()
        tape.guard.release()
        stream.close()
    full = [instantiate(t, a) for t, a in zip(found, avals, strict=True)]
    product = tree_unflatten(tree, finish(full, [*leaves, *ts]))
    return product[0] if len(primals) == 1 else product


def _along(stream: Stream, tape: Tape, out: Any, atoms: Sequence[Any]) -> list[Any]:
    """Return the tangents of the gradient of a scalar, None for zero."""
    if not (isinstance(out, Tracer) and out.owner is tape):
        return [None] * len(atoms)
    atom = out.payload
    return tangents_of_gradient(stream, atom, atom.aval.dtype.type(1), atoms)


def _many(argnums: Any) -> bool:
    return isinstance(argnums, (tuple, list))


def _check_input(name: str, value: Any, holomorphic: bool) -> Aval:
    aval = check_differentiable(name, value, holomorphic)
    if aval.dtype.kind == "c" and not holomorphic:
        raise TypeError(
            f"{name} needs real inputs, got {aval!r}. Pass holomorphic=True if the "
            "function is complex differentiable; otherwise use fad.jvp or fad.vjp."
        )
    return aval


def _check_output(name: str, fun: Function, value: Any, holomorphic: bool) -> Aval:
    aval = aval_of(value)
    kind = aval.dtype.kind
    if holomorphic and kind != "c":
        raise TypeError(
            f"{name} with holomorphic=True needs complex outputs, "
            f"{function_name(fun)} gave {aval!r}"
        )
    if name == "jacrev" and not holomorphic and kind != "f":
        raise TypeError(
            f"{name} needs outputs of a real floating dtype, {function_name(fun)} gave "
            f"{aval!r}"
            + (
                "; pass holomorphic=True if it is complex differentiable"
                if kind == "c"
                else ""
            )
        )
    return aval


def _in_chunks(linear: Function, avals: Sequence[Aval], chunk_size: int | None) -> Any:
    """Apply a linear map to all unit vectors; the results are stacked in front."""
    sizes = [a.size if a.dtype.kind in "fc" else 0 for a in avals]
    total = sum(sizes)
    if chunk_size is None or chunk_size >= total:
        units = _unit_vectors(avals, sizes, 0, total)
        if total == 1:  # as of a scalar function
            return tree_map(lambda t: expand_dims(t, 0), linear(*[u[0] for u in units]))
        return vmap(linear)(*units)
    if chunk_size < 1:
        raise ValueError(f"chunk_size must be at least 1, got {chunk_size}")
    parts = []
    for start in range(0, total, chunk_size):
        stop = min(start + chunk_size, total)
        parts.append(vmap(linear)(*_unit_vectors(avals, sizes, start, stop)))
    return tree_map(lambda *chunks: concatenate(*chunks, axis=0), *parts)


def _unit_vectors(
    avals: Sequence[Aval], sizes: Sequence[int], start: int, stop: int
) -> list[Any]:
    """Return unit vectors number `start` to `stop` of the joined inputs, by input."""
    out, offset = [], 0
    for aval, size in zip(avals, sizes, strict=True):
        dtype = aval.dtype if size else aval.tangent().dtype
        block = np.zeros((stop - start, aval.size), dtype)
        lo, hi = max(start, offset), min(stop, offset + size)
        if lo < hi:
            k = np.arange(lo, hi)
            block[k - start, k - offset] = 1
        out.append(block.reshape(stop - start, *aval.shape))
        offset += size
    return out


def _split_columns(columns: Any, avals: Sequence[Aval], tree: TreeDef) -> Any:
    """Turn stacked tangents of one output into its Jacobian blocks."""
    from ..ops.indexing import slice_along
    from ..ops.shape import move_axis

    columns = move_axis(columns, 0, aval_of(columns).ndim - 1)
    shape = aval_of(columns).shape[:-1]
    blocks, start = [], 0
    for a in avals:
        block = slice_along(columns, start, start + a.size, len(shape))
        blocks.append(_own(reshape(block, shape=(*shape, *a.shape))))
        start += a.size
    return tree_unflatten(tree, blocks)


def _split_rows(rows: Any, avals: Sequence[Aval], out_tree: TreeDef) -> Any:
    """Turn stacked cotangents of the inputs into blocks, the output tree outside."""
    from ..ops.indexing import slice_along

    blocks, start = [], 0
    for a in avals:
        stop = start + a.size
        blocks.append(
            tree_map(
                lambda r, a=a, i=start, j=stop: _own(
                    reshape(
                        slice_along(r, i, j, 0), shape=(*a.shape, *aval_of(r).shape[1:])
                    )
                ),
                rows,
            )
        )
        start = stop
    return tree_unflatten(out_tree, blocks)


def _own(block: Any) -> Any:
    """Return memory of its own, and for shape () a NumPy scalar, as `grad` does."""
    if isinstance(block, np.ndarray) and (block.base is not None or not block.ndim):
        return block.copy()[()]
    return block
