"""The state of an optimiser as plain data, with parameters numbered.

Public names: `packed_state`, `load_state`.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from typing import Any

from ..tensor import Tensor

__all__ = ["load_state", "packed_state"]


def packed_state(state: dict[Any, Any], groups: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a state and groups where numbers stand for parameters."""
    numbers: dict[int, int] = {}
    for group in groups:
        for p in group["params"]:
            numbers.setdefault(id(p), len(numbers))
    packed = [
        {k: v for k, v in group.items() if k != "params"}
        | {"params": [numbers[id(p)] for p in group["params"]]}
        for group in groups
    ]
    by_number = {
        numbers[id(k)] if isinstance(k, Tensor) else k: v for k, v in state.items()
    }
    return {"state": by_number, "param_groups": packed}


def load_state(
    given: dict[str, Any], groups: list[dict[str, Any]]
) -> tuple[defaultdict[Any, Any], list[dict[str, Any]]]:
    """Return a packed state and its groups for the parameters of other groups.

    Raises:
        ValueError: the groups have different sizes.
    """
    saved = [dict(group) for group in given["param_groups"]]
    if len(groups) != len(saved):
        raise ValueError("loaded state dict has a different number of parameter groups")
    lengths = zip(groups, saved, strict=True)
    if any(len(g["params"]) != len(s["params"]) for g, s in lengths):
        raise ValueError(
            "loaded state dict contains a parameter group that doesn't match the size "
            "of optimizer's group"
        )
    numbers = [n for s in saved for n in s["params"]]
    params = [p for g in groups for p in g["params"]]
    by_number = dict(zip(numbers, params, strict=True))
    state: defaultdict[Any, Any] = defaultdict(dict)
    for key, value in given["state"].items():
        if key in by_number:
            p = by_number[key]
            state[p] = {k: _like(p, k, v) for k, v in value.items()}
        else:
            state[key] = value
    return state, [_loaded(g, s) for g, s in zip(groups, saved, strict=True)]


def _loaded(group: dict[str, Any], saved: dict[str, Any]) -> dict[str, Any]:
    made = copy.deepcopy(saved) | {"params": group["params"]}
    if "param_names" in group and "param_names" not in made:
        made["param_names"] = group["param_names"]
    return made


def _like(p: Tensor, name: Any, value: Any) -> Any:
    """Return a copy of a value of the state, in the dtype of its parameter."""
    if isinstance(value, Tensor):
        if name != "step" and p.aval.dtype.kind in "fc":
            return value.to(p.dtype).clone()  # type: ignore[attr-defined]
        return value.clone()  # type: ignore[attr-defined]
    if isinstance(value, dict):
        return {k: _like(p, k, v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([_like(p, name, v) for v in value])
    return value
