"""Arrays made in the likeness of a traced one.

`zeros_like(x)` is the linear map of x to zeros of any shape and dtype. Its result is
traced as x is, with derivative zero, so that traced values can be written into it.

Public names: `zeros_like`.
"""

from __future__ import annotations

from typing import Any

from ..core.avals import Aval, zeros
from .kinds import linear

__all__ = ["zeros_like"]


def _batch(size: int, args: Any, dims: Any, *, shape: Any, dtype: Any) -> Any:
    return zeros_like(args[0], shape=(size, *shape), dtype=dtype), 0


zeros_like = linear(
    "zeros_like",
    lambda x, *, shape, dtype: zeros(Aval(shape, dtype)),
    lambda ct, *, dtype: zeros_like(ct, shape=(), dtype=dtype),  # conform broadcasts it
    infer=lambda x, *, shape, dtype: Aval(shape, dtype),
    batch=_batch,
)
zeros_like.pullback = lambda eqn, ct, live=None: [None]  # type: ignore[method-assign]
# No cotangent at all: a zero one would become nan where x has an infinite slope.
