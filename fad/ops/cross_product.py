"""The vector product of 3-vectors along the last axis.

    Re(ct . (x cross y)) = Re((y cross ct) . x) = Re((ct cross x) . y)

so its transposes are vector products again.

Public names: `cross`.
"""

from __future__ import annotations

import numpy as np

from ..core.avals import Aval
from .batching_rules import batch_aligned
from .infer_rules import broadcast_shapes
from .kinds import multilinear

__all__ = ["cross"]


def _infer(x: Aval, y: Aval) -> Aval:
    if x.shape[-1:] != (3,) or y.shape[-1:] != (3,):
        raise ValueError(f"cross: the last axes must have size 3, got {x} and {y}")
    shape = broadcast_shapes("cross", x.shape, y.shape)
    return Aval(shape, np.result_type(x.dtype, y.dtype))


cross = multilinear(
    "cross",
    np.cross,
    [lambda ct, y: cross(y, ct), lambda ct, x: cross(ct, x)],
    infer=_infer,
    batch=lambda size, args, dims: batch_aligned(cross, args, dims, {}),
)
