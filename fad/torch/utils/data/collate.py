"""What a loader makes of the items of a batch.

Public names: `default_collate`, `default_convert`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...creation import as_tensor, tensor
from ...declare import functions
from ...dtypes import DTYPES
from ...tensor import Tensor

__all__ = ["default_collate", "default_convert"]


def default_convert(data: Any) -> Any:
    """Return data with arrays as tensors; what is no array stays."""
    if isinstance(data, Tensor):
        return data
    if isinstance(data, (np.ndarray, np.generic)):
        return data if data.dtype.kind in "SUO" else as_tensor(data)
    if isinstance(data, Mapping):
        return {k: default_convert(v) for k, v in data.items()}
    if isinstance(data, tuple):
        made = [default_convert(d) for d in data]
        return type(data)(*made) if hasattr(data, "_fields") else made
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return [default_convert(d) for d in data]
    return data


def default_collate(batch: Any) -> Any:
    """Return a batch of items as one item with one more dimension.

    >>> default_collate([(1, 2.5), (3, 4.5)])
    [tensor([1, 3]), tensor([2.5000, 4.5000], dtype=torch.float64)]
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return functions["stack"](batch, 0)
    if isinstance(first, (np.ndarray, np.generic)):
        if first.dtype.kind in "SUO":
            raise TypeError(_refusal(first.dtype))
        if first.shape:
            return functions["stack"]([as_tensor(b) for b in batch], 0)
        return as_tensor(np.asarray(batch))
    if isinstance(first, float):
        return tensor(batch, dtype=DTYPES["float64"])
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        made = {k: default_collate([b[k] for b in batch]) for k in first}
        return made if type(first) is dict else _like(first, made)
    if isinstance(first, Sequence):
        return _collate_sequences(first, batch)
    raise TypeError(_refusal(type(first)))


def _like(first: Any, made: dict[Any, Any]) -> Any:
    """Return collated values in the kind of mapping they came in, if it can be made."""
    try:
        return type(first)(made)
    except TypeError:  # its constructor takes something else: a dict will do
        return made


def _collate_sequences(first: Any, batch: Any) -> Any:
    if any(len(b) != len(first) for b in batch):
        raise RuntimeError("each element in list of batch should be of equal size")
    made = [default_collate(column) for column in zip(*batch, strict=True)]
    return type(first)(*made) if hasattr(first, "_fields") else made


def _refusal(found: Any) -> str:
    return (
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or "
        f"lists; found {found}"
    )
