"""The p-norm over axes, with derivatives that are finite at zero.

    norm = (sum |x|^p)^(1/p)
    d norm = Re sum dx (conj(x) / |x|) (|x| / norm)^(p-1)

where x = 0 the factor conj(x) / |x| is 0, as sign(0) is; where the norm is 0 all are.
So the gradient at the origin is 0, the subgradient of least length, and |x|^2 has its
exact gradient there.

Public names: `norm`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.ir import Eqn
from ..core.trace import aval_of
from .arithmetic import conj, div0
from .comparison import eq, logical_or, where
from .kinds import Opaque
from .piecewise import abs_
from .reductions import batch_reduction, drop_axes, keep_axes, reduce_sum, spread
from .shape import reshape

__all__ = ["norm"]

Axes = tuple[int, ...]


def _norm(x: Any, *, ord: float, axis: Axes) -> Any:
    if ord != 2:
        return np.add.reduce(np.abs(x) ** ord, axis) ** (1 / ord)
    if len(axis) < x.ndim:
        return np.sqrt(np.add.reduce((x.conj() * x).real, axis))
    x = x.ravel(order="K")
    if x.dtype.kind == "c":
        return np.sqrt(x.real.dot(x.real) + x.imag.dot(x.imag))
    return np.sqrt(x.dot(x))


def _weights(x: Any, ans: Any, ord: float, axis: Axes) -> Any:
    """Return what the tangents of the elements of x are multiplied with."""
    aval = aval_of(x)
    kept = keep_axes(aval.shape, axis)
    ans = reshape(ans, shape=kept) if kept else ans
    cx = conj(x) if aval.dtype.kind == "c" else x
    if ord == 2:
        return div0(cx, ans)
    one = np.ones((), aval_of(ans).dtype)[()]
    zero = np.zeros((), aval.dtype)[()]
    size = abs_(x)
    none = logical_or(eq(size, 0), eq(ans, 0))
    size = where(none, one, size)
    relative = (size / where(none, one, ans)) ** (ord - 1)
    return where(none, zero, cx / size * relative)


class _Norm(Opaque):
    """A reduction known by its weights, as `fad.ops.reductions.Reduction`."""

    structural = True

    def pullback(  # type: ignore[override]  # the transpose of `_push`, in fewer steps
        self, eqn: Eqn, ct: Any, live: Any = None
    ) -> list[Any]:
        ans, (x,) = eqn.residuals
        axis = eqn.params["axis"]
        ct = spread(ct, aval_of(x).shape, axis)
        return [ct * _weights(x, ans, eqn.params["ord"], axis)]


def _push(
    ans: Any, primals: Sequence[Any], tangents: Sequence[Any], *, ord: float, axis: Axes
) -> Any:
    weights = _weights(primals[0], ans, ord, axis)
    return reduce_sum(tangents[0] * weights, axis=axis)


def _infer(x: Aval, *, ord: float, axis: Axes) -> Aval:
    return Aval(drop_axes(x.shape, axis), np.empty(0, x.dtype).real.dtype)


norm = _Norm("norm", _norm, _push, infer=_infer, batch=batch_reduction(lambda: norm))
"""`norm(x, ord=2, axis=(0,))`: any `ord` but 0 and infinities; x is inexact."""
