"""`custom_jvp`: a function with a forward rule of its own.

    rule(primals, tangents) -> (output, output's tangent)

The rule must be linear in the tangents: reverse mode transposes it.

Public names: `custom_jvp`, `JvpRule`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.avals import zeros
from ..core.pytree import PytreeMismatchError, tree_leaves, tree_map
from ..core.trace import Tracer, aval_of
from ..ops.arithmetic import stop_gradient
from ..ops.kinds import conform
from .custom import CustomFunction
from .custom_call import CustomCall
from .custom_site import Site, SymbolicZero, as_array, check_leaf, match_up_to

__all__ = ["JvpRule", "custom_jvp"]

custom_jvp_call = CustomCall("custom_jvp_call")


class custom_jvp(CustomFunction):
    """Give a function a rule for its derivative in forward mode, used in every mode.

    Args:
        fun: a function of pytrees of arrays that returns a pytree of arrays.
        nondiff_argnums: positions of arguments that are passed on as they are (any
            objects); rules get them first. Traced ones have no derivative.
        nondiff_argnames: the same by name.

    Define the rule by `defjvp`, or per argument by `defjvps`. Calls by keyword are
    resolved to positions by the function's signature.

    Raises:
        AttributeError: on a call, if no rule is defined.

    >>> import fad, fad.numpy as fnp
    >>> @fad.custom_jvp
    ... def log1pexp(x):
    ...     return fnp.log(1.0 + fnp.exp(x))
    >>> @log1pexp.defjvp
    ... def log1pexp_jvp(primals, tangents):
    ...     (x,), (t,) = primals, tangents
    ...     return log1pexp(x), t * (1.0 - 1.0 / (1.0 + fnp.exp(x)))
    >>> float(fad.grad(log1pexp)(0.0))
    0.5
    """

    primitive = custom_jvp_call

    def hold(self, tracer: Tracer) -> Any:
        return stop_gradient(tracer)

    def check_rule(self) -> None:
        if self.jvp_rule is None:
            raise AttributeError(
                f"no jvp rule is defined for the custom_jvp function {self.__name__}: "
                f"define it with @{self.__name__}.defjvp, a function "
                "rule(primals, tangents) -> (output, tangent)"
            )


class JvpRule:
    """A user's jvp rule, made flat for the arguments of one call.

    Attributes:
        function: `(*nondiff, primals, tangents) -> (output, tangent)`.
        symbolic_zeros: zero tangents are given as `SymbolicZero`, not as arrays.
    """

    def __init__(self, function: Callable[..., Any], symbolic_zeros: bool) -> None:
        if not callable(function):
            raise TypeError(f"defjvp needs a function, got {function!r:.60}")
        self.function = function
        self.symbolic_zeros = symbolic_zeros

    def flat(self, site: Site) -> Callable[..., tuple[list[Any], list[Any]]]:
        """Return `(primals, tangents) -> (outs, tangents_out)` on leaves."""

        def jvp(
            primals: Sequence[Any], tangents: Sequence[Any]
        ) -> tuple[list[Any], list[Any]]:
            ts = [
                self.zero(aval_of(p)) if t is None else t
                for p, t in zip(primals, tangents, strict=True)
            ]
            unflatten = site.tree.unflatten
            result = self.function(*site.static, unflatten(primals), unflatten(ts))
            out, t_out = _pair(site, result)
            outs = site.flat_output(out, "the first element returned by the jvp rule")
            return outs, _match(site, t_out, out, outs)

        return jvp

    def zero(self, aval: Any) -> Any:
        return SymbolicZero(aval) if self.symbolic_zeros else zeros(aval.tangent())


def _pair(site: Site, result: Any) -> tuple[Any, Any]:
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        raise TypeError(
            f"the jvp rule of {site.name} must return a pair (output, tangent), got "
            f"{result!r:.60}"
        )
    return result[0], result[1]


def _match(site: Site, tangent: Any, out: Any, outs: Sequence[Any]) -> list[Any]:
    what = f"the tangents returned by the jvp rule of {site.name}"
    try:
        leaves = match_up_to(tangent, out)
    except PytreeMismatchError as error:
        raise TypeError(
            f"{what} must have the structure of the output, {site.out_tree}: {error}"
        ) from None
    return [_match_leaf(what, t, aval_of(o)) for t, o in zip(leaves, outs, strict=True)]


def _match_leaf(what: str, t: Any, aval: Any) -> Any:
    if t is None or aval.dtype.kind not in "fc":
        return None
    try:
        check_leaf(what, t, aval, dtype_matters=True)
    except ValueError as error:
        raise TypeError(str(error)) from None
    return conform(as_array(t, aval.dtype), aval.tangent())


def rule_per_argument(
    fun: CustomFunction, jvps: Sequence[Callable[..., Any] | None]
) -> Callable[..., Any]:
    """Return one jvp rule made of a rule `(t, ans, *primals)` per argument."""

    def rule(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
        if len(jvps) != len(primals):
            raise TypeError(
                f"{fun.__name__} has {len(jvps)} rules by defjvps, one per argument, "
                f"but {len(primals)} arguments"
            )
        ans = fun(*primals)
        total = None
        for jvp, t in zip(jvps, tangents, strict=True):
            if jvp is not None and not _all_zero(t):
                part = jvp(tree_map(_instantiate, t), ans, *primals)
                total = part if total is None else tree_map(_add, total, part)
        return ans, total

    return rule


def _add(a: Any, b: Any) -> Any:
    return a + b


def _all_zero(tangent: Any) -> bool:
    return all(isinstance(t, SymbolicZero) for t in tree_leaves(tangent))


def _instantiate(t: Any) -> Any:
    return t.instantiate() if isinstance(t, SymbolicZero) else t
