"""Linear systems, inverses and determinants, on stacks of square matrices.

    x = solve(a, b)     dx = solve(a, db - da x);   its transpose is a solve with a^T
    inv                 d = -inv da inv
    det                 d = trace(adjugate da)
    slogdet             d log|det| = Re trace(inv da)
    pinv                three terms, for perturbations that keep the rank

`det` and `adjugate` are polynomials; their derivatives are right where the matrix is
singular, at every order, because `adjugate` comes from the singular value
decomposition a = u diag(s) v^H and not from an inverse:

    adjugate(a) = det(u) det(v^H) v adjugate(diag(s)) u^H

Public names: `solve inv det adjugate slogdet pinv`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.ir import Eqn
from ..core.primitive import ANS, Plan
from ..core.trace import aval_of
from .arithmetic import imag, neg, real
from .batching_rules import at_front, move_to_front
from .comparison import where
from .contraction import matmul, swap_last
from .infer_rules import broadcast_shapes
from .kinds import Opaque, conform, opaque
from .shape import (
    diagonal,
    embed_diagonal,
    expand_dims,
    index_along,
    move_axis,
    reshape,
)
from .stacks import (
    adjoint,
    align_stacks,
    batch_stacks,
    inexact,
    matrices,
    real_dtype,
    square,
    trace_of_product,
)

__all__ = ["adjugate", "det", "inv", "pinv", "slogdet", "solve"]


def _push_solve(ans: Any, primals: Any, tangents: Any) -> Any:
    return solve(primals[0], tangents[1] - matmul(tangents[0], ans))


def _infer_solve(a: Aval, b: Aval) -> Aval:
    a, b = square("solve", a), matrices("solve", b)
    if b.shape[-2] != a.shape[-1]:
        raise ValueError(f"solve: {a} and right-hand sides {b} do not match")
    stack = broadcast_shapes("solve", a.shape[:-2], b.shape[:-2])
    return Aval((*stack, *b.shape[-2:]), np.result_type(a.dtype, b.dtype))


def _batch_solve(
    size: int, args: Sequence[Any], dims: Sequence[int | None]
) -> tuple[Any, int]:
    a, b = args
    if dims[0] is None:  # one factorisation serves all examples: take them for columns
        b = move_axis(b, dims[1] or 0, aval_of(b).ndim - 1)
        *stack, columns, _ = aval_of(b).shape
        out = solve(a, reshape(b, shape=(*stack, columns * size)))
        shape = (*aval_of(out).shape[:-1], columns, size)
        return reshape(out, shape=shape), len(shape) - 1
    a, b = align_stacks(args, dims, (2, 2))
    return solve(a, b), 0


class _Solve(Opaque):
    """Linear in b; with a differentiated it keeps x, else only a."""

    def make_plan(self, mask: tuple[bool, ...]) -> Plan:
        return Plan(mask, (ANS, 0) if mask[0] else (0,), ())

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> Any:
        da, db = tangents
        a, *ans = eqn.residuals
        if da is not None:
            change = neg(matmul(da, *ans))
            db = change if db is None else db + change
        return None if db is None else conform(solve(a, db), eqn.aval)

    def pullback(  # type: ignore[override]
        self, eqn: Eqn, ct: Any, live: Any = None
    ) -> list[Any]:
        a, b = eqn.inputs
        matrix, *ans = eqn.residuals
        found = solve(swap_last(matrix), ct)
        return [
            None
            if a is None
            else conform(neg(matmul(found, swap_last(ans[0]))), a.aval),
            None if b is None else conform(found, b.aval),
        ]


solve = _Solve(
    "solve", np.linalg.solve, _push_solve, infer=_infer_solve, batch=_batch_solve
)
"""`solve(a, b)`: x with a x = b, for stacks of matrices b."""


def _inverse(a: Any, *, strict: bool) -> Any:
    if strict:
        return np.linalg.inv(a)
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        u, s, vh = np.linalg.svd(a)
        s[..., -1] = np.where(np.linalg.det(a) == 0, 0, s[..., -1])
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.matmul(adjoint(vh) / s[..., None, :], adjoint(u))


inv = opaque(
    "inv",
    _inverse,
    lambda ans, primals, tangents, *, strict: neg(
        matmul(matmul(ans, tangents[0]), ans)
    ),
    infer=lambda a, *, strict: square("inv", a),
    batch=batch_stacks(lambda: inv),
)
"""`inv(a, strict=True)`; not strict, a singular matrix gives infinities and nans."""


def _eye(n: int) -> Any:
    return np.eye(n, dtype=bool)


def _phase(u: Any, vh: Any) -> Any:
    """Return det(u) det(v^H) with two axes to broadcast against matrices."""
    phase = det(u) * det(vh)
    rank = aval_of(phase).ndim
    return expand_dims(expand_dims(phase, rank), rank + 1) if rank else phase


def _adjugate(a: Any) -> Any:
    n = a.shape[-1]
    u, s, vh = np.linalg.svd(a)
    others = np.where(_eye(n), 1, s[..., None, :]).prod(-1)
    out = np.matmul(adjoint(vh) * others[..., None, :], adjoint(u))
    return (out * _phase(u, vh)).astype(inexact("det", a.dtype), copy=False)


def _pairs_excluded(s: Any) -> Any:
    """Return p[i, k], the product of all s but s_i and s_k; 0 where i = k."""
    aval = aval_of(s)
    n = aval.shape[-1]
    index = np.arange(n)
    total: Any = np.where(_eye(n), 0, np.ones((), aval.dtype)).astype(aval.dtype)
    for j in range(n):
        skipped = (index[:, None] == j) | (index == j)
        factor = index_along(s, j, len(aval.shape) - 1)
        rank = aval_of(factor).ndim
        if rank:
            factor = expand_dims(expand_dims(factor, rank), rank + 1)
        total = total * where(skipped, np.ones((), aval.dtype)[()], factor)
    return total


def _push_adjugate(ans: Any, primals: Any, tangents: Any) -> Any:
    """Perturb the adjugate of a diagonal matrix, in the bases of singular vectors."""
    from .spectral import svd

    u, s, vh = svd(primals[0], full_matrices=False)
    v, uh = adjoint(vh), adjoint(u)
    t = matmul(matmul(uh, tangents[0]), v)
    products = _pairs_excluded(s)
    rank = aval_of(t).ndim
    on = diagonal(t, offset=0, axis1=rank - 2, axis2=rank - 1)
    on = matmul(products, expand_dims(on, rank - 1))
    on = reshape(on, shape=aval_of(on).shape[:-1])
    full = embed_diagonal(on, aval_of(t), offset=0, axis1=rank - 2, axis2=rank - 1)
    return matmul(matmul(v, full - products * t), uh) * _phase(u, vh)


adjugate = opaque(
    "adjugate",
    _adjugate,
    _push_adjugate,
    infer=lambda a: square("adjugate", a),
    batch=batch_stacks(lambda: adjugate),
)
"""`adjugate(a)` = det(a) inv(a), of singular matrices too."""

det = opaque(
    "det",
    np.linalg.det,
    lambda ans, primals, tangents: trace_of_product(adjugate(primals[0]), tangents[0]),
    infer=lambda a: Aval(a.shape[:-2], square("det", a).dtype),
    batch=batch_stacks(lambda: det),
)


def _push_slogdet(ans: Any, primals: Any, tangents: Any) -> list[Any]:
    t = trace_of_product(inv(primals[0], strict=False), tangents[0])
    if aval_of(t).dtype.kind != "c":
        return [None, t]
    return [ans[0] * (imag(t) * 1j), real(t)]


def _infer_slogdet(a: Aval) -> list[Aval]:
    dtype = square("slogdet", a).dtype
    return [Aval(a.shape[:-2], dtype), Aval(a.shape[:-2], real_dtype(dtype))]


slogdet = opaque(
    "slogdet",
    lambda a: list(np.linalg.slogdet(a)),
    _push_slogdet,
    infer=_infer_slogdet,
    batch=batch_stacks(lambda: slogdet),
    multiple_results=True,
)
"""`slogdet(a)`: [sign, log|det|]."""


def _pinv(a: Any, *rcond: Any) -> Any:
    if rcond:
        return np.linalg.pinv(a, rcond[0])
    return np.linalg.pinv(a)


def _push_pinv(ans: Any, primals: Any, tangents: Any) -> Any:
    """Golub and Pereyra (1973), equation 4.12."""
    a, t = primals[0], tangents[0]
    th, ph = adjoint(t), adjoint(ans)
    first = matmul(matmul(ans, t), ans)
    rows = matmul(matmul(ans, ph), th)
    rows = rows - matmul(matmul(rows, a), ans)
    columns = matmul(th, matmul(ph, ans))
    columns = columns - matmul(ans, matmul(a, columns))
    return rows + columns - first


def _infer_pinv(a: Aval, *rcond: Aval) -> Aval:
    a = matrices("pinv", a)
    *stack, m, n = a.shape
    return Aval((*stack, n, m), a.dtype)


def _batch_pinv(size: int, args: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, int]:
    if len(args) == 1:
        return pinv(move_to_front(args[0], dims[0])), 0
    a = at_front(size, args[0], dims[0])  # NumPy does not broadcast a to rcond
    _, rcond = align_stacks((a, args[1]), (0, dims[1]), (2, 0))
    return pinv(a, rcond), 0


pinv = opaque("pinv", _pinv, _push_pinv, infer=_infer_pinv, batch=_batch_pinv)
"""`pinv(a)` or `pinv(a, rcond)`: the Moore-Penrose inverse."""
