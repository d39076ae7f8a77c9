"""`custom_vmap`: say how a function is mapped over a batch.

    custom_vmap[jaxpr rule] inputs -> outputs

In forward mode the rule is pushed forward with the program, so that `vmap` of `jvp`
obeys it, too. Reverse mode goes through the function itself, whose program takes the
place of the rule.

Public names: `custom_vmap`, `sequential_vmap`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ..core.ir import Jaxpr
from ..core.pytree import TreeDef, broadcast_prefix, tree_flatten, tree_unflatten
from ..core.trace import Tracer, aval_of, bind, full_lower
from ..ops.batching_rules import at_front, move_to_front
from ..transforms.forward import Stream
from ..transforms.partial import jvp_jaxpr
from .bodies import leaves_of, trace_body
from .call import CallLike, jit_call
from .higher import given, or_zeros, spread
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
            raise ValueError(
                f"the vmap rule of {self.name} must return the structure "
                f"{self.out_tree}, got {tree}"
            )
        return outs, [bool(b) for b in broadcast_prefix(result[1], result[0])]


class _Pushed:
    """The rule of a pushed-forward program: the rule itself, pushed forward.

    Inputs and outputs are the values of the first, and then the tangents of some.

    Attributes:
        rule: of the program that was pushed forward.
        given: which of its inputs have tangents.
        wanted: which of its outputs have.
    """

    def __init__(
        self, rule: _Rule | _Pushed, given: Sequence[bool], wanted: Sequence[bool]
    ) -> None:
        self.rule = rule
        self.given = given[rule.num_consts :]
        self.wanted = wanted
        self.num_consts = rule.num_consts

    def __str__(self) -> str:
        return f"{self.rule}_jvp"

    def __call__(
        self, size: int, leaves: Sequence[Any], mask: Sequence[bool]
    ) -> tuple[list[Any], list[bool]]:
        n = len(self.given)
        tangents = spread(self.given, leaves[n:])
        with_t = spread(self.given, mask[n:])
        both = [bool(m or t) for m, t in zip(mask[:n], with_t, strict=True)]
        stream = Stream()
        boxes = [
            stream.input(*self._alike(size, p, m, t, mt, b))
            for p, m, t, mt, b in zip(
                leaves[:n], mask[:n], tangents, with_t, both, strict=True
            )
        ]
        outs, batched = self.rule(size, boxes, both)
        stream.close()
        values = [full_lower(stream, o) for o in outs]
        pushed = [
            o.payload if isinstance(o, Tracer) and o.owner is stream else None
            for o in outs
        ]
        ts = [
            or_zeros(t, aval_of(v))
            for t, v, w in zip(pushed, values, self.wanted, strict=True)
            if w
        ]
        t_batched = [b for b, w in zip(batched, self.wanted, strict=True) if w]
        return [*values, *ts], [*batched, *t_batched]

    @staticmethod
    def _alike(
        size: int, primal: Any, mapped: bool, tangent: Any, t_mapped: Any, both: bool
    ) -> tuple[Any, Any]:
        """Return a value and its tangent, stacks if one of them is."""
        if both and not mapped:
            primal = at_front(size, primal, None)
        if both and tangent is not None and not t_mapped:
            tangent = at_front(size, tangent, None)
        return primal, tangent


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

    def push(
        self, values: Sequence[Any], tangents: Sequence[Any], **params: Any
    ) -> tuple[list[Any], list[Any]]:
        rule: _Rule | _Pushed = params["rule"]
        if any(t is not None for t in tangents[: rule.num_consts]):
            return super().push(values, tangents, **params)
        mask, ts = given(tangents)
        program, nonzero = jvp_jaxpr(params["jaxpr"], mask)
        pushed = _Pushed(rule, mask, nonzero)
        outs = bind(self, *values, *ts, jaxpr=program, rule=pushed)
        n = len(nonzero)
        return outs[:n], spread(nonzero, outs[n:])

    def batch(
        self, size: int, args: Sequence[Any], dims: Sequence[Any], **params: Any
    ) -> tuple[Any, Any]:
        rule: _Rule | _Pushed = params["rule"]
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
        self.signature = inspect.signature(fun)
        self.rule: Callable[..., Any] | None = None

    def def_vmap(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Set the rule: `(axis_size, in_batched, *args) -> (out, out_batched)`.

        Mapped leaves of `args` have the batch axis in front; `in_batched` says which
        they are, in the structure of `args`, and `out_batched` does so for the output.
        """
        self.rule = rule
        return rule

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        name = getattr(self.fun, "__name__", "function")
        if self.rule is None:
            raise AttributeError(
                f"{name} was decorated with custom_vmap and has no rule; set it with "
                f"{name}.def_vmap"
            )
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if bound.kwargs:
            raise TypeError(
                f"{name} was decorated with custom_vmap, whose rules get arguments by "
                f"position; {sorted(bound.kwargs)} have none"
            )
        leaves, avals, tree = leaves_of(f"{name}: arguments", bound.args)
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
