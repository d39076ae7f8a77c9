"""Polynomials by their coefficients, highest power first, and piecewise linear ones.

Everything is differentiable in coefficients, points and roots. Coefficients that are
zero are dropped where NumPy drops them, as long as the values are known; where they are
not (`jit`, `vmap`), shapes cannot depend on values and all coefficients stay.

Public names: `polyval polyadd polysub polymul polydiv polyder polyint poly roots
vander`.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of, concrete_value
from ..ops.arithmetic import real
from ..ops.polynomials import companion_roots
from ..ops.shape import concatenate, reshape
from .convert import array_from, cast, operand, result_dtype
from .dispatch import implements

__all__ = [
    "poly",
    "polyadd",
    "polyder",
    "polydiv",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
    "roots",
    "vander",
]


def _coefficients(p: Any) -> Any:
    """Return coefficients as a one-dimensional array or tracer."""
    p = p.coeffs if isinstance(p, np.poly1d) else operand(p)
    aval = aval_of(p)
    if not isinstance(p, Tracer):
        p = np.atleast_1d(p)
    return p if aval.ndim else reshape(p, shape=(1,))


def _trimmed(p: Any) -> Any:
    """Drop leading zeros, where values are known; one coefficient stays."""
    value = concrete_value(p)
    if value is None:
        return p
    nonzero = np.flatnonzero(np.asarray(value))
    first = nonzero[0] if len(nonzero) else len(value) - 1
    return p[int(first) :] if first > 0 else p


def _is_zero(p: Any) -> bool:
    value = concrete_value(p)
    return value is not None and np.allclose(value, 0, rtol=1e-14)


def _padded(p: Any, size: int) -> Any:
    aval = aval_of(p)
    if aval.shape[0] == size:
        return p
    return concatenate(np.zeros(size - aval.shape[0], aval.dtype), p, axis=0)


@implements(np.polyval)
def polyval(p: Any, x: Any) -> Any:
    """Evaluate a polynomial at `x` by Horner's rule.

    >>> import fad, fad.numpy as fnp
    >>> fad.grad(fnp.polyval, argnums=1)([2.0, 0.0, 1.0], 3.0)
    np.float64(12.0)
    """
    if isinstance(x, np.poly1d):
        raise TypeError(
            "polyval of a poly1d is not traced: a poly1d holds plain coefficients; "
            "compose traced polynomials with polymul and polyadd"
        )
    p, x = _coefficients(p), operand(x)
    aval = aval_of(x)
    y: Any = np.zeros(aval.shape, aval.dtype)
    for k in range(aval_of(p).shape[0]):
        y = y * x + p[k]
    return y


def _aligned(a1: Any, a2: Any) -> tuple[Any, Any]:
    a1, a2 = _coefficients(a1), _coefficients(a2)
    size = max(aval_of(a1).shape[0], aval_of(a2).shape[0])
    return _padded(a1, size), _padded(a2, size)


@implements(np.polyadd)
def polyadd(a1: Any, a2: Any) -> Any:
    """Return the coefficients of the sum."""
    a1, a2 = _aligned(a1, a2)
    return a1 + a2


@implements(np.polysub)
def polysub(a1: Any, a2: Any) -> Any:
    """Return the coefficients of the difference."""
    a1, a2 = _aligned(a1, a2)
    return a1 - a2


@implements(np.polymul)
def polymul(a1: Any, a2: Any) -> Any:
    """Return the coefficients of the product."""
    a1, a2 = _trimmed(_coefficients(a1)), _trimmed(_coefficients(a2))
    return np.convolve(a1, a2)


@implements(np.polydiv)
def polydiv(u: Any, v: Any) -> tuple[Any, Any]:
    """Return the coefficients of quotient and remainder."""
    u, v = _coefficients(u) + 0.0, _coefficients(v) + 0.0
    dtype = result_dtype(u, v)
    m, n = aval_of(u).shape[0] - 1, aval_of(v).shape[0] - 1
    scale = 1.0 / v[0]
    rest, quotient = cast(u, dtype), []
    for _ in range(m - n + 1):
        # the coefficient at the front becomes zero but for rounding, and stays
        quotient.append(scale * rest[len(quotient)])
        k = len(quotient) - 1
        parts = [rest[:k], rest[k : k + n + 1] - quotient[-1] * v, rest[k + n + 1 :]]
        rest = concatenate(*parts, axis=0)
    first = 0
    while first < m and _is_zero(rest[first]):
        first += 1
    if not quotient:
        return np.zeros(1, dtype), rest[first:]
    return cast(array_from(quotient), dtype), rest[first:]


def _order(m: Any, verb: str) -> int:
    m = operator.index(m)
    if m < 0:
        raise ValueError(f"Order of {verb} must be positive (see polyder)")
    return m


@implements(np.polyder)
def polyder(p: Any, m: int = 1) -> Any:
    """Return the coefficients of the derivative of order `m`."""
    m, p = _order(m, "derivative"), _coefficients(p)
    for _ in range(m):
        n = aval_of(p).shape[0] - 1
        p = p[: max(n, 0)] * np.arange(n, 0, -1)
    return p


@implements(np.polyint)
def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    """Return the coefficients of an antiderivative of order `m`.

    Args:
        k: the constants of integration, first to last.
    """
    m, p = _order(m, "integral"), _coefficients(p)
    k = np.zeros(m) if k is None else _coefficients(k)
    count = aval_of(k).shape[0]
    if count not in (1, m):
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    for i in range(m):
        divided = p / np.arange(aval_of(p).shape[0], 0, -1)
        constant = k[i if count > 1 else 0]
        p = concatenate(divided, reshape(constant, shape=(1,)), axis=0)
    return p


@implements(np.poly)
def poly(seq_of_zeros: Any) -> Any:
    """Return the coefficients of the polynomial that has given roots.

    A square matrix stands for its eigenvalues.
    """
    zeros = operand(seq_of_zeros)
    shape = aval_of(zeros).shape
    if len(shape) == 2 and shape[0] == shape[1] != 0:
        zeros = np.linalg.eigvals(zeros)
    elif len(shape) == 1:
        if aval_of(zeros).dtype.kind not in "fc":
            zeros = cast(zeros, np.result_type(aval_of(zeros).dtype, 1.0))
    else:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    dtype = aval_of(zeros).dtype
    out: Any = np.ones(1, dtype)
    for i in range(aval_of(zeros).shape[0]):
        wide = concatenate(out, np.zeros(1, dtype), axis=0)
        out = wide - concatenate(np.zeros(1, dtype), out * zeros[i], axis=0)
    return real(out) if dtype.kind == "c" and _in_pairs(zeros) else out


def _in_pairs(zeros: Any) -> bool:
    """Tell whether every root's conjugate is a root, so that coefficients are real."""
    value = concrete_value(zeros)
    if value is None:
        return False
    value = np.asarray(value)
    return bool(np.all(np.sort(value) == np.sort(value.conjugate())))


@implements(np.roots)
def roots(p: Any) -> Any:
    """Return the roots, differentiable in the coefficients where they are simple.

    Raises:
        ValueError: `p` has more than one axis.
        TypeError: the coefficients are not known while tracing.
    """
    p = _coefficients(p)
    if aval_of(p).ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    value = concrete_value(p)
    if value is None:
        raise TypeError(
            "roots: how many roots there are depends on which coefficients are zero, "
            f"and those of {p.aval!r} are not known while tracing under "
            f"{p.owner.name}; use numpy.linalg.eigvals of the companion matrix"
        )
    nonzero = np.flatnonzero(np.asarray(value))
    if len(nonzero) == 0:
        return np.array([])
    first, last = int(nonzero[0]), int(nonzero[-1])
    at_zero = aval_of(p).shape[0] - 1 - last
    p = p[first : last + 1]
    found = companion_roots(p) if last > first else np.zeros(0)
    if not np.iscomplexobj(np.roots(np.asarray(value))):
        found = real(found)
    return concatenate(found, np.zeros(at_zero, aval_of(found).dtype), axis=0)


@implements(np.vander)
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Return the matrix of the powers of `x`, the highest first by default."""
    x = operand(x)
    aval = aval_of(x)
    if aval.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = aval.shape[0] if N is None else operator.index(N)
    dtype = np.promote_types(aval.dtype, int)
    powers: list[Any] = [np.ones(aval.shape, dtype)]
    for _ in range(count - 1):
        powers.append(powers[-1] * x)
    columns = [reshape(v, shape=(*aval.shape, 1)) for v in powers[:count]]
    if not columns:
        return np.empty((*aval.shape, 0), dtype)
    return concatenate(*(columns if increasing else columns[::-1]), axis=1)
