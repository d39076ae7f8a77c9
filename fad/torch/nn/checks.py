"""Checks and small helpers that functions of networks share.

Public names: `require_floating`, `replaced`, `many`, `source`, `known_to_hold`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.trace import concrete_value
from ..generator import Generator
from ..inplace import write_into
from ..tensor import Tensor

__all__ = ["known_to_hold", "many", "replaced", "require_floating", "source"]


def require_floating(x: Tensor, kernel: str, kinds: str = "f") -> None:
    """Raise as PyTorch's `kernel` does for a dtype that it does not take.

    Raises:
        NotImplementedError: the kind of the dtype is none of `kinds`.
    """
    if x.aval.dtype.kind not in kinds:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{x.dtype.title}'")


def replaced(
    inplace: bool, function: Callable[..., Any], x: Tensor, *args: Any, **kwargs: Any
) -> Tensor:
    """Return ``function(x, ...)``, written into `x` if asked."""
    if inplace:
        return write_into(x, function, args, kwargs)
    result: Tensor = function(x, *args, **kwargs)
    return result


def many(value: Any, count: int) -> tuple[Any, ...]:
    """Return a value for each of several dimensions.

    >>> many(2, 3), many((1, 2), 2)
    ((2, 2, 2), (1, 2))
    """
    if isinstance(value, (tuple, list)):
        return tuple(value) * count if len(value) == 1 else tuple(value)
    return (value,) * count


def known_to_hold(condition: Tensor) -> bool:
    """Tell whether a condition holds somewhere; no, if its values are not known yet."""
    values = concrete_value(condition.value)
    return values is not None and bool(np.any(values))


def source() -> Generator:
    """Return the generator that `torch.manual_seed` seeds."""
    from ..random import default_generator

    generator: Generator = default_generator
    return generator
