"""Activations that keep nothing but their result y for the derivative.

    relu         dx where y > 0 (and where y is nan); 0 at 0
    sigmoid      dx y (1 - y)
    softmax      y (dx - <y, dx>)          vjp the same: the Jacobian is symmetric
    log_softmax  dx - <exp(y), dx>         vjp  ct - exp(y) <1, ct>

<a, b> is a sum over the axis. Networks apply them to large arrays and keep the result
anyway, so the input can be freed or overwritten. `fad.ops.special.logistic` is the
sigmoid whose derivative keeps its digits in the upper tail; it keeps its input too.

Public names: `relu sigmoid softmax log_softmax`.
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
from .elementary import exp
from .kinds import Opaque, elementwise
from .reductions import keep_axes, reduce_sum
from .shape import reshape
from .special import logistic

__all__ = ["log_softmax", "relu", "sigmoid", "softmax"]

relu = elementwise(
    "relu", lambda x: np.maximum(x, 0), [lambda t, ans: where(ans <= 0, 0, t)]
)
sigmoid = elementwise(
    "sigmoid", logistic.impl, [lambda t, ans: t * (ans * (1 - ans))], scalar="logistic"
)


def _total(x: Any, axis: int) -> Any:
    """Return the sum along an axis that stays, with length 1."""
    total = reduce_sum(x, axis=(axis,))
    return reshape(total, shape=keep_axes(aval_of(x).shape, (axis,)))


class _Normalized(Opaque):
    """An operation along an axis whose linear maps read the result alone."""

    structural = True

    def __init__(
        self,
        name: str,
        impl: Callable[..., Any],
        push: Callable[..., Any],
        pull: Callable[..., Any],
    ) -> None:
        super().__init__(
            name,
            impl,
            lambda ans, primals, tangents, *, axis: push(tangents[0], ans, axis),
            infer=lambda x, *, axis: Aval(x.shape, x.dtype),
            batch=self._batch,
        )
        self.push, self.pull = push, pull

    def _batch(self, size: int, args: Any, dims: Any, *, axis: int) -> tuple[Any, Any]:
        (d,) = dims
        return self(args[0], axis=axis + (axis >= d)), d

    def make_plan(self, mask: tuple[bool, ...]) -> Plan:
        return Plan(mask, (ANS,), ())

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> Any:
        if tangents[0] is None:
            return None
        return self.push(tangents[0], eqn.residuals[0], eqn.params["axis"])

    def pullback(  # type: ignore[override]  # the transpose of `push`, in fewer steps
        self, eqn: Eqn, ct: Any, live: Any = None
    ) -> list[Any]:
        return [self.pull(ct, eqn.residuals[0], eqn.params["axis"])]


def _centred(x: Any, axis: int) -> Any:
    if not x.shape[axis]:
        return x
    return x - np.maximum.reduce(x, axis, keepdims=True)


def _softmax(x: Any, *, axis: int) -> Any:
    weights = np.exp(_centred(x, axis))
    weights /= np.add.reduce(weights, axis, keepdims=True)
    return weights


def _log_softmax(x: Any, *, axis: int) -> Any:
    if not x.shape[axis]:
        return np.copy(x)
    centred = _centred(x, axis)
    return centred - np.log(np.add.reduce(np.exp(centred), axis, keepdims=True))


def _weighted(t: Any, ans: Any, axis: int) -> Any:
    return (t - _total(t * ans, axis)) * ans


softmax = _Normalized("softmax_along", _softmax, _weighted, _weighted)
"""`softmax(x, axis=1)` of an array of at least one dimension; x is floating."""

log_softmax = _Normalized(
    "log_softmax_along",
    _log_softmax,
    lambda t, ans, axis: t - _total(t * exp(ans), axis),
    lambda ct, ans, axis: ct - exp(ans) * _total(ct, axis),
)
