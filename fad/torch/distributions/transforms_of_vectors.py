"""Transforms whose events are vectors and matrices.

Public names: as `__all__` lists.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import linalg
from ..declare import functions
from ..nn import functional as F
from ..size import Size
from . import constraints
from .distribution import sum_rightmost
from .transforms import Transform

__all__ = [
    "CatTransform",
    "CorrCholeskyTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "SoftmaxTransform",
    "StackTransform",
    "StickBreakingTransform",
]


class _Fixed(Transform):
    """A transform without parameters; all of one class are equal."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    __hash__ = object.__hash__


class SoftmaxTransform(_Fixed):
    """y = softmax(x), which forgets a common summand: it has no Jacobian."""

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Any) -> Any:
        probs = (x - x.max(-1, True)[0]).exp()
        return probs / probs.sum(-1, True)

    def _inv(self, y: Any) -> Any:
        return y.log()

    def forward_shape(self, shape: Any) -> Any:
        return _at_least(shape, 1)

    inverse_shape = forward_shape


def _at_least(shape: Any, rank: int) -> Any:
    if len(shape) < rank:
        raise ValueError("Too few dimensions on input")
    return shape


class StickBreakingTransform(_Fixed):
    """From n numbers to n + 1 shares of a whole, broken off one after another."""

    bijective = True
    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Any) -> Any:
        rest = _remaining(x.shape[-1], x)
        z = _clipped(x - rest.log())
        kept = (1 - z).cumprod(-1)
        return F.pad(z, [0, 1], value=1) * F.pad(kept, [1, 0], value=1)

    def _inv(self, y: Any) -> Any:
        cropped = y[..., :-1]
        rest = _remaining(cropped.shape[-1], cropped)
        left = 1 - cropped.cumsum(-1)
        left = functions["clamp"](left, min=float(np.finfo(y.aval.dtype).tiny))
        return cropped.log() - left.log() + rest.log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        x = x - _remaining(x.shape[-1], x).log()
        return (-x + F.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        _at_least(shape, 1)
        return Size((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: Any) -> Any:
        _at_least(shape, 1)
        return Size((*shape[:-1], shape[-1] - 1))


def _remaining(n: int, like: Any) -> Any:
    """Return how many shares are still to come after each: n, n - 1, ..., 1."""
    return n + 1 - like.new_ones(n).cumsum(-1)


def _clipped(x: Any) -> Any:
    info = np.finfo(x.aval.dtype)
    return x.sigmoid().clamp(min=float(info.tiny), max=1.0 - float(info.eps))


class LowerCholeskyTransform(_Fixed):
    """From matrices to lower triangular ones with a positive diagonal."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Any) -> Any:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inv(self, y: Any) -> Any:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(_Fixed):
    """From matrices to positive definite ones."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Any) -> Any:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inv(self, y: Any) -> Any:
        return LowerCholeskyTransform().inv(linalg.cholesky(y))


class CorrCholeskyTransform(Transform):
    """From n (n - 1) / 2 numbers to the Cholesky factor of a correlation matrix."""

    bijective = True
    domain = constraints.real_vector
    codomain = constraints.corr_cholesky

    def _call(self, x: Any) -> Any:
        x = x.tanh()
        eps = float(np.finfo(x.aval.dtype).eps)
        r = _filled_below(x.clamp(min=-1 + eps, max=1 - eps))
        rest = (1 - r**2).sqrt().cumprod(-1)
        r = r + functions["eye"](r.shape[-1], dtype=r.dtype)
        return r * F.pad(rest[..., :-1], [1, 0], value=1)

    def _inv(self, y: Any) -> Any:
        rest = 1 - (y * y).cumsum(-1)
        lower = _below(F.pad(rest[..., :-1], [1, 0], value=1))
        t = _below(y) / lower.sqrt()
        return (t.log1p() - t.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Any, y: Any, intermediates: Any = None) -> Any:
        rest = _below(1 - (y * y).cumsum(-1), diagonal=-2)
        found = 0.5 * rest.log().sum(-1)
        return found - 2 * (x + F.softplus(-2 * x) - math.log(2.0)).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        _at_least(shape, 1)
        n = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if n * (n - 1) // 2 != shape[-1]:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return Size((*shape[:-1], n, n))

    def inverse_shape(self, shape: Any) -> Any:
        if len(shape) < 2:
            raise ValueError("Too few dimensions on input")
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        n = shape[-1]
        return Size((*shape[:-2], n * (n - 1) // 2))


def _filled_below(vector: Any) -> Any:
    """Return a matrix with the numbers of a vector below its diagonal."""
    n = round((0.25 + 2 * vector.shape[-1]) ** 0.5 + 0.5)
    rows, columns = np.tril_indices(n, -1)
    places = functions["from_numpy"](rows * n + columns)
    flat = vector.new_zeros((*vector.shape[:-1], n * n))
    flat = flat.index_copy(-1, places, vector)
    return flat.reshape(*vector.shape[:-1], n, n)


def _below(matrix: Any, diagonal: int = -1) -> Any:
    """Return the numbers of a matrix below its diagonal as a vector."""
    rows, columns = np.tril_indices(matrix.shape[-1], diagonal)
    return matrix[..., rows.tolist(), columns.tolist()]


class _Joined(Transform):
    """Transforms of parts of a tensor along a dimension."""

    transforms: list[Any]
    dim: int

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        return all(t.bijective for t in self.transforms)

    def _domains(self, name: str) -> list[Any]:
        return [getattr(t, name) for t in self.transforms]


class CatTransform(_Joined):
    """Transforms of parts that lie one after another along a dimension."""

    def __init__(
        self,
        tseq: Sequence[Any],
        dim: int = 0,
        lengths: Any = None,
        cache_size: int = 0,
    ) -> None:
        if cache_size:
            tseq = [t.with_cache(cache_size) for t in tseq]
        super().__init__(cache_size=cache_size)
        self.transforms, self.dim = list(tseq), dim
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)

    def with_cache(self, cache_size: int = 1) -> Any:
        if self._cache_size == cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    @property
    def event_dim(self) -> int:
        return max(t.event_dim for t in self.transforms)

    @property
    def length(self) -> int:
        """The size of the dimension."""
        return sum(self.lengths)

    @property
    def domain(self) -> Any:  # type: ignore[override]
        return constraints.cat(self._domains("domain"), self.dim, self.lengths)

    @property
    def codomain(self) -> Any:  # type: ignore[override]
        return constraints.cat(self._domains("codomain"), self.dim, self.lengths)

    def _call(self, x: Any) -> Any:
        parts = zip(self.transforms, x.split(self.lengths, self.dim), strict=True)
        return functions["cat"]([t(v) for t, v in parts], self.dim)

    def _inv(self, y: Any) -> Any:
        parts = zip(self.transforms, y.split(self.lengths, self.dim), strict=True)
        return functions["cat"]([t.inv(v) for t, v in parts], self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        xs, ys = (v.split(self.lengths, self.dim) for v in (x, y))
        terms = []
        for t, a, b in zip(self.transforms, xs, ys, strict=True):
            term = t.log_abs_det_jacobian(a, b)
            terms.append(sum_rightmost(term, self.event_dim - t.event_dim))
        dim = self.dim - x.ndim if self.dim >= 0 else self.dim
        dim += self.event_dim
        return functions["cat"](terms, dim) if dim < 0 else sum(terms)


class StackTransform(_Joined):
    """Transforms of parts that are stacked along a dimension."""

    def __init__(self, tseq: Sequence[Any], dim: int = 0, cache_size: int = 0) -> None:
        if cache_size:
            tseq = [t.with_cache(cache_size) for t in tseq]
        super().__init__(cache_size=cache_size)
        self.transforms, self.dim = list(tseq), dim

    def with_cache(self, cache_size: int = 1) -> Any:
        if self._cache_size == cache_size:
            return self
        return StackTransform(self.transforms, self.dim, cache_size)

    @property
    def domain(self) -> Any:  # type: ignore[override]
        return constraints.stack(self._domains("domain"), self.dim)

    @property
    def codomain(self) -> Any:  # type: ignore[override]
        return constraints.stack(self._domains("codomain"), self.dim)

    def _call(self, x: Any) -> Any:
        parts = zip(self.transforms, x.unbind(self.dim), strict=True)
        return functions["stack"]([t(v) for t, v in parts], self.dim)

    def _inv(self, y: Any) -> Any:
        parts = zip(self.transforms, y.unbind(self.dim), strict=True)
        return functions["stack"]([t.inv(v) for t, v in parts], self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        parts = zip(
            self.transforms, x.unbind(self.dim), y.unbind(self.dim), strict=True
        )
        terms = [t.log_abs_det_jacobian(a, b) for t, a, b in parts]
        return functions["stack"](terms, self.dim)
