"""`custom_root`: a root, differentiated by the implicit function theorem.

    f(x, theta) = 0:    dx = -(df/dx)^-1 (df/dtheta) dtheta

The solver finds x by any means. Under `grad` and `jvp` alone it runs as plain Python
on plain values, so it may branch, loop, or call SciPy; under `jit` and `vmap` it is
traced.

    root[f] theta, x -> x        with the derivative above

is an equation that passes the solution on. Its rule is made of derivatives of f at x,
which are differentiated again, so every order works.

Public names: `custom_root`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..backends.registry import executable
from ..core.avals import Aval
from ..core.ir import Eqn, Jaxpr
from ..core.primitive import Plan, Primitive
from ..core.pytree import TreeDef, tree_flatten, tree_unflatten, treedef_tuple
from ..core.trace import aval_of, bind, concrete_value
from ..ops.arithmetic import convert, neg
from ..ops.batching_rules import at_front
from ..transforms.batching import Batch
from ..transforms.forward import Stream
from ..transforms.partial import batch_jaxpr
from ..transforms.staging import eval_jaxpr
from .bodies import leaves_of, trace_body
from .higher import HigherOrder, is_known, or_zeros, strong

__all__ = ["custom_root"]

Flat = Sequence[Any]


class _TangentSolve:
    """The user's `tangent_solve` on lists of leaves, or on stacks of them.

    Attributes:
        size: the number of examples, None for one.
    """

    __slots__ = ("solve", "tree", "size", "inner")

    def __init__(
        self,
        solve: Callable[..., Any],
        tree: TreeDef,
        size: int | None = None,
        inner: _TangentSolve | None = None,
    ) -> None:
        self.solve = solve
        self.tree = tree
        self.size = size
        self.inner = inner

    def __call__(self, matvec: Callable[[Flat], Flat], rhs: Flat) -> list[Any]:
        if self.inner is not None:
            return self._on_stacks(matvec, rhs)

        def linear(v: Any) -> Any:
            return tree_unflatten(self.tree, matvec(tree_flatten(v)[0]))

        return tree_flatten(self.solve(linear, tree_unflatten(self.tree, rhs)))[0]

    def _on_stacks(self, matvec: Callable[[Flat], Flat], rhs: Flat) -> list[Any]:
        size = self.size
        assert size is not None and self.inner is not None
        batch = Batch(size)

        def linear(v: Flat) -> Flat:
            outs = matvec([at_front(size, *batch.unbox(x)) for x in v])
            return [batch.input(o, 0) for o in outs]

        found = self.inner(linear, [batch.input(r, 0) for r in rhs])
        outs = [at_front(size, *batch.unbox(x)) for x in found]
        batch.open = 0
        return outs

    def __str__(self) -> str:
        return getattr(self.solve, "__name__", "tangent_solve")


class _Root(HigherOrder):
    """Pass a solution on, with its derivative by what f closes over."""

    pullback = None  # type: ignore[assignment]  # the transposed pushforward serves

    def __init__(self) -> None:
        super().__init__("root")

    def run(self, *args: Any, f: Jaxpr, **params: Any) -> list[Any]:
        return list(args[len(args) - len(f.outputs) :])

    def infer(self, *avals: Aval, f: Jaxpr, **params: Any) -> list[Aval]:
        return [strong(a) for a in avals[len(avals) - len(f.outputs) :]]

    def forward(
        self, values: Flat, inputs: Flat, *, f: Jaxpr, **params: Any
    ) -> tuple[list[Any], tuple[Any, ...]]:
        outs = bind(self, *values, f=f, **params)
        return outs, (*values[: len(values) - len(outs)], *outs)

    def push(
        self, values: Flat, tangents: Flat, **params: Any
    ) -> tuple[list[Any], list[Any]]:
        outs = bind(self, *values, **params)
        kept = [*values[: len(values) - len(outs)], *outs]
        return outs, self._push(kept, tangents, **params)

    def pushforward(self, eqn: Eqn, tangents: Flat) -> list[Any]:
        return self._push(eqn.residuals, tangents, **eqn.params)

    def _push(
        self, kept: Flat, tangents: Flat, *, f: Jaxpr, solve: _TangentSolve
    ) -> list[Any]:
        n = len(kept) - len(f.outputs)
        none: list[Any] = [None] * len(f.outputs)
        if all(t is None for t in tangents[:n]):
            return none
        rhs = _derivative(f, kept, [*tangents[:n], *none])
        found = solve(
            lambda v: _derivative(f, kept, [*[None] * n, *v]), [neg(r) for r in rhs]
        )
        return list(found)

    def is_linear(self, mask: Sequence[bool], **params: Any) -> bool:
        return False

    def batch(
        self, size: int, args: Flat, dims: Flat, *, f: Jaxpr, solve: _TangentSolve
    ) -> tuple[Any, Any]:
        n = len(args) - len(f.outputs)
        mask = [d is not None for d in dims[:n]] + [True] * len(f.outputs)
        moved = [
            at_front(size, a, d) if m else a
            for a, d, m in zip(args, dims, mask, strict=True)
        ]
        stacked, _ = batch_jaxpr(f, size, mask, [True] * len(f.outputs))
        solving = _TangentSolve(solve.solve, solve.tree, size, solve)
        outs = bind(self, *moved, f=stacked, solve=solving)
        return outs, [0] * len(outs)


root = _Root()


def _derivative(f: Jaxpr, values: Flat, tangents: Flat) -> list[Any]:
    """Return the tangents of a program's outputs."""
    stream = Stream()
    boxes = [stream.input(v, t) for v, t in zip(values, tangents, strict=True)]
    outs = eval_jaxpr(f, *boxes)
    stream.close()
    return [or_zeros(stream.tangent(o), aval_of(o)) for o in outs]


class _Undifferentiated(Primitive):
    """Run a program that no derivative goes through."""

    kind = "higher-order"

    def __init__(self) -> None:
        super().__init__("find_root", self._run, multiple_results=True)

    def _run(self, *args: Any, jaxpr: Jaxpr) -> list[Any]:
        return executable(jaxpr)(*args)

    def infer(self, *avals: Aval, jaxpr: Jaxpr) -> list[Aval]:
        return [strong(a) for a in jaxpr.out_avals]

    def make_plan(self, mask: tuple[bool, ...]) -> Plan:
        return Plan(mask, (), (), constant=True)

    def pushforward(self, eqn: Eqn, tangents: Flat) -> list[Any]:
        return [None] * len(eqn.aval)

    def pullback(self, eqn: Eqn, ct: Any, live: Any = None) -> list[Any]:
        return [None] * len(eqn.inputs)

    def batch(
        self, size: int, args: Flat, dims: Flat, *, jaxpr: Jaxpr
    ) -> tuple[Any, Any]:
        mask = [d is not None for d in dims]
        moved = [
            at_front(size, a, d) if m else a
            for a, d, m in zip(args, dims, mask, strict=True)
        ]
        program, stacked = batch_jaxpr(jaxpr, size, mask)
        outs = bind(self, *moved, jaxpr=program)
        return outs, [0 if s else None for s in stacked]


undifferentiated = _Undifferentiated()


def custom_root(
    f: Callable[[Any], Any],
    initial_guess: Any,
    solve: Callable[[Callable[[Any], Any], Any], Any],
    tangent_solve: Callable[[Callable[[Any], Any], Any], Any],
    has_aux: bool = False,
) -> Any:
    """Find a root of `f`, with the derivatives of the root, not of the solver.

    Args:
        f: from the structure of the guess to itself; it may close over differentiated
            values, and the root is differentiated by those.
        initial_guess: a pytree of arrays, not differentiated.
        solve: `solve(f, initial_guess)` returns the root; `(root, aux)` if `has_aux`.
        tangent_solve: `tangent_solve(g, y)` solves `g(v) = y` for the linear function
            `g`, the derivative of `f` at the root; it must be linear in y. For a
            scalar: `lambda g, y: y / g(1.0)`.
        has_aux: pass auxiliary results of `solve` through.

    Returns:
        The root, or `(root, aux)`.

    Raises:
        TypeError: `f` or `solve` changes the structure or type of the guess.

    >>> import fad
    >>> def bisect(f, x):
    ...     low, high = 0.0, 10.0
    ...     while high - low > 1e-12:
    ...         middle = (low + high) / 2
    ...         low, high = (low, middle) if f(middle) > 0 else (middle, high)
    ...     return low
    >>> def sqrt(a):
    ...     return fad.lax.custom_root(
    ...         lambda x: x * x - a, 1.0, bisect, lambda g, y: y / g(1.0))
    >>> round(float(sqrt(4.0)), 9), round(float(fad.grad(sqrt)(4.0)), 9)
    (2.0, 0.25)
    """
    leaves, avals, tree = leaves_of("custom_root: initial_guess", initial_guess)
    avals = [strong(a) for a in avals]
    body = trace_body("custom_root: f", f, treedef_tuple([tree]), avals)
    _check_like("f", body.tree, body.out_avals, tree, avals)
    if is_known([*body.closure, *leaves]):
        plain = [concrete_value(v) for v in body.closure]

        def value_of_f(x: Any) -> Any:
            outs = eval_jaxpr(body.jaxpr, *plain, *tree_flatten(x)[0])
            return tree_unflatten(body.tree, outs)

        guess = tree_unflatten(tree, [concrete_value(v) for v in leaves])
        solution = solve(value_of_f, guess)
        x, aux = _pair(solution) if has_aux else (solution, None)
    else:
        x, aux = _traced_solve(f, solve, tree, leaves, avals, has_aux)
    outs, out_avals, found = leaves_of("custom_root: solve", x)
    _check_like("solve", found, out_avals, tree, avals)
    outs = [convert(v, dtype=a.dtype) for v, a in zip(outs, avals, strict=True)]
    rule = _TangentSolve(tangent_solve, tree)
    found_root = bind(root, *body.closure, *outs, f=body.jaxpr, solve=rule)
    result = tree_unflatten(tree, found_root)
    return (result, aux) if has_aux else result


def _traced_solve(
    f: Callable[..., Any],
    solve: Callable[..., Any],
    tree: TreeDef,
    leaves: Flat,
    avals: Sequence[Aval],
    has_aux: bool,
) -> tuple[Any, Any]:
    def call(guess: Any) -> tuple[Any, Any]:
        out = solve(f, guess)
        return _pair(out) if has_aux else (out, None)

    body = trace_body("custom_root: solve", call, treedef_tuple([tree]), avals)
    outs = bind(undifferentiated, *body.closure, *leaves, jaxpr=body.jaxpr)
    x, aux = tree_unflatten(body.tree, outs)
    return x, aux


def _pair(out: Any) -> tuple[Any, Any]:
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        raise TypeError(
            "custom_root with has_aux=True: solve must return a pair (root, aux), got "
            f"{out!r:.60}"
        )
    return out[0], out[1]


def _check_like(
    what: str,
    found: TreeDef,
    out_avals: Sequence[Aval],
    tree: TreeDef,
    avals: Sequence[Aval],
) -> None:
    if found != tree:
        raise TypeError(
            f"custom_root: {what} must return the structure of the initial guess, "
            f"{tree}, got {found}"
        )
    for a, b in zip(out_avals, avals, strict=True):
        if a.shape != b.shape or (a.dtype != b.dtype and not a.weak):
            raise TypeError(
                f"custom_root: {what} must return {b!r}, like the initial guess, got "
                f"{a!r}"
            )
