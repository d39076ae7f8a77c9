"""Einstein summation over any number of operands, as a program of smaller operations.

    "ii,ij,jk,l->ik"    diagonals, sums over axes that one operand has alone, then
                        pairwise contractions in a cheap order, then a transpose

Each step is a primitive with a transpose, so derivatives of every form of `einsum` are
einsums again: a repeated subscript gives back a diagonal, an axis that was only summed
is broadcast back. An operand of size 1 along a subscript of larger size does not depend
on it; it loses that axis, and its cotangent is summed over it.

Public names: `einsum`, `parse`, `Summation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..core.trace import aval_of
from .arithmetic import convert
from .contraction import LABELS, contract
from .reductions import reduce_sum
from .shape import diagonal, reshape, transpose

__all__ = ["Summation", "einsum", "parse"]

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""What the integers of the interleaved form stand for: numbers sort as letters do."""


class Summation(NamedTuple):
    """Labels of the axes: one string for each operand, and one for the output."""

    inputs: tuple[str, ...]
    out: str


def parse(
    subscripts: str | Sequence[Any], ranks: Sequence[int], out: Any = None
) -> Summation:
    """Read subscripts, "ij,j->i", or lists of integers and Ellipsis, one an operand.

    Args:
        subscripts: a string, or for the interleaved form the operands' lists.
        ranks: the operands' numbers of axes.
        out: the output's list in the interleaved form, None if not given.

    Raises:
        ValueError: the subscripts are malformed or do not fit the operands.
    """
    if not isinstance(subscripts, str):
        text = ",".join(_spell(s) for s in subscripts)
        subscripts = text if out is None else f"{text}->{_spell(out)}"
    return _parse(subscripts.replace(" ", ""), tuple(ranks))


def _spell(sublist: Any) -> str:
    """Write a list of integers and Ellipsis as subscripts."""
    letters = []
    for s in sublist:
        if s is not Ellipsis and not 0 <= s < 52:
            raise ValueError(f"einsum: subscript {s} is not within the range [0, 52)")
        letters.append("..." if s is Ellipsis else _LETTERS[s])
    return "".join(letters)


@lru_cache(maxsize=1024)
def _parse(subscripts: str, ranks: tuple[int, ...]) -> Summation:
    left, arrow, right = subscripts.partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise ValueError(
            f"einsum: '{subscripts}' has subscripts for {len(terms)} operands, got "
            f"{len(ranks)}"
        )
    widths = [
        _ellipsis_rank(t, r, subscripts) for t, r in zip(terms, ranks, strict=True)
    ]
    width = max(widths)
    free = "".join([c for c in LABELS if c not in subscripts][:width])
    inputs = tuple(
        t.replace("...", free[width - w :]) for t, w in zip(terms, widths, strict=True)
    )
    if arrow:
        out = right.replace("...", free)
    else:
        once = sorted(c for c in set(left) & set(_LETTERS) if left.count(c) == 1)
        out = free + "".join(once)
    _check(subscripts, inputs, out)
    return Summation(inputs, out)


def _ellipsis_rank(term: str, rank: int, subscripts: str) -> int:
    """Return how many axes "..." stands for in `term` (0 where there is none)."""
    letters = term.replace("...", "", 1)
    wrong = [c for c in letters if c not in _LETTERS]
    if wrong:
        raise ValueError(f"einsum: invalid subscript '{wrong[0]}' in '{subscripts}'")
    width = rank - len(letters)
    if width < 0 or (width and "..." not in term):
        raise ValueError(
            f"einsum: '{term}' in '{subscripts}' names {len(letters)} axes of an "
            f"operand that has {rank}"
        )
    return width


def _check(subscripts: str, inputs: tuple[str, ...], out: str) -> None:
    for c in out:
        if out.count(c) > 1:
            raise ValueError(
                f"einsum: '{subscripts}' includes output subscript '{c}' multiple times"
            )
        if not any(c in labels for labels in inputs):
            raise ValueError(
                f"einsum: '{subscripts}' has the output subscript '{c}', which no "
                "operand has"
            )


def einsum(summation: Summation, operands: Sequence[Any], optimize: Any = True) -> Any:
    """Evaluate a summation; `optimize` is NumPy's, a path or how to find one."""
    out = summation.out
    if len(operands) == 2:
        x, y = operands
        spec = _direct(summation, aval_of(x).shape, aval_of(y).shape)
        if spec is not None:
            return contract(x, y, spec=spec)
    sizes = _sizes(summation, operands)
    terms = [
        _prepare(x, labels, sizes)
        for x, labels in zip(operands, summation.inputs, strict=True)
    ]
    for group in _path(terms, out, sizes, optimize):
        taken = [terms.pop(i) for i in sorted(group, reverse=True)][::-1]
        while len(taken) > 1:
            y, x = taken.pop(), taken.pop()
            others = "".join([labels for _, labels in (*terms, *taken)])
            wanted = out if not others else None
            taken.append(_pair(x, y, others + out, wanted))
        terms.append(taken[0])
    ((x, labels),) = terms
    x, labels = _sum_out(x, labels, out)
    return x if labels == out else transpose(x, axes=tuple(map(labels.index, out)))


@lru_cache(maxsize=1024)
def _direct(summation: Summation, x: tuple[int, ...], y: tuple[int, ...]) -> str | None:
    """Return the spec if one contraction of operands of these shapes does it all."""
    xs, ys = summation.inputs
    out = summation.out
    pairs = [*zip(xs, x, strict=True), *zip(ys, y, strict=True)]
    sizes = dict(pairs)
    plain = (
        len(set(xs)) == len(xs)
        and len(set(ys)) == len(ys)
        and all(sizes[c] == n for c, n in pairs)
        and all((c in xs) + (c in ys) + (c in out) >= 2 for c in sizes)
    )
    return f"{xs},{ys}->{out}" if plain else None


def _sizes(summation: Summation, operands: Sequence[Any]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for x, labels in zip(operands, summation.inputs, strict=True):
        for c, n in zip(labels, aval_of(x).shape, strict=True):
            known = sizes.get(c, 1)
            if known != n and known != 1 and n != 1:
                raise ValueError(
                    f"einsum: subscript '{c}' has sizes {known} and {n} in operands of "
                    f"shapes {', '.join(str(aval_of(a).shape) for a in operands)}"
                )
            sizes[c] = n if known == 1 else known
    return sizes


Term = tuple[Any, str]


def _prepare(x: Any, labels: str, sizes: dict[str, int]) -> Term:
    """Take diagonals of repeated labels and drop axes that are broadcast."""
    for c in labels:
        while labels.count(c) > 1:
            i = labels.index(c)
            j = labels.index(c, i + 1)
            shape = aval_of(x).shape
            if shape[i] != shape[j]:
                raise ValueError(
                    f"einsum: subscript '{c}' is repeated in an operand of shape "
                    f"{shape} along axes of sizes {shape[i]} and {shape[j]}"
                )
            x = diagonal(x, offset=0, axis1=i, axis2=j)
            labels = labels[:i] + labels[i + 1 : j] + labels[j + 1 :] + c
    shape = aval_of(x).shape
    kept = "".join(c for c, n in zip(labels, shape, strict=True) if n == sizes[c])
    if kept != labels:
        x = reshape(x, shape=tuple(sizes[c] for c in kept))
    return x, kept


def _sum_out(x: Any, labels: str, wanted: str) -> Term:
    """Sum over the axes whose labels are not wanted."""
    axes = tuple(i for i, c in enumerate(labels) if c not in wanted)
    if axes:
        dtype = aval_of(x).dtype
        x = reduce_sum(x, axis=axes)
        if aval_of(x).dtype != dtype:  # einsum keeps small integers and booleans
            x = convert(x, dtype=dtype)
    return x, "".join(c for c in labels if c in wanted)


def _pair(x: Term, y: Term, needed: str, out: str | None) -> Term:
    """Contract two terms to the labels needed later, in the order `out` if given."""
    (a, xs), (b, ys) = x, y
    a, xs = _sum_out(a, xs, needed + ys)
    b, ys = _sum_out(b, ys, needed + xs)
    if out is None:
        out = "".join([c for c in xs if c in needed])
        out += "".join([c for c in ys if c in needed and c not in xs])
    return contract(a, b, spec=f"{xs},{ys}->{out}"), out


def _path(
    terms: Sequence[Term], out: str, sizes: dict[str, int], optimize: Any
) -> Sequence[tuple[int, ...]]:
    """Return which terms to contract, step by step; new terms go to the end."""
    if len(terms) < 3:
        return [(0, 1)] if len(terms) == 2 else []
    inputs = tuple(labels for _, labels in terms)
    if isinstance(optimize, (bool, str)) or optimize is None:
        how = optimize if isinstance(optimize, str) else "greedy"
        return _find_path(inputs, out, tuple(sorted(sizes.items())), how)
    if isinstance(optimize[0], str) and len(optimize) == 2:
        how = tuple(optimize)
        return _find_path(inputs, out, tuple(sorted(sizes.items())), how)
    return [tuple(step) for step in optimize[1:]]


@lru_cache(maxsize=1024)
def _find_path(
    inputs: tuple[str, ...], out: str, sizes: tuple[tuple[str, int], ...], how: Any
) -> Sequence[tuple[int, ...]]:
    size_of = dict(sizes)
    stand_ins = [
        np.broadcast_to(np.float64(0), [size_of[c] for c in labels])
        for labels in inputs
    ]
    path, _ = np.einsum_path(f"{','.join(inputs)}->{out}", *stand_ins, optimize=how)
    return [tuple(step) for step in path[1:]]
