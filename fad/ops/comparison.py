"""Comparison, logic and selection.

Comparisons have zero derivative. `where(mask, x, y)` is linear in x and y; it is the
*masking* primitive: its transpose cuts cotangents off, and the reverse interpreter
remembers where, so that a branch not taken never leaks 0 * inf = nan into a gradient.

Public names: `eq ne lt le gt ge logical_and logical_or logical_xor logical_not
bitwise_* isnan isinf isfinite signbit where`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.trace import aval_of
from .batching_rules import batch_pointwise
from .infer_rules import broadcast_shapes
from .kinds import constant, linear

eq = constant("eq", np.equal, scalar="eq")
ne = constant("ne", np.not_equal, scalar="ne")
lt = constant("lt", np.less, scalar="lt")
le = constant("le", np.less_equal, scalar="le")
gt = constant("gt", np.greater, scalar="gt")
ge = constant("ge", np.greater_equal, scalar="ge")
logical_and = constant("logical_and", np.logical_and, scalar="logical_and")
logical_or = constant("logical_or", np.logical_or, scalar="logical_or")
logical_xor = constant("logical_xor", np.logical_xor, scalar="logical_xor")
logical_not = constant("logical_not", np.logical_not, scalar="logical_not")
isnan = constant("isnan", np.isnan, scalar="isnan")
isinf = constant("isinf", np.isinf, scalar="isinf")
isfinite = constant("isfinite", np.isfinite, scalar="isfinite")


def _zero(ct: Any) -> Any:
    return np.zeros((), aval_of(ct).dtype)[()]


def _infer_where(mask: Aval, x: Aval, y: Aval) -> Aval:
    examples = [
        np.zeros((), a.dtype)[()].item() if a.weak else np.empty(0, a.dtype)
        for a in (x, y)
    ]
    dtype = np.result_type(*examples)
    shape = broadcast_shapes("where", mask.shape, x.shape, y.shape)
    return Aval(shape, dtype)


where = linear(
    "where",
    lambda mask, x, y: np.where(mask, x, y)[()],
    [
        None,
        lambda ct, x: where(x, ct, _zero(ct)),
        lambda ct, x: where(x, _zero(ct), ct),
    ],
    infer=_infer_where,
    batch=lambda size, args, dims: batch_pointwise(where, args, dims, {}),
)
where.pointwise = True


def _live_branches(mask: Any) -> list[Any]:
    return [None, mask, logical_not(mask)]


where.masking = _live_branches
"""Of the residuals: where each input's cotangent is live."""
