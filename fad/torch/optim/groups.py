"""Groups of parameters: what an optimiser accepts.

Public names: `check_group`, `filled_in`.
"""

from __future__ import annotations

import warnings
from typing import Any

from ..nn.parameter import type_name
from ..tensor import Tensor

__all__ = ["check_group", "filled_in"]


def check_group(group: Any, differentiable: bool) -> None:
    """Make a group's parameters a list, and raise unless all can be optimised.

    Raises:
        TypeError: it is not a dict, a set, or holds what is no tensor.
        ValueError: some but not all have names, or a tensor is no leaf.
    """
    if not isinstance(group, dict):
        raise TypeError(f"param_group must be a dict, but got {type(group)}")
    params = group["params"]
    if isinstance(params, Tensor):
        group["params"] = [params]
    elif isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the "
            "ordering of tensors in sets will change between runs. Please use a list "
            "instead."
        )
    else:
        group["params"] = list(params)
    _take_names(group)
    for p in group["params"]:
        _check_parameter(p, differentiable)
    if len(group["params"]) != len({id(p) for p in group["params"]}):
        warnings.warn(_DUPLICATES, UserWarning, stacklevel=4)


_DUPLICATES = (
    "optimizer contains a parameter group with duplicate parameters; in future, this "
    "will cause an error; see github.com/pytorch/pytorch/issues/40967 for more "
    "information"
)


def _take_names(group: dict[str, Any]) -> None:
    """Split pairs (name, tensor) into "params" and "param_names"."""
    params = group["params"]
    named = [isinstance(p, tuple) for p in params]
    if not any(named):
        return
    if not all(named):
        raise ValueError(
            "all optimizer params should be with/without names. Some param names are "
            "missing"
        )
    group["params"] = [p for _, p in params]
    group["param_names"] = [name for name, _ in params]


def _check_parameter(p: Any, differentiable: bool) -> None:
    if not isinstance(p, Tensor):
        raise TypeError(
            "optimizer can only optimize Tensors, but one of the params is "
            + type_name(type(p))
        )
    if not differentiable and not (p.is_leaf or p._retained):
        raise ValueError("can't optimize a non-leaf Tensor")


def filled_in(group: dict[str, Any], defaults: dict[str, Any], required: Any) -> None:
    """Give a group the options it lacks."""
    for name, default in defaults.items():
        if default is required and name not in group:
            raise ValueError(
                "parameter group didn't specify a value of required optimization "
                f"parameter {name}"
            )
        group.setdefault(name, default)
