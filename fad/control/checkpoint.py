"""`checkpoint` (or `remat`): keep less for the reverse pass, compute it again.

    checkpoint[jaxpr policy] inputs -> outputs

The forward pass returns, besides the outputs, only the values that the policy saves;
the reverse pass computes the other residuals anew from those and from the inputs. By
default nothing but the inputs is saved, so the memory of a chain of checkpointed parts
is that of one part.

Public names: `checkpoint`, `checkpoint_name`, `checkpoint_call`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..core.ir import Eqn, Jaxpr, Var, key_of, new_eqn
from ..core.pytree import tree_map, tree_unflatten
from ..core.trace import Tracer, bind
from ..ops.algebra import Algebra
from ..ops.infer_rules import same
from ..ops.kinds import linear
from ..transforms.partial import split, subprogram
from ..transforms.staging import eval_jaxpr, stage
from .bodies import leaves_of, trace_body
from .call import CallLike
from .disabling import jit_is_disabled
from .higher import given, is_staging, spread
from .policies import Policy, nothing_saveable
from .static import Static

__all__ = ["checkpoint", "checkpoint_call", "checkpoint_name", "remat"]

named = linear(
    "name",
    lambda x, *, name: x,
    lambda ct, *, name: ct,
    infer=lambda x, *, name: same(x),
    batch=lambda size, args, dims, *, name: (named(args[0], name=name), dims[0]),
    structural=True,
    view=True,
)

named.algebra = Algebra(trivial=lambda x, *, name: True)


def checkpoint_name(x: Any, name: str) -> Any:
    """Give a value a name, which checkpoint policies know it by.

    Args:
        x: a pytree of arrays.
        name: the name.

    >>> import fad
    >>> fad.checkpoint_name(2.0, "hidden")
    2.0
    """
    return tree_map(lambda v: named(v, name=name), x)


class _Checkpoint(CallLike):
    """Run a program whose residuals a policy chooses."""

    def bind_program(
        self, args: Sequence[Any], jaxpr: Jaxpr, suffix: str, params: dict[str, Any]
    ) -> list[Any]:
        outs: list[Any] = bind(self, *args, jaxpr=jaxpr, policy=params["policy"])
        return outs

    def forward(
        self, values: Sequence[Any], inputs: Sequence[Any], **params: Any
    ) -> tuple[list[Any], tuple[Any, ...]]:
        parts = split_saving(params, [v is not None for v in inputs])
        outs = self.bind_program(values, parts.fwd, "", params)
        n = parts.num_outs
        return outs[:n], (*(values[i] for i in parts.needed), *outs[n:])

    def pullback(self, eqn: Eqn, ct: Any, live: Any = None) -> list[Any]:
        parts = split_saving(eqn.params, [v is not None for v in eqn.inputs])
        which, cts = given(ct)
        program, nonzero = parts.bwd(which)
        found = self.bind_program([*eqn.residuals, *cts], program, "", eqn.params)
        result: list[Any] = [None] * len(eqn.inputs)
        for i, c in zip(parts.parts.traced, spread(nonzero, found), strict=True):
            result[i] = c
        return result

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> list[Any]:
        parts = split_saving(eqn.params, [v is not None for v in eqn.inputs])
        which, ts = given(tangents[i] for i in parts.parts.traced)
        program, nonzero = parts.lin(which)
        found = self.bind_program([*eqn.residuals, *ts], program, "", eqn.params)
        return spread(nonzero, found)


checkpoint_call = _Checkpoint("checkpoint")


class _SplitSaving:
    """The split of a program whose residuals are chosen by a policy.

    Attributes:
        fwd: inputs -> outputs, saved values.
        needed: the inputs that the reverse pass reads.
        saved: atoms of the saved values.
    """

    def __init__(self, jaxpr: Jaxpr, policy: Policy, mask: Sequence[bool]) -> None:
        self.parts = split(jaxpr, mask)
        self.num_outs = self.parts.num_outs
        full = self.parts.fwd
        holes = full.outputs[self.num_outs :]
        self.saved, anew = _choose(holes, policy)
        self.fwd = subprogram(full, [*full.outputs[: self.num_outs], *self.saved])
        self.recompute = _restarted(full, self.saved, anew, holes)
        read = {key_of(v) for e in self.recompute.eqns for v in e.inputs}
        read |= {key_of(v) for v in self.recompute.outputs}
        self.needed = [i for i, v in enumerate(full.inputs) if v in read]
        self._programs: dict[Any, tuple[Jaxpr, list[bool]]] = {}

    def bwd(self, which: tuple[bool, ...]) -> tuple[Jaxpr, list[bool]]:
        """Return (needed inputs, saved, cotangents) -> cotangents."""
        return self._derive("bwd", which, self.parts.bwd(which))

    def lin(self, which: tuple[bool, ...]) -> tuple[Jaxpr, list[bool]]:
        """Return (needed inputs, saved, tangents) -> tangents."""
        return self._derive("lin", which, self.parts.lin(which))

    def _derive(
        self, way: str, which: tuple[bool, ...], derived: tuple[Jaxpr, list[bool]]
    ) -> tuple[Jaxpr, list[bool]]:
        program, nonzero = derived
        key = way, which
        if key not in self._programs:
            n, k = len(self.needed), len(self.needed) + len(self.saved)
            size = len(self.recompute.inputs) - len(self.saved)

            def derivative(*args: Any) -> list[Any]:
                inputs: list[Any] = [0.0] * size  # those not needed are not read
                for i, a in zip(self.needed, args[:n], strict=True):
                    inputs[i] = a
                residuals = eval_jaxpr(self.recompute, *inputs, *args[n:k])
                return eval_jaxpr(program, *residuals, *args[k:])

            ins = self.recompute.in_avals
            avals = [ins[i] for i in self.needed] + ins[size:]
            rest = program.in_avals[len(self.parts.residual_avals) :]
            self._programs[key] = stage(derivative, [*avals, *rest]), nonzero
        return self._programs[key]


def _choose(holes: Sequence[Any], policy: Policy) -> tuple[list[Any], set[Eqn]]:
    """Return the atoms to save and the equations to run again for `holes`."""
    saved: dict[Any, Any] = {}
    anew: set[Eqn] = set()
    stack = [(h, False) for h in reversed(holes)]
    while stack:
        atom, refused = stack.pop()
        eqn = atom.eqn
        if eqn is None or key_of(atom) in saved:
            continue
        if not refused and policy(
            eqn.prim, *[v.aval for v in eqn.inputs], **eqn.params
        ):
            saved[key_of(atom)] = atom
            continue
        if eqn in anew:
            continue
        anew.add(eqn)
        # The operand of a name that is not to be saved is the same value.
        stack += [(v, eqn.prim is named) for v in eqn.inputs]
    return list(saved.values()), anew


def _restarted(
    full: Jaxpr, saved: Sequence[Any], anew: set[Eqn], outputs: Sequence[Any]
) -> Jaxpr:
    """Return the program of `outputs` from the inputs and from saved values."""
    env: dict[Any, Any] = {key_of(v): Var(v.aval) for v in saved}
    inputs = [*full.inputs, *env.values()]

    def read(atom: Any) -> Any:
        return env.get(key_of(atom), atom)

    eqns = []
    for eqn in full.eqns:
        if eqn in anew:
            new = new_eqn(
                eqn.prim, [read(v) for v in eqn.inputs], eqn.params, None, (),
                eqn.aval, eqn.source,
            )  # fmt: skip
            eqns.append(new)
            for old, out in zip(eqn.outputs, new.outputs, strict=True):
                env.setdefault(key_of(old), out)
    outs = [read(v) for v in outputs]
    return Jaxpr(inputs, full.const_vars, full.consts, eqns, outs)


def split_saving(params: dict[str, Any], mask: Sequence[bool]) -> _SplitSaving:
    """Return the split of a program under a policy, made once."""
    jaxpr, policy = params["jaxpr"], params["policy"]
    key = ("split saving", policy, tuple(mask))
    if key not in jaxpr.cache:
        jaxpr.cache[key] = _SplitSaving(jaxpr, policy, mask)
    found: _SplitSaving = jaxpr.cache[key]
    return found


def checkpoint(
    fun: Callable[..., Any] | None = None,
    *,
    prevent_cse: bool = True,
    policy: Policy | None = None,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Sequence[str] | None = None,
) -> Callable[..., Any]:
    """Return `fun` with less memory kept for its reverse pass, which computes it anew.

    Args:
        fun: a function of pytrees of arrays; without it, a decorator is returned.
        prevent_cse: accepted for compatibility: nothing undoes a checkpoint here.
        policy: which values to keep, see `fad.checkpoint_policies`; by default none but
            the arguments.
        static_argnums, static_argnames: arguments that are not traced.

    Returns:
        A function with the same values and derivatives.

    Raises:
        TracerBoolConversionError: when differentiated, if `fun` branches on a traced
            argument.

    >>> import fad, numpy as np
    >>> float(fad.grad(fad.checkpoint(lambda x: np.sin(np.sin(x))))(0.0))
    1.0
    """
    if fun is None:
        return functools.partial(
            checkpoint,
            prevent_cse=prevent_cse,
            policy=policy,
            static_argnums=static_argnums,
            static_argnames=static_argnames,
        )
    if not callable(fun):
        raise TypeError(f"checkpoint needs a function, got {fun!r:.60}")
    static = Static(fun, static_argnums, static_argnames)
    rule = nothing_saveable if policy is None else policy
    name = f"checkpoint of {getattr(fun, '__name__', type(fun).__name__)}"

    @functools.wraps(fun)
    def checkpointed(*args: Any, **kwargs: Any) -> Any:
        if jit_is_disabled():
            return fun(*args, **kwargs)
        dynamic, _ = static.split(args, kwargs)
        leaves, avals, tree = leaves_of(f"{name}: arguments", (dynamic,))

        def call(new: Any) -> Any:
            new_args, new_kwargs = static.join(new, args, kwargs)
            return fun(*new_args, **new_kwargs)

        if not is_staging() and not any(isinstance(v, Tracer) for v in leaves):
            return fun(*args, **kwargs)
        body = trace_body(name, call, tree, avals)
        values = [*body.closure, *leaves]
        outs = bind(checkpoint_call, *values, jaxpr=body.jaxpr, policy=rule)
        return tree_unflatten(body.tree, outs)

    return checkpointed


remat = checkpoint
