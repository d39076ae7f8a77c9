"""`grad` and its kin: reverse mode of scalar functions.

For complex x = u + iv and real f the gradient is df/du - i df/dv, so that
f(x + h) = f(x) + Re(sum(grad * h)) + ...; for holomorphic functions it is f'(x).

Public names: `grad`, `value_and_grad`, `elementwise_grad`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.pytree import tree_flatten, tree_map, tree_unflatten
from ..core.pytree_nodes import node_type_of
from ..core.tape import Tape
from ..core.trace import Tracer, aval_of
from ..transforms.reverse import backward
from .arguments import (
    check_differentiable,
    choose,
    finish,
    function_name,
    instantiate,
)

__all__ = ["elementwise_grad", "grad", "value_and_grad"]

Function = Callable[..., Any]


def grad(
    fun: Function,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
    argnames: str | Sequence[str] | None = None,
) -> Function:
    """Return a function that computes the gradient of a scalar function.

    Args:
        fun: a function of pytrees of arrays that returns a scalar, shape `()`, or a
            pair of it and auxiliary data if `has_aux`.
        argnums: which positional arguments to differentiate; an int gives a gradient of
            the argument's structure, a sequence a tuple of them.
        has_aux: `fun` returns `(value, aux)`; the result is `(gradient, aux)`.
        holomorphic: `fun` is complex differentiable, with complex input and output.
        allow_int: give `float0` zeros for integer inputs instead of an error.
        argnames: keyword arguments to differentiate besides.

    Returns:
        A function with the arguments of `fun`. Gradients have the shapes and dtypes of
        the inputs; that of a Python number is a NumPy scalar.

    Raises:
        TypeError: inputs are not floating or complex, the output is not a real scalar.

    >>> import fad, numpy as np
    >>> float(fad.grad(lambda x: np.sin(x) * x)(0.0))
    0.0
    """
    vg = value_and_grad(fun, argnums, has_aux, holomorphic, allow_int, argnames)

    @functools.wraps(
        fun, assigned=("__module__", "__name__", "__qualname__", "__doc__")
    )
    def grad_f(*args: Any, **kwargs: Any) -> Any:
        value, g = vg(*args, **kwargs)
        return (g, value[1]) if has_aux else g

    return grad_f


def value_and_grad(
    fun: Function,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
    argnames: str | Sequence[str] | None = None,
) -> Function:
    """Return a function that computes value and gradient of a scalar function.

    Arguments and errors are those of `grad`.

    Returns:
        A function that returns `(value, gradient)`, or `((value, aux), gradient)`.

    >>> import fad
    >>> value, slope = fad.value_and_grad(lambda x: x * x)(3.0)
    >>> float(value), float(slope)
    (9.0, 6.0)
    """
    if not callable(fun):
        raise TypeError(f"grad needs a function, got {fun!r:.60}")
    single = not isinstance(argnums, (tuple, list)) and argnames is None

    @functools.wraps(
        fun, assigned=("__module__", "__name__", "__qualname__", "__doc__")
    )
    def value_and_grad_f(*args: Any, **kwargs: Any) -> Any:
        values, call = choose(fun, argnums, argnames, args, kwargs)
        leaves, tree = tree_flatten(values)
        avals = [
            check_differentiable("grad", v, holomorphic, allow_int) for v in leaves
        ]
        tape = Tape()
        boxes, atoms = _box_all(tape, leaves, avals)
        try:
            out = call(*tree_unflatten(tree, boxes))
            value, aux = _split_aux(fun, out) if has_aux else (out, None)
            value, rebuild = _inside(value)
            _check_scalar(fun, value, holomorphic)
            tape.close()
            found = _differentiate(tape, value, atoms)
            value = _lower(tape, value)
            if has_aux:
                aux = tree_map(lambda leaf: _lower(tape, leaf), aux)
        finally:
            tape.close()
            tape.guard.release()
            del boxes
        cts = finish(
            [instantiate(c, a) for c, a in zip(found, avals, strict=True)], leaves
        )
        grads = tree_unflatten(tree, cts)
        value = rebuild(_as_numpy(value))
        return ((value, aux) if has_aux else value), (grads[0] if single else grads)

    return value_and_grad_f


def _box_all(
    tape: Tape, leaves: Sequence[Any], avals: Sequence[Aval]
) -> tuple[list[Any], list[Any]]:
    """Box the differentiable leaves; return boxes (or raw leaves) and their atoms."""
    boxes, atoms = [], []
    for v, a in zip(leaves, avals, strict=True):
        box = tape.input(v) if a.dtype.kind in "fc" else v
        boxes.append(box)
        atoms.append(box.payload if box is not v else None)
    return boxes, atoms


def _inside(value: Any) -> tuple[Any, Function]:
    """Return the leaf of a scalar that is a node itself, and how to put it back.

    The tensors of `fad.torch` are such nodes.
    """
    if isinstance(value, Tracer) and node_type_of(value) is not None:
        leaves, tree = tree_flatten(value)
        return leaves[0], lambda leaf: tree_unflatten(tree, [leaf])
    return value, lambda leaf: leaf


def _differentiate(tape: Tape, value: Any, atoms: Sequence[Any]) -> list[Any]:
    if not (isinstance(value, Tracer) and value.owner is tape):
        return [None] * len(atoms)
    atom = value.payload
    seed = atom.aval.dtype.type(1)
    env = backward([atom], [seed])
    return [None if v is None else env.get(v) for v in atoms]


def _lower(tape: Tape, value: Any) -> Any:
    return value.value if isinstance(value, Tracer) and value.owner is tape else value


def _as_numpy(value: Any) -> Any:
    return np.asarray(value)[()] if value.__class__ in (float, complex) else value


def _split_aux(fun: Function, out: Any) -> tuple[Any, Any]:
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        raise TypeError(
            f"with has_aux=True, {function_name(fun)} must return a pair (value, aux), "
            f"got {type(out).__name__}: {out!r:.60}"
        )
    return out[0], out[1]


def scalar_leaf(fun: Function, out: Any) -> Any:
    """Return the real scalar that a function returned; raise if it is none."""
    value, _ = _inside(out)
    _check_scalar(fun, value, False)
    return value


def _check_scalar(fun: Function, value: Any, holomorphic: bool) -> None:
    name = function_name(fun)
    try:
        aval = aval_of(value)
    except TypeError:
        raise TypeError(
            f"grad is defined for scalar-output functions only, but {name} returned "
            f"{type(value).__name__}: {value!r:.60}. For several outputs use "
            "fad.jacrev or fad.vjp; for auxiliary data, has_aux=True."
        ) from None
    if aval.shape != ():
        raise TypeError(
            f"grad is defined for scalar-output functions only, but {name} returned "
            f"{aval!r} of shape {aval.shape}. Sum it, or use fad.jacrev or fad.vjp; "
            "for an elementwise function, fad.elementwise_grad."
        )
    kind = aval.dtype.kind
    if holomorphic and kind != "c":
        raise TypeError(
            f"grad with holomorphic=True needs a complex output, {name} gave {aval!r}"
        )
    if kind == "c" and not holomorphic:
        raise TypeError(
            f"grad needs a real output, but {name} returned {aval!r}. Pass "
            "holomorphic=True if the function is complex differentiable, or take "
            "its real part; for the full derivative use fad.vjp."
        )
    if kind not in "fc":
        raise TypeError(
            f"grad needs an output of a floating dtype, but {name} returned {aval!r}"
        )


def elementwise_grad(fun: Function, argnums: int | Sequence[int] = 0) -> Function:
    """Return the derivative of an elementwise function, element by element.

    It is the gradient of the sum of all outputs, so for functions that act element by
    element it is the diagonal of the Jacobian.

    Args:
        fun: returns an array (or a pytree of them).
        argnums: which positional arguments to differentiate.

    Returns:
        A function whose result has the shapes of the chosen arguments.

    >>> import fad, numpy as np
    >>> fad.elementwise_grad(np.square)(np.array([1.0, 2.0]))
    array([2., 4.])
    """

    @functools.wraps(
        fun, assigned=("__module__", "__name__", "__qualname__", "__doc__")
    )
    def elementwise_grad_f(*args: Any, **kwargs: Any) -> Any:
        from .functional import vjp_of

        values, call = choose(fun, argnums, None, args, kwargs)
        for leaf in tree_flatten(values)[0]:
            check_differentiable("elementwise_grad", leaf)
        out, pull = vjp_of(call, values, has_aux=False, outlives=False)
        ones = tree_map(lambda o: _ones_like(aval_of(o)), out)
        grads = pull(ones)
        return grads if isinstance(argnums, (tuple, list)) else grads[0]

    return elementwise_grad_f


def _ones_like(aval: Aval) -> Any:
    return np.ones(aval.shape, aval.dtype)[()]
