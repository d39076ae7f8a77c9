"""Check derivatives: against differences, against each other, against a loop.

Derivatives are compared in random directions. An error in any entry of a Jacobian shows
in almost every direction; several are tried, for complex arguments a general one, a
real one and an imaginary one.

Public names: `check_grads`, `check_vjp_jvp_duality`, `check_vmap`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..api.arguments import float0
from ..api.functional import jvp, linearize, vjp
from ..api.vectorize import vmap
from ..core.pytree import tree_flatten, tree_leaves, tree_leaves_with_path, tree_map
from ..core.pytree_paths import keystr
from .measuring import double, measure

__all__ = ["check_grads", "check_vjp_jvp_duality", "check_vmap"]

Function = Callable[..., Any]

_TOLERANCE = {8: 1e-7, 4: 2e-4, 2: 5e-2}
"""By the size in bytes of the least precise real number involved."""


def check_grads(
    f: Function,
    args: Sequence[Any],
    order: int = 1,
    modes: str | Sequence[str] = ("fwd", "rev"),
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
    directions: int = 3,
    seed: int = 0,
) -> None:
    """Compare derivatives of a function with measured ones.

    Args:
        f: a function of pytrees of arrays that returns a pytree of arrays, smooth at
            `args` and around them.
        args: a tuple of its arguments. Integers are not differentiated.
        order: derivatives are checked up to this order, in every mix of modes.
        modes: "fwd" (jvp), "rev" (vjp), or both.
        atol, rtol: tolerances, 1e-7 in double and 2e-4 in single precision if None.
        eps: the largest step of the differences, 0.02 if None.
        directions: how many random directions to try at each order.
        seed: of the directions.

    Raises:
        AssertionError: naming mode, order, direction, and both values.
        ValueError: a mode is unknown.

    >>> import numpy as np, fad.numpy as fnp
    >>> check_grads(lambda x: fnp.exp(x) * x, (np.array([0.5, 2.0]),), order=2)
    >>> check_grads(fnp.floor, (1.5,))
    """
    modes = (modes,) if isinstance(modes, str) else tuple(modes)
    unknown = set(modes) - {"fwd", "rev"}
    if unknown or not modes:
        raise ValueError(f"modes are 'fwd' and 'rev', got {modes}")
    leaves, tree = tree_flatten(tuple(args))
    tol = _tolerance(leaves, atol, rtol)
    step = 0.02 if eps is None else eps
    options = _Options(modes, tol, step, directions, np.random.default_rng(seed))
    flat = lambda *new: f(*tree.unflatten(new))
    _check_order(flat, [np.asarray(v)[()] for v in leaves], 1, order, (), options)


def check_vjp_jvp_duality(
    f: Function,
    args: Sequence[Any],
    rtol: float | None = None,
    directions: int = 3,
    seed: int = 0,
) -> None:
    """Check that forward and reverse mode give transposed maps: <u, J v> = <u J, v>.

    Also that the map of `linearize` is that of `jvp`.

    Args:
        f: a function of pytrees of arrays.
        args: a tuple of its arguments.
        rtol: tolerance; by default 1e-10 in double precision.
        directions: how many random pairs u, v to try.
        seed: of the directions.

    Raises:
        AssertionError: naming the direction, and both values.

    >>> import numpy as np, fad.numpy as fnp
    >>> check_vjp_jvp_duality(lambda x: fnp.sin(x) / x, (np.array([0.5, 2.0]),))
    """
    leaves, tree = tree_flatten(tuple(args))
    leaves = [np.asarray(v)[()] for v in leaves]
    tol = 1e-3 * _tolerance(leaves, rtol, rtol)[1] if rtol is None else rtol
    rng = np.random.default_rng(seed)
    flat = lambda *new: f(*tree.unflatten(new))
    out, pull = vjp(flat, *leaves)
    _, linear = linearize(flat, *leaves)
    for k in range(directions):
        v = [_direction(rng, x, k) for x in leaves]
        u = tree_map(lambda o, k=k: _direction(rng, o, k), out)
        pushed = jvp(flat, leaves, v)[1]
        where = f"direction {k}: "
        _compare(where + "linearize against jvp", linear(*v), pushed, (tol, tol))
        pulled = pull(u)
        left, right = _pairing(u, pushed), _pairing(pulled, v)
        scale = 1 + _size(u, pushed) + _size(pulled, v)
        if not abs(left - right) <= tol * scale:
            raise AssertionError(
                f"{where}jvp and vjp are not each other's transpose: <u, J v> = "
                f"{left!r}, <u J, v> = {right!r}, difference {abs(left - right):.3g}"
            )


def check_vmap(
    f: Function,
    args: Sequence[Any],
    in_axes: Any = 0,
    rtol: float = 1e-12,
    atol: float = 1e-12,
) -> None:
    """Check that `vmap` of a function is the loop over examples.

    Args:
        f: a function of arrays that returns a pytree of arrays.
        args: a tuple of stacked arrays.
        in_axes: as for `vmap`: an int, None, or one per argument.
        rtol, atol: tolerances.

    Raises:
        AssertionError: naming the example, and both values.

    >>> import numpy as np, fad.numpy as fnp
    >>> check_vmap(lambda x, y: x @ y, (np.eye(3), np.ones(3)), in_axes=(0, None))
    """
    axes = in_axes if isinstance(in_axes, (tuple, list)) else [in_axes] * len(args)
    mapped = vmap(f, in_axes=tuple(axes))(*args)
    sizes = [np.shape(a)[d] for a, d in zip(args, axes, strict=True) if d is not None]
    for i in range(sizes[0]):
        example = [
            a if d is None else np.take(a, i, axis=d)
            for a, d in zip(args, axes, strict=True)
        ]
        here = tree_map(lambda m, i=i: m[i], mapped)
        _compare(f"example {i}: vmap against the call", here, f(*example), (atol, rtol))


class _Options(NamedTuple):
    modes: tuple[str, ...]
    tol: tuple[float, float]
    eps: float
    directions: int
    rng: np.random.Generator


def _check_order(
    f: Function,
    args: list[Any],
    order: int,
    last: int,
    taken: tuple[str, ...],
    options: _Options,
) -> None:
    """Check the derivative of `f`, itself the derivative of order - 1 by `taken`."""
    if order > last:
        return
    following: dict[str, Function] = {}
    for k in range(options.directions):
        v = [_direction(options.rng, x, k) for x in args]
        measured = measure(f, args, v, options.eps)
        for mode in options.modes:
            path = " of ".join([mode, *reversed(taken)])
            where = f"{path} mode, order {order}, direction {k}: "
            u = tree_map(lambda o, k=k: _direction(options.rng, o, k), f(*args))
            if mode == "fwd":
                got = jvp(f, tuple(args), tuple(v))[1]
                _compare(where + "jvp against difference", got, measured, options.tol)
                next_f = _along(f, v)
            else:
                cts = vjp(f, *args)[1](u)
                _compare_pairing(where, u, measured, cts, v, options.tol)
                next_f = _back_from(f, u)
            following.setdefault(mode, next_f)
    for mode, next_f in following.items():
        _check_order(next_f, args, order + 1, last, (*taken, mode), options)


def _along(f: Function, v: list[Any]) -> Function:
    """Return x -> the derivative of `f` at x along v."""

    def pushed(*args: Any) -> list[Any]:
        ts = [_as_dtype(t, x.dtype) for t, x in zip(v, args, strict=True)]
        return _inexact(jvp(f, args, tuple(ts))[1])

    return pushed


def _back_from(f: Function, u: Any) -> Function:
    """Return x -> the cotangents at x of the output's cotangent u."""

    def pulled(*args: Any) -> list[Any]:
        out, pull = vjp(f, *args)
        return _inexact(pull(tree_map(lambda c, o: _as_dtype(c, o.dtype), u, out)))

    return pulled


def _as_dtype(t: Any, dtype: Any) -> Any:
    return t if t.dtype == float0 else t.astype(dtype)


def _inexact(tree: Any) -> list[Any]:
    """Return the leaves that carry derivatives."""
    return [v for v in tree_leaves(tree) if v.dtype.kind in "fc"]


def _tolerance(
    leaves: Sequence[Any], atol: float | None, rtol: float | None
) -> tuple[float, float]:
    dtypes = [np.asarray(v).dtype for v in leaves]
    sizes = [
        d.itemsize // (2 if d.kind == "c" else 1) for d in dtypes if d.kind in "fc"
    ]
    tol = _TOLERANCE.get(min(sizes, default=8), 1e-7)
    return (tol if atol is None else atol), (tol if rtol is None else rtol)


def _direction(rng: np.random.Generator, x: Any, k: int) -> Any:
    """Return a random tangent of `x`: general, real, imaginary for k = 0, 1, 2."""
    x = np.asarray(x)
    if x.dtype.kind not in "fc":
        return np.zeros(x.shape, float0)
    v = rng.standard_normal(x.shape)
    if x.dtype.kind == "c":
        w = rng.standard_normal(x.shape)
        v = [v + 1j * w, v + 0j, 1j * w][k % 3]
    return np.asarray(v, x.dtype)[()]


def _pairing(cts: Any, ts: Any) -> float:
    """Return Re(sum(ct * t)) over all leaves."""
    return sum(np.sum(p) for p in _products(cts, ts))


def _size(cts: Any, ts: Any) -> float:
    return sum(np.sum(abs(p)) for p in _products(cts, ts))


def _products(cts: Any, ts: Any) -> list[Any]:
    pairs = zip(tree_leaves(cts), tree_leaves(ts), strict=True)
    return [
        np.real(double(np.asarray(c)) * double(np.asarray(t)))
        for c, t in pairs
        if np.asarray(c).dtype != float0
    ]


def _compare(what: str, got: Any, expected: Any, tol: tuple[float, float]) -> None:
    """Compare two pytrees leaf by leaf; `float0` leaves are skipped."""
    places = tree_leaves_with_path(got)
    for (path, a), b in zip(places, tree_leaves(expected), strict=True):
        if np.asarray(a).dtype == float0:
            continue
        error = np.abs(a - b)
        wrong = ~(error <= tol[0] + tol[1] * np.abs(b))
        if a.shape != b.shape or np.any(wrong & ~_same_special(a, b)):
            raise AssertionError(
                f"{what} of output{keystr(path)}: expected\n{b!r}\ngot\n{a!r}\n"
                f"largest error {np.max(error):.3g}, tolerances {tol}"
            )


def _same_special(a: Any, b: Any) -> Any:
    """Tell where both are the same infinity or both nan."""
    return (a == b) | (np.isnan(a) & np.isnan(b))


def _compare_pairing(
    where: str, u: Any, measured: Any, cts: Any, v: Any, tol: tuple[float, float]
) -> None:
    expected, got = _pairing(u, measured), _pairing(cts, v)
    if not abs(got - expected) <= tol[0] + tol[1] * _size(u, measured):
        raise AssertionError(
            f"{where}vjp along a random cotangent against difference: expected "
            f"{expected!r}, got {got!r}, error {abs(got - expected):.3g}, "
            f"tolerances {tol}"
        )
