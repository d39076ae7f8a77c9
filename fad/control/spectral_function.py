"""Scalar functions of Hermitian matrices, exact at every order where values repeat.

    f(a) = v f(w) v^H                                            a = v diag(w) v^H
    df(a)[e] = v (f[w_i, w_j] * (v^H e v)_ij) v^H                (Daleckii and Krein)

f[x, y] is the divided difference (f(y) - f(x)) / (y - x), f'(x) where x = y. The n-th
derivative in directions e1 .. en sums products of the e over paths i, k, .., j and
over orders of the e, weighted by f[w_i, w_k, .., w_j]. It is the operation here:

    spectral(a, e1, .., en)     linear in each e; by a, it is spectral with one e more

and tr(s spectral(a, e1, ..)) does not change when s and an e are exchanged. So both
rules are the operation itself, and no derivative of an eigenvector, which would not
exist where values repeat, is ever taken.

Divided differences of points close together come from the Taylor series of f about
their mean, by forward mode on f; others from their recursion: whichever is the more
accurate by the size of its next term and of its rounding.

Public names: `spectral_function`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.ir import Eqn
from ..core.primitive import ARGS, Plan
from ..core.trace import Tracer, ambient, aval_of
from ..ops.arithmetic import add
from ..ops.contraction import swap_last
from ..ops.infer_rules import broadcast_shapes
from ..ops.kinds import Opaque, conform
from ..ops.stacks import align_stacks, hermitian, real_dtype, square
from ..transforms.forward import Stream

__all__ = ["spectral", "spectral_function"]

Function = Callable[[Any], Any]


def spectral_function(f: Function, a: Any) -> Any:
    """Apply a function to the eigenvalues of Hermitian matrices: v f(w) v^H.

    Derivatives of every order are exact, also where eigenvalues repeat, where those of
    the eigenvectors do not exist and code over `eigh` leaves out what they contribute.

    Args:
        f: a smooth function of an array of real numbers, element by element, made of
            functions of `fad.numpy`. It must not close over traced values.
        a: matrices (..., n, n), of which the Hermitian part is taken.

    Returns:
        Matrices (..., n, n).

    Raises:
        TypeError: `f` closes over a traced value.

    >>> import fad, fad.numpy as fnp
    >>> f = lambda a: fnp.sum(fad.lax.spectral_function(fnp.sqrt, a))
    >>> fad.grad(f)(4.0 * np.eye(2))
    array([[0.25, 0.25],
           [0.25, 0.25]])
    """
    return spectral(hermitian(a), f=f)


def _spectral(a: Any, *es: Any, f: Function) -> Any:
    w, v = np.linalg.eigh(a)
    vh = np.conj(np.swapaxes(v, -1, -2))
    n, size = len(es), w.shape[-1]
    with ambient(None):
        if not n:
            return np.matmul(v * _values(f, w)[..., None, :], vh)
        paths = itertools.combinations_with_replacement(range(size), n + 1)
        index = np.array(list(paths), int).reshape(-1, n + 1)
        found = _divided(f, w[..., index])
    table = np.empty((*w.shape[:-1], *(size,) * (n + 1)), found.dtype)
    for order in itertools.permutations(range(n + 1)):
        table[(..., *index[:, order].T)] = found
    inner = [np.matmul(np.matmul(vh, e), v) for e in es]
    out = sum(_along_paths(table, order) for order in itertools.permutations(inner))
    return np.matmul(np.matmul(v, out), vh)


def _along_paths(table: Any, factors: Sequence[Any]) -> Any:
    """Return sum over k, l, .. of table[i, k, l, .., j] x[i, k] y[k, l] .. z[.., j]."""
    n = len(factors)
    operands: list[Any] = [table, [..., *range(n + 1)]]
    for k, x in enumerate(factors):
        operands += [x, [..., k, k + 1]]
    return np.einsum(*operands, [..., 0, n])


def _values(f: Function, x: Any) -> Any:
    out = f(x)
    if isinstance(out, Tracer):
        raise TypeError(
            "spectral_function: the function closes over a traced value, by which its "
            "result could not be differentiated. Scale or shift the matrix instead, "
            "or pass constants as plain numbers."
        )
    out = np.asarray(out)
    return out if out.shape == x.shape else np.broadcast_to(out, x.shape)


def _divided(f: Function, x: Any) -> Any:
    """Return the divided differences of f at the points x[..., 0] .. x[..., n]."""
    n = x.shape[-1] - 1
    if not n:
        return _values(f, x[..., 0])
    first, last = _divided(f, x[..., :-1]), _divided(f, x[..., 1:])
    spread = x[..., -1] - x[..., 0]  # the points are in order
    with np.errstate(all="ignore"):
        apart = (last - first) / spread
        rounding = np.finfo(spread.dtype).eps * (np.abs(last) + np.abs(first)) / spread
        near, error = _taylor(f, x, n)
    return np.where((spread == 0) | (error < rounding), near, apart)


def _taylor(f: Function, x: Any, n: int) -> tuple[Any, Any]:
    """Return the divided difference by two terms of a series, and its error.

    f[x_0, .., x_n] = sum over m of f^(m)(c) / m! h_(m-n)(x - c), where h_k are the
    complete symmetric polynomials; h_1 is 0 for the mean c.
    """
    center = x.mean(-1)
    d = x - center[..., None]
    h = ((d * d).sum(-1) + d.sum(-1) ** 2) / 2
    one = _derivative(f, center, n) / math.factorial(n)
    two = _derivative(f, center, n + 2) * h / math.factorial(n + 2)
    two = np.where(h == 0, 0, two)
    ratio = np.where(two == 0, 0, np.abs(two) / np.abs(one))
    return one + two, np.abs(two) * np.sqrt(ratio)


def _derivative(f: Function, x: Any, order: int) -> Any:
    """Return the derivative of an elementwise function, by forward mode on itself."""

    def slope(g: Function) -> Function:
        def derivative(x: Any) -> Any:
            stream = Stream()
            out = g(stream.input(x, np.ones(aval_of(x).shape, aval_of(x).dtype)))
            stream.close()
            found = stream.tangent(out)
            if found is None:
                found = np.zeros(aval_of(x).shape, aval_of(x).dtype)
            return found

        return derivative

    for _ in range(order):
        f = slope(f)
    return _values(f, x)


def _infer(a: Aval, *es: Aval, f: Function) -> Aval:
    avals = [square("spectral_function", x) for x in (a, *es)]
    shape = broadcast_shapes("spectral_function", *[x.shape for x in avals])
    with ambient(None):
        value = _values(f, np.ones(1, real_dtype(avals[0].dtype)))
    return Aval(shape, np.result_type(value.dtype, *[x.dtype for x in avals]))


def _batch(
    size: int, args: Sequence[Any], dims: Sequence[int | None], *, f: Function
) -> tuple[Any, int]:
    return spectral(*align_stacks(args, dims, (2,) * len(args)), f=f), 0


class _Spectral(Opaque):
    """Its derivative by the matrix takes one direction more, by a direction none."""

    def make_plan(self, mask: tuple[bool, ...]) -> Plan:
        return Plan(mask, (ARGS,), ())

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> Any:
        (args,) = eqn.residuals
        total = None
        for i, t in enumerate(tangents):
            if t is not None:
                given = (*args[:i], t, *args[i + 1 :]) if i else (*args, t)
                d = spectral(*given, **eqn.params)
                total = d if total is None else add(total, d)
        return None if total is None else conform(total, eqn.aval)

    def pullback(  # type: ignore[override]
        self, eqn: Eqn, ct: Any, live: Any = None
    ) -> list[Any]:
        (args,) = eqn.residuals
        ct = swap_last(ct)
        cts: list[Any] = [None] * len(args)
        for i, v in enumerate(eqn.inputs):
            if v is not None:
                given = (*args[:i], ct, *args[i + 1 :]) if i else (*args, ct)
                cts[i] = conform(swap_last(spectral(*given, **eqn.params)), v.aval)
        return cts


spectral = _Spectral(
    "spectral",
    _spectral,
    lambda ans, primals, tangents: None,  # `pushforward` is written out above
    infer=_infer,
    batch=_batch,
)
"""`spectral(a, *es, f)`: the derivative of f(a), a Hermitian, in directions es."""
