"""Matrix equations on stacks of matrices: triangular, Sylvester's, the square root.

    solve_triangular   t x = b         t dx = db - dt x, where dt counts in one triangle
    solve_sylvester    a x + x b = q   a dx + dx b = dq - da x - x db
    sqrtm              x x = a         x dx + dx x = da

Each derivative is a linear equation of the same kind, so every order is exact. SciPy,
where it is installed, solves single matrices with fewer operations.

Public names: `solve_triangular solve_sylvester sqrtm triangle`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.ir import Eqn
from ..core.primitive import ANS, Plan
from ..core.trace import aval_of
from .comparison import where
from .contraction import matmul, swap_last
from .infer_rules import broadcast_shapes
from .kinds import Opaque, conform, opaque
from .scipy_extra import installed, scipy_module
from .stacks import align_stacks, batch_stacks, matrices, square

__all__ = ["solve_sylvester", "solve_triangular", "sqrtm", "triangle"]


def triangle(a: Any, lower: bool) -> Any:
    """Return `a` with zeros above (or below) its diagonal."""
    aval = aval_of(a)
    n = aval.shape[-1]
    mask = np.tri(n, dtype=bool) if lower else np.tri(n, dtype=bool).T
    return where(mask, a, np.zeros((), aval.dtype)[()])


def _triangular(t: Any, b: Any, *, lower: bool) -> Any:
    if t.ndim == b.ndim == 2 and installed():
        linalg = scipy_module("linalg")
        dtype = np.linalg.solve(
            np.ones((1, 1), t.dtype), np.ones((1, 1), b.dtype)
        ).dtype
        out = linalg.solve_triangular(t, b, lower=lower, check_finite=False)
        return out.astype(dtype, copy=False)
    return np.linalg.solve(triangle(t, lower), b)


def _infer_triangular(t: Aval, b: Aval, *, lower: bool) -> Aval:
    t, b = square("solve_triangular", t), matrices("solve_triangular", b)
    if b.shape[-2] != t.shape[-1]:
        raise ValueError(f"solve_triangular: {t} and right-hand sides {b} do not match")
    stack = broadcast_shapes("solve_triangular", t.shape[:-2], b.shape[:-2])
    return Aval((*stack, *b.shape[-2:]), np.result_type(t.dtype, b.dtype))


def _batch_triangular(
    size: int, args: Sequence[Any], dims: Sequence[int | None], *, lower: bool
) -> tuple[Any, int]:
    t, b = align_stacks(args, dims, (2, 2))
    return solve_triangular(t, b, lower=lower), 0


class _Triangular(Opaque):
    """Linear in b; with t differentiated it keeps x, else only t."""

    def make_plan(self, mask: tuple[bool, ...]) -> Plan:
        return Plan(mask, (ANS, 0) if mask[0] else (0,), ())

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> Any:
        dt, db = tangents
        t, *ans = eqn.residuals
        lower = eqn.params["lower"]
        if dt is not None:
            change = -matmul(triangle(dt, lower), *ans)
            db = change if db is None else db + change
        if db is None:
            return None
        return conform(solve_triangular(t, db, lower=lower), eqn.aval)

    def pullback(  # type: ignore[override]
        self, eqn: Eqn, ct: Any, live: Any = None
    ) -> list[Any]:
        t, b = eqn.inputs
        matrix, *ans = eqn.residuals
        lower = eqn.params["lower"]
        found = solve_triangular(swap_last(matrix), ct, lower=not lower)
        by_t = None
        if t is not None:
            by_t = triangle(-matmul(found, swap_last(ans[0])), lower)
            by_t = conform(by_t, t.aval)
        return [by_t, None if b is None else conform(found, b.aval)]


solve_triangular = _Triangular(
    "solve_triangular",
    _triangular,
    lambda ans, primals, tangents: None,  # `pushforward` is written out above
    infer=_infer_triangular,
    batch=_batch_triangular,
)
"""`solve_triangular(t, b, lower=True)`: one triangle of t is read."""


def _sylvester(a: Any, b: Any, q: Any) -> Any:
    dtype = np.result_type(a, b, q, np.float32)
    if a.ndim == b.ndim == q.ndim == 2 and installed():
        # one dtype: SciPy takes a real Schur form of a real b beside a complex a
        same = [v.astype(dtype, copy=False) for v in (a, b, q)]
        found = scipy_module("linalg").solve_sylvester(*same)
        return found.astype(dtype, copy=False)
    m, n = q.shape[-2:]
    whole = np.einsum("...ij,kl->...ikjl", a, np.eye(n)) + np.einsum(
        "ij,...kl->...iljk", np.eye(m), b
    )
    stack = whole.shape[:-4]
    columns = np.linalg.solve(
        whole.reshape(*stack, m * n, m * n), q.reshape(*q.shape[:-2], m * n, 1)
    )
    return columns.reshape(*columns.shape[:-2], m, n).astype(dtype, copy=False)


def _infer_sylvester(a: Aval, b: Aval, q: Aval) -> Aval:
    a, b = square("solve_sylvester", a), square("solve_sylvester", b)
    q = matrices("solve_sylvester", q)
    if q.shape[-2:] != (a.shape[-1], b.shape[-1]):
        raise ValueError(f"solve_sylvester: {a}, {b} and {q} do not match")
    stack = broadcast_shapes("solve_sylvester", *[v.shape[:-2] for v in (a, b, q)])
    return Aval((*stack, *q.shape[-2:]), np.result_type(a.dtype, b.dtype, q.dtype))


def _batch_sylvester(
    size: int, args: Sequence[Any], dims: Sequence[int | None]
) -> tuple[Any, int]:
    return solve_sylvester(*align_stacks(args, dims, (2, 2, 2))), 0


class _Sylvester(Opaque):
    """Linear in q; the transposed equation has the transposed a and b."""

    def make_plan(self, mask: tuple[bool, ...]) -> Plan:
        return Plan(mask, (ANS, 0, 1) if mask[0] or mask[1] else (0, 1), ())

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> Any:
        da, db, dq = tangents
        b, a, *ans = eqn.residuals
        if da is not None:
            change = -matmul(da, *ans)
            dq = change if dq is None else dq + change
        if db is not None:
            change = -matmul(*ans, db)
            dq = change if dq is None else dq + change
        return None if dq is None else conform(solve_sylvester(a, b, dq), eqn.aval)

    def pullback(  # type: ignore[override]
        self, eqn: Eqn, ct: Any, live: Any = None
    ) -> list[Any]:
        b, a, *ans = eqn.residuals
        found = solve_sylvester(swap_last(a), swap_last(b), ct)
        cts: list[Callable[[], Any]] = [
            lambda: -matmul(found, swap_last(ans[0])),
            lambda: -matmul(swap_last(ans[0]), found),
            lambda: found,
        ]
        return [
            None if v is None else conform(c(), v.aval)
            for v, c in zip(eqn.inputs, cts, strict=True)
        ]


solve_sylvester = _Sylvester(
    "solve_sylvester",
    _sylvester,
    lambda ans, primals, tangents: None,
    infer=_infer_sylvester,
    batch=_batch_sylvester,
)
"""`solve_sylvester(a, b, q)`: x with a x + x b = q."""


def _sqrtm(a: Any) -> Any:
    dtype = np.linalg.inv(np.ones((1, 1), a.dtype)).dtype
    if a.ndim == 2 and installed():
        with np.errstate(all="ignore"):
            found = np.asarray(scipy_module("linalg").sqrtm(a))
    else:
        found = own_sqrtm(a)
    if dtype.kind != "c" and found.dtype.kind == "c":
        scale = np.abs(found).max(initial=0.0)
        real = np.abs(found.imag).max(initial=0.0) <= 1e-9 * scale
        found = found.real if real else np.full(a.shape, np.nan)
    return found.astype(dtype, copy=False)


def own_sqrtm(a: Any) -> Any:
    """Return square roots by iteration, or by eigenvectors where that does not lead."""
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    a = a.astype(wide)
    x = _iterate(a)
    if wide is np.complex128 and not _is_root(x, a).all():
        values, vectors = np.linalg.eig(a)
        scaled = vectors * np.sqrt(values)[..., None, :]
        x = np.where(_is_root(x, a), x, np.matmul(scaled, np.linalg.inv(vectors)))
    return np.where(_is_root(x, a), x, np.nan)


def _iterate(x: Any, steps: int = 60) -> Any:
    """Iterate x <- (x + y^-1) / 2, y <- (y + x^-1) / 2 (Denman and Beavers, 1976)."""
    y = np.broadcast_to(np.eye(x.shape[-1]), x.shape).astype(x.dtype)
    for _ in range(steps):
        old = x
        try:
            x, y = (x + np.linalg.inv(y)) / 2, (y + np.linalg.inv(x)) / 2
        except np.linalg.LinAlgError:  # it strayed: there is no such root
            break
        if np.abs(x - old).max(initial=0) <= 1e-15 * np.abs(x).max(initial=1e-300):
            break
    return x


def _is_root(x: Any, a: Any) -> Any:
    residual = np.abs(np.matmul(x, x) - a).max((-2, -1), initial=0, keepdims=True)
    return residual <= 1e-6 * np.abs(a).max((-2, -1), initial=0, keepdims=True)


sqrtm = opaque(
    "sqrtm",
    _sqrtm,
    lambda ans, primals, tangents: solve_sylvester(ans, ans, tangents[0]),
    infer=lambda a: square("sqrtm", a),
    batch=batch_stacks(lambda: sqrtm),
)
"""`sqrtm(a)`: the principal square root; of a real matrix without a real one, nan."""
