"""Settings of the machine that scripts make: threads, determinism, precision.

NumPy's own threads are set by the environment; what is set here is remembered and
given back, and changes nothing.

Public names: none; the functions are declared into `fad.torch`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .declare import function
from .tensor import Tensor

__all__: list[str] = []


def _setting(setter: str, getter: str, default: Any) -> None:
    """Declare a pair of functions that set a value and give it back."""
    value = [default]

    def write(new: Any, **options: Any) -> None:
        value[0] = new

    def read() -> Any:
        return value[0]

    write.__doc__ = f"Set what `{getter}` returns."
    read.__doc__ = f"Return what `{setter}` has set."
    declare: Callable[[str], Any] = lambda name: function(
        name, methods=False, out=False
    )
    declare(setter)(write)
    declare(getter)(read)


_setting("set_num_threads", "get_num_threads", 1)
_setting("set_num_interop_threads", "get_num_interop_threads", 1)
_setting("set_warn_always", "is_warn_always_enabled", False)
_setting("set_float32_matmul_precision", "get_float32_matmul_precision", "highest")
_setting("use_deterministic_algorithms", "are_deterministic_algorithms_enabled", False)
_setting("set_deterministic_debug_mode", "get_deterministic_debug_mode", 0)


@function("set_flush_denormal", methods=False, out=False)
def set_flush_denormal(mode: bool) -> bool:
    """Return False: denormal numbers are never flushed."""
    return False


@function("typename", methods=False, out=False)
def typename(obj: Any) -> str:
    """Return the name of the type of a tensor, or of another object."""
    if isinstance(obj, Tensor):
        return obj.type()  # type: ignore[attr-defined,no-any-return]
    cls = type(obj)
    module = "" if cls.__module__ == "builtins" else f"{cls.__module__}."
    return f"{module}{cls.__qualname__}"
