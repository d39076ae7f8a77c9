"""General products, under the names and arguments of `jax.lax`.

`Precision` and arguments `precision` are accepted for compatibility: NumPy computes in
the precision of the operands.

Public names: `Precision batch_matmul dot dot_general`.
"""

from __future__ import annotations

import enum
from typing import Any

from ..core.trace import aval_of
from ..numpy.convert import cast, operand
from ..ops.contraction import LABELS, contract

__all__ = ["Precision", "batch_matmul", "dot", "dot_general"]


class Precision(enum.Enum):
    """Accepted for compatibility; it makes no difference."""

    DEFAULT = 0
    HIGH = 1
    HIGHEST = 2


def dot_general(
    lhs: Any,
    rhs: Any,
    dimension_numbers: Any,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Any:
    """Sum products of two arrays over pairs of axes, side by side along others.

    Args:
        dimension_numbers: `((lhs_summed, rhs_summed), (lhs_batch, rhs_batch))`: axes in
            pairs; batch axes stay, once.
        precision: accepted for compatibility.
        preferred_element_type: the dtype of the sums.

    Returns:
        An array with the axes (batch, rest of lhs, rest of rhs).

    Raises:
        TypeError: paired axes differ in size, or an axis is named twice.

    >>> import fad, numpy as np
    >>> x, y = np.ones((5, 2, 3)), np.ones((5, 3, 4))
    >>> fad.lax.dot_general(x, y, (((2,), (1,)), ((0,), (0,)))).shape
    (5, 2, 4)
    """
    (left, right), (left_batch, right_batch) = dimension_numbers
    lhs, rhs = operand(lhs), operand(rhs)
    a, b = aval_of(lhs), aval_of(rhs)
    pairs = _pairs(a.shape, b.shape, dimension_numbers)
    xs = LABELS[: a.ndim]
    partner = {j: xs[i] for i, j in pairs}
    ys = [partner.get(j, LABELS[a.ndim + j]) for j in range(b.ndim)]
    batch = [xs[i] for i in left_batch]
    free = [c for i, c in enumerate(xs) if i not in (*left, *left_batch)]
    free += [c for j, c in enumerate(ys) if j not in partner]
    if preferred_element_type is not None:
        lhs, rhs = cast(lhs, preferred_element_type), cast(rhs, preferred_element_type)
    return contract(lhs, rhs, spec=f"{xs},{''.join(ys)}->{''.join(batch + free)}")


def _pairs(a: Any, b: Any, numbers: Any) -> list[tuple[int, int]]:
    """Return pairs of axes, batch axes first."""
    (left, right), (left_batch, right_batch) = numbers
    first, second = (*left_batch, *left), (*right_batch, *right)
    pairs = list(zip(first, second, strict=False))
    if (
        (len(left), len(left_batch)) != (len(right), len(right_batch))
        or len(set(first)) < len(pairs)
        or len(set(second)) < len(pairs)
        or not all(0 <= i < len(a) and 0 <= j < len(b) for i, j in pairs)
        or any(a[i] != b[j] for i, j in pairs)
    ):
        raise TypeError(
            f"dot_general: the shapes {a} and {b} do not fit the dimension numbers "
            f"{numbers}: paired axes must exist, have one size and be named once"
        )
    return pairs


def dot(
    lhs: Any,
    rhs: Any,
    *,
    dimension_numbers: Any = None,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Any:
    """Return the product of vectors and matrices, or what `dot_general` does.

    Raises:
        TypeError: an operand has not one or two axes, or the sizes differ.
    """
    ranks = [aval_of(operand(v)).ndim for v in (lhs, rhs)]
    if dimension_numbers is None:
        if not all(1 <= r <= 2 for r in ranks):
            raise TypeError(f"dot takes vectors and matrices, got {ranks} axes")
        dimension_numbers = (((ranks[0] - 1,), (0,)), ((), ()))
    return dot_general(lhs, rhs, dimension_numbers, precision, preferred_element_type)


def batch_matmul(lhs: Any, rhs: Any, precision: Any = None) -> Any:
    """Return the products of two stacks of matrices."""
    rank = aval_of(operand(lhs)).ndim
    stack = tuple(range(rank - 2))
    numbers = (((rank - 1,), (rank - 2,)), (stack, stack))
    return dot_general(lhs, rhs, numbers, precision)
