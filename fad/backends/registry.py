"""Which backend runs a program, and the executables that it has made.

A backend is a function `compile(jaxpr, donated) -> executable`, and that takes the
values of the inputs and returns the list of outputs. Executables are kept with their
jaxpr.

Public names: `register`, `executable`, `plain_numpy`, `source_of`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..core.ir import Jaxpr
from ..core.modes import current_modes
from ..transforms.simplify import simplify
from .checked import run_checked
from .numpy_source import compile_numpy, python_source

__all__ = ["executable", "plain_numpy", "register", "source_of"]

Executable = Callable[..., list[Any]]

_backends: dict[str, Callable[..., Executable]] = {"numpy": compile_numpy}
_chosen = ["numpy"]


def register(name: str, compile_jaxpr: Callable[..., Executable]) -> None:
    """Add a backend, a function `(jaxpr, donated=()) -> executable`."""
    _backends[name] = compile_jaxpr


def executable(jaxpr: Jaxpr, donated: tuple[int, ...] = ()) -> Executable:
    """Return the executable of a program, made once.

    Args:
        jaxpr: the program.
        donated: positions of inputs whose arrays may be written to.
    """
    modes = current_modes()
    if modes is not None and (modes.nans or modes.infs):
        return partial(run_checked, jaxpr)
    key = ("executable", _chosen[0], donated)
    found: Executable | None = jaxpr.cache.get(key)
    if found is None:
        found = jaxpr.cache[key] = _backends[_chosen[0]](
            simplify(jaxpr), donated=donated
        )
    return found


def plain_numpy() -> bool:
    """Tell whether the NumPy backend runs programs, and nobody watches each value."""
    modes = current_modes()
    watched = modes is not None and (modes.nans or modes.infs)
    return _chosen[0] == "numpy" and not watched


def source_of(jaxpr: Jaxpr) -> str:
    """Return the Python source that the NumPy backend runs for a program."""
    return python_source(simplify(jaxpr))[0]
