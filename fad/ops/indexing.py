"""Indexing (to be completed)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.avals import Aval
from .kinds import linear


def _scatter(ct, avals, *, index):
    return scatter_zeros(ct, index=index, shape=avals[0].shape)


getitem = linear(
    "getitem",
    lambda x, *, index: x[index],
    _scatter,
    infer=lambda x, *, index: Aval(np.broadcast_to(np.empty(()), x.shape)[index].shape, x.dtype),
    structural=True,
    view=True,
)


def _impl(ct, *, index, shape):
    out = np.zeros(shape, ct.dtype)
    out[index] = ct
    return out


scatter_zeros = linear("scatter", _impl, lambda ct, *, index, shape: getitem(ct, index=index),
    infer=lambda ct, *, index, shape: Aval(shape, ct.dtype))


def slice_along(x: Any, start: int, stop: int, axis: int) -> Any:
    """Return `x[..., start:stop, ...]` with the slice at `axis`."""
    return getitem(x, index=(slice(None),) * axis + (slice(start, stop),))
