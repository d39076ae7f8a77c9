"""Solvers that are differentiated by what they solve, not by how.

    custom_linear_solve   A x = b:  dx = A^-1 (db - dA x),  ct_b = A^-T ct_x
    custom_root           f(x, theta) = 0:  dx = -(df/dx)^-1 df/dtheta dtheta

The solver itself may loop, call SciPy, or do anything that is traced or called back; no
derivative goes through it. The equation's own derivative does, at every order.

Public names: `custom_linear_solve`, `custom_root`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.avals import Aval
from ..core.ir import Eqn, Jaxpr
from ..core.primitive import Plan
from ..core.pytree import TreeDef, tree_flatten, tree_unflatten
from ..core.trace import Tracer, aval_of, bind
from ..ops.arithmetic import neg, stop_gradient, sub
from ..ops.batching_rules import at_front
from ..ops.kinds import conform
from ..transforms.forward import Stream
from ..transforms.partial import Split, batch_jaxpr, split
from ..transforms.staging import eval_jaxpr, stage
from .bodies import Body, leaves_of, trace_body
from .call import jit_call
from .higher import HigherOrder, or_zeros, spread, strong

__all__ = ["custom_linear_solve", "custom_root"]


class _LinearSolve(HigherOrder):
    """Solve matvec(consts, x) = b by a given solver.

    Inputs are the closures of matvec, vecmat, solve and transpose_solve, then b. Only
    the closure of matvec, and b, carry derivatives.
    """

    def __init__(self) -> None:
        super().__init__("linear_solve")

    def run(self, *args: Any, programs: tuple[Jaxpr | None, ...], counts: Any) -> Any:
        parts = _parts(args, counts)
        outs: list[Any] = bind(
            jit_call, *parts[2], *parts[4], jaxpr=programs[2], name="solve"
        )
        return outs

    def infer(self, *avals: Aval, counts: Any, **params: Any) -> list[Aval]:
        return [strong(a) for a in avals[sum(counts) :]]

    def forward(
        self, values: Sequence[Any], inputs: Sequence[Any], **params: Any
    ) -> tuple[list[Any], tuple[Any, ...]]:
        outs = bind(self, *values, **params)
        n = sum(params["counts"])
        return outs, (*values[:n], *outs)

    def push(
        self, values: Sequence[Any], tangents: Sequence[Any], **params: Any
    ) -> tuple[list[Any], list[Any]]:
        outs = bind(self, *values, **params)
        n = sum(params["counts"])
        return outs, self._push([*values[:n], *outs], tangents, params)

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> list[Any]:
        return self._push(eqn.residuals, tangents, eqn.params)

    def _push(
        self, kept: Sequence[Any], tangents: Sequence[Any], params: dict[str, Any]
    ) -> list[Any]:
        """Solve A dx = db - dA x."""
        matvec, counts = params["programs"][0], params["counts"]
        n = sum(counts)
        x = kept[n:]
        rhs = [or_zeros(t, aval_of(v)) for t, v in zip(tangents[n:], x, strict=True)]
        t_consts = tangents[: counts[0]]
        if any(t is not None for t in t_consts):
            moved = _push_program(matvec, [*kept[: counts[0]], *x], t_consts)
            rhs = [
                r if m is None else sub(r, m) for r, m in zip(rhs, moved, strict=True)
            ]
        found: list[Any] = bind(self, *kept[:n], *rhs, **params)
        return found

    def pullback(self, eqn: Eqn, ct: Any, live: Any = None) -> list[Any]:
        programs, counts = eqn.params["programs"], eqn.params["counts"]
        n = sum(counts)
        kept, x = eqn.residuals[:n], eqn.residuals[n:]
        cts = [or_zeros(c, aval_of(v)) for c, v in zip(ct, x, strict=True)]
        if programs[3] is None:
            raise NotImplementedError(
                "custom_linear_solve: reverse mode needs transpose_solve= (or "
                "symmetric=True), a function that solves the transposed system"
            )
        parts = _parts(kept, counts)
        swapped = (parts[1], parts[0], parts[3], parts[2])
        ct_b = bind(
            self,
            *(v for part in swapped for v in part),
            *cts,
            programs=(programs[1], programs[0], programs[3], programs[2]),
            counts=(counts[1], counts[0], counts[3], counts[2]),
        )
        result: list[Any] = [None] * len(eqn.inputs)
        result[n:] = [
            c if v is not None else None
            for c, v in zip(ct_b, eqn.inputs[n:], strict=True)
        ]
        mask = [v is not None for v in eqn.inputs[: counts[0]]]
        if any(mask):
            pulled = _pull_program(
                programs[0], [*kept[: counts[0]], *x], mask, [neg(c) for c in ct_b]
            )
            result[: counts[0]] = pulled
        return result

    def is_linear(self, mask: Sequence[bool], **params: Any) -> bool:
        return not any(mask[: sum(params["counts"])])

    def batch(
        self, size: int, args: Sequence[Any], dims: Sequence[Any], **params: Any
    ) -> tuple[Any, Any]:
        """Everything in front; x is stacked if anything is."""
        programs, counts = params["programs"], params["counts"]
        n = sum(counts)
        mask = [d is not None for d in dims[:n]] + [True] * (len(args) - n)
        moved = [
            at_front(size, a, d) if m else a
            for a, d, m in zip(args, dims, mask, strict=True)
        ]
        stacked = [True] * (len(args) - n)
        batched, start = [], 0
        for program, count in zip(programs, counts, strict=True):
            if program is None:
                batched.append(None)
                continue
            which = [*mask[start : start + count], *stacked]
            batched.append(batch_jaxpr(program, size, which, stacked)[0])
            start += count
        outs = bind(self, *moved, programs=tuple(batched), counts=counts)
        return outs, [0] * len(outs)


linear_solve = _LinearSolve()


def _parts(args: Sequence[Any], counts: Sequence[int]) -> list[Sequence[Any]]:
    """Split inputs into the four closures and b."""
    parts, start = [], 0
    for count in counts:
        parts.append(args[start : start + count])
        start += count
    return [*parts, args[start:]]


def _push_program(
    jaxpr: Jaxpr, values: Sequence[Any], tangents: Sequence[Any]
) -> list[Any]:
    """Return the output tangents of a program for tangents of its first inputs."""
    stream = Stream()
    full = [*tangents, *[None] * (len(values) - len(tangents))]
    outs = eval_jaxpr(
        jaxpr, *[stream.input(v, t) for v, t in zip(values, full, strict=True)]
    )
    stream.close()
    return [o.var if isinstance(o, Tracer) and o.trace is stream else None for o in outs]


def _pull_program(
    jaxpr: Jaxpr, values: Sequence[Any], mask: Sequence[bool], cts: Sequence[Any]
) -> list[Any]:
    """Return the cotangents of a program's first inputs."""
    full = [*mask, *[False] * (len(values) - len(mask))]
    parts: Split = split(jaxpr, full)
    outs = bind(jit_call, *values, jaxpr=parts.fwd, name="matvec_fwd")
    program, nonzero = parts.bwd([True] * len(cts))
    residuals = outs[parts.num_outs :]
    found = bind(jit_call, *residuals, *cts, jaxpr=program, name="matvec_bwd")
    result: list[Any] = [None] * len(mask)
    for i, c in zip(parts.traced, spread(nonzero, found), strict=True):
        result[i] = c
    return result


def custom_linear_solve(
    matvec: Callable[[Any], Any],
    b: Any,
    solve: Callable[[Callable[[Any], Any], Any], Any],
    transpose_solve: Callable[[Callable[[Any], Any], Any], Any] | None = None,
    symmetric: bool = False,
    has_aux: bool = False,
) -> Any:
    """Solve `matvec(x) = b`, with the derivatives of the solution, not of the solver.

    Args:
        matvec: a linear function from the structure of `b` to itself; it may close over
            differentiated values.
        b: a pytree of arrays.
        solve: `solve(matvec, b)` returns x; `(x, aux)` if `has_aux`.
        transpose_solve: `transpose_solve(vecmat, ct)` solves the transposed system;
            needed in reverse mode, unless `symmetric`.
        symmetric: the map is its own transpose.
        has_aux: pass auxiliary results of `solve` through, without derivatives.

    Returns:
        x, or `(x, aux)`.

    Raises:
        TypeError: `matvec` or `solve` changes the structure or type of `b`.
        NotImplementedError: reverse mode without `transpose_solve`.

    >>> import fad, numpy as np
    >>> def f(a):
    ...     return fad.lax.custom_linear_solve(
    ...         lambda x: a * x, 6.0, lambda mv, b: b / mv(1.0), symmetric=True)
    >>> float(f(2.0)), float(fad.grad(f)(2.0))
    (3.0, -1.5)
    """
    name = "custom_linear_solve"
    leaves, avals, tree = leaves_of(f"{name}: b", b)
    avals = [strong(a) for a in avals]
    leaves = [conform_weak(v) for v in leaves]
    box = TreeDef_of_tuple(tree)
    product = trace_body(f"{name}: matvec", matvec, box, avals)
    _check_like(f"{name}: matvec", product, tree, avals)
    transposed = product if symmetric else _transposed(product, avals)
    solvers: list[Body | None] = []
    for rule, forward in ((solve, product), (transpose_solve, transposed)):
        if rule is None and symmetric and solvers:
            solvers.append(solvers[0])
        elif rule is None:
            solvers.append(None)
        else:
            solvers.append(_trace_solver(name, rule, forward, tree, avals))
    aux = None
    if has_aux:
        raise_aux = solvers[0]
        assert raise_aux is not None
        aux, solvers = _take_aux(name, raise_aux, solvers, avals, leaves)
    solution = solvers[0]
    assert solution is not None
    _check_like(f"{name}: solve", solution, tree, avals)
    bodies = [product, transposed, solvers[0], solvers[1]]
    closures = [[] if body is None else body.closure for body in bodies]
    outs = bind(
        linear_solve,
        *(v for closure in closures for v in closure),
        *leaves,
        programs=tuple(None if body is None else body.jaxpr for body in bodies),
        counts=tuple(len(closure) for closure in closures),
    )
    x = tree_unflatten(tree, outs)
    return (x, aux) if has_aux else x
