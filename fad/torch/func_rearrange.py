"""`torch.func.rearrange`: dimensions named, reordered, split and joined.

    rearrange(x, "batch (h w) c -> batch c h w", h=2)

Public names: `rearrange`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from .declare import functions
from .tensor import Tensor

__all__ = ["DimensionBindError", "rearrange"]

_DOTS = "..."


class DimensionBindError(Exception):
    """The sizes of named dimensions do not fit."""


def rearrange(tensor: Any, pattern: str, **axes_lengths: int) -> Tensor:
    """Return a tensor with its dimensions in another order, split or joined.

    Args:
        tensor: a tensor, or a sequence of them, which are stacked.
        pattern: names of dimensions before and after, as "a b c -> c (a b)"; "..."
            stands for all others.
        axes_lengths: the sizes of dimensions that are split.

    Raises:
        ValueError: the pattern is none, or does not fit the tensor.

    >>> from fad import torch
    >>> rearrange(torch.arange(6).reshape(2, 3), "a b -> (b a)")
    tensor([0, 3, 1, 4, 2, 5])
    """
    x = tensor if isinstance(tensor, Tensor) else functions["stack"](list(tensor))
    left, right = _sides(pattern)
    _check(left, right, pattern, axes_lengths)
    left, right = _spelled_out(left, right, x.ndim)
    if len(left) != x.ndim:
        raise ValueError(
            f"Number of dimensions in pattern ({len(left)}) must be equal to the number "
            f"of dimensions in the tensor ({x.ndim})"
        )
    sizes: dict[str, int] = dict(axes_lengths)
    for group, length in zip(left, x.shape, strict=True):
        _infer(group, int(length), sizes)
    unnamed = [i for i, group in enumerate(left) if not group]
    if unnamed:
        x = x.sum(unnamed)
    names = [name for group in left for name in group]
    x = x.reshape([sizes[name] for name in names])
    order = [names.index(name) for group in right for name in group]
    shape = [math.prod(sizes[name] for name in group) for group in right]
    found: Tensor = x.permute(order).reshape(shape)
    return found


Groups = list[Sequence[str]]
"""The names in each dimension: a list of one, or a tuple of those in parentheses."""


def _sides(pattern: str) -> tuple[Groups, Groups]:
    parts = pattern.split("->")
    if len(parts) != 2:
        raise ValueError("Pattern must contain a single '->' separator")
    left, right = (_groups(part) for part in parts)
    return left, right


def _groups(side: str) -> Groups:
    """Return the names in each dimension of one side of a pattern."""
    found: Groups = []
    inner: list[str] | None = None
    for token in re.findall(r"[()]|[^\s()]+", side):
        if token == "(":
            if inner is not None:
                raise ValueError(
                    "Axis composition is one-level (brackets inside brackets not "
                    "allowed)"
                )
            inner = []
        elif token == ")":
            if inner is None:
                raise ValueError("Brackets are not balanced")
            found.append(tuple(inner))
            inner = None
        elif token == "1" and inner is None:
            found.append([])
        elif token == "1":
            continue
        else:
            _check_name(token)
            if inner is None:
                found.append([token])
            else:
                inner.append(token)
    if inner is not None:
        raise ValueError(f"Imbalanced parentheses in expression: '{side}'")
    return found


def _check_name(name: str) -> None:
    if name == _DOTS:
        return
    reason = None
    if not name.isidentifier():
        reason = "not a valid python identifier"
    elif name[0] == "_" or name[-1] == "_":
        reason = "axis name should should not start or end with underscore"
    if reason:
        raise ValueError(f"Invalid axis identifier: {name}\n{reason}")


def _check(left: Groups, right: Groups, pattern: str, lengths: dict[str, int]) -> None:
    for side in (left, right):
        names = [name for group in side for name in group]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(
                    f"Indexing expression contains duplicate dimension '{name}'"
                )
    before, after = ({n for g in side for n in g} for side in (left, right))
    if _DOTS in after and _DOTS not in before:
        raise ValueError(
            f"Ellipsis found in right side, but not left side of a pattern {pattern}"
        )
    if any(_DOTS in group and len(group) > 1 for group in left):
        raise ValueError(
            f"Ellipsis is parenthesis in the left side is not allowed: {pattern}"
        )
    if before != after:
        raise ValueError(
            "Identifiers only on one side of rearrange expression (should be on both): "
            f"{before ^ after}"
        )
    unknown = set(lengths) - before
    if unknown:
        raise ValueError(f"Identifiers not found in rearrange expression: {unknown}")


def _spelled_out(left: Groups, right: Groups, rank: int) -> tuple[Groups, Groups]:
    """Give the dimensions that "..." stands for names of their own."""
    if [_DOTS] not in left:
        return left, right
    hidden = [f"{_DOTS}{i}" for i in range(rank - len(left) + 1)]
    new_left: Groups = []
    for group in left:
        new_left += [[h] for h in hidden] if group == [_DOTS] else [group]
    new_right: Groups = []
    for group in right:
        if group == [_DOTS]:
            new_right += [[h] for h in hidden]
        else:
            new_right.append(_replaced(group, hidden))
    return new_left, new_right


def _replaced(group: Sequence[str], hidden: Sequence[str]) -> list[str]:
    return [n for name in group for n in (hidden if name == _DOTS else [name])]


def _infer(group: Sequence[str], length: int, sizes: dict[str, int]) -> None:
    """Learn the size of a dimension, or of the one unknown part of it."""
    unknown = [i for i, name in enumerate(group) if name not in sizes]
    if len(unknown) > 1:
        shown = " and ".join(f"d{i + 2}" for i in unknown)
        raise DimensionBindError(
            f"cannot infer the sizes of two dimensions at once {shown}"
        )
    known = math.prod(sizes[name] for name in group if name in sizes)
    shown_sizes = tuple(sizes.get(name, "?") for name in group)
    if unknown:
        if length % known:
            raise DimensionBindError(
                "inferred dimension does not evenly fit into larger dimension: "
                f"{length} vs {shown_sizes}"
            )
        sizes[group[unknown[0]]] = length // known
    elif group and known != length:
        raise DimensionBindError(
            f"Dimension sizes to do not match ({length} != {known}) when matching "
            f"dimension pack {shown_sizes}"
        )
