"""Checkpoint policies: which intermediate values a reverse pass keeps.

A policy is a function `(prim, *avals_in, **params) -> bool` of an operation: whether
its outputs may be kept. What it does not let be kept is computed anew.

    everything_saveable           all
    nothing_saveable              none but the arguments
    dots_saveable                 results of matrix products and convolutions
    dots_with_no_batch_dims_saveable   of those without a stack of matrices
    save_only_these_names(...)    values named by `checkpoint_name`
    save_any_names_but_these(...), save_anything_except_these_names(...)
    save_from_both_policies(p, q)

Public names: the above, `Policy`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.avals import Aval
from ..core.primitive import Primitive

__all__ = [
    "Policy",
    "checkpoint_dots",
    "dots_saveable",
    "dots_with_no_batch_dims_saveable",
    "everything_saveable",
    "nothing_saveable",
    "save_any_names_but_these",
    "save_anything_except_these_names",
    "save_from_both_policies",
    "save_only_these_names",
]

Policy = Callable[..., bool]


def everything_saveable(prim: Primitive, *avals: Aval, **params: Any) -> bool:
    """Keep everything, as without a checkpoint."""
    return True


def nothing_saveable(prim: Primitive, *avals: Aval, **params: Any) -> bool:
    """Keep nothing but the arguments."""
    return False


def dots_saveable(prim: Primitive, *avals: Aval, **params: Any) -> bool:
    """Keep the results of matrix products and convolutions."""
    return prim.kind == "multilinear" and not prim.pointwise


checkpoint_dots = dots_saveable


def dots_with_no_batch_dims_saveable(
    prim: Primitive, *avals: Aval, **params: Any
) -> bool:
    """Keep the results of products of two matrices, not of stacks of matrices."""
    return dots_saveable(prim, *avals, **params) and not _has_batch_axes(avals, params)


def _has_batch_axes(avals: tuple[Aval, ...], params: dict[str, Any]) -> bool:
    spec = params.get("spec")
    if isinstance(spec, str):  # "ab,bc->ac": a label in all three is a batch axis
        inputs, out = spec.split("->")
        xs, ys = inputs.split(",")
        return any(c in ys and c in out for c in xs)
    return all(len(a.shape) > 2 for a in avals)


def save_only_these_names(*names: str) -> Policy:
    """Keep the values with these names."""
    return _Named("only", names)


def save_any_names_but_these(*names: str) -> Policy:
    """Keep the values with a name, if it is not one of these."""
    return _Named("any but", names)


def save_anything_except_these_names(*names: str) -> Policy:
    """Keep everything but the values with these names."""
    return _Named("all except", names)


class _Named:
    """A policy by name; equal ones compare equal, so that programs are made once."""

    __slots__ = ("how", "names")

    def __init__(self, how: str, names: tuple[str, ...]) -> None:
        for name in names:
            if not isinstance(name, str):
                raise TypeError(
                    f"checkpoint names are strings, got {name!r:.60}; pass the names "
                    "one by one: save_only_these_names('a', 'b')"
                )
        self.how = how
        self.names = frozenset(names)

    def __call__(self, prim: Primitive, *avals: Aval, **params: Any) -> bool:
        if prim.name != "name":
            return self.how == "all except"
        listed = params["name"] in self.names
        return listed if self.how == "only" else not listed

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Named):
            return NotImplemented
        return (self.how, self.names) == (other.how, other.names)

    def __hash__(self) -> int:
        return hash((self.how, self.names))

    def __repr__(self) -> str:
        return f"save {self.how} {', '.join(sorted(self.names))}"


def save_from_both_policies(first: Policy, second: Policy) -> Policy:
    """Keep what either of two policies keeps."""
    return _Either(first, second)


class _Either:
    __slots__ = ("policies",)

    def __init__(self, *policies: Policy) -> None:
        self.policies = policies

    def __call__(self, prim: Primitive, *avals: Aval, **params: Any) -> bool:
        return any(p(prim, *avals, **params) for p in self.policies)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Either):
            return NotImplemented
        return self.policies == other.policies

    def __hash__(self) -> int:
        return hash(self.policies)
