"""Forward mode for many tangents at once: all columns of a Jacobian.

What acts on each element alone multiplies every tangent by the same numbers,

    t(exp(x) * x) = (1 * exp(x) * x + 1 * exp(x)) * t(x),

so a chain of such operations is one product. `Columns` pushes the factor, which has no
axis of columns, and multiplies when another kind of operation needs the tangents: of a
chain of k operations on n columns it makes k + n passes instead of k * n.

The factor of a real operation is its derivative, pushed from ones in the same order as
`Stream` pushes tangents; a single operation gives the same digits.

Public names: `Columns`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.ir import Eqn
from ..core.primitive import Primitive
from ..core.trace import aval_of
from .forward import Stream

__all__ = ["Columns"]


class _Scaled:
    """The tangents factor * root; without a factor, the root itself."""

    __slots__ = ("root", "factor", "_whole")

    def __init__(self, root: Any, factor: Any = None) -> None:
        self.root = root
        self.factor = factor
        self._whole = root if factor is None else None

    def whole(self) -> Any:
        """Return the tangents, multiplied once."""
        if self._whole is None:
            self._whole = self.root * self.factor
        return self._whole


class Columns(Stream):
    """A `Stream` whose tangents are products with a common factor."""

    __slots__ = ()

    def input(self, value: Any, tangent: Any) -> Any:
        return super().input(value, None if tangent is None else _Scaled(tangent))

    def tangent(self, out: Any) -> Any:
        found = super().tangent(out)
        return found if found is None else found.whole()

    def _push_both(
        self,
        prim: Primitive,
        values: Sequence[Any],
        tangents: Sequence[Any],
        params: dict[str, Any],
    ) -> tuple[Any, Any]:
        whole = [None if t is None else t.whole() for t in tangents]
        ans, out = super()._push_both(prim, values, whole, params)
        return ans, _wrapped(out)

    def _push(self, eqn: Eqn, tangents: Sequence[Any]) -> Any:
        root = _common_root(eqn, tangents)
        if root is None:
            whole = [None if t is None else t.whole() for t in tangents]
            return _wrapped(super()._push(eqn, whole))
        ones = np.ones(eqn.aval.shape, eqn.aval.dtype)
        factors = [
            None if t is None else ones if t.factor is None else t.factor
            for t in tangents
        ]
        factor = super()._push(eqn, factors)
        return None if factor is None else _Scaled(root, factor)


def _common_root(eqn: Eqn, tangents: Sequence[Any]) -> Any:
    """Return the root that all tangents are multiples of, if the result is one too."""
    if not eqn.prim.pointwise or not _is_real(eqn.aval):
        return None
    roots = [t.root for t in tangents if t is not None]
    first = roots[0]
    if any(root is not first for root in roots[1:]):
        return None
    return first if aval_of(first) == Aval(eqn.aval.shape, eqn.aval.dtype) else None


def _is_real(aval: Any) -> bool:
    return isinstance(aval, Aval) and aval.dtype.kind == "f"


def _wrapped(tangents: Any) -> Any:
    if isinstance(tangents, (list, tuple)):
        return [_wrapped(t) for t in tangents]
    return None if tangents is None else _Scaled(tangents)
