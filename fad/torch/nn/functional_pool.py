"""Pooling: extrema and means over windows.

Where a window of max pooling lies is a table per dimension, (outputs, kernel), of the
positions it reads; positions in the padding are replaced by the nearest ones inside.
The largest element is found without a derivative, its position is one number into the
flat input, and the result is read from there: so ties go to the first element, and
adaptive pooling, whose windows differ in length, is the same operation.

Means are sums along one dimension after the other, divided by how much they cover.

Public names: the functions, as in `torch.nn.functional`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import numpy as fnp
from ...core.trace import aval_of
from ...ops.arithmetic import stop_gradient
from ...ops.contraction import contract
from ...ops.index_layout import ARRAY
from ...ops.indexing import getitem
from ...ops.reductions import argmax
from ...ops.shape import reshape
from ..declare import composite
from ..tensor import Tensor
from .pool_geometry import (
    check_pool,
    covered,
    out_size,
    region_table,
    sizes_for,
    unbatched,
    window_table,
)

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
]
