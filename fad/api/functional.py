"""`vjp`, `jvp`, `linearize`, `linear_transpose`, `stop_gradient` on pytrees.

Public names: `jvp linear_transpose linearize stop_gradient vjp`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval, ShapeDtypeStruct
from ..core.ir import Eqn, key_of, program
from ..core.pytree import TreeDef, tree_flatten, tree_map, tree_unflatten
from ..core.tape import Tape
from ..core.trace import Tracer, aval_of, full_lower
from ..ops import arithmetic
from ..transforms.forward import Stream, push
from ..transforms.reverse import backward, transpose
from .arguments import check_leaf, finish, float0, function_name, instantiate

__all__ = ["jvp", "linear_transpose", "linearize", "stop_gradient", "vjp"]

Function = Callable[..., Any]


class _Taped:
    """A function evaluated on a tape: its outputs and the way back to its inputs."""

    def __init__(
        self,
        fun: Function,
        primals: tuple[Any, ...],
        has_aux: bool,
        outlives: bool = True,
    ) -> None:
        leaves, self.in_tree = tree_flatten(primals)
        self.in_avals = [
            check_leaf(v, f"{function_name(fun)}: primals") for v in leaves
        ]
        self.tape = tape = Tape(outlives)
        boxes = [
            tape.input(v) if a.dtype.kind in "fc" else v
            for v, a in zip(leaves, self.in_avals, strict=True)
        ]
        self.in_atoms = [
            b.payload if a.dtype.kind in "fc" else None
            for b, a in zip(boxes, self.in_avals, strict=True)
        ]
        try:
            out = fun(*tree_unflatten(self.in_tree, boxes))
            if has_aux:
                out, aux = _pair(fun, out)
                self.aux = tree_map(lambda leaf: full_lower(tape, leaf), aux)
            outs, self.out_tree = tree_flatten(out)
            self.out_avals = [
                check_leaf(o, f"{function_name(fun)}: outputs") for o in outs
            ]
            self.out_atoms = [
                o.payload if isinstance(o, Tracer) and o.owner is tape else None
                for o in outs
            ]
            values = [full_lower(tape, o) for o in outs]
        finally:
            tape.close()
        values = [np.asarray(v)[()] if type(v) in _PYTHON else v for v in values]
        self._out = tree_unflatten(self.out_tree, _own(values))

    def take_output(self) -> Any:
        """Return the output; it is not held any longer."""
        out, self._out = self._out, None
        return out


_PYTHON = (bool, int, float, complex)


def _own(values: Sequence[Any]) -> list[Any]:
    """Copy output arrays: they may be residuals, which the caller must not write to."""
    return [v.copy() if isinstance(v, np.ndarray) else v for v in values]


def _pair(fun: Function, out: Any) -> tuple[Any, Any]:
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        raise TypeError(
            f"with has_aux=True, {function_name(fun)} must return a pair (output, "
            f"aux), got {out!r:.60}"
        )
    return out[0], out[1]


def vjp(fun: Function, *primals: Any, has_aux: bool = False) -> Any:
    """Evaluate a function and return its pullback (vector-Jacobian product).

    Args:
        fun: a function of pytrees of arrays that returns a pytree of arrays.
        primals: its arguments.
        has_aux: `fun` returns `(output, aux)`.

    Returns:
        `(output, pullback)`, or `(output, pullback, aux)`. `pullback(cotangent)` takes
        one pytree like the output and returns a tuple with a cotangent per primal; it
        may be called many times.

    Raises:
        ValueError: a cotangent differs from the output in structure, shape or dtype.

    >>> import fad, numpy as np
    >>> y, pullback = fad.vjp(lambda a, b: a * b, 2.0, 3.0)
    >>> [float(c) for c in pullback(1.0)]
    [3.0, 2.0]
    """
    return vjp_of(fun, primals, has_aux, outlives=True)


def vjp_of(
    fun: Function, primals: tuple[Any, ...], has_aux: bool, outlives: bool
) -> Any:
    """Do what `vjp` does; `outlives` if the pullback is handed to the user."""
    taped = _Taped(fun, primals, has_aux, outlives)
    out = taped.take_output()
    pullback = _Pullback(taped)
    return (out, pullback, taped.aux) if has_aux else (out, pullback)


class _Pullback:
    """The linear map from cotangents of the outputs to cotangents of the primals."""

    def __init__(self, taped: _Taped) -> None:
        self.taped = taped

    def __call__(self, cotangent: Any) -> tuple[Any, ...]:
        t = self.taped
        cts = match_leaves("cotangent", cotangent, t.out_tree, t.out_avals, ValueError)
        env = backward(tuple(t.out_atoms), cts)
        found = [None if v is None else env.get(v) for v in t.in_atoms]
        full = [instantiate(c, a) for c, a in zip(found, t.in_avals, strict=True)]
        return tuple(tree_unflatten(t.in_tree, finish(full, cts)))


def match_leaves(
    what: str,
    value: Any,
    tree: TreeDef,
    avals: Sequence[Aval],
    dtype_error: type[Exception],
) -> list[Any]:
    """Return the leaves of a tangent or cotangent, None for `float0`, after checks."""
    leaves, found = tree_flatten(value)
    if found != tree:
        raise _tree_error(what)(
            f"the {what} must have the structure {tree}, got {found}"
        )
    return [
        _match_leaf(what, v, a, dtype_error) for v, a in zip(leaves, avals, strict=True)
    ]


def _tree_error(what: str) -> type[Exception]:
    return ValueError if what == "cotangent" else TypeError


def _match_leaf(what: str, v: Any, aval: Aval, dtype_error: type[Exception]) -> Any:
    if isinstance(v, np.ndarray) and v.dtype == float0:
        if aval.dtype.kind in "fc":
            raise dtype_error(f"a {what} of {aval!r} cannot have dtype float0")
        return None
    found = check_leaf(v, f"{what}s")
    if found.shape != aval.shape:
        raise ValueError(
            f"the {what} of a value {aval!r} must have its shape {aval.shape}, got "
            f"{found!r} of shape {found.shape}"
        )
    if aval.dtype.kind not in "fc":
        if what == "cotangent":
            return None
        raise dtype_error(
            f"the {what} of an integer or boolean value {aval!r} must have dtype "
            f"float0 (np.zeros(shape, fad.float0)), got {found!r}"
        )
    if found.dtype != aval.dtype:
        if not found.weak or found.dtype.kind not in _FITTING[aval.dtype.kind]:
            raise dtype_error(
                f"the {what} of a value {aval!r} must have its dtype {aval.dtype}, got "
                f"{found!r}; convert it with t.astype({aval.dtype.name!r})"
            )
    if isinstance(v, Tracer):
        return (
            v if found.dtype == aval.dtype else arithmetic.convert(v, dtype=aval.dtype)
        )
    return np.asarray(v, aval.dtype)[()]


_FITTING = {"f": "f", "c": "fc"}
"""By the kind of a value: the kinds of Python numbers that can be its tangent."""


def jvp(
    fun: Function, primals: Any, tangents: Any, has_aux: bool = False
) -> tuple[Any, ...]:
    """Evaluate a function and its derivative along tangents (Jacobian-vector product).

    The program is not kept: memory is that of the function itself, about twice.

    Args:
        fun: a function of pytrees of arrays that returns a pytree of arrays.
        primals: a tuple or list of its arguments.
        tangents: the same structure; dtypes and shapes of the primals, `float0` for
            integers.
        has_aux: `fun` returns `(output, aux)`.

    Returns:
        `(output, tangent)`, or `(output, tangent, aux)`.

    Raises:
        TypeError: primals or tangents are not tuples or lists, structures or dtypes
            differ.
        ValueError: shapes differ.

    >>> import fad, numpy as np
    >>> y, t = fad.jvp(np.square, (3.0,), (1.0,))
    >>> float(y), float(t)
    (9.0, 6.0)
    """
    for what, value in (("primals", primals), ("tangents", tangents)):
        if not isinstance(value, (tuple, list)):
            raise TypeError(
                f"jvp takes {what} as a tuple or list of arguments, got "
                f"{type(value).__name__}; for one argument write (x,)"
            )
    if isinstance(primals, tuple) != isinstance(tangents, tuple):
        raise TypeError(
            "jvp takes primals and tangents of one structure, got a "
            f"{type(primals).__name__} and a {type(tangents).__name__}"
        )
    return push_through(Stream(), fun, tuple(primals), tuple(tangents), has_aux)


def push_through(
    stream: Stream,
    fun: Function,
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    has_aux: bool,
) -> tuple[Any, ...]:
    """Evaluate a function on a stream; returns what `jvp` does."""
    leaves, tree = tree_flatten(primals)
    avals = [check_leaf(v, f"{function_name(fun)}: primals") for v in leaves]
    ts = match_leaves("tangent", tangents, tree, avals, TypeError)
    try:
        boxes = [stream.input(v, t) for v, t in zip(leaves, ts, strict=True)]
        out = fun(*tree_unflatten(tree, boxes))
        if has_aux:
            out, aux = _pair(fun, out)
            aux = tree_map(lambda leaf: full_lower(stream, leaf), aux)
        outs, out_tree = tree_flatten(out)
        pairs = [_split(stream, fun, o) for o in outs]
    finally:
        stream.close()
    owned = finish([p[0] for p in pairs], leaves)
    tangents_out = finish([p[1] for p in pairs], [*owned, *ts])
    result = tree_unflatten(out_tree, owned), tree_unflatten(out_tree, tangents_out)
    return (*result, aux) if has_aux else result


def _split(stream: Stream, fun: Function, out: Any) -> tuple[Any, Any]:
    """Return value and tangent of an output."""
    aval = check_leaf(out, f"{function_name(fun)}: outputs")
    tangent = stream.tangent(out)
    if tangent is not None:
        out = out.value
    if type(out) in _PYTHON:
        out = np.asarray(out)[()]
    return out, instantiate(tangent, aval)


def linearize(fun: Function, *primals: Any, has_aux: bool = False) -> Any:
    """Evaluate a function and return its derivative at this point as a linear map.

    Residuals are computed once; the map may be called many times.

    Args:
        fun: a function of pytrees of arrays that returns a pytree of arrays.
        primals: its arguments.
        has_aux: `fun` returns `(output, aux)`.

    Returns:
        `(output, f_lin)`, or `(output, f_lin, aux)`; `f_lin(*tangents)` returns the
        tangent of the output.

    Raises:
        ValueError: a tangent differs from its primal in shape or dtype.

    >>> import fad, numpy as np
    >>> y, f_lin = fad.linearize(np.sin, 0.0)
    >>> float(f_lin(2.0))
    2.0
    """
    taped = _Taped(fun, primals, has_aux)
    out = taped.take_output()
    linear = _Linearized(taped)
    return (out, linear, taped.aux) if has_aux else (out, linear)


class _Linearized:
    """The linear map from tangents of the primals to tangents of the outputs."""

    def __init__(self, taped: _Taped) -> None:
        self.taped = taped
        self.eqns: list[Eqn] = program(taped.out_atoms)

    def __call__(self, *tangents: Any) -> Any:
        t = self.taped
        ts = match_leaves("tangent", tangents, t.in_tree, t.in_avals, ValueError)
        env = push(
            self.eqns,
            [v for v in t.in_atoms if v is not None],
            [d for d, v in zip(ts, t.in_atoms, strict=True) if v is not None],
        )
        outs = [None if v is None else env.get(key_of(v)) for v in t.out_atoms]
        full = [instantiate(o, a) for o, a in zip(outs, t.out_avals, strict=True)]
        return tree_unflatten(t.out_tree, finish(full, ts))


def linear_transpose(fun: Function, *primals: Any) -> Function:
    """Return the transpose of a linear function; no value of its arguments is needed.

    Args:
        fun: a linear function of pytrees of arrays.
        primals: examples of its arguments: arrays or `ShapeDtypeStruct` values.

    Returns:
        A function from a cotangent like the output to a tuple with a cotangent per
        argument.

    Raises:
        NotLinearError: when called, if `fun` is not linear.

    >>> import fad, numpy as np
    >>> float(fad.linear_transpose(lambda x: 3.0 * x, 1.0)(2.0)[0])
    6.0
    """
    leaves, tree = tree_flatten(primals)
    avals = [
        Aval(v.shape, v.dtype)
        if isinstance(v, ShapeDtypeStruct)
        else check_leaf(v, f"{function_name(fun)}: examples")
        for v in leaves
    ]

    def transposed(ct: Any) -> tuple[Any, ...]:
        def linear(*boxes: Any) -> tuple[list[Any], list[Any]]:
            outs, out_tree = tree_flatten(fun(*tree_unflatten(tree, boxes)))
            out_avals = [aval_of(o) for o in outs]
            return outs, match_leaves("cotangent", ct, out_tree, out_avals, ValueError)

        found = transpose(linear, avals)
        full = [instantiate(c, a) for c, a in zip(found, avals, strict=True)]
        return tuple(tree_unflatten(tree, finish(full)))

    return transposed


def stop_gradient(tree: Any) -> Any:
    """Return the same values with zero derivative.

    Args:
        tree: a pytree of arrays.

    >>> import fad
    >>> float(fad.grad(lambda x: x * fad.stop_gradient(x))(3.0))
    3.0
    """
    return tree_map(lambda x: arithmetic.stop_gradient(x), tree)
