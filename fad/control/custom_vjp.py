"""`custom_vjp`: a function with a reverse rule of its own.

    fwd(*args) -> (output, residuals)
    bwd(residuals, cotangent of the output) -> a tuple with a cotangent per argument

If `bwd` is linear in the cotangent, as it should be, forward mode works too: it
transposes `bwd`.

Public names: `custom_vjp`, `CustomVJPPrimal`, `VjpRule`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..core.avals import Aval, zeros
from ..core.errors import UnexpectedTracerError
from ..core.pytree import PytreeMismatchError, TreeDef, tree_flatten
from ..core.tape import Tape
from ..core.trace import Tracer, aval_of
from ..ops.kinds import conform
from ..transforms.forward import Stream
from .custom import CustomFunction
from .custom_call import CustomCall, Residuals
from .custom_site import Site, SymbolicZero, as_array, check_leaf, match_up_to

__all__ = ["CustomVJPPrimal", "VjpRule", "custom_vjp"]

custom_vjp_call = CustomCall("custom_vjp_call")


class custom_vjp(CustomFunction):
    """Give a function a rule for its derivative in reverse mode, used in every mode.

    Args:
        fun: a function of pytrees of arrays that returns a pytree of arrays.
        nondiff_argnums: positions of arguments that are passed on as they are (any
            objects); `fwd` gets them in their places, `bwd` first.
        nondiff_argnames: the same by name.

    Define the rule by `defvjp`. Calls by keyword are resolved to positions by the
    function's signature. Forward mode (`jvp`, `jacfwd`, `hessian`) transposes `bwd`,
    unless `defjvp` has given a rule for it.

    Raises:
        AttributeError: on a call, if no rule is defined.
        UnexpectedTracerError: an argument of `nondiff_argnums` is being differentiated.

    >>> import fad, fad.numpy as fnp
    >>> @fad.custom_vjp
    ... def clip_gradient(x):
    ...     return x
    >>> clip_gradient.defvjp(
    ...     lambda x: (x, None),
    ...     lambda residuals, ct: (fnp.clip(ct, -1.0, 1.0),),
    ... )
    >>> float(fad.grad(lambda x: clip_gradient(x) ** 2)(3.0))
    1.0
    """

    primitive = custom_vjp_call

    def hold(self, tracer: Tracer) -> Any:
        if isinstance(tracer.owner, (Stream, Tape)):
            raise UnexpectedTracerError(
                f"{self.__name__} got a value {tracer.aval!r} that is being "
                "differentiated as an argument of nondiff_argnums. Make it an ordinary "
                "argument, for which bwd may return None, or pass "
                "fad.stop_gradient(x)."
            )
        return tracer

    def check_rule(self) -> None:
        if self.vjp_rule is None:
            name = self.__name__
            raise AttributeError(
                f"no vjp rule is defined for the custom_vjp function {name}: define it "
                f"with {name}.defvjp(fwd, bwd), where fwd(*args) -> (output, "
                "residuals) and bwd(residuals, cotangent) -> a tuple with a cotangent "
                "per argument"
            )


@dataclass(frozen=True, slots=True)
class CustomVJPPrimal:
    """An argument leaf as `fwd` sees it under `symbolic_zeros=True`.

    Attributes:
        value: the value.
        perturbed: whether it is being differentiated.
    """

    value: Any
    perturbed: bool


class About(NamedTuple):
    """What puts residuals and cotangents together again."""

    res_tree: TreeDef
    in_avals: list[Aval]
    out_avals: list[Aval]


class VjpRule:
    """A user's fwd and bwd, made flat for the arguments of one call."""

    def __init__(
        self, fwd: Callable[..., Any], bwd: Callable[..., Any], symbolic_zeros: bool
    ) -> None:
        for function in (fwd, bwd):
            if not callable(function):
                raise TypeError(f"defvjp needs two functions, got {function!r:.60}")
        self.fwd = fwd
        self.bwd = bwd
        self.symbolic_zeros = symbolic_zeros

    def flat_fwd(self, site: Site) -> Callable[..., tuple[list[Any], Residuals]]:
        """Return `(primals, perturbed) -> (outs, residuals)` on leaves."""

        def fwd(
            primals: Sequence[Any], perturbed: Sequence[bool]
        ) -> tuple[list[Any], Residuals]:
            leaves = primals
            if self.symbolic_zeros:
                pairs = zip(primals, perturbed, strict=True)
                leaves = [CustomVJPPrimal(v, p) for v, p in pairs]
            result = self.fwd(*site.arguments(leaves))
            if not isinstance(result, (tuple, list)) or len(result) != 2:
                raise TypeError(
                    f"the fwd rule of {site.name} must return a pair (output, "
                    f"residuals), got {result!r:.60}"
                )
            outs = site.flat_output(result[0], "the output returned by the fwd rule")
            kept, res_tree = tree_flatten(result[1])
            avals = [aval_of(v) for v in primals]
            about = About(res_tree, avals, [aval_of(o) for o in outs])
            return outs, Residuals(kept, about)

        return fwd

    def flat_bwd(self, site: Site) -> Callable[..., list[Any]]:
        """Return `(residuals, cts) -> cts_in` on leaves."""

        def bwd(kept: Residuals, cts: Sequence[Any]) -> list[Any]:
            about: About = kept.about
            full = [
                self.zero(a) if ct is None else ct
                for ct, a in zip(cts, about.out_avals, strict=True)
            ]
            ct = site.out_tree.unflatten(full)  # type: ignore[union-attr]
            residuals = about.res_tree.unflatten(kept.leaves)
            found = self.bwd(*site.static, residuals, ct)
            return _match(site, found, about.in_avals)

        return bwd

    def zero(self, aval: Aval) -> Any:
        return SymbolicZero(aval) if self.symbolic_zeros else zeros(aval.tangent())


def _match(site: Site, found: Any, avals: Sequence[Aval]) -> list[Any]:
    """Return the cotangent leaves that a bwd rule gave, None for zero, after checks."""
    what = f"the cotangents returned by the bwd rule of {site.name}"
    count = len(site.positions)
    if not isinstance(found, (tuple, list)):
        raise TypeError(
            f"the bwd rule of {site.name} must return a tuple with a cotangent per "
            f"differentiated argument ({count}), got {type(found).__name__}: "
            f"{found!r:.60}; for one argument write (ct,)"
        )
    if len(found) != count:
        raise TypeError(
            f"the bwd rule of {site.name} must return a tuple with a cotangent per "
            f"differentiated argument, {count} of them (None for zero), got "
            f"{len(found)}"
        )
    example = site.tree.unflatten(avals)
    try:
        leaves = match_up_to(tuple(found), example)
    except PytreeMismatchError as error:
        raise TypeError(
            f"{what} must have the structure of the arguments, {site.tree}: {error}"
        ) from None
    return [_match_leaf(what, c, a) for c, a in zip(leaves, avals, strict=True)]


def _match_leaf(what: str, ct: Any, aval: Aval) -> Any:
    if ct is None or aval.dtype.kind not in "fc":
        return None
    check_leaf(what, ct, aval, dtype_matters=False)
    return conform(as_array(ct, None), aval.tangent())
