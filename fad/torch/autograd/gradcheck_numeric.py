"""Jacobians by central differences, for gradcheck.

Public names: `numerical`, `moved`, `as_tuple`, `differentiable`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..tensor import Tensor, wrap

__all__ = ["as_tuple", "differentiable", "moved", "numerical"]

Function = Callable[..., Any]


def as_tuple(x: Any) -> tuple[Any, ...]:
    if isinstance(x, tuple):
        return x
    return tuple(x) if isinstance(x, list) else (x,)


def differentiable(outputs: Any) -> tuple[Tensor, ...]:
    return tuple(
        [o for o in as_tuple(outputs) if isinstance(o, Tensor) and o.requires_grad]
    )


def moved(inputs: Sequence[Any], which: int, place: int, step: complex) -> list[Any]:
    """Return the inputs with one element of one of them changed."""
    x = inputs[which]
    value = np.array(x.value)
    value.reshape(-1)[place] += step
    found = list(inputs)
    found[which] = wrap(value).requires_grad_(x.requires_grad)
    return found


def numerical(
    func: Function,
    inputs: Sequence[Any],
    which: int,
    outputs: Sequence[Tensor],
    eps: float,
) -> list[Any]:
    """Return the Jacobians (input, output) by central differences, one per output."""

    def values(step: complex, place: int) -> list[Any]:
        found = differentiable(func(*moved(inputs, which, place, step)))
        for old, new in zip(outputs, found, strict=True):
            _check_alike(old, new, eps)
        return [f.value.reshape(-1) for f in found]

    def slope(step: complex, place: int) -> list[Any]:
        pairs = zip(values(step, place), values(-step, place), strict=True)
        return [(a - b) / (2 * eps) for a, b in pairs]

    x = inputs[which]
    rows = []
    for place in range(x.aval.size):
        row = slope(eps, place)
        if x.aval.dtype.kind == "c":
            other = slope(1j * eps, place)
            row = [a + 1j * b for a, b in zip(row, other, strict=True)]
        rows.append(row)
    shape = (0, 0)
    return [
        np.array([r[k] for r in rows]) if rows else np.zeros(shape)
        for k in range(len(outputs))
    ]


def _check_alike(old: Tensor, new: Tensor, eps: float) -> None:
    for what in ("shape", "dtype"):
        a, b = getattr(old, what), getattr(new, what)
        if a != b:
            raise AssertionError(
                f"Expected `func` to return outputs with the same {what} when inputs "
                f"are perturbed by {eps}, but got: {what}s {a} and {b}."
            )
