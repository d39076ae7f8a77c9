"""Products of matrices and vectors.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

from ..ops import contraction
from .declare import function
from .node import node_type
from .tape import record
from .tensor import Tensor

__all__: list[str] = []

_DOT = node_type("DotBackward0")
_MM = node_type("MmBackward0")
_MV = node_type("MvBackward0")
_BATCHED = node_type("UnsafeViewBackward0")


@function("matmul")
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Return the product of matrices, vectors, or stacks of matrices."""
    return record(contraction.matmul, _matmul_node(input, other), (input, other), {})


def _matmul_node(x: Tensor, y: Tensor) -> type:
    ranks = x.ndim, y.ndim
    if ranks == (1, 1):
        return _DOT
    if ranks == (2, 2):
        return _MM
    return _MV if ranks == (2, 1) else _BATCHED
