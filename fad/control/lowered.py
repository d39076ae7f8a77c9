"""What `jit(f).lower(*args)` returns: a program to look at, to cost and to compile.

Public names: `Lowered`, `Compiled`.
"""

from __future__ import annotations

from typing import Any

from ..backends.registry import executable, source_of
from ..core.avals import Aval
from ..core.ir import Jaxpr
from ..core.pytree import TreeDef, tree_flatten, tree_unflatten
from ..core.trace import Tracer, bind
from ..ops.arithmetic import convert
from ..transforms.cost import Cost, cost
from ..transforms.simplify import simplify
from .call import jit_call
from .static import check_leaf

__all__ = ["Compiled", "Lowered"]


class Lowered:
    """A traced function.

    Attributes:
        name: of the function.
        jaxpr: its program, simplified.
        in_tree, out_tree: the structures of `(args, kwargs)` and of the result.
    """

    def __init__(
        self,
        name: str,
        jaxpr: Jaxpr,
        closure: list[Any],
        in_tree: TreeDef,
        out_tree: TreeDef,
    ) -> None:
        self.name = name
        self.jaxpr = simplify(jaxpr)
        self.in_tree = in_tree
        self.out_tree = out_tree
        self._closure = closure

    @property
    def in_avals(self) -> list[Aval]:
        """The avals of the leaves of the arguments."""
        return self.jaxpr.in_avals[len(self._closure) :]

    @property
    def out_avals(self) -> list[Aval]:
        """The avals of the leaves of the result."""
        return self.jaxpr.out_avals

    def as_text(self) -> str:
        """Return the program as text."""
        return str(self.jaxpr)

    def cost(self) -> Cost:
        """Return the operations, bytes and memory that a call takes."""
        return cost(self.jaxpr)

    def cost_analysis(self) -> dict[str, float]:
        """Return the cost as a dict."""
        found = self.cost()
        return {
            "flops": found.flops,
            "bytes accessed": found.bytes,
            "peak bytes": found.peak_bytes,
        }

    def compile(self) -> Compiled:
        """Return an executable function for these shapes and dtypes."""
        return Compiled(self)

    def __repr__(self) -> str:
        return f"Lowered({self.name}: {self.jaxpr})"


class Compiled:
    """A program that takes arguments of one signature only."""

    def __init__(self, lowered: Lowered) -> None:
        self._lowered = lowered
        self._run = executable(lowered.jaxpr)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program.

        Raises:
            TypeError: the arguments differ from those it was lowered for.
        """
        low = self._lowered
        leaves, tree = tree_flatten((args, kwargs))
        if tree != low.in_tree:
            raise TypeError(
                f"{low.name} was compiled for arguments of structure {low.in_tree}, "
                f"called with {tree}"
            )
        for i, (v, want) in enumerate(zip(leaves, low.in_avals, strict=True)):
            found = check_leaf(v, f"{low.name}: arguments")
            if (found.shape, found.dtype) != (want.shape, want.dtype):
                raise TypeError(
                    f"{low.name} was compiled for {want!r} as argument leaf {i}, "
                    f"called with {found!r}; call the jitted function itself, which "
                    "traces anew for other signatures"
                )
            if found.weak and not want.weak:  # a Python number for a NumPy scalar
                leaves[i] = convert(v, dtype=want.dtype)
        values = [*low._closure, *leaves]
        if any(isinstance(v, Tracer) for v in values):
            outs = bind(jit_call, *values, jaxpr=low.jaxpr, name=low.name)
        else:
            outs = self._run(*values)
        return tree_unflatten(low.out_tree, outs)

    def as_text(self) -> str:
        """Return the source that runs."""
        return source_of(self._lowered.jaxpr)

    def cost(self) -> Cost:
        """Return the operations, bytes and memory that a call takes."""
        return self._lowered.cost()

    cost_analysis = property(lambda self: self._lowered.cost_analysis)
