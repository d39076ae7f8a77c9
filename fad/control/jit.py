"""`jit`: trace once for each signature, then run the program.

A signature is the structure of the arguments, the shape, dtype and weakness of each
leaf, and the static arguments. A call with known arrays finds its program by a key made
of shapes and dtypes and runs it; nothing is boxed. With tracers among the arguments the
program is bound as one equation, `jit[jaxpr]`.

Public names: `jit`, `Jitted`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..backends.registry import executable
from ..core.avals import Aval, ShapeDtypeStruct
from ..core.ir import Jaxpr
from ..core.modes import current_modes
from ..core.pytree import TreeDef, tree_flatten, tree_unflatten
from ..core.trace import Tracer, bind, staging_trace
from ..transforms.interning import intern
from ..transforms.staging import eval_jaxpr, hoist_tracers, stage
from .call import jit_call, shared_outputs
from .disabling import jit_is_disabled
from .donated import Donated, exclusive
from .higher import is_staging
from .lowered import Lowered
from .static import Static, check_leaf

__all__ = ["Jitted", "jit"]

_ndarray = np.ndarray
_SCALARS = frozenset(
    [float, int, bool, complex, np.float64, np.float32, np.int64, np.bool_]
)
"""Types that tell shape, dtype and weakness of their instances."""


def jit(
    fun: Callable[..., Any] | None = None,
    *,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Sequence[str] | None = None,
    donate_argnums: int | Sequence[int] | None = None,
    donate_argnames: str | Sequence[str] | None = None,
    keep_unused: bool = False,
    inline: bool = False,
) -> Callable[..., Any]:
    """Trace a function once per signature and run the program from then on.

    Args:
        fun: a function of pytrees of arrays; without it `jit` returns a decorator.
        static_argnums, static_argnames: arguments that are not traced but part of the
            signature; they must be hashable.
        donate_argnums, donate_argnames: arguments whose arrays the program may write
            to, for less memory; what they hold afterwards is undefined. Under other
            transforms they are left alone.
        keep_unused: has no effect: arguments that are not used cost nothing.
        inline: put the program's equations into an enclosing program, not one `jit`.

    Returns:
        A function with the arguments of `fun`. Python side effects happen only while
        tracing. Results share no memory with arguments. `.lower(*args)` shows the
        program: `.as_text()`, `.cost()`, `.compile()`.

    Raises:
        ValueError: a static argument is not hashable, or there is no such argument.
        TypeError: an argument or a result is not an array.
        TracerBoolConversionError: `fun` branches on a traced value.

    >>> import fad, numpy as np
    >>> float(fad.jit(lambda x: np.sin(x) * 2.0)(0.0))
    0.0
    """
    options = dict(
        static_argnums=static_argnums, static_argnames=static_argnames,
        donate_argnums=donate_argnums, donate_argnames=donate_argnames, inline=inline,
    )  # fmt: skip
    if fun is None:
        return functools.partial(jit, **options)  # type: ignore[arg-type]
    if not callable(fun):
        raise TypeError(f"jit needs a function, got {fun!r:.60}")
    static = Static(fun, static_argnums, static_argnames)
    return Jitted(fun, static, Donated(fun, donate_argnums, donate_argnames), inline)


class _Traced:
    """What a signature was traced to.

    Attributes:
        jaxpr: the program; the values of `closure` are its first inputs.
        closure: what the function closed over and must be passed.
        out_tree: the structure of the result.
        run: the executable, made at the first call with known values.
        copies: which outputs would share memory with arguments or constants.
        donated: positions of leaves that may be written to.
    """

    __slots__ = ("jaxpr", "closure", "out_tree", "run", "copies", "single", "donated")

    def __init__(
        self,
        jaxpr: Jaxpr,
        closure: list[Any],
        out_tree: TreeDef,
        donated: tuple[int, ...],
    ) -> None:
        self.jaxpr = jaxpr
        self.closure = closure
        self.out_tree = out_tree
        self.run: Callable[..., list[Any]] | None = None
        self.copies = shared_outputs(jaxpr)
        self.single = out_tree.num_nodes == 1 and out_tree.num_leaves == 1
        self.donated = donated

    def call(self, leaves: Sequence[Any]) -> Any:
        """Run on known values."""
        run = self.run
        if run is None:
            lead = len(self.closure)
            run = executable(self.jaxpr, tuple([lead + i for i in self.donated]))
            if current_modes() is None:
                self.run = run
        if self.donated:
            leaves = exclusive(leaves, self.donated)
        outs = run(*self.closure, *leaves)
        for i in self.copies:
            outs[i] = outs[i].copy() if isinstance(outs[i], _ndarray) else outs[i]
        return outs[0] if self.single else tree_unflatten(self.out_tree, outs)


class Jitted:
    """A function that runs as a program; `jit` makes it."""

    def __init__(
        self, fun: Callable[..., Any], static: Static, donated: Donated, inline: bool
    ) -> None:
        functools.update_wrapper(self, fun)
        self._fun = fun
        self._name = getattr(fun, "__name__", type(fun).__name__)
        self._static = static
        self._donated = donated
        self._inline = inline
        self._has_static = static.any
        self._flat: dict[Any, _Traced] = {}
        self._traced: dict[Any, _Traced] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs or self._has_static:
            return self._general(args, kwargs)
        key: list[Any] = []
        for a in args:
            cls = a.__class__
            if cls is _ndarray:
                key.append(a.shape)
                key.append(a.dtype)
            elif cls in _SCALARS:
                key.append(cls)
            else:
                return self._general(args, kwargs)
        if staging_trace() is not None or current_modes() is not None:
            return self._general(args, kwargs)
        traced = self._flat.get(tuple(key))
        if traced is None:
            traced = self._lookup(args, kwargs)[0]
            if traced.closure:
                return self._apply(traced, args)
            self._flat[tuple(key)] = traced
        return traced.call(args)

    def _general(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if jit_is_disabled():
            return self._fun(*args, **kwargs)
        return self._apply(*self._lookup(args, kwargs))

    def _apply(self, traced: _Traced, leaves: Sequence[Any]) -> Any:
        """Run a program on values of any trace."""
        values = [*traced.closure, *leaves]
        if self._inline:
            outs = eval_jaxpr(traced.jaxpr, *values)
        elif not is_staging() and not any(isinstance(v, Tracer) for v in values):
            return traced.call(leaves)
        else:
            outs = bind(jit_call, *values, jaxpr=traced.jaxpr, name=self._name)
        return tree_unflatten(traced.out_tree, outs)

    def _lookup(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[_Traced, list[Any]]:
        """Return the program of a call's signature, and the leaves."""
        dynamic, static_key = self._static.split(args, kwargs)
        leaves, tree = tree_flatten(dynamic)
        signature = tuple([self._signature(v) for v in leaves])
        key = (tree, static_key, signature)
        traced = self._traced.get(key)
        if traced is None:
            traced = self._trace(tree, [_aval(v) for v in leaves], args, kwargs)
            if not traced.closure:
                self._traced[key] = traced
        return traced, leaves

    def _signature(self, v: Any) -> Any:
        cls = v.__class__
        if cls is _ndarray:
            check = v.dtype.kind in "fciub"
            if check:
                return v.shape, v.dtype
        elif cls in _SCALARS:
            return cls
        aval = _aval(v) if isinstance(v, ShapeDtypeStruct) else None
        aval = aval or check_leaf(v, f"{self._name}: arguments")
        if aval.weak:
            return {"b": bool, "i": int, "f": float, "c": complex}[aval.dtype.kind]
        return aval.shape, aval.dtype

    def _trace(
        self,
        tree: TreeDef,
        avals: Sequence[Aval],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> _Traced:
        out_trees: list[TreeDef] = []

        def flat(*boxes: Any) -> list[Any]:
            new_args, new_kwargs = self._static.join(
                tree_unflatten(tree, boxes), args, kwargs
            )
            outs, out_tree = tree_flatten(self._fun(*new_args, **new_kwargs))
            for o in outs:
                check_leaf(o, f"{self._name}: outputs")
            out_trees.append(out_tree)
            return outs

        jaxpr, closure = hoist_tracers(stage(flat, avals))
        if closure and jaxpr.consts:
            inputs = (*jaxpr.const_vars, *jaxpr.inputs)
            closure = [*jaxpr.consts, *closure]
            jaxpr = Jaxpr(inputs, (), (), jaxpr.eqns, jaxpr.outputs)
        if closure:  # traced anew at every call: make equal programs one
            jaxpr = intern(jaxpr)
        donated = self._donated.leaves(self._static, args, kwargs)
        return _Traced(jaxpr, closure, out_trees[0], donated)

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """Trace for arguments, arrays or `ShapeDtypeStruct`s, without running.

        Returns:
            An object with the program, `.jaxpr`, `.as_text()`, `.cost()`, `.compile()`.
        """
        traced, leaves = self._lookup(args, kwargs)
        dynamic, _ = self._static.split(args, kwargs)
        in_tree = tree_flatten(dynamic)[1]
        return Lowered(
            self._name, traced.jaxpr, traced.closure, in_tree, traced.out_tree
        )

    def trace(self, *args: Any, **kwargs: Any) -> Lowered:
        """Return what `lower` returns; the name of its first stage in JAX."""
        return self.lower(*args, **kwargs)

    def eval_shape(self, *args: Any, **kwargs: Any) -> Any:
        """Return shapes and dtypes of the results without computing them."""
        traced, _ = self._lookup(args, kwargs)
        structs = [
            ShapeDtypeStruct(a.shape, a.dtype, a.weak) for a in traced.jaxpr.out_avals
        ]
        return tree_unflatten(traced.out_tree, structs)

    def clear_cache(self) -> None:
        """Forget all traces and programs."""
        self._flat.clear()
        self._traced.clear()

    def _cache_size(self) -> int:
        return len(self._traced)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)


def _aval(v: Any) -> Aval:
    if isinstance(v, ShapeDtypeStruct):
        return Aval(v.shape, v.dtype, v.weak_type)
    return check_leaf(v, "arguments")
