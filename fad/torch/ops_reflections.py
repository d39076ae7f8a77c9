"""Products of Householder reflections, as QR factorisations keep them.

A reflection is H = I - tau v v*, its vector v in a column below the diagonal, with a 1
on the diagonal that is not stored.

Public names: none; the functions are declared into `fad.torch` and `torch.linalg`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import numpy as fnp
from ..core.trace import aval_of
from .declare import composite, function
from .return_types import returned
from .tape import quietly
from .tensor import Tensor, wrap

__all__ = ["householder_product"]


def _vector(a: Any, i: int) -> Any:
    """Return the vector of reflection i, as a column."""
    m, column = aval_of(a).shape[-2], a[..., :, i : i + 1]
    rows = np.arange(m)[:, None]
    below = fnp.where(rows > i, column, fnp.zeros_like(column))
    return below + (rows == i).astype(aval_of(a).dtype)


def _reflected(a: Any, tau: Any, x: Any, i: int, adjoint: bool = False) -> Any:
    """Return H_i x, or its adjoint times x."""
    v, t = _vector(a, i), tau[..., i, None, None]
    t = fnp.conj(t) if adjoint else t
    return x - t * (v @ (fnp.conj(fnp.swapaxes(v, -1, -2)) @ x))


def _product(a: Any, tau: Any) -> Any:
    shape = aval_of(a).shape
    m, n, k = shape[-2], shape[-1], aval_of(tau).shape[-1]
    eye = np.eye(m, n, dtype=aval_of(a).dtype)
    out = fnp.broadcast_to(eye, (*shape[:-2], m, n))
    for i in reversed(range(k)):
        out = _reflected(a, tau, out, i)
    return out


_node = composite("LinalgHouseholderProductBackward0", _product)


@function("orgqr", out=False)
def householder_product(input: Tensor, tau: Tensor) -> Tensor:
    """Return the first columns of the product of reflections.

    Raises:
        RuntimeError: the matrix is wider than high, or there are too many reflections.
    """
    if input.ndim < 2:
        raise RuntimeError(
            "torch.linalg.householder_product: input must have at least 2 dimensions."
        )
    if input.shape[-2] < input.shape[-1]:
        raise RuntimeError(
            "torch.linalg.householder_product: input.shape[-2] must be greater than or "
            "equal to input.shape[-1]"
        )
    if input.shape[-1] < tau.shape[-1]:
        raise RuntimeError(
            "torch.linalg.householder_product: input.shape[-1] must be greater than or "
            "equal to tau.shape[-1]"
        )
    return _node(input, tau)  # type: ignore[no-any-return]


@function("geqrf", out=False)
def _geqrf(input: Tensor) -> Any:
    """Return R above the reflections of a QR factorisation, and their factors."""
    if not input.aval.size:
        raise RuntimeError("torch.geqrf: the matrix is empty")
    raw, tau = quietly(np.linalg.qr, input.value, mode="raw")
    return returned(
        "geqrf", wrap(np.ascontiguousarray(raw.swapaxes(-1, -2))), wrap(tau)
    )


def _multiplied(a: Any, tau: Any, x: Any, *, left: bool, transpose: bool) -> Any:
    count = aval_of(tau).shape[-1]
    if not left:  # X Q is the adjoint of Q* X*
        x = fnp.conj(fnp.swapaxes(x, -1, -2))
    adjoint = transpose == left
    order = range(count) if adjoint else reversed(range(count))
    for i in order:
        x = _reflected(a, tau, x, i, adjoint)
    return x if left else fnp.conj(fnp.swapaxes(x, -1, -2))


_multiply = composite("OrmqrBackward0", _multiplied)


@function("ormqr", out=False)
def ormqr(
    input: Tensor,
    tau: Tensor,
    other: Tensor,
    left: bool = True,
    transpose: bool = False,
) -> Tensor:
    """Return a matrix times the whole product of reflections, or its adjoint."""
    return _multiply(input, tau, other, left=left, transpose=transpose)  # type: ignore[no-any-return]
