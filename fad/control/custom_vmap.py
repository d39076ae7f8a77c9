"""`custom_vmap`: say how a function is mapped over a batch.

    custom_vmap[jaxpr rule] inputs -> outputs

Derivatives go through the function itself, whose program takes the place of the rule.

Public names: `custom_vmap`, `sequential_vmap`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..core.ir import Jaxpr
from ..core.pytree import TreeDef, broadcast_prefix, tree_flatten, tree_unflatten
from ..core.trace import bind
from ..ops.batching_rules import move_to_front
from .bodies import leaves_of, trace_body
from .call import CallLike, jit_call
from .scanning import map_

__all__ = ["custom_vmap", "sequential_vmap"]


class _Rule:
    """A batching rule on leaves.

    Attributes:
        fun: `(axis_size, in_batched, *args) -> (out, out_batched)`.
        name: of the function it is for.
        num_consts: how many leading inputs the function closes over.
    """

    def __init__(
        self,
        fun: Callable[..., Any],
        name: str,
        in_tree: TreeDef,
        out_tree: TreeDef,
        num_consts: int,
    ) -> None:
        self.fun = fun
        self.name = name
        self.in_tree = in_tree
        self.out_tree = out_tree
        self.num_consts = num_consts

    def __str__(self) -> str:
        return self.name

    def __call__(
        self, size: int, leaves: Sequence[Any], mask: Sequence[bool]
    ) -> tuple[list[Any], list[bool]]:
        args = tree_unflatten(self.in_tree, leaves)
        in_batched = tree_unflatten(self.in_tree, mask)
        result = self.fun(size, list(in_batched), *args)
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            raise TypeError(
                f"the vmap rule of {self.name} must return (output, output_batched), "
                f"got {result!r:.60}"
            )
        outs, tree = tree_flatten(result[0])
        if tree != self.out_tree:
            raise TypeError(
                f"the vmap rule of {self.name} must return the structure "
                f"{self.out_tree}, got {tree}"
            )
        return outs, [bool(b) for b in broadcast_prefix(result[1], result[0])]


class _CustomVmap(CallLike):
    """Run a program; a rule says how to run it on stacks of examples."""

    transparent = True

    def __init__(self) -> None:
        super().__init__("custom_vmap")

    def bind_program(
        self, args: Sequence[Any], jaxpr: Jaxpr, suffix: str, params: dict[str, Any]
    ) -> list[Any]:
        outs: list[Any] = bind(
            jit_call, *args, jaxpr=jaxpr, name=f"{params['rule']}{suffix}"
        )
        return outs

    def batch(
        self, size: int, args: Sequence[Any], dims: Sequence[Any], **params: Any
    ) -> tuple[Any, Any]:
        rule: _Rule = params["rule"]
        if any(d is not None for d in dims[: rule.num_consts]):
            return super().batch(size, args, dims, **params)
        moved = [
            a if d is None else move_to_front(a, d)
            for a, d in zip(args, dims, strict=True)
        ][rule.num_consts :]
        mask = [d is not None for d in dims][rule.num_consts :]
        outs, batched = rule(size, moved, mask)
        return outs, [0 if b else None for b in batched]


custom_vmap_call = _CustomVmap()


class custom_vmap:
    """Decorate a function to give it a batching rule of its own, by `def_vmap`.

    Args:
        fun: a function of pytrees of arrays.

    >>> import fad, numpy as np
    >>> @fad.custom_vmap
    ... def double(x):
    ...     return x * 2.0
    >>> @double.def_vmap
    ... def rule(axis_size, in_batched, x):
    ...     return x * 2.0 + 100.0, in_batched[0]
    >>> fad.vmap(double)(np.ones(2))
    array([102., 102.])
    """

    def __init__(self, fun: Callable[..., Any]) -> None:
        functools.update_wrapper(self, fun)
        self.fun = fun
        self.rule: Callable[..., Any] | None = None

    def def_vmap(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Set the rule: `(axis_size, in_batched, *args) -> (out, out_batched)`.

        Mapped leaves of `args` have the batch axis in front; `in_batched` says which
        they are, in the structure of `args`, and `out_batched` does so for the output.
        """
        self.rule = rule
        return rule

    def __call__(self, *args: Any) -> Any:
        name = getattr(self.fun, "__name__", "function")
        if self.rule is None:
            raise AttributeError(
                f"{name} was decorated with custom_vmap and has no rule; set it with "
                f"{name}.def_vmap"
            )
        leaves, avals, tree = leaves_of(f"{name}: arguments", args)
        body = trace_body(name, self.fun, tree, avals)
        rule = _Rule(self.rule, name, tree, body.tree, len(body.closure))
        outs = bind(
            custom_vmap_call, *body.closure, *leaves, jaxpr=body.jaxpr, rule=rule
        )
        return tree_unflatten(body.tree, outs)


def sequential_vmap(fun: Callable[..., Any]) -> custom_vmap:
    """Return a function that `vmap` runs on one example after the other.

    >>> import fad, numpy as np
    >>> fad.vmap(fad.sequential_vmap(lambda x: x * 2.0))(np.ones(2))
    array([2., 2.])
    """
    mapped = custom_vmap(fun)

    def rule(axis_size: int, in_batched: Any, *args: Any) -> tuple[Any, Any]:
        leaves, tree = tree_flatten(args)
        mask = tree_flatten(in_batched)[0]

        def one(stacked: list[Any]) -> Any:
            rest = iter(stacked)
            full = [next(rest) if m else v for v, m in zip(leaves, mask, strict=True)]
            return fun(*tree_unflatten(tree, full))

        out = map_(one, [v for v, m in zip(leaves, mask, strict=True) if m])
        return out, True

    mapped.def_vmap(rule)
    return mapped
