"""Products of matrices and vectors.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from ..ops import contraction
from ..ops.arithmetic import conj
from ..ops.reductions import reduce_sum
from .declare import composite, function
from .node import node_type
from .product_checks import (
    check_addends,
    check_batches,
    check_matmul,
    check_matrices,
    check_matrix_vector,
    check_tensors,
    check_vectors,
)
from .tape import record
from .tensor import Tensor

__all__ = ["chain_order", "matmul", "multi_dot"]

_DOT = node_type("DotBackward0")
_MM = node_type("MmBackward0")
_MV = node_type("MvBackward0")
_BMM = node_type("BmmBackward0")
_SQUEEZED = node_type("SqueezeBackward4")
_BATCHED = node_type("UnsafeViewBackward0")
_TURNED = node_type("CloneBackward0")


@function("matmul", "__matmul__")
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Return the product of matrices, vectors, or stacks of matrices."""
    if input.__class__ is Tensor and other.__class__ is Tensor:
        x, y = input.value, other.value
        if x.ndim == 2 == y.ndim and x.shape[1] == y.shape[0] and x.dtype is y.dtype:
            return record(contraction.matmul, _MM, (input, other), {})
    check_matmul(input, other)
    return record(contraction.matmul, _matmul_node(input, other), (input, other), {})


def _matmul_node(x: Tensor, y: Tensor) -> type:
    ranks = x.ndim, y.ndim
    if ranks == (1, 1):
        return _DOT
    if ranks == (2, 2):
        return _MM
    if ranks == (1, 2):
        return _SQUEEZED
    if ranks[0] == 2 and ranks[1] > 2:
        return _TURNED
    return _MV if ranks == (2, 1) else _BATCHED


@function("mm")
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the product of two matrices."""
    check_tensors("mm", input=input, mat2=mat2)
    check_matrices(input, mat2, "self", "mat2")
    return record(contraction.matmul, _MM, (input, mat2), {})


@function("mv")
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """Return the product of a matrix and a vector."""
    check_tensors("mv", input=input, vec=vec)
    check_matrix_vector(input, vec)
    return record(contraction.matmul, _MV, (input, vec), {})


@function("dot")
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """Return the sum of products of two vectors, without conjugation."""
    check_tensors("dot", input=input, tensor=tensor)
    check_vectors("dot", input, tensor)
    return record(contraction.matmul, _DOT, (input, tensor), {})


def _vdot(x: Any, y: Any) -> Any:
    return contraction.matmul(conj(x), y)


_conjugated_dot = composite("VdotBackward0", _vdot)


@function("vdot")
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """Return the sum of products of two vectors, the first conjugated."""
    check_tensors("vdot", input=input, other=other)
    check_vectors("vdot", input, other)
    if input.aval.dtype.kind != "c":
        return record(contraction.matmul, _DOT, (input, other), {})
    return _conjugated_dot(input, other)  # type: ignore[no-any-return]


@function("bmm")
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the products of two stacks of matrices."""
    check_tensors("bmm", input=input, mat2=mat2)
    check_batches(input, mat2)
    return record(contraction.matmul, _BMM, (input, mat2), {})


_outer = composite("MulBackward0", contraction.outer)


@function("outer", "ger")
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Return the matrix of products of the elements of two vectors."""
    check_tensors("outer", input=input, vec2=vec2)
    for name, x in (("self", input), ("vec2", vec2)):
        if x.ndim != 1:
            raise RuntimeError(
                f"outer: Expected 1-D argument {name}, but got {x.ndim}-D"
            )
    return _outer(input, vec2)  # type: ignore[no-any-return]


def _plus_product(
    node: str, product: Callable[..., Any], leading: int = 0
) -> Callable[..., Tensor]:
    """Return a function beta * input + alpha * product(x, y) that is one node."""

    def total(input: Any, x: Any, y: Any, *, beta: Any, alpha: Any) -> Any:
        found = product(x, y)
        if leading:
            found = reduce_sum(found, axis=(0,))
        found = found if alpha == 1 else found * alpha
        if beta == 0:
            return found
        return found + (input if beta == 1 else input * beta)

    return composite(node, total)


_addmm = _plus_product("AddmmBackward0", contraction.matmul)
_addmv = _plus_product("AddmvBackward0", contraction.matmul)
_addr = _plus_product("AddrBackward0", contraction.outer)
_baddbmm = _plus_product("BaddbmmBackward0", contraction.matmul)
_addbmm = _plus_product("AddbmmBackward0", contraction.matmul, leading=1)


@function("addmm", inplace=True)
def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    """Return beta * input + alpha * (mat1 @ mat2)."""
    check_tensors("addmm", input=input, mat1=mat1, mat2=mat2)
    check_matrices(mat1, mat2, "mat1", "mat2")
    check_addends(input, (mat1.shape[0], mat2.shape[1]))
    return _addmm(input, mat1, mat2, beta=beta, alpha=alpha)


@function("addmv", inplace=True)
def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    """Return beta * input + alpha * (mat @ vec)."""
    check_tensors("addmv", input=input, mat=mat, vec=vec)
    check_matrix_vector(mat, vec, input)
    return _addmv(input, mat, vec, beta=beta, alpha=alpha)


@function("addr", inplace=True)
def addr(
    input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    """Return beta * input + alpha * outer(vec1, vec2)."""
    check_tensors("addr", input=input, vec1=vec1, vec2=vec2)
    for x in (vec1, vec2):
        if x.ndim != 1:
            raise RuntimeError(
                f"addr: Expected 1-D argument vec1 and vec2, but got {vec1.ndim}-D and "
                f"{vec2.ndim}-D"
            )
    check_addends(input, (vec1.shape[0], vec2.shape[0]))
    return _addr(input, vec1, vec2, beta=beta, alpha=alpha)


@function("baddbmm", inplace=True)
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    """Return beta * input + alpha * bmm(batch1, batch2)."""
    check_tensors("baddbmm", input=input, batch1=batch1, batch2=batch2)
    check_batches(batch1, batch2)
    check_addends(input, (*batch1.shape[:2], batch2.shape[2]))
    return _baddbmm(input, batch1, batch2, beta=beta, alpha=alpha)


@function("addbmm", inplace=True)
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    """Return beta * input + alpha * (the sum of the products of two stacks)."""
    check_tensors("addbmm", input=input, batch1=batch1, batch2=batch2)
    check_batches(batch1, batch2)
    check_addends(input, (batch1.shape[1], batch2.shape[2]))
    return _addbmm(input, batch1, batch2, beta=beta, alpha=alpha)


def multiplied(factors: Sequence[Tensor]) -> Tensor:
    """Return the product of matrices, in the order of least work."""
    if len(factors) == 2:
        return mm(*factors)  # type: ignore[no-any-return]
    split = chain_order([*(f.shape[0] for f in factors), factors[-1].shape[1]])

    def part(i: int, j: int) -> Tensor:
        if i == j:
            return factors[i]
        k = split[i, j]
        return mm(part(i, k), part(k + 1, j))  # type: ignore[no-any-return]

    return part(0, len(factors) - 1)


def chain_order(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """Return where to split each run of matrices, to multiply with least work."""
    n = len(sizes) - 1
    cost = {(i, i): 0 for i in range(n)}
    split: dict[tuple[int, int], int] = {}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            work = {
                k: cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                for k in range(i, j)
            }
            split[i, j] = reduce(lambda a, b: b if work[b] < work[a] else a, work)
            cost[i, j] = work[split[i, j]]
    return split


_CHAIN = (
    "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. "
    "Use torch.linalg.multi_dot instead, which accepts a list of two or more tensors "
    "rather than multiple parameters."
)


@function("chain_matmul", methods=False)
def chain_matmul(*matrices: Tensor) -> Tensor:
    """Return the product of matrices."""
    warnings.warn(_CHAIN, UserWarning, stacklevel=3)
    for x in matrices:
        if x.ndim != 2:
            raise RuntimeError(
                "Tensor dimension is " + f"{x.ndim}, expected 2 instead."
            )
    return matrices[0] if len(matrices) == 1 else multi_dot(matrices)


def multi_dot(tensors: Any) -> Tensor:
    """Return the product of matrices; the first and the last may be vectors."""
    tensors = list(tensors)
    if len(tensors) < 2:
        raise RuntimeError(
            f"multi_dot(): expected at least 2 tensors but got {len(tensors)}"
        )
    last = len(tensors) - 1
    for i, x in enumerate(tensors):
        allowed, which = ((1, 2), "first" if not i else "last")
        if i not in (0, last):
            if x.ndim != 2:
                raise RuntimeError(
                    f"multi_dot(): tensor {i} must be 2D but got {x.ndim}D"
                )
        elif x.ndim not in allowed:
            raise RuntimeError(
                f"multi_dot(): the {which} tensor must be 1D or 2D but got {x.ndim}D"
            )
    factors = list(tensors)
    if tensors[0].ndim == 1:
        factors[0] = tensors[0].reshape(1, -1)
    if tensors[-1].ndim == 1:
        factors[-1] = tensors[-1].reshape(-1, 1)
    _check_chain(tensors, factors)
    shape = (*tensors[0].shape[:-1], *(tensors[-1].shape[1:]))
    return multiplied(factors).reshape(shape)  # type: ignore[attr-defined, no-any-return]


def _check_chain(tensors: list[Tensor], factors: list[Tensor]) -> None:
    for i in range(len(factors) - 1):
        if factors[i].shape[-1] != factors[i + 1].shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {i} and {i + 1} with shapes "
                f"{list(factors[i].shape)} and {list(factors[i + 1].shape)} cannot be "
                "multiplied"
            )
