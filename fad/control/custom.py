"""Functions with derivative rules of their own: what custom_jvp and custom_vjp share.

A function may have both kinds of rule: forward mode then uses the jvp rule, reverse
mode the vjp rule.

Public names: `CustomFunction`.
"""

from __future__ import annotations

import functools
import inspect
import operator
import types
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..core.pytree import tree_map
from ..core.trace import Tracer, staging_trace
from .custom_call import Call, CustomCall, call_custom
from .custom_site import Site

if TYPE_CHECKING:
    from .custom_jvp import JvpRule
    from .custom_vjp import VjpRule

__all__ = ["CustomFunction"]

Rule = Callable[..., Any]

_PLAIN = (np.ndarray, float, int, bool, complex, np.float64, np.float32)
"""Types of arguments that hold no tracer."""


class CustomFunction:
    """A function with custom rules; `custom_jvp` and `custom_vjp` subclass it."""

    primitive: ClassVar[CustomCall]
    __name__: str

    def __init__(
        self,
        fun: Callable[..., Any],
        nondiff_argnums: int | Sequence[int] = (),
        nondiff_argnames: str | Sequence[str] = (),
    ) -> None:
        if not callable(fun):
            raise TypeError(f"{type(self).__name__} needs a function, got {fun!r:.60}")
        functools.update_wrapper(self, fun)
        self.__name__ = getattr(fun, "__name__", type(fun).__name__)
        self.fun = fun
        self.signature = _signature(fun)
        self.arity = _arity(self.signature)
        names = (
            (nondiff_argnames,)
            if isinstance(nondiff_argnames, str)
            else tuple(nondiff_argnames)
        )
        nums = (
            tuple(nondiff_argnums)
            if isinstance(nondiff_argnums, Iterable)
            else (nondiff_argnums,)
        )
        self.nondiff = (
            *(operator.index(i) for i in nums),
            *(self._position(n) for n in names),
        )
        self.jvp_rule: JvpRule | None = None
        self.vjp_rule: VjpRule | None = None

    def defjvp(self, jvp: Rule, symbolic_zeros: bool = False) -> Rule:
        """Define the forward rule; works as a decorator.

        Args:
            jvp: `rule(primals, tangents) -> (output, tangent)`, preceded by the
                arguments that are not differentiated. It must be linear in the
                tangents. None in the place of a tangent of the output is zero.
            symbolic_zeros: zero tangents come as `SymbolicZero`, not as arrays.

        Returns:
            `jvp` itself.
        """
        from .custom_jvp import JvpRule

        self.jvp_rule = JvpRule(jvp, symbolic_zeros)
        return jvp

    def defjvps(self, *jvps: Rule | None) -> None:
        """Define the forward rule by a rule per argument, None where it is zero.

        Args:
            *jvps: `rule(t, output, *primals) -> tangent`; the tangent of the output is
                the sum over arguments.

        Raises:
            TypeError: the function has arguments that are not differentiated.
        """
        from .custom_jvp import JvpRule, rule_per_argument

        if self.nondiff:
            raise TypeError(
                f"defjvps gives a rule per argument and {self.__name__} has arguments "
                "that are not differentiated; use defjvp"
            )
        self.jvp_rule = JvpRule(rule_per_argument(self, jvps), symbolic_zeros=True)

    def defvjp(
        self,
        fwd: Rule,
        bwd: Rule,
        symbolic_zeros: bool = False,
        optimize_remat: bool = False,
    ) -> None:
        """Define the reverse rule.

        Args:
            fwd: `fwd(*args) -> (output, residuals)`, with all the arguments.
            bwd: `bwd(*nondiff, residuals, ct) -> cotangents`, a tuple with one per
                differentiated argument, None for zero.
            symbolic_zeros: leaves of the arguments of `fwd` come as objects with
                `value` and `perturbed`, zero cotangents as `SymbolicZero`.
            optimize_remat: accepted for compatibility; there is nothing to do.
        """
        from .custom_vjp import VjpRule

        self.vjp_rule = VjpRule(fwd, bwd, symbolic_zeros)

    def check_rule(self) -> None:
        """Raise AttributeError if the rule that the decorator promises is missing."""
        raise NotImplementedError

    def hold(self, tracer: Tracer) -> Any:
        """Return a traced argument that is not to be differentiated, or refuse it."""
        raise NotImplementedError

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Bind methods, as for functions: `self` is the first argument."""
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.check_rule()
        args = self._resolve(args, kwargs)
        nondiff = self._nondiff(len(args)) if self.nondiff else []
        if nondiff:
            args = self._held(args, nondiff)
        if staging_trace() is None and all(a.__class__ in _PLAIN for a in args):
            return self.fun(*args)
        site = Site(self.__name__, self.fun, args, nondiff)
        if staging_trace() is None and not any(
            isinstance(v, Tracer) for v in site.leaves
        ):
            return self.fun(*args)
        site.check_leaves()
        jvp, vjp = self.jvp_rule, self.vjp_rule
        call = Call(
            self.__name__,
            site.run,
            None if jvp is None else jvp.flat(site),
            None if vjp is None else vjp.flat_fwd(site),
            None if vjp is None else vjp.flat_bwd(site),
        )
        outs = call_custom(self.primitive, site.leaves, {"call": call})
        return site.out_tree.unflatten(outs)  # type: ignore[union-attr]

    def _held(self, args: tuple[Any, ...], nondiff: Sequence[int]) -> tuple[Any, ...]:
        full = list(args)
        for i in nondiff:
            if isinstance(args[i], (Tracer, tuple, list, dict)):
                full[i] = tree_map(
                    lambda v: self.hold(v) if isinstance(v, Tracer) else v, args[i]
                )
        return tuple(full)

    def _position(self, name: str) -> int:
        names = list(self.signature.parameters) if self.signature else []
        if name not in names:
            raise ValueError(
                f"nondiff_argnames has {name!r}, which is no parameter of "
                f"{self.__name__}: {names}"
            )
        return names.index(name)

    def _nondiff(self, count: int) -> list[int]:
        for i in self.nondiff:
            if not -count <= i < count:
                raise TypeError(
                    f"nondiff_argnums of {self.__name__} has {i}, but the call has "
                    f"{count} positional arguments"
                )
        return sorted({i % count for i in self.nondiff})

    def _resolve(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Any, ...]:
        """Return all arguments by position, defaults included."""
        if not kwargs and len(args) == self.arity:
            return args
        if self.signature is None:
            if kwargs:
                raise TypeError(
                    f"{self.__name__} has no signature to resolve keyword arguments "
                    f"by; pass {sorted(kwargs)} by position"
                )
            return args
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if bound.kwargs:
            raise TypeError(
                f"the arguments {sorted(bound.kwargs)} of {self.__name__} are "
                "keyword-only; a function with a custom rule takes arguments that "
                "have a position, so that the rule can name them"
            )
        return bound.args


def _arity(signature: inspect.Signature | None) -> int | None:
    """Return the number of parameters, None if it varies or some have no position."""
    if signature is None:
        return None
    kinds = [p.kind for p in signature.parameters.values()]
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return len(kinds) if all(k in plain for k in kinds) else None


def _signature(fun: Callable[..., Any]) -> inspect.Signature | None:
    """Return the parameters that rules see; of a ufunc these are its inputs."""
    inputs = getattr(fun, "nin", None)
    if isinstance(inputs, int):
        only = inspect.Parameter.POSITIONAL_ONLY
        return inspect.Signature(
            [inspect.Parameter(f"x{i}", only) for i in range(inputs)]
        )
    try:
        return inspect.signature(fun)
    except (TypeError, ValueError):
        return None
