"""Affine and bilinear maps, and distances between vectors.

`linear` is addmm of the input, flattened to a matrix, and the transposed weight, and
shows those nodes.

Public names: `linear`, `bilinear`, `cosine_similarity`, `pairwise_distance`, `pdist`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import numpy as fnp
from ...ops import contraction, shape
from ..declare import as_operand, composite
from ..dims import axis_of
from ..filling import c_name, scalar_name
from ..node import node_type
from ..tape import record
from ..tensor import Tensor

__all__ = ["bilinear", "cosine_similarity", "linear", "pairwise_distance", "pdist"]

_MM = node_type("MmBackward0")
_UNSAFE_VIEW = node_type("UnsafeViewBackward0")
_SQUEEZE = node_type("SqueezeBackward4")
_addmm = composite("AddmmBackward0", lambda bias, x, weight: x @ weight + bias)


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return x A^T + b.

    Args:
        input: shape ``(*, in)``.
        weight: shape ``(out, in)``, or ``(in,)``.
        bias: shape ``(out,)``.

    Raises:
        RuntimeError: the shapes or dtypes do not fit.
    """
    if weight.ndim != 2 or not input.ndim:
        return _vector_linear(input, weight, bias)
    _check(input, weight, bias)
    turned = weight.t()  # type: ignore[attr-defined]
    flat = input
    if input.ndim == 1 and bias is None:
        flat = input.unsqueeze(0)  # type: ignore[attr-defined]
    elif input.ndim != 2:
        flat = input.reshape(-1, weight.shape[1])
    if bias is None:
        out = record(contraction.matmul, _MM, (flat, turned), {})
    else:
        out = _addmm(bias, flat, turned)
    if input.ndim == 2:
        return out
    new = (*input.shape[:-1], weight.shape[0])
    if bias is not None:
        return out.view(new)
    cls = _SQUEEZE if input.ndim == 1 else _UNSAFE_VIEW
    return record(shape.reshape, cls, (out,), {"shape": new})


def _vector_linear(input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    if not input.ndim or not weight.ndim:
        raise RuntimeError(
            "both arguments to linear need to be at least 1D, but they are "
            f"{input.ndim}D and {weight.ndim}D"
        )
    if bias is not None:
        raise RuntimeError(f"mat2 must be a matrix, got {weight.ndim}-D tensor")
    return input @ weight.T  # type: ignore[attr-defined]


def _check(input: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    columns, (out, inner) = input.value.shape[-1], weight.value.shape
    rows = math.prod(input.value.shape[:-1])
    if columns != inner:
        raise RuntimeError(
            "mat1 and mat2 shapes cannot be multiplied "
            f"({rows}x{columns} and {inner}x{out})"
        )
    a, b = input.value.dtype, weight.value.dtype
    if a != b:
        raise RuntimeError(
            "expected m1 and m2 to have the same dtype, but got: "
            f"{c_name(a)} != {c_name(b)}"
        )
    if bias is None:
        return
    if bias.value.dtype != a:
        raise RuntimeError(
            "self and mat2 must have the same dtype, but got "
            f"{scalar_name(bias.aval.dtype)} and {scalar_name(a)}"
        )
    if bias.ndim == 1 and bias.shape[0] not in (1, out):
        raise RuntimeError(
            f"The expanded size of the tensor ({out}) must match the existing size "
            f"({bias.shape[0]}) at non-singleton dimension 1.  Target sizes: "
            f"[{rows}, {out}].  Tensor sizes: [{bias.shape[0]}]"
        )


_trilinear = composite(
    "TrilinearBackward0", lambda x, w, y: fnp.einsum("bi,oij,bj->bo", x, w, y)
)


def bilinear(
    input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None
) -> Tensor:
    """Return x1^T A x2 + b for every output.

    Args:
        input1: shape ``(*, in1)``.
        input2: shape ``(*, in2)``.
        weight: shape ``(out, in1, in2)``.
        bias: shape ``(out,)``.
    """
    for i, (m, n) in enumerate(zip(input1.shape[:-1], input2.shape[:-1], strict=False)):
        if m != n:
            raise RuntimeError(
                f"bilinear(): input batch dimensions do not match at dim {i}: got {m} "
                f"and {n}"
            )
    for i, x in enumerate((input1, input2), 1):
        if x.shape[-1] != weight.shape[i]:
            raise RuntimeError(
                f"bilinear(): input{i} size does not match weight size: got "
                f"{x.shape[-1]} but expected {weight.shape[i]}"
            )
    x = input1.reshape(-1, input1.shape[-1])
    y = input2.reshape(-1, input2.shape[-1])
    out: Tensor = _trilinear(x, weight, y).view(*input1.shape[:-1], weight.shape[0])
    return out if bias is None else out + bias


def _cosine(x: Any, y: Any, *, axis: int, eps: float) -> Any:
    """Return <x, y> / (|x| |y|), each length being at least eps."""
    nx, ny = (
        fnp.maximum(fnp.sqrt(fnp.sum(z * z, axis=axis, keepdims=True)), eps)
        for z in (x, y)
    )
    return fnp.sum((x / nx) * (y / ny), axis=axis)


_cosine_node = composite("SumBackward1", _cosine)


def cosine_similarity(
    x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8
) -> Tensor:
    """Return the cosine of the angle between vectors along a dimension."""
    x, y = as_operand(x1), as_operand(x2)
    axis = axis_of(dim, max(x.ndim, y.ndim)) - max(x.ndim, y.ndim)
    found: Tensor = _cosine_node(x, y, axis=axis, eps=eps)
    return found


_distance = composite(
    "NormBackward1",
    lambda x, *, p, keepdim: fnp.linalg.norm(x, ord=p, axis=-1, keepdims=keepdim),
)


def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """Return the p-norm of x1 - x2 + eps along the last dimension."""
    found: Tensor = _distance(x1 - x2 + eps, p=p, keepdim=keepdim)  # type: ignore[operator]
    return found


def _pair_distances(x: Any, *, p: float) -> Any:
    """Return p-norms of all differences of rows; at equal rows the gradient is 0."""
    first, second = np.triu_indices(x.shape[0], 1)
    gap = x[first] - x[second]
    size = fnp.abs(gap)
    if p == math.inf:
        return fnp.max(size, axis=1)
    if p == 0:
        return fnp.sum(fnp.where(gap != 0, 1.0, 0.0 * gap), axis=1)
    if p == 1:
        return fnp.sum(size, axis=1)
    return fnp.linalg.norm(gap, ord=p, axis=1)


_pdist = composite("PdistBackward0", _pair_distances)


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """Return the distances between all pairs of rows of a matrix."""
    found: Tensor = _pdist(input, p=p)
    return found
