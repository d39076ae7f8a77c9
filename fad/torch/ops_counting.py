"""Sets, counts and places: unique, bincount, histc, searchsorted, nonzero.

Their results are integers, or have no gradient.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import numpy as fnp
from ..ops import sorting
from .conversion import cast
from .declare import as_operand, composite, function
from .dims import axis_of
from .dtypes import DTYPES, to_numpy
from .filling import require_kind
from .return_types import returned
from .tensor import Tensor, wrap

__all__: list[str] = []


def values_of(x: Tensor) -> np.ndarray:
    """Return the values: the shape of the result depends on them."""
    from ..core.trace import concrete_value

    value = concrete_value(x.value)
    return np.asarray(x.value if value is None else value)


@function("unique", out=False)
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Return the different values in order, their places, and how often they occur."""
    axis = None if dim is None else axis_of(dim, input.ndim)
    found, inverse, counts = np.unique(
        values_of(input), return_inverse=True, return_counts=True, axis=axis,
        equal_nan=False,
    )  # fmt: skip
    if axis is None:
        inverse = inverse.reshape(input.shape)
    if axis is not None:
        inverse = inverse.reshape(-1)
    return _selected(found, inverse, counts, return_inverse, return_counts)


def _selected(found: Any, inverse: Any, counts: Any, *wanted: bool) -> Any:
    extra = [a for a, w in zip((inverse, counts), wanted, strict=True) if w]
    outs = tuple(wrap(np.ascontiguousarray(a)) for a in (found, *extra))
    return outs if extra else outs[0]


@function("unique_consecutive", out=False)
def unique_consecutive(
    input: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Return the values without repetitions that stand side by side."""
    values = values_of(input)
    rows = values.reshape(-1) if dim is None else np.moveaxis(values, dim, 0)
    n = len(rows)
    new = np.ones(n, bool)
    if n:
        differs = rows[1:] != rows[:-1]
        new[1:] = differs.reshape(n - 1, -1).any(1) if differs.ndim > 1 else differs
    starts = np.flatnonzero(new)
    found = rows[starts] if dim is None else np.moveaxis(rows[starts], 0, dim)
    inverse = np.cumsum(new) - 1
    if dim is None:
        inverse = inverse.reshape(values.shape)
    counts = np.diff(np.append(starts, n))
    return _selected(found, inverse, counts, return_inverse, return_counts)


@function("bincount", out=False)
def bincount(
    input: Tensor, weights: Tensor | None = None, minlength: int = 0
) -> Tensor:
    """Return how often each number from 0 occurs, or the sums of its weights."""
    values = values_of(input)
    if values.dtype.kind not in "iu":
        raise NotImplementedError(
            f"\"bincount_cpu\" not implemented for '{input.dtype.title}'"
        )
    if values.ndim != 1 or (values.size and values.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is None:
        return wrap(np.bincount(values, minlength=minlength))
    given = values_of(weights)
    if given.shape != values.shape:
        raise RuntimeError("weights should have the same length as the input tensor")
    counted = np.bincount(values, given, minlength)
    return wrap(counted.astype(np.float32 if given.dtype == np.float32 else np.float64))


@function("histc")
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """Return the counts in bins of one width; elements outside are left out."""
    values = values_of(input)
    require_kind(values, "f", "histogram_cpu")
    low, high = float(min), float(max)
    if low == high and values.size:
        low, high = float(values.min()), float(values.max())
    if low == high:
        low, high = low - 1, high + 1
    if low > high:
        raise RuntimeError("max must be larger than min")
    inside = values[(values >= low) & (values <= high)].astype(np.float64)
    places = ((inside - low) / (high - low) * bins).astype(np.int64)
    counts = np.bincount(np.minimum(places, bins - 1), minlength=bins)
    return wrap(counts.astype(values.dtype))


@function("histogram", out=False)
def histogram(
    input: Tensor,
    bins: Any,
    *,
    range: Any = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> Any:
    """Return the counts in bins, and the edges of the bins."""
    edges = values_of(bins) if isinstance(bins, Tensor) else bins
    weights = None if weight is None else values_of(weight)
    values = values_of(input)
    counts, found = np.histogram(values, edges, range, density, weights)
    d = values.dtype
    return returned("histogram", wrap(counts.astype(d)), wrap(found.astype(d)))


def _searched(table: Any, x: Any, *, side: str) -> Any:
    from ..core.trace import aval_of

    if len(aval_of(table).shape) == 1:
        return sorting.searchsorted(table, x, side=side)
    rows = table.reshape(-1, table.shape[-1])
    wanted = x.reshape(-1, x.shape[-1])
    found = [np.searchsorted(r, w, side) for r, w in zip(rows, wanted, strict=True)]
    return np.stack(found).reshape(x.shape)


_search = composite("SearchsortedBackward0", _searched)


@function("searchsorted", methods=False)
def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Return where values would have to be inserted to keep a sequence in order."""
    if side is not None and side not in ("left", "right"):
        raise RuntimeError(
            f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}"
        )
    side = side or ("right" if right else "left")
    if sorter is not None:
        sorted_sequence = sorted_sequence.gather(-1, sorter)  # type: ignore[attr-defined]
    x = as_operand(input)
    x = x if isinstance(x, Tensor) else np.asarray(x)
    out: Tensor = _search(sorted_sequence, x, side=side)
    return cast(out, np.dtype(np.int32)) if out_int32 else out


@function("bucketize", methods=False)
def bucketize(
    input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False
) -> Tensor:
    """Return the number of the bucket between boundaries that holds each value."""
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


@function("nonzero")
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """Return the places of the elements that are not zero."""
    places = np.nonzero(np.atleast_1d(values_of(input)))
    if as_tuple:
        return tuple(wrap(p) for p in places)
    if not input.ndim:
        return wrap(np.zeros((len(places[0]), 0), np.int64))
    return wrap(np.stack(places, -1).astype(np.int64))


@function("argwhere", out=False)
def argwhere(input: Tensor) -> Tensor:
    """Return the places of the elements that are not zero, one in a row."""
    out: Tensor = nonzero(input)
    return out


@function("unravel_index", methods=False, out=False)
def unravel_index(indices: Tensor, shape: Sequence[int]) -> tuple[Tensor, ...]:
    """Return the indices along each dimension of places in an array laid out flat."""
    found = np.unravel_index(values_of(indices), tuple(shape))
    return tuple(wrap(np.asarray(f, np.int64)) for f in found)


def _triangle(name: str, lower: bool) -> None:
    def call(
        row: int,
        col: int,
        offset: int = 0,
        *,
        dtype: Any = None,
        device: Any = None,
        layout: Any = None,
    ) -> Tensor:
        places = np.tri(row, col, offset if lower else offset - 1, dtype=bool)
        d = to_numpy(dtype or DTYPES["int64"])
        return wrap(np.stack(np.nonzero(places if lower else ~places)).astype(d))

    call.__doc__ = "Return the indices of a triangle of a matrix, rows first."
    function(name, methods=False, out=False)(call)


_triangle("tril_indices", True)
_triangle("triu_indices", False)

_cov = composite("SqueezeBackward0", lambda x, **options: fnp.cov(x, **options))


@function("cov", out=False)
def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """Return the covariance matrix of variables in rows."""
    given = {"fweights": fweights, "aweights": aweights}
    weights = {k: values_of(v) for k, v in given.items() if v is not None}
    out: Tensor = _cov(input, dtype=input.aval.dtype, ddof=correction, **weights)
    return out


_corrcoef = composite("ClampBackward1", fnp.corrcoef)


@function("corrcoef", out=False)
def corrcoef(input: Tensor) -> Tensor:
    """Return the correlation matrix of variables in rows."""
    return _corrcoef(input, dtype=input.aval.dtype)  # type: ignore[no-any-return]
