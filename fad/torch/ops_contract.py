"""Products that sum over named or numbered dimensions: einsum, tensordot, kron, cross.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from ..core.trace import aval_of
from ..ops import contraction, cross_product
from ..ops import einsum as summation
from ..ops import shape as shapes
from ..ops.reductions import reduce_sum
from .declare import composite, function, functions, size_mismatch
from .dims import axis_of
from .node import node_type
from .tensor import Tensor
from .views import view_by

__all__ = ["crossed"]

_PERMUTED = node_type("PermuteBackward0")


def _einsum(*operands: Any, found: summation.Summation) -> Any:
    return summation.einsum(found, operands)


_contracted = composite("ViewBackward0", _einsum)
_summed = composite("SumBackward1", _einsum)


@function("einsum", methods=False, out=False)
def einsum(*args: Any) -> Tensor:
    """Return a sum of products over the dimensions that an equation names.

    >>> from fad import torch
    >>> torch.einsum("ij,j->i", torch.ones(2, 3), torch.ones(3))
    tensor([3., 3.])
    """
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or "
            "at least one operand and its subscripts list"
        )
    equation, operands = _arguments(args)
    _check_equation(equation, operands)
    found = summation.parse(equation, [x.ndim for x in operands])
    _check_sizes(found, operands)
    if len(operands) == 1:
        (x,), (labels,) = operands, found.inputs
        if len(set(labels)) == len(labels):
            if sorted(found.out) == sorted(labels):
                axes = tuple(map(labels.index, found.out))
                return view_by(shapes.transpose, _PERMUTED, x, {"axes": axes})
            return _summed(x, found=found)  # type: ignore[no-any-return]
    return _contracted(*operands, found=found)  # type: ignore[no-any-return]


def _arguments(args: Sequence[Any]) -> tuple[str, Sequence[Tensor]]:
    """Return the equation and the operands, in either of the two forms."""
    if isinstance(args[0], str):
        operands = args[1:]
        if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
            operands = operands[0]
        return args[0].replace(" ", ""), operands
    terms = [_spelled(s) for s in args[1::2]]
    equation = ",".join(terms[: len(args) // 2])
    if len(args) % 2:
        equation += "->" + _spelled(args[-1])
    return equation, args[: len(args) - len(args) % 2 : 2]


def _spelled(sublist: Sequence[Any]) -> str:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    for s in sublist:
        if s is not Ellipsis and not 0 <= s < 52:
            raise ValueError(
                "einsum(): subscripts in subscript list must be within range [0, 52)"
            )
    return "".join(["..." if s is Ellipsis else letters[s] for s in sublist])


def _check_equation(equation: str, operands: Sequence[Tensor]) -> None:
    left, arrow, right = equation.partition("->")
    for i, c in enumerate(equation):
        if not (c.isascii() and c.isalpha()) and c not in ".,->":
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {i} in the equation "
                "string, subscripts must be in [a-zA-Z]"
            )
    terms = left.split(",")
    if len(terms) != len(operands):
        few = "fewer" if len(operands) < len(terms) else "more"
        raise RuntimeError(
            f"einsum(): {few} operands were provided than specified in the equation"
        )
    for i, (term, x) in enumerate(zip(terms, operands, strict=True)):
        _check_term(i, term, x)
    for c in right.replace(".", ""):
        if right.count(c) > 1:
            raise RuntimeError(
                f"einsum(): output subscript {c} appears more than once in the output"
            )
        if c not in left:
            raise RuntimeError(
                f"einsum(): output subscript {c} does not appear in the equation for "
                "any input operand"
            )


def _check_term(i: int, term: str, x: Tensor) -> None:
    letters = term.replace(".", "")
    if "..." in term:
        if len(letters) > x.ndim:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({len(letters)}) "
                f"is more than the number of dimensions ({x.ndim}) for operand {i}"
            )
    elif len(letters) != x.ndim:
        raise RuntimeError(
            f"einsum(): the number of subscripts in the equation ({len(letters)}) does "
            f"not match the number of dimensions ({x.ndim}) for operand {i} and no "
            "ellipsis was given"
        )


def _check_sizes(found: summation.Summation, operands: Sequence[Tensor]) -> None:
    seen: dict[str, int] = {}
    for i, (labels, x) in enumerate(zip(found.inputs, operands, strict=True)):
        own: dict[str, int] = {}
        for c, n in zip(labels, x.shape, strict=True):
            if own.setdefault(c, n) != n:
                raise RuntimeError(
                    f"einsum(): subscript {c} is repeated for operand {i} but the "
                    f"sizes don't match, {n} != {own[c]}"
                )
            if 1 not in (n, seen.get(c, 1)) and seen[c] != n:
                raise RuntimeError(
                    f"einsum(): subscript {c} has size {n} for operand {i} which does "
                    f"not broadcast with previously seen size {seen[c]}"
                )
            seen[c] = max(n, seen.get(c, 1))


def _tensordot(x: Any, y: Any, *, axes: Any) -> Any:
    one, other = [list(a) for a in axes]
    a, b = aval_of(x).shape, aval_of(y).shape
    lost = [k for k, (i, j) in enumerate(zip(one, other, strict=True)) if a[i] != b[j]]
    for k in lost:  # a dimension of size 1 broadcasts: sum over the other one alone
        i, j = one[k], other[k]
        x = reduce_sum(x, axis=(i,)) if b[j] == 1 else x
        y = reduce_sum(y, axis=(j,)) if a[i] == 1 else y
        x = shapes.expand_dims(x, i) if b[j] == 1 else x
        y = shapes.expand_dims(y, j) if a[i] == 1 else y
    return contraction.tensordot(x, y, (tuple(one), tuple(other)))


_dotted = composite("ViewBackward0", _tensordot)


@function("tensordot", methods=False)
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Return the sum of products over pairs of dimensions.

    Args:
        dims: how many, the last of `a` and the first of `b`; or two lists of them.
    """
    first, second = _pairs(dims, a, b)
    if len(first) != len(second):
        raise RuntimeError("both dimension lists should have same length")
    for i, j in zip(first, second, strict=True):
        m, n = a.shape[i], b.shape[j]
        if m != n and 1 not in (m, n):
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {m} in dim "
                f"{i} and second has size {n} in dim {j}"
            )
    axes = (
        tuple([axis_of(i, a.ndim) for i in first]),
        tuple([axis_of(j, b.ndim) for j in second]),
    )
    return _dotted(a, b, axes=axes)  # type: ignore[no-any-return]


def _pairs(dims: Any, a: Tensor, b: Tensor) -> tuple[list[int], list[int]]:
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, (tuple, list)):
        one, other = dims
        return tuple(  # type: ignore[return-value]
            [list(d) if isinstance(d, (tuple, list)) else [d] for d in (one, other)]
        )
    if dims < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
    if dims > min(a.ndim, b.ndim):
        raise RuntimeError(
            f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}"
        )
    return list(range(-dims, 0)), list(range(dims))


@function("inner")
def inner(input: Tensor, other: Tensor) -> Tensor:
    """Return the sum of products over the last dimension of both."""
    if not input.ndim or not other.ndim:
        return functions["mul"](input, other)  # type: ignore[no-any-return]
    if input.shape[-1] != other.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got "
            f"shapes {list(input.shape)} and {list(other.shape)}"
        )
    axes = ((input.ndim - 1,), (other.ndim - 1,))
    return _dotted(input, other, axes=axes)  # type: ignore[no-any-return]


def _kron(x: Any, y: Any) -> Any:
    a, b = aval_of(x).shape, aval_of(y).shape
    rank = max(len(a), len(b))
    a, b = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    x = shapes.reshape(x, shape=tuple([n for m in a for n in (m, 1)]))
    y = shapes.reshape(y, shape=tuple([n for m in b for n in (1, m)]))
    both = tuple([m * n for m, n in zip(a, b, strict=True)])
    return shapes.reshape(x * y, shape=both)


_kronecker = composite("UnsafeViewBackward0", _kron)


@function("kron")
def kron(input: Tensor, other: Tensor) -> Tensor:
    """Return the Kronecker product."""
    return _kronecker(input, other)  # type: ignore[no-any-return]


def _cross(x: Any, y: Any, *, axis: int) -> Any:
    rank = aval_of(x).ndim
    x, y = (shapes.move_axis(v, axis, rank - 1) for v in (x, y))
    return shapes.move_axis(cross_product.cross(x, y), rank - 1, axis)


_crossed = composite("LinalgCrossBackward0", _cross)


def crossed(input: Tensor, other: Tensor, dim: int) -> Tensor:
    """Return the vector product along a dimension."""
    if input.ndim != other.ndim:
        raise RuntimeError(
            "linalg.cross: inputs must have the same number of dimensions."
        )
    axis = axis_of(dim, input.ndim)
    sizes = input.shape[axis], other.shape[axis]
    if sizes != (3, 3):
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {sizes[0]} "
            f"and {sizes[1]}"
        )
    mismatch = size_mismatch(input, other)
    if mismatch is not None:
        raise RuntimeError(mismatch)
    return _crossed(input, other, axis=axis)  # type: ignore[no-any-return]


_ANY_DIM = (
    "Using torch.cross without specifying the dim arg is deprecated.\nPlease either "
    "pass the dim explicitly or simply use torch.linalg.cross.\nThe default value of "
    "dim will change to agree with that of linalg.cross in a future release."
)


@function("cross")
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """Return the vector product along a dimension, by default the first of size 3."""
    if dim is None:
        warnings.warn(_ANY_DIM, UserWarning, stacklevel=3)
        found = [i for i, n in enumerate(input.shape) if n == 3]
        if not found:
            raise RuntimeError("no dimension of size 3 in input")
        dim = found[0]
    return crossed(input, other, dim)
