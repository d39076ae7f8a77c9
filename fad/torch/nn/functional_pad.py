"""Padding and cropping.

Public names: `pad`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import numpy as fnp
from ...core.trace import aval_of
from ...ops.indexing import getitem
from ..declare import composite
from ..tensor import Tensor

__all__ = ["pad"]


def _constant(x: Any, *, widths: Sequence[tuple[int, int]], value: Any) -> Any:
    """Crop by negative widths, then extend by positive ones."""
    index = tuple(
        slice(max(0, -lo), n - max(0, -hi))
        for n, (lo, hi) in zip(aval_of(x).shape, widths, strict=True)
    )
    if any(lo < 0 or hi < 0 for lo, hi in widths):
        x = getitem(x, index=index)
    grown = [(max(0, lo), max(0, hi)) for lo, hi in widths]
    return fnp.pad(x, grown, constant_values=value) if any(map(any, grown)) else x


def _reflect_table(n: int, lo: int, hi: int) -> Any:
    places = np.abs(np.arange(-lo, n + hi))
    return np.where(places >= n, 2 * (n - 1) - places, places)


def _edge_table(n: int, lo: int, hi: int) -> Any:
    return np.clip(np.arange(-lo, n + hi), 0, n - 1)


def _circular_table(n: int, lo: int, hi: int) -> Any:
    return np.arange(-lo, n + hi) % n


_TABLES = {
    "reflect": _reflect_table,
    "replicate": _edge_table,
    "circular": _circular_table,
}
_NODES = {
    "reflect": "ReflectionPad{}DBackward0",
    "replicate": "ReplicationPad{}DBackward0",
    "circular": "CopySlices",
}


def _by_tables(x: Any, *, tables: Sequence[Any]) -> Any:
    """Read along the last dimensions where tables say."""
    first = len(aval_of(x).shape) - len(tables)
    for i, table in enumerate(tables):
        x = fnp.take(x, table, axis=first + i)
    return x


def pad(
    input: Tensor, pad: Sequence[int], mode: str = "constant", value: Any = None
) -> Tensor:
    """Extend a tensor, from its last dimension on.

    Args:
        input: the tensor.
        pad: ``(before, after)`` for the last dimension, then for the one before it, and
            so on; negative numbers crop.
        mode: ``"constant"``, ``"reflect"``, ``"replicate"`` or ``"circular"``.
        value: with ``"constant"``, what is put there, 0 by default.
    """
    sizes = [int(p) for p in pad]
    if len(sizes) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(sizes) > 2 * input.ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension "
            f"but got padding length {len(sizes)} and input of dimension {input.ndim}"
        )
    pairs = list(zip(sizes[::2], sizes[1::2], strict=True))[::-1]
    if mode == "constant":
        return _pad_constant(input, pairs, value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    rank = len(pairs)
    if mode not in _TABLES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if input.ndim not in (rank + 1, rank + 2) or not 1 <= rank <= 3:
        raise NotImplementedError(
            f"Padding size {len(sizes)} is not supported for {input.ndim}D input tensor.\n"
            + _SUPPORTED
        )
    return _pad_by_tables(input, pairs, mode)


_SUPPORTED = """Supported combinations for non-constant padding:
  - 2D or 3D input: padding size = 2 (pads last dimension)
  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)
  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"""


def _pad_constant(x: Tensor, pairs: Sequence[tuple[int, int]], value: Any) -> Tensor:
    widths = [(0, 0)] * (x.ndim - len(pairs)) + list(pairs)
    for n, (lo, hi) in zip(x.shape, widths, strict=True):
        if n + min(lo, 0) + min(hi, 0) < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
    fill = 0 if value is None else value
    if x.aval.dtype.kind in "iu":
        fill = int(fill)
    found: Tensor = _pad_node(x, widths=widths, value=fill)
    return found


_pad_node = composite("ConstantPadNdBackward0", _constant)


def _pad_by_tables(x: Tensor, pairs: Sequence[tuple[int, int]], mode: str) -> Tensor:
    rank = len(pairs)
    tables = []
    for i, (lo, hi) in enumerate(pairs):
        axis = x.ndim - rank + i
        n = x.shape[axis]
        if mode == "reflect" and (lo >= n or hi >= n):
            raise RuntimeError(
                f"Argument #{4 + 2 * (rank - 1 - i)}: Padding size should be less than "
                f"the corresponding input dimension, but got: padding ({lo}, {hi}) at "
                f"dimension {axis} of input {list(x.shape)}"
            )
        if mode == "circular" and (lo > n or hi > n):
            raise RuntimeError("Padding value causes wrapping around more than once.")
        tables.append(_TABLES[mode](n, lo, hi))
    apply = composite(_NODES[mode].format(rank), _by_tables)
    found: Tensor = apply(x, tables=tables)
    return found
