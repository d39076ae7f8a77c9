"""Jacobians and Hessians of functions of tensors.

Public names: `jacrev`, `jacfwd`, `hessian`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..api import jacfwd as fad_jacfwd
from ..api import jacrev as fad_jacrev
from ..core.pytree import tree_map
from .func_checks import (
    check_argnums,
    check_chosen,
    entering,
    is_tensor,
    named,
    tensors_only,
)
from .func_vmap import ordered
from .modes import changed, current
from .tape import functional

__all__ = ["hessian", "jacfwd", "jacrev"]

Function = Callable[..., Any]
Argnums = int | tuple[int, ...]


def _jacobian(
    func: Function, argnums: Argnums, has_aux: bool, checked: Function, transform: Any
) -> Function:
    """Return a Jacobian of fad's, of a function whose outputs are bare arrays."""

    def run(*args: Any, **kwargs: Any) -> Any:
        check_argnums(argnums, len(args))
        checked(argnums, args)
        shown: list[Any] = []

        def bare(*args: Any) -> Any:
            found = tensors_only(func, transform.__name__, has_aux)(*args, **kwargs)
            output, aux = found if has_aux else (found, None)
            shown[:] = [output]
            output = tree_map(functional, output, is_leaf=is_tensor)
            return (output, aux) if has_aux else output

        found = transform(bare, argnums, has_aux)(*entering(args))
        jac, aux = found if has_aux else (found, None)
        single = isinstance(argnums, int)
        like = args[argnums] if single else tuple([args[n] for n in argnums])  # type: ignore[index, union-attr]
        jac = _ordered_rows(jac, shown[0], like)
        return (jac, aux) if has_aux else jac

    return named(run, func)


def _ordered_rows(jac: Any, output: Any, like: Any) -> Any:
    """Give the dictionaries of a Jacobian the order of those of the function."""
    if isinstance(output, dict):
        return {k: _ordered_rows(jac[k], v, like) for k, v in output.items()}
    if isinstance(output, (tuple, list)):
        rows = [_ordered_rows(j, o, like) for j, o in zip(jac, output, strict=True)]
        return tuple(rows) if isinstance(output, tuple) else rows
    return ordered(jac, like)


def jacrev(
    func: Function,
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Function:
    """Return a function that computes the Jacobian, row by row, in reverse mode."""
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    def jacrev(f: Function, nums: Any, aux: bool) -> Function:
        return fad_jacrev(f, nums, aux, chunk_size=chunk_size)

    return _jacobian(func, argnums, has_aux, check_chosen, jacrev)


def jacfwd(
    func: Function,
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    chunk_size: int | None = None,
    randomness: str = "error",
) -> Function:
    """Return a function that computes the Jacobian, column by column, in forward mode.

    Args:
        randomness: random numbers are an "error" or the "same" for all columns.
    """
    if randomness not in ("error", "same"):
        raise RuntimeError(
            f"jacfwd: randomness should be 'error' or 'same' in fad, got {randomness}"
        )

    def limited(*args: Any, **kwargs: Any) -> Any:
        with changed(mapped=(*current().mapped, (None, randomness))):
            return func(*args, **kwargs)

    def jacfwd(f: Function, nums: Any, aux: bool) -> Function:
        return fad_jacfwd(f, nums, aux, chunk_size=chunk_size)

    return _jacobian(named(limited, func), argnums, has_aux, check_chosen, jacfwd)


def hessian(func: Function, argnums: Argnums = 0) -> Function:
    """Return a function that computes the Hessian: `jacfwd` of `jacrev`."""
    return jacfwd(jacrev(func, argnums), argnums)
