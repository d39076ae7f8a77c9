"""SciPy is optional: what needs it imports it here, on first use.

    scipy_module("linalg")      scipy.linalg, or an error that says what to install
    installed()                 whether there is a SciPy
    Backed                      an operation that SciPy computes, declared on first use

An operation that SciPy computes becomes a primitive when it is first called, for
without SciPy there is nothing to declare. From then on it is one like any other.

Public names: `Backed`, `backed`, `installed`, `scipy_module`.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

from ..core.primitive import Primitive

__all__ = ["Backed", "backed", "installed", "scipy_module"]

HOW = "SciPy is an optional extra: python -m pip install 'fad-autodiff[scipy]'"


@functools.cache
def installed() -> bool:
    """Tell whether SciPy can be imported."""
    try:
        spec = importlib.util.find_spec("scipy")
    except ValueError:  # sys.modules["scipy"] is None: the import is blocked
        return False
    return spec is not None and spec.origin is not None  # not just a folder "scipy"


def scipy_module(name: str, needed_by: str = "") -> Any:
    """Import and return `scipy.<name>`.

    Args:
        name: of the submodule.
        needed_by: the function that the error names.

    Raises:
        ImportError: SciPy is not installed.
    """
    try:
        return importlib.import_module(f"scipy.{name}")
    except ImportError as error:
        what = needed_by or f"fad.scipy.{name}"
        raise ImportError(f"{what} needs SciPy, which cannot be imported. {HOW}") from (
            error
        )


class Backed:
    """An operation that SciPy computes: called as a primitive is.

    Args:
        name: of the primitive.
        declare: `declare(scipy.<module>) -> Primitive`.
        module: the submodule of SciPy.
    """

    def __init__(
        self, name: str, declare: Callable[[Any], Primitive], module: str
    ) -> None:
        self.name, self.declare, self.module = name, declare, module
        self.declared: Primitive | None = None
        backed[name] = self

    @property
    def primitive(self) -> Primitive:
        """The primitive; importing SciPy and declaring it on first use."""
        if self.declared is None:
            module = scipy_module(self.module, f"fad.scipy.{self.module}.{self.name}")
            self.declared = self.declare(module)
        return self.declared

    def __call__(self, *args: Any, **params: Any) -> Any:
        return self.primitive(*args, **params)

    def __repr__(self) -> str:
        return f"<operation {self.name} of scipy.{self.module}>"


backed: dict[str, Backed] = {}
"""Every operation that SciPy computes, by name."""
