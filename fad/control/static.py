"""Static arguments: part of a program's signature instead of its inputs.

Public names: `Static`, `check_leaf`.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any

from ..core.avals import Aval, is_array_like
from ..core.trace import Tracer, aval_of

__all__ = ["Static", "check_leaf"]


def check_leaf(value: Any, what: str) -> Aval:
    """Return the aval of an argument or result, or raise TypeError."""
    if isinstance(value, Tracer) or is_array_like(value):
        return aval_of(value)
    raise TypeError(
        f"{what} must be arrays or numbers, or pytrees of them; got {value!r:.60} of "
        f"type {type(value).__name__}. Make it a static argument (static_argnums or "
        "static_argnames), or close over it."
    )


class Static:
    """Which arguments of a function are static, by position and by name."""

    option = "static"

    def __init__(self, fun: Callable[..., Any], nums: Any, names: Any) -> None:
        self.nums = _tuple(nums, int)
        self.names = _tuple(names, str)
        if not self.any:
            return
        parameters, known = _parameters(fun)
        if known is not None:
            _check_nums(fun, self.option, self.nums, parameters, known)
            _check_names(fun, self.option, self.names, known)
        by_name = [parameters.index(n) for n in self.names if n in parameters]
        count = len(parameters)
        by_num = [parameters[i] for i in self.nums if -count <= i < count]
        self.nums = tuple(dict.fromkeys([*self.nums, *by_name]))
        self.names = tuple(dict.fromkeys([*self.names, *by_num]))

    @property
    def any(self) -> bool:
        """Whether any argument is static."""
        return bool(self.nums or self.names)

    def split(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
        """Return the dynamic arguments, and the hashable rest."""
        if not (self.nums or self.names):
            return (args, kwargs), None
        nums = self._normal(len(args))
        dynamic = tuple(a for i, a in enumerate(args) if i not in nums)
        named = {k: v for k, v in kwargs.items() if k not in self.names}
        values = [(i, args[i]) for i in nums]
        values += [(k, v) for k, v in sorted(kwargs.items()) if k in self.names]
        for where, value in values:
            _check_hashable(where, value)
        return (dynamic, named), tuple((w, type(v), v) for w, v in values)

    def join(
        self, dynamic: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return all arguments, the dynamic ones replaced."""
        new_args, new_kwargs = dynamic
        nums = self._normal(len(args))
        rest = iter(new_args)
        full = tuple(a if i in nums else next(rest) for i, a in enumerate(args))
        static = {k: v for k, v in kwargs.items() if k in self.names}
        return full, {**new_kwargs, **static}

    def _normal(self, count: int) -> list[int]:
        return sorted(i % count for i in self.nums if -count <= i < count)


def _tuple(value: Any, kind: type) -> tuple[Any, ...]:
    if value is None:
        return ()
    if isinstance(value, kind):
        return (value,)
    return tuple(operator.index(v) if kind is int else v for v in value)


_POSITIONAL = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
)


def _parameters(
    fun: Callable[..., Any],
) -> tuple[list[str], list[inspect.Parameter] | None]:
    """Return the names of the positional parameters, and all parameters if known."""
    try:
        parameters = list(inspect.signature(fun).parameters.values())
    except (TypeError, ValueError):
        return [], None
    return [p.name for p in parameters if p.kind in _POSITIONAL], parameters


def _check_nums(
    fun: Callable[..., Any],
    option: str,
    nums: Sequence[int],
    positional: Sequence[str],
    known: Sequence[inspect.Parameter],
) -> None:
    if any(p.kind is p.VAR_POSITIONAL for p in known):
        return
    count = len(positional)
    for i in nums:
        if not -count <= i < count:
            raise ValueError(
                f"{option}_argnums {tuple(nums)} names the positional argument {i}, "
                f"but {_name(fun)} has {count}: {', '.join(positional) or 'none'}"
            )


def _check_names(
    fun: Callable[..., Any],
    option: str,
    names: Sequence[str],
    known: Sequence[inspect.Parameter],
) -> None:
    if any(p.kind is p.VAR_KEYWORD for p in known):
        return
    found = [p.name for p in known]
    for name in names:
        if name not in found:
            raise ValueError(
                f"{option}_argnames names {name!r}, but the arguments of {_name(fun)} "
                f"are {', '.join(found) or 'none'}"
            )


def _name(fun: Callable[..., Any]) -> str:
    return getattr(fun, "__name__", type(fun).__name__)


def _check_hashable(where: Any, value: Any) -> None:
    try:
        hash(value)
    except TypeError:
        raise ValueError(
            f"static argument {where!r} has the unhashable type "
            f"{type(value).__name__}: {value!r:.60}. A static argument is part of the "
            "signature; use a tuple instead of a list, or pass arrays as ordinary "
            "arguments."
        ) from None
