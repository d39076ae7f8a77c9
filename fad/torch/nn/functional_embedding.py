"""Tables of vectors: embedding, bags of embeddings, one-hot.

Public names: `embedding`, `embedding_bag`, `one_hot`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import numpy as fnp
from ...core.trace import Tracer, aval_of
from ...ops.arithmetic import stop_gradient
from ...ops.comparison import ne, where
from ...ops.index_layout import ARRAY
from ...ops.indexing import getitem
from ...ops.reductions import reduce_sum
from ...ops.shape import reshape
from ..conversion import cast
from ..declare import composite
from ..dtypes import DTYPES
from ..modes import no_grad
from ..tensor import Tensor, wrap

__all__ = ["embedding", "embedding_bag", "one_hot"]


def _rows(table: Any, ids: Any, *, padding: int | None, by_count: bool) -> Any:
    """Return rows of a table; a row at `padding` sends no gradient back."""
    found = getitem(table, ids, index=(ARRAY,))
    if padding is None and not by_count:
        return found
    marks = reshape(ids, shape=(*aval_of(ids).shape, 1))
    if by_count:
        places = np.arange(aval_of(table).shape[0])
        flat = reshape(ids, shape=(aval_of(ids).size, 1))
        counts = reduce_sum(where(ne(flat, places), 0, 1), axis=(0,))
        share = 1 / reshape(getitem(counts, ids, index=(ARRAY,)), shape=marks.shape)
        share = share.astype(aval_of(table).dtype)
        found = found * share + stop_gradient(found * (1 - share))
    if padding is None:
        return found
    return where(ne(marks, padding), found, stop_gradient(found))


_embedding = composite("EmbeddingBackward0", _rows)


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Return the rows of a table at indices, shape ``(*indices, columns)``.

    Args:
        input: indices.
        weight: shape ``(rows, columns)``.
        padding_idx: a row that gets no gradient.
        max_norm: rows that are longer are shortened in place first.
        norm_type: by which norm.
        scale_grad_by_freq: divide gradients by how often an index occurs.
        sparse: has no effect: gradients are dense.
    """
    if padding_idx is not None:
        rows = weight.shape[0]
        if not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= rows
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    _check_indices(input, "embedding")
    _check_range(input, weight.shape[0])
    if max_norm is not None:
        _shorten(weight, input, max_norm, norm_type)
    found: Tensor = _embedding(
        weight, input, padding=padding_idx, by_count=scale_grad_by_freq
    )
    return found


def _check_indices(ids: Tensor, name: str) -> None:
    if ids.aval.dtype.name not in ("int64", "int32"):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following "
            f"scalar types: Long, Int; but got torch.{ids.dtype.title}Tensor instead "
            f"(while checking arguments for {name})"
        )


def _check_range(ids: Tensor, rows: int) -> None:
    value = ids.value
    if isinstance(value, Tracer) or not value.size:
        return
    if value.min() < 0 or value.max() >= rows:
        raise IndexError("index out of range in self")


def _shorten(weight: Tensor, ids: Tensor, max_norm: float, norm_type: float) -> None:
    """Scale the rows at indices down to a length, in place."""
    with no_grad():
        rows = np.unique(ids.value)
        picked: Any = weight.detach()[rows]  # type: ignore[attr-defined]
        size = picked.norm(norm_type, 1, True).value
        scale = np.where(size > max_norm, max_norm / (size + 1e-7), 1)
        weight[rows] = wrap((picked.value * scale).astype(picked.value.dtype))  # type: ignore[index]


def _bag(
    table: Any,
    weights: Any,
    *,
    ids: Any,
    bags: Any,
    count: int,
    mode: str,
    padding: int | None,
) -> Any:
    """Reduce the rows that belong to each bag."""
    if padding is not None:
        keep = ids != padding
        ids, bags = ids[keep], bags[keep]
        weights = None if weights is None else weights[keep]
    rows = getitem(table, ids, index=(ARRAY,))
    if weights is not None:
        rows = rows * fnp.reshape(weights, (-1, 1))
    member = bags[None, :] == np.arange(count)[:, None]
    dtype = aval_of(table).dtype
    if mode == "max":
        spread = fnp.where(member[:, :, None], rows[None], -np.inf)
        best = np.argmax(np.asarray(_plain(spread)), axis=1)[:, None]
        top = fnp.take_along_axis(spread, best, axis=1)[:, 0]
        return fnp.where(member.any(1)[:, None], top, 0).astype(dtype)
    total = member.astype(dtype) @ rows
    if mode == "mean":
        total = total / np.maximum(member.sum(1), 1)[:, None].astype(dtype)
    return total


def _plain(x: Any) -> Any:
    while isinstance(x, Tracer):
        x = x.value
    return x


_embedding_bag = composite("EmbeddingBagBackward0", _bag)


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Return sums, means or maxima of bags of rows of a table.

    Args:
        input: indices, a bag in each row, or all in one row with `offsets`.
        weight: shape ``(rows, columns)``.
        offsets: where bags begin, with indices in one dimension.
    """
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only "
            f"supported for mode='sum' (got mode='{mode}'). Please open a feature request "
            "on GitHub."
        )
    ids, bags, count = _bags(input, offsets, include_last_offset)
    _check_range(input, weight.shape[0])
    if max_norm is not None:
        _shorten(weight, input, max_norm, norm_type)
    if padding_idx is not None:
        padding_idx %= weight.shape[0]
    flat: Any = per_sample_weights
    flat = None if flat is None else flat.reshape(-1)
    found: Tensor = _embedding_bag(
        weight, flat, ids=ids, bags=bags, count=count, mode=mode, padding=padding_idx
    )
    return found


def _bags(input: Tensor, offsets: Tensor | None, last: bool) -> tuple[Any, Any, int]:
    """Return the flat indices, the bag of each, and the number of bags."""
    ids = input.value
    if ids.ndim == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a "
                "mini-batch of fixed length sequences. However, found offsets of type "
                "<class 'torch.Tensor'>"
            )
        n, length = ids.shape
        return ids.reshape(-1), np.repeat(np.arange(n), length), n
    if ids.ndim != 1:
        raise ValueError(
            f"input has to be 1D or 2D Tensor, but got Tensor of dimension {ids.ndim}"
        )
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets.ndim != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    starts = offsets.value[:-1] if last else offsets.value
    bags = np.searchsorted(starts, np.arange(ids.size), side="right") - 1
    return ids, bags, len(starts)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Return integers as rows with a 1 at their place, shape ``(*, classes)``."""
    if tensor.aval.dtype != np.int64:
        raise RuntimeError(
            "one_hot is only applicable to index tensor of type LongTensor."
        )
    if isinstance(tensor.value, Tracer):
        if num_classes == -1:  # which asks for values
            num_classes = int(tensor.max()) + 1  # type: ignore[attr-defined]
        classes = reshape(tensor.value, shape=(*tensor.shape, 1))
        hot = where(ne(classes, np.arange(num_classes)), 0, 1)
        from ..tensor import tensor_of

        return cast(tensor_of(hot), DTYPES["int64"].numpy)
    values = tensor.value
    if not values.size and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if values.size and values.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(values.max()) + 1
    elif values.size and values.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    hot = values[..., None] == np.arange(num_classes)
    return wrap(hot.astype(np.int64))
