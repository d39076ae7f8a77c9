"""Comparison, logic, bits and selection.

Comparisons and integer functions have zero derivative. `where(mask, x, y)` is linear in
x and y; it is the *masking* primitive: its transpose cuts cotangents off, and the
reverse interpreter remembers where, so that a branch not taken never leaks
0 * inf = nan into a gradient.

Public names: `eq ne lt le gt ge logical_and logical_or logical_xor logical_not
bitwise_and bitwise_or bitwise_xor invert left_shift right_shift bitwise_count gcd lcm
isnan isinf isfinite signbit where`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.avals import Aval
from .batching_rules import batch_pointwise
from .bitmask import zero_unless
from .infer_rules import broadcast_shapes
from .kinds import constant, linear

__all__ = [
    "bitwise_and",
    "bitwise_count",
    "bitwise_or",
    "bitwise_xor",
    "eq",
    "gcd",
    "ge",
    "gt",
    "invert",
    "isfinite",
    "isinf",
    "isnan",
    "lcm",
    "le",
    "left_shift",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lt",
    "ne",
    "right_shift",
    "signbit",
    "where",
]

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
bitwise_and = constant("bitwise_and", np.bitwise_and, scalar="bitwise_and")
bitwise_or = constant("bitwise_or", np.bitwise_or, scalar="bitwise_or")
bitwise_xor = constant("bitwise_xor", np.bitwise_xor, scalar="bitwise_xor")
invert = constant("invert", np.invert, scalar="invert")
left_shift = constant("left_shift", np.left_shift, scalar="left_shift")
right_shift = constant("right_shift", np.right_shift, scalar="right_shift")
bitwise_count = constant("bitwise_count", np.bitwise_count)
gcd = constant("gcd", np.gcd)
lcm = constant("lcm", np.lcm)
isnan = constant("isnan", np.isnan, scalar="isnan")
isinf = constant("isinf", np.isinf, scalar="isinf")
isfinite = constant("isfinite", np.isfinite, scalar="isfinite")
signbit = constant("signbit", np.signbit, scalar="signbit")


def _where(mask: Any, x: Any, y: Any) -> Any:
    if y.__class__ is int and y == 0 and x.__class__ is np.ndarray:
        out = zero_unless(mask, x)
    elif x.__class__ is int and x == 0 and y.__class__ is np.ndarray:
        out = zero_unless(np.logical_not(mask), y)
    else:
        out = np.where(mask, x, y)
    return out if out.ndim else out[()]


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
    _where,
    [None, lambda ct, x: where(x, ct, 0), lambda ct, x: where(x, 0, ct)],
    infer=_infer_where,
    batch=lambda size, args, dims: batch_pointwise(where, args, dims, {}),
)
where.pointwise = True


def _live_branches(mask: Any) -> list[Any]:
    return [None, mask, logical_not(mask)]


where.masking = _live_branches
"""Of the residuals: where each input's cotangent is live."""
