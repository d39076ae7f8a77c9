"""The base of constraints, and those on matrices.

Public names: `Constraint`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import linalg
from ..declare import functions

__all__ = ["Constraint"]


class Constraint:
    """A set of values.

    Attributes:
        is_discrete: the set is countable.
        event_dim: how many of the last dimensions make up one value.
    """

    is_discrete: Any = False
    event_dim: Any = 0

    def check(self, value: Any) -> Any:
        """Return where a value satisfies the constraint."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}({self._shown()})"

    def _shown(self) -> str:
        return ""


class _LowerTriangular(Constraint):
    event_dim = 2

    def check(self, value: Any) -> Any:
        return (value.tril() == value).flatten(-2).all(-1)


class _LowerCholesky(_LowerTriangular):
    def check(self, value: Any) -> Any:
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(_LowerCholesky):
    def check(self, value: Any) -> Any:
        tolerance = float(np.finfo(value.aval.dtype).eps) * value.shape[-1] * 10
        lengths = value.detach().square().sum(-1).sqrt()
        return (lengths - 1).abs().le(tolerance).all(-1) & super().check(value)


class _Square(Constraint):
    event_dim = 2

    def check(self, value: Any) -> Any:
        size = value.shape[:-2]
        return functions["full"](size, value.shape[-2] == value.shape[-1])


class _Symmetric(_Square):
    def check(self, value: Any) -> Any:
        square = super().check(value)
        if not square.all():
            return square
        return functions["isclose"](value, value.mT, atol=1e-6).all(-2).all(-1)


class _PositiveSemidefinite(_Symmetric):
    def check(self, value: Any) -> Any:
        symmetric = super().check(value)
        if not symmetric.all():
            return symmetric
        return linalg.eigvalsh(value).ge(0).all(-1)


class _PositiveDefinite(_Symmetric):
    def check(self, value: Any) -> Any:
        symmetric = super().check(value)
        if not symmetric.all():
            return symmetric
        return linalg.cholesky_ex(value).info.eq(0)
