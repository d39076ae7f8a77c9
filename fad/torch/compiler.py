"""torch.compiler: asking about and steering `torch.compile`.

Public names: `is_compiling`, `is_dynamo_compiling`, `is_exporting`, `disable`,
`compile`, `reset`, `list_backends`, `assume_constant_result`, `allow_in_graph`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from . import compile_api
from .compile_api import compile
from .missing import no_name
from .modes import current, not_compiled

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "disable",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "reset",
]


def is_compiling() -> bool:
    """Tell whether `torch.compile` is tracing a function."""
    return current().compiling is not None


is_dynamo_compiling = is_compiling


def is_exporting() -> bool:
    """Return False: there is no export."""
    return False


def disable(
    fn: Callable[..., Any] | None = None,
    recursive: bool = True,
    *,
    reason: str | None = None,
) -> Any:
    """Return a function that is no part of compiled programs; also a decorator.

    A compiled function that calls it runs as it is.
    """
    if fn is None:
        return functools.partial(disable, recursive=recursive, reason=reason)

    @functools.wraps(fn)
    def outside(*args: Any, **kwargs: Any) -> Any:
        not_compiled(f"Skip calling `torch.compiler.disable()`d function: {reason}")
        return fn(*args, **kwargs)

    return outside


def reset() -> None:
    """Forget all compiled programs."""
    compile_api.generation += 1


def list_backends(exclude_tags: Any = ()) -> list[str]:
    """Return the names of the backends, which all stand for fad's programs."""
    return sorted(compile_api.BACKENDS - {"eager", "aot_eager"})


def assume_constant_result(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function: its results are traced as they are."""
    return fn


allow_in_graph = assume_constant_result


def __getattr__(name: str) -> Any:
    raise no_name(__name__, name, __all__)
