"""What the transforms of `torch.func` share: checks of arguments and outputs.

Public names: `is_tensor`, `entering`, `conjugated`, `check_argnums`, `check_chosen`,
`named`, `tensors_only`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..core.pytree import tree_flatten, tree_map
from ..core.trace import Tracer
from .modes import current
from .tape import operand
from .tensor import Tensor, tensor_of

__all__ = [
    "check_argnums",
    "check_chosen",
    "conjugated",
    "entering",
    "is_tensor",
    "named",
    "tensors_only",
]

Function = Callable[..., Any]
Argnums = int | tuple[int, ...]


def is_tensor(x: Any) -> bool:
    return isinstance(x, Tensor)


def entering(tree: Any) -> Any:
    """Return the arguments of a transform; under `no_grad` outer gradients end there."""
    if not current().cut:
        return tree

    def cut(x: Any) -> Any:
        traced = isinstance(x, Tensor) and isinstance(x.value, Tracer)
        return tensor_of(operand(x)) if traced else x

    return tree_map(cut, tree, is_leaf=is_tensor)


def conjugated(tree: Any) -> Any:
    """Return a tree of tensors with the complex ones conjugated."""

    def conj(x: Any) -> Any:
        complex_ = isinstance(x, Tensor) and x.aval.dtype.kind == "c"
        return x.conj() if complex_ else x

    return tree_map(conj, tree, is_leaf=is_tensor)


def check_argnums(argnums: Any, count: int) -> None:
    """Raise unless argnums name positional arguments."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(
            f"argnums must be int or Tuple[int, ...], got: {type(argnums)}"
        )
    nums = argnums if isinstance(argnums, tuple) else (argnums,)
    if not nums:
        raise RuntimeError("argnums must be non-empty")
    if len(set(nums)) != len(nums):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    for n in nums:
        if not isinstance(n, int):
            raise RuntimeError(f"argnum must be int, got: {type(n)}")
        if not -count <= n < count:
            raise RuntimeError(f"Got argnum={n}, but only {count} positional inputs")


def check_chosen(argnums: Argnums, args: tuple[Any, ...]) -> None:
    """Raise unless the chosen arguments are tensors that have gradients."""
    check_argnums(argnums, len(args))
    nums = argnums if isinstance(argnums, tuple) else (argnums,)
    for leaf in tree_flatten([args[n] for n in nums], is_leaf=is_tensor)[0]:
        if not isinstance(leaf, Tensor):
            raise ValueError(
                f"Thing passed to transform API must be Tensor, got {type(leaf)}"
            )
        if not leaf.is_differentiable():
            raise RuntimeError(
                "only Tensors of floating point dtype can require gradients"
            )


def named(function: Function, like: Function) -> Function:
    return functools.wraps(like, updated=())(function)


def tensors_only(
    func: Function, name: str, has_aux: bool, shown: list[Any] | None = None
) -> Function:
    """Return a function that raises unless its outputs are tensors; `shown` gets them."""

    def checked(*args: Any, **kwargs: Any) -> Any:
        found = func(*args, **kwargs)
        output = found[0] if has_aux else found
        if shown is not None:
            shown[:] = [output]
        leaves = tree_flatten(output, is_leaf=is_tensor)[0]
        if not leaves:
            raise RuntimeError(
                f"{name}: Expected f to be a function that has non-empty output (got "
                f"output = {output})"
            )
        for leaf in leaves:
            if not isinstance(leaf, Tensor):
                raise RuntimeError(
                    f"{name}: expected f(*primals) to return only tensors, got "
                    f"unsupported type {type(leaf)}"
                )
        return found

    return checked
