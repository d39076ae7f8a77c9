"""`custom_linear_solve`: a solver that is differentiated by what it solves, not by how.

    A x = b:    dx = A^-1 (db - dA x),    ct_b = A^-T ct_x,    ct_A = -ct_b x^T

The solver may loop or do anything that can be traced; no derivative goes through it.
The derivatives are solves again, so every order works.

Public names: `custom_linear_solve`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.avals import Aval
from ..core.ir import Eqn, Jaxpr
from ..core.pytree import TreeDef, tree_flatten, tree_unflatten, treedef_tuple
from ..core.trace import aval_of, bind
from ..ops.arithmetic import convert, neg, sub
from ..ops.batching_rules import at_front
from ..transforms.forward import Stream
from ..transforms.interning import intern
from ..transforms.partial import Split, batch_jaxpr, split
from ..transforms.reverse import transpose
from ..transforms.staging import eval_jaxpr, stage
from .bodies import Body, leaves_of, trace_body
from .call import jit_call
from .higher import HigherOrder, or_zeros, spread, strong

__all__ = ["custom_linear_solve"]


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

    def infer(self, *avals: Aval, programs: Any, counts: Any) -> list[Aval]:
        return [strong(a) for a in programs[2].out_avals]

    def forward(
        self, values: Sequence[Any], inputs: Sequence[Any], **params: Any
    ) -> tuple[list[Any], tuple[Any, ...]]:
        outs = bind(self, *values, **params)
        n = sum(params["counts"])
        return outs, (*values[:n], *outs[: len(values) - n])

    def push(
        self, values: Sequence[Any], tangents: Sequence[Any], **params: Any
    ) -> tuple[list[Any], list[Any]]:
        outs = bind(self, *values, **params)
        n = sum(params["counts"])
        kept = [*values[:n], *outs[: len(values) - n]]
        return outs, self._push(kept, tangents, params)

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
        outs = bind(self, *kept[:n], *rhs, **params)
        return [*outs[: len(x)], *[None] * (len(outs) - len(x))]

    def pullback(self, eqn: Eqn, ct: Any, live: Any = None) -> list[Any]:
        programs, counts = eqn.params["programs"], eqn.params["counts"]
        n = sum(counts)
        kept, x = eqn.residuals[:n], eqn.residuals[n:]
        cts = [or_zeros(c, aval_of(v)) for c, v in zip(ct, x, strict=False)]
        if programs[3] is None:
            raise TypeError(
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
        )[: len(x)]
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
        batched: list[Any] = []
        start = 0
        for program, count in zip(programs, counts, strict=True):
            if program is None:
                batched.append(None)
                continue
            which = [*mask[start : start + count], *stacked]
            every = [True] * len(program.outputs)
            batched.append(batch_jaxpr(program, size, which, every)[0])
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
    return [stream.tangent(o) for o in outs]


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
        TypeError: reverse mode without `transpose_solve`.

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
    product = trace_body(f"{name}: matvec", matvec, treedef_tuple([tree]), avals)
    _check_like(f"{name}: matvec", product.tree, product.out_avals, tree, avals)
    adjoint = product if symmetric else _transposed(product, avals)
    forward = _trace_solver("solve", solve, product, tree, avals, has_aux)
    aux_tree = forward.tree.children()[1] if has_aux else None
    if transpose_solve is not None:
        back: Body | None = _trace_solver(
            "transpose_solve", transpose_solve, adjoint, tree, avals, has_aux
        )
    else:
        back = forward if symmetric else None
    bodies = [product, adjoint, forward, back]
    closures = [[] if body is None else body.closure for body in bodies]
    outs = bind(
        linear_solve,
        *(v for closure in closures for v in closure),
        *[convert(v, dtype=a.dtype) for v, a in zip(leaves, avals, strict=True)],
        programs=tuple(None if body is None else body.jaxpr for body in bodies),
        counts=tuple(len(closure) for closure in closures),
    )
    x = tree_unflatten(tree, outs[: len(leaves)])
    if aux_tree is None:
        return x
    return x, tree_unflatten(aux_tree, outs[len(leaves) :])


def _check_like(
    what: str, found: TreeDef, out_avals: Sequence[Aval], tree: TreeDef, avals: Any
) -> None:
    if found != tree:
        raise TypeError(f"{what} must return the structure {tree}, got {found}")
    for a, b in zip(out_avals, avals, strict=True):
        if a.shape != b.shape or a.dtype != b.dtype:
            raise TypeError(f"{what} must return {b!r}, as it was given, got {a!r}")


def _transposed(product: Body, avals: Sequence[Aval]) -> Body:
    """Return the transpose of a body that is linear in its arguments."""
    jaxpr, n = product.jaxpr, len(product.closure)

    def vecmat(*args: Any) -> list[Any]:
        closure, cts = args[:n], args[n:]
        found = transpose(lambda *x: (eval_jaxpr(jaxpr, *closure, *x), cts), avals)
        return [or_zeros(c, a) for c, a in zip(found, avals, strict=True)]

    key = "transposed", n
    if key not in jaxpr.cache:
        jaxpr.cache[key] = intern(stage(vecmat, [*jaxpr.in_avals[:n], *avals]))
    return product._replace(jaxpr=jaxpr.cache[key])


def _as_function(body: Body, tree: TreeDef) -> Callable[[Any], Any]:
    """Return a traced body as a function of pytrees."""

    def call(x: Any) -> Any:
        leaves = tree_flatten(x)[0]
        return tree_unflatten(tree, eval_jaxpr(body.jaxpr, *body.closure, *leaves))

    return call


def _trace_solver(
    what: str,
    solver: Callable[..., Any],
    product: Body,
    tree: TreeDef,
    avals: Sequence[Aval],
    has_aux: bool,
) -> Body:
    """Trace `solver(matvec, b)`, which may return a pair with auxiliary results."""
    name = f"custom_linear_solve: {what}"

    def call(b: Any) -> Any:
        out = solver(_as_function(product, tree), b)
        return _pair(name, out) if has_aux else out

    body = trace_body(name, call, treedef_tuple([tree]), avals)
    found = body.tree.children()[0] if has_aux else body.tree
    _check_like(name, found, body.out_avals[: len(avals)], tree, avals)
    return body


def _pair(name: str, out: Any) -> tuple[Any, Any]:
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        raise TypeError(f"{name} with has_aux=True must return a pair, got {out!r:.60}")
    return out[0], out[1]
