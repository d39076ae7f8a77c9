"""x log(y) and its kin, whose value at x = 0 is 0 whatever y is.

    xlogy(x, y) = x log(y)         by x: log(y)      by y: x / y, and 0 where both are 0
    xlog1py(x, y) = x log(1 + y)   by x: log1p(y)    by y: x / (1 + y), likewise

Public names: `xlogy xlog1py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .comparison import eq, logical_and, where
from .elementary import log, log1p
from .kinds import elementwise

__all__ = ["xlog1py", "xlogy"]


def _times(x: Any, y: Any, logarithm: Any) -> Any:
    nothing = np.equal(x, 0) & ~np.isnan(y)
    with np.errstate(divide="ignore", invalid="ignore"):
        product = np.multiply(x, logarithm(y))
    return np.where(nothing, product.dtype.type(0), product)[()]


def _over(x: Any, y: Any) -> Any:
    """Return x / y, and 0 where both are 0."""
    return x / where(logical_and(eq(x, 0), eq(y, 0)), 1, y)


xlogy = elementwise(
    "xlogy",
    lambda x, y: _times(x, y, np.log),
    [lambda t, y: t * log(y), lambda t, x, y: t * _over(x, y)],
)
xlog1py = elementwise(
    "xlog1py",
    lambda x, y: _times(x, y, np.log1p),
    [lambda t, y: t * log1p(y), lambda t, x, y: t * _over(x, 1 + y)],
)
