"""Errors for names that are absent: they say so and list near ones.

Public names: `no_attribute`, `no_name`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

__all__ = ["no_attribute", "no_name"]


def no_attribute(thing: Any, name: str) -> AttributeError:
    """Return the error for an attribute that a tensor or class does not have."""
    cls = thing if isinstance(thing, type) else type(thing)
    text = f"'{cls.__name__}' object has no attribute '{name}'"
    return AttributeError(text + _near(name, _present(cls)), name=name, obj=thing)


def _present(cls: type) -> list[str]:
    """Return the names that a class has, without those it hides."""
    hidden = {n for n, v in vars(cls).items() if type(v).__name__ == "_Hidden"}
    return [n for n in dir(cls) if n not in hidden]


def no_name(module: str, name: str, known: Iterable[str]) -> AttributeError:
    """Return the error for a name that a module does not have."""
    shown = module.removeprefix("fad.")
    text = f"module '{shown}' has no attribute '{name}'"
    return AttributeError(f"{text} in fad{_near(name, known)}", name=name)


def _near(name: str, known: Iterable[str]) -> str:
    public = [k for k in known if not k.startswith("_")]
    near = difflib.get_close_matches(name, public, n=3, cutoff=0.6)
    return f"; near names are {', '.join(near)}" if near and name[:1] != "_" else ""
