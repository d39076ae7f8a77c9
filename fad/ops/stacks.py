"""What operations on stacks of matrices share: shapes, dtypes, batching, adjoints.

Public names: `adjoint`, `hermitian`, `bordered`, `inexact`, `real_dtype`, `square`,
`batch_stacks`, `scale_columns`, `scale_rows`, `trace_of_product`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.trace import aval_of
from .arithmetic import conj, neg
from .batching_rules import move_to_front
from .contraction import LABELS, contract, swap_last
from .shape import concatenate, expand_dims, reshape

__all__ = [
    "adjoint",
    "batch_stacks",
    "bordered",
    "hermitian",
    "inexact",
    "real_dtype",
    "scale_columns",
    "scale_rows",
    "square",
    "trace_of_product",
]


def adjoint(x: Any) -> Any:
    """Return the conjugate transposes of a stack of matrices."""
    return swap_last(conj(x) if aval_of(x).dtype.kind == "c" else x)


def hermitian(x: Any) -> Any:
    """Return the Hermitian parts of square matrices, (x + x^H) / 2."""
    return (x + adjoint(x)) * 0.5


def scale_columns(x: Any, d: Any) -> Any:
    """Return x diag(d)."""
    return x * expand_dims(d, aval_of(d).ndim - 1)


def scale_rows(d: Any, x: Any) -> Any:
    """Return diag(d) x."""
    return expand_dims(d, aval_of(d).ndim) * x


def trace_of_product(x: Any, y: Any) -> Any:
    """Return trace(x y), without the product."""
    stack = LABELS[: aval_of(x).ndim - 2]
    return contract(x, y, spec=f"{stack}XY,{stack}YX->{stack}")


def bordered(x: Any, below: Any) -> Any:
    """Return [[x, -below^H], [below, 0]], skew-Hermitian if x is."""
    *stack, rows, columns = aval_of(below).shape
    zero = np.zeros((*stack, rows, rows), aval_of(below).dtype)
    rank = len(stack) + 2
    top = concatenate(x, neg(adjoint(below)), axis=rank - 1)
    return concatenate(top, concatenate(below, zero, axis=rank - 1), axis=rank - 2)


def inexact(name: str, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype that NumPy's linear algebra computes with."""
    if dtype.kind in "iub":
        return np.dtype(np.float64)
    if dtype.char not in "fdFD":
        raise TypeError(f"{name}: array type {dtype} is unsupported in linalg")
    return dtype


def real_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of absolute values."""
    return np.empty(0, dtype).real.dtype


def matrices(name: str, x: Aval) -> Aval:
    """Check for a stack of matrices; return its aval with an inexact dtype.

    Raises:
        numpy.linalg.LinAlgError: fewer than two axes.
    """
    if len(x.shape) < 2:
        raise np.linalg.LinAlgError(
            f"{name}: {len(x.shape)}-dimensional array given. Array must be at least "
            "two-dimensional"
        )
    return Aval(x.shape, inexact(name, x.dtype))


def square(name: str, x: Aval) -> Aval:
    """Check for a stack of square matrices; return its aval with an inexact dtype.

    Raises:
        numpy.linalg.LinAlgError: the last two axes differ.
    """
    x = matrices(name, x)
    if x.shape[-1] != x.shape[-2]:
        raise np.linalg.LinAlgError(
            f"{name}: Last 2 dimensions of the array must be square, got {x.shape}"
        )
    return x


def batch_stacks(prim: Callable[[], Any]) -> Callable[..., tuple[Any, Any]]:
    """Return the batching rule of an operation on one stack: a higher stack."""

    def rule(
        size: int, args: Sequence[Any], dims: Sequence[Any], **params: Any
    ) -> tuple[Any, Any]:
        out = prim()(move_to_front(args[0], dims[0]), **params)
        return (out, [0] * len(out)) if prim().multiple_results else (out, 0)

    return rule


def align_stacks(
    args: Sequence[Any], dims: Sequence[int | None], cores: Sequence[int]
) -> list[Any]:
    """Bring batch axes to the front and give stacks equal ranks, `cores` axes apart."""
    ranks = [
        aval_of(a).ndim - (d is not None) - c
        for a, d, c in zip(args, dims, cores, strict=True)
    ]
    out = []
    for a, d, r in zip(args, dims, ranks, strict=True):
        if d is not None:
            a = move_to_front(a, d)
            n, *rest = aval_of(a).shape
            a = reshape(a, shape=(n, *(1,) * (max(ranks) - r), *rest))
        out.append(a)
    return out
