"""Simplify a program before it runs.

One pass in program order makes a new program of new equations:

    calls           `jit` in `jit` is put in its place
    constants       an operation on numbers is carried out
    laws            x + 0, x * 1, -(-x), transposes and reshapes of such (`ops.algebra`)
    broadcasting    a pointwise operation reads what was repeated, not the repetition
    repetitions     an operation on the same inputs is done once
    dead code       what no output needs falls away

A law applies only if the result has the same shape, dtype and weakness. Derivatives are
taken of the program as written; what is simplified is only run.

Public names: `simplify`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.dtypes import is_weak
from ..core.guard import LONG_COPY_LIMIT
from ..core.ir import Eqn, Jaxpr, Lit, Var, has_effect, key_of, new_eqn, program
from ..core.primitive import Primitive
from ..core.tape import settle_weak
from ..core.trace import aval_of
from ..ops import algebra as _laws  # noqa: F401  (declares them)
from .interning import freeze

__all__ = ["simplify"]

INLINE_LIMIT = 20_000
"""Programs grow by inlining to at most so many equations."""

LOOKED_AT = 1 << 20
"""Constants of at most so many elements are searched for neutral elements."""


def simplify(jaxpr: Jaxpr) -> Jaxpr:
    """Return an equal program that does less, made once."""
    found: Jaxpr | None = jaxpr.cache.get("simplified")
    if found is None:
        found = jaxpr.cache["simplified"] = _Simplifier().run(jaxpr)
        found.cache["simplified"] = found
    return found


class _Simplifier:
    def __init__(self) -> None:
        self.consts: dict[int, tuple[Var, Any]] = {}
        self.values: dict[Var, Any] = {}
        self.done: dict[Any, list[Any]] = {}
        self.effects: list[Eqn] = []
        self.count = 0

    def run(self, jaxpr: Jaxpr) -> Jaxpr:
        inputs = [Var(v.aval) for v in jaxpr.inputs]
        outs = self.evaluate(jaxpr, inputs)
        eqns = program([*outs, *self.effects])
        used = {key_of(v) for e in eqns for v in e.inputs} | {key_of(v) for v in outs}
        kept = [(v, c) for v, c in self.consts.values() if v in used]
        return Jaxpr(inputs, [v for v, _ in kept], [c for _, c in kept], eqns, outs)

    def evaluate(self, jaxpr: Jaxpr, inputs: Sequence[Any]) -> list[Any]:
        """Write the equations of a program down, for given input atoms."""
        env: dict[Any, Any] = dict(zip(jaxpr.inputs, inputs, strict=True))
        for v, value in zip(jaxpr.const_vars, jaxpr.consts, strict=True):
            env[v] = self.const(v.aval, value)

        def read(atom: Any) -> Any:
            return atom if isinstance(atom, Lit) else env[key_of(atom)]

        for eqn in jaxpr.eqns:
            atoms = [read(v) for v in eqn.inputs]
            inner = eqn.params.get("jaxpr") if eqn.prim.transparent else None
            if inner is not None and self.count + len(inner.eqns) < INLINE_LIMIT:
                outs = self.evaluate(inner, atoms)
            else:
                outs = self.step(eqn, atoms)
            for old, new in zip(eqn.outputs, outs, strict=True):
                env[key_of(old)] = new
        return [read(v) for v in jaxpr.outputs]

    def const(self, aval: Aval, value: Any) -> Var:
        """Return the variable of a constant, one for each array."""
        if id(value) not in self.consts:
            var = Var(aval)
            self.consts[id(value)] = (var, value)
            self.values[var] = value
        return self.consts[id(value)][0]

    def step(self, eqn: Eqn, atoms: list[Any]) -> list[Any]:
        """Write down an equation on new inputs, or what it comes down to."""
        prim, params = eqn.prim, eqn.params
        if prim.multiple_results or has_effect(prim, params):
            return self.many(eqn, atoms)
        return [self.emit(prim, atoms, params, eqn)]

    def many(self, eqn: Eqn, atoms: list[Any]) -> list[Any]:
        effect = has_effect(eqn.prim, eqn.params)
        key = None if effect else _key(eqn.prim, atoms, eqn.params)
        if key is not None and key in self.done:
            return self.done[key]
        self.count += 1
        new = new_eqn(eqn.prim, atoms, eqn.params, None, (), eqn.aval, eqn.source)
        if effect:
            self.effects.append(new)
        if key is not None:
            self.done[key] = new.outputs
        return new.outputs

    def emit(
        self, prim: Primitive, atoms: list[Any], params: dict[str, Any], like: Eqn
    ) -> Any:
        """Write down an operation with one output; `like` is the equation it is of."""
        if prim is like.prim and params is like.params:
            aval = like.aval
        else:
            aval = prim.infer(*[v.aval for v in atoms], **params)
        if prim.pointwise:
            atoms = self.unrepeated(prim, atoms, params, aval)
        found = self.by_law(prim, atoms, params, aval, like)
        if found is None and prim.pointwise:
            found = self.once(prim, atoms, params, aval, like)
        if found is None:
            found = _folded(prim, atoms, params, aval)
        if found is not None:
            return found
        key = _key(prim, atoms, params)
        if key is not None and key in self.done:
            return self.done[key][0]
        self.count += 1
        new = new_eqn(prim, atoms, params, None, (), aval, like.source)
        if key is not None:
            self.done[key] = [new]
        return new

    def unrepeated(
        self, prim: Primitive, atoms: list[Any], params: dict[str, Any], aval: Aval
    ) -> list[Any]:
        """Read what was repeated instead of repetitions, where NumPy broadcasts."""
        for i, atom in enumerate(atoms):
            law = _law(atom)
            if law is None or not law.repeats:
                continue
            trial = [*atoms[:i], atom.inputs[0], *atoms[i + 1 :]]
            try:
                same = prim.infer(*[v.aval for v in trial], **params) == aval
            except (ValueError, TypeError):
                continue
            if same:
                atoms = trial
        return atoms

    def once(
        self,
        prim: Primitive,
        atoms: list[Any],
        params: dict[str, Any],
        aval: Aval,
        like: Eqn,
    ) -> Any:
        """Return an operation on repeated numbers as the repetition of its result."""
        repeated = [a for a in atoms if a.aval.shape]
        if not repeated or any(_repeated_number(a) is None for a in repeated):
            return None
        numbers = [_repeated_number(a) if a.aval.shape else a for a in atoms]
        single = prim.infer(*[v.aval for v in numbers], **params)
        if single.dtype != aval.dtype or single.weak:
            return None
        result = self.emit(prim, numbers, dict(params), like)
        return self.emit(repeated[0].prim, [result], {"shape": aval.shape}, like)

    def by_law(
        self,
        prim: Primitive,
        atoms: list[Any],
        params: dict[str, Any],
        aval: Aval,
        like: Eqn,
    ) -> Any:
        """Return the atom that the operation comes down to by a law, or None."""
        law = prim.algebra
        if law is None:
            return None
        if len(atoms) == 2:
            x, y = atoms
            found = self.by_neutral_element(law, x, y, aval)
            if found is None:
                found = self.sum_onto(prim, x, y, aval, like)
        else:
            found = self.by_itself(prim, atoms[0], params, aval, like)
        if found is None and law.expand is not None:

            def emit(other: Primitive, *xs: Any, **given: Any) -> Any:
                return self.emit(other, list(xs), given, like)

            expanded = law.expand(emit, *atoms, **params)
            if expanded is not None and expanded.aval == aval:
                found = expanded
        return found

    def by_neutral_element(self, law: Any, x: Any, y: Any, aval: Aval) -> Any:
        """Return the input that the other one does nothing to, or None."""
        if law.right is not None and x.aval == aval and self.is_all(y, law.right):
            return x
        if law.left is not None and y.aval == aval and self.is_all(x, law.left):
            return y
        return None

    def by_itself(
        self, prim: Primitive, x: Any, params: dict[str, Any], aval: Aval, like: Eqn
    ) -> Any:
        """Return what an operation does if nothing, or together with another one."""
        law = prim.algebra
        if law.trivial is not None and x.aval == aval and law.trivial(x.aval, **params):
            return x
        inner = x if isinstance(x, Eqn) and x.prim is prim else None
        if inner is not None and law.involution and inner.inputs[0].aval == aval:
            return inner.inputs[0]
        if inner is not None and law.fuse is not None:
            fused = law.fuse(inner.params, params)
            return self.emit(prim, [inner.inputs[0]], fused, like)
        return None

    def sum_onto(self, prim: Primitive, x: Any, y: Any, aval: Aval, like: Eqn) -> Any:
        """Return the sum of x and y where one of them can be done onto the other."""
        if not prim.algebra.sums or not x.aval == y.aval == aval:
            return None

        def emit(other: Primitive, *xs: Any, **given: Any) -> Any:
            return self.emit(other, list(xs), given, like)

        for a, b in ((x, y), (y, x)):
            law = _law(b)
            if law is not None and law.onto is not None:
                return law.onto(emit, a, *b.inputs, **b.params)
        return None

    def is_all(self, atom: Any, number: Any) -> bool:
        """Tell whether every element of an atom is known to be `number`.

        Of an array, not a repeated one, `number` may also be a function that tells.
        """
        law = _law(atom)
        while law is not None and law.repeats and not callable(number):
            atom = atom.inputs[0]
            law = _law(atom)
        if isinstance(atom, Lit):
            return not callable(number) and bool(atom.value == number)
        if atom not in self.values:
            return False
        value = np.asarray(self.values[atom])
        if value.flags.writeable and value.nbytes > LONG_COPY_LIMIT:
            return False  # the caller's own, who may write to it
        if callable(number):
            return value.size <= LOOKED_AT and bool(number(value))
        repeated = tuple(slice(0, 1) if n == 0 else slice(None) for n in value.strides)
        value = value[repeated]
        if value.size > LOOKED_AT or not value.size:
            return False
        return bool((value == number).all())


def _law(atom: Any) -> Any:
    return atom.prim.algebra if isinstance(atom, Eqn) else None


def _repeated_number(atom: Any) -> Any:
    """Return the number that all elements of an atom are repetitions of, or None."""
    law = _law(atom)
    if law is None or not law.repeats or atom.inputs[0].aval.shape:
        return None
    return atom.inputs[0]


def _folded(
    prim: Primitive, atoms: list[Any], params: dict[str, Any], aval: Aval
) -> Lit | None:
    """Carry an operation on numbers out."""
    if aval.shape or not all(isinstance(v, Lit) for v in atoms) or prim.effect:
        return None
    values = [v.value for v in atoms]
    with np.errstate(all="ignore"):
        value = settle_weak(prim, values, prim.impl(*values, **params))
    if isinstance(value, np.ndarray):
        value = value[()]
    if not (is_weak(value) or isinstance(value, np.generic)) or aval_of(value) != aval:
        return None
    return Lit(value, aval)


def _order(code: Any) -> tuple[str, int]:
    """Return some order of atoms, for operations that commute."""
    return (
        (code[1], 0)
        if isinstance(code, tuple) and len(code) == 2 and isinstance(code[1], str)
        else ("", id(code[0]) + code[1] if isinstance(code, tuple) else id(code))
    )


def _key(prim: Primitive, atoms: list[Any], params: dict[str, Any]) -> Any:
    """Return what equal operations on the same inputs share, or None."""
    codes = [
        (type(v.value), repr(v.value)) if isinstance(v, Lit) else key_of(v)
        for v in atoms
    ]
    if prim.algebra is not None and prim.algebra.commutes:
        codes.sort(key=_order)
    try:
        key = prim, tuple(codes), freeze(params)
        hash(key)
    except TypeError:
        return None
    return key
