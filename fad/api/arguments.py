"""What every transform does with its arguments and results: choose, check, finish.

Public names: `Chosen`, `choose`, `check_differentiable`, `finish`, `function_name`.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.avals import Aval, is_array_like, zeros
from ..core.dtypes import float0
from ..core.trace import Tracer, aval_of

__all__ = [
    "check_differentiable",
    "check_leaf",
    "choose",
    "finish",
    "float0",
    "function_name",
    "instantiate",
]


def function_name(f: Callable[..., Any]) -> str:
    """Return a name for error messages."""
    return getattr(f, "__name__", None) or type(f).__name__


class Chosen(NamedTuple):
    """The differentiated arguments of a call, and how to call with new ones.

    Attributes:
        values: the chosen arguments, in the order of argnums then argnames.
        call: calls the function with other values in their places.
    """

    values: tuple[Any, ...]
    call: Callable[..., Any]


def choose(
    f: Callable[..., Any],
    argnums: int | Sequence[int],
    argnames: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Chosen:
    """Split the arguments of a call into those to differentiate and the rest.

    Raises:
        TypeError: an argnum is out of range or a name is not given.
        ValueError: an argument is chosen twice.
    """
    if argnums.__class__ is int and argnames is None and 0 <= argnums < len(args):
        return _choose_one(f, argnums, args, kwargs)  # type: ignore[arg-type]
    nums = _indices(f, argnums, len(args))
    names = (argnames,) if isinstance(argnames, str) else tuple(argnames or ())
    for name in names:
        if name not in kwargs:
            raise TypeError(
                f"{function_name(f)} is to be differentiated in the argument {name!r}, "
                f"which was not passed by keyword (got {sorted(kwargs)})"
            )
    values = (*(args[i] for i in nums), *(kwargs[n] for n in names))

    def call(*new: Any) -> Any:
        full = list(args)
        for i, v in zip(nums, new, strict=False):
            full[i] = v
        named = dict(zip(names, new[len(nums) :], strict=True))
        return f(*full, **{**kwargs, **named})

    return Chosen(values, call)


def _choose_one(
    f: Callable[..., Any], i: int, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Chosen:
    if i == 0:
        rest = args[1:]
        if rest or kwargs:
            return Chosen(args[:1], lambda x: f(x, *rest, **kwargs))
        return Chosen(args, f)
    head, tail = args[:i], args[i + 1 :]
    return Chosen((args[i],), lambda x: f(*head, x, *tail, **kwargs))


def _indices(f: Callable[..., Any], argnums: Any, count: int) -> tuple[int, ...]:
    wanted = argnums if isinstance(argnums, (tuple, list)) else (argnums,)
    out = []
    for i in wanted:
        i = operator.index(i)
        if not -count <= i < count:
            raise TypeError(
                f"differentiating {function_name(f)} with respect to argnums={argnums} "
                f"needs at least {i + 1 if i >= 0 else -i} positional arguments, but "
                f"the call has {count}; arguments passed by keyword are chosen by "
                "argnames"
            )
        if i % count in out:
            raise ValueError(
                f"argnums={argnums} names argument {i % count} of {function_name(f)} "
                "twice"
            )
        out.append(i % count)
    return tuple(out)


def check_leaf(value: Any, what: str) -> Aval:
    """Return the aval of an argument leaf, or raise TypeError."""
    if isinstance(value, Tracer) or is_array_like(value):
        return aval_of(value)
    shown = f"{value!r:.60}"
    raise TypeError(
        f"{what} must be arrays or numbers, or pytrees of them; got {shown} of type "
        f"{type(value).__name__}"
        + (f" and dtype {value.dtype}" if isinstance(value, np.ndarray) else "")
        + ". Pass it as an argument that is not differentiated, or close over it."
    )


def check_differentiable(
    name: str,
    value: Any,
    holomorphic: bool = False,
    allow_int: bool | None = None,
) -> Aval:
    """Check an argument leaf of grad and its kin; return its aval.

    Args:
        name: of the transform.
        value: the leaf.
        holomorphic: it has to be complex.
        allow_int: it may be an integer; None if the transform has no such option.

    Raises:
        TypeError: not an array, of integer or boolean dtype without `allow_int`, or
            real although `holomorphic`.
    """
    aval = check_leaf(value, f"{name}: the differentiated arguments")
    kind = aval.dtype.kind
    if holomorphic and kind != "c":
        raise TypeError(
            f"{name} with holomorphic=True needs complex inputs, got {aval!r}; convert "
            "it with x.astype(complex)"
        )
    if kind not in "fc" and not allow_int:
        hint = "float(x)" if not aval.shape else "x.astype(float)"
        if allow_int is not None:
            hint += ", or allow_int=True for float0 zeros in its place"
        raise TypeError(
            f"{name} needs inputs of a floating or complex dtype, got {aval!r}: a "
            f"derivative by an integer or boolean has no meaning. Pass {hint}."
        )
    return aval


def instantiate(ct: Any, aval: Aval) -> Any:
    """Return a cotangent or tangent, zeros of the right kind in place of None."""
    return zeros(aval.tangent()) if ct is None else ct


def finish(values: Sequence[Any], taken: Sequence[Any] = ()) -> list[Any]:
    """Make results the caller's own: writeable, sharing memory with nothing else.

    One of shape () is a NumPy scalar, as NumPy's functions return it.

    Args:
        values: the results.
        taken: arrays that belong to somebody else.
    """
    seen = {id(t) for t in taken}
    out = []
    for v in values:
        if isinstance(v, np.ndarray):
            if not v.ndim and v.dtype.kind != "V":  # float0 stays
                v = v[()]
            elif v.base is not None or id(v) in seen or not v.flags.writeable:
                v = v.copy()
        seen.add(id(v))
        out.append(v)
    return out


def signature_of(f: Callable[..., Any]) -> inspect.Signature | None:
    """Return the signature of `f`, or None where Python cannot tell it."""
    try:
        return inspect.signature(f)
    except (TypeError, ValueError):
        return None
