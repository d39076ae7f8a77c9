"""The error of `torch.linalg`, and which matrix of a stack it is about.

Public names: `LinAlgError`, `explained`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..core.trace import concrete_value

__all__ = ["LinAlgError", "explained", "first_minor", "zero_pivot"]


class LinAlgError(RuntimeError):
    """A matrix is singular, not positive definite, or an algorithm did not converge."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"


def zero_pivot(a: Any) -> int:
    """Return which pivot of an LU factorisation is zero first, from 1; 0 if none is."""
    a = np.array(a)
    n = a.shape[-1]
    for k in range(n):
        row = k + int(np.argmax(np.abs(a[k:, k])))
        if a[row, k] == 0:
            return k + 1
        a[[k, row]] = a[[row, k]]
        a[k + 1 :] -= np.outer(a[k + 1 :, k] / a[k, k], a[k])
    return 0


def first_minor(a: Any) -> int:
    """Return the order of the first leading minor that is not positive, 0 if none."""
    for k in range(1, a.shape[-1] + 1):
        try:
            np.linalg.cholesky(a[:k, :k])
        except np.linalg.LinAlgError:
            return k
    return 0


_TEXTS: dict[Callable[[Any], int], str] = {
    zero_pivot: (
        "The diagonal element {0} is zero, the inversion could not be completed "
        "because the input matrix is singular."
    ),
    first_minor: (
        "The factorization could not be completed because the input is not "
        "positive-definite (the leading minor of order {0} is not positive-definite)."
    ),
}


@contextlib.contextmanager
def explained(name: str, a: Any, search: Any = None, text: str = "") -> Iterator[None]:
    """Say what went wrong as PyTorch does.

    Args:
        name: the function.
        a: the tensor that has no inverse or factor.
        search: finds the place, `zero_pivot` or `first_minor`.
        text: what to say, with the place for {0}.
    """
    try:
        yield
    except np.linalg.LinAlgError as error:
        say = text or _TEXTS.get(search, str(error))
        known = concrete_value(a.value)
        if known is None or search is None:
            raise LinAlgError(f"{name}: {say.format('k')}") from error
        stack = np.asarray(known)
        places = [search(m) for m in stack.reshape(-1, *stack.shape[-2:])]
        which = next((i for i, p in enumerate(places) if p), 0)
        batch = f"(Batch element {which}): " if stack.ndim > 2 else ""
        raise LinAlgError(f"{name}: {batch}{say.format(places[which])}") from error
