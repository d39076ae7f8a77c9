"""Parameters as one vector.

Public names: `parameters_to_vector`, `vector_to_parameters`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...declare import functions
from ...tensor import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Return the elements of all parameters in one dimension."""
    found: Tensor = functions["cat"]([p.view(-1) for p in parameters])  # type: ignore[attr-defined]
    return found


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Let parameters share the memory of the parts of a vector.

    Raises:
        TypeError: `vec` is no tensor.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {_class_name(vec)}")
    start = 0
    for p in parameters:
        stop = start + p.aval.size
        p.data = vec[start:stop].view_as(p).data  # type: ignore[index, attr-defined]
        start = stop


def _class_name(value: Any) -> str:
    cls = type(value)
    module = "" if cls.__module__ == "builtins" else f"{cls.__module__}."
    return f"{module}{cls.__qualname__}"
