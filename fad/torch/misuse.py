"""What calls of functions with wrong arguments say, in PyTorch's words.

Public names: `restated`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

from ..core.trace import Tracer

__all__ = ["restated"]

_MISSING = re.compile(
    r"missing (\d+) required (?:positional|keyword-only) arguments?: "
)
_NAMES = re.compile(r"'(\w+)'")


def restated(
    name: str, python: Callable[..., Any], args: Sequence[Any], error: Exception
) -> TypeError | None:
    """Return the error of a wrong argument as PyTorch puts it, None if it is another.

    Args:
        name: of the function.
        python: the function; a parameter annotated as `Tensor` takes nothing else.
        args: what was given by position.
        error: what came of it.

    >>> restated("exp", lambda input: None, (), TypeError("f() missing 1 required "
    ...          "positional argument: 'input'"))
    TypeError('exp() missing 1 required positional arguments: "input"')
    """
    missing = _MISSING.search(str(error)) if isinstance(error, TypeError) else None
    if missing is not None:
        names = ", ".join(f'"{n}"' for n in _NAMES.findall(str(error)[missing.end() :]))
        return TypeError(
            f"{name}() missing {missing[1]} required positional arguments: {names}"
        )
    if not isinstance(error, AttributeError):
        return None
    for i, (parameter, given) in enumerate(_given(python, args)):
        if parameter.annotation == "Tensor" and not isinstance(given, Tracer):
            return TypeError(
                f"{name}(): argument '{parameter.name}' (position {i + 1}) must be "
                f"Tensor, not {type(given).__name__}"
            )
    return None


def _given(
    python: Callable[..., Any], args: Sequence[Any]
) -> list[tuple[inspect.Parameter, Any]]:
    parameters = inspect.signature(python).parameters.values()
    return list(zip(parameters, args, strict=False))
