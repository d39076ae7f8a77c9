"""torch.cuda: there is none; what scripts ask before they choose a device.

Public names: `is_available`, `device_count`, `manual_seed`, `manual_seed_all`,
`empty_cache`, `synchronize`, `is_initialized`, `amp`; other functions raise.
"""

from __future__ import annotations

from typing import Any, NoReturn

from . import amp as amp
from .missing import no_name

__all__ = [
    "amp",
    "device_count",
    "empty_cache",
    "is_available",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
]

_MISSING = frozenset(
    """
    current_device get_device_name get_device_properties get_device_capability
    memory_allocated max_memory_allocated memory_reserved set_device synchronize
    current_stream mem_get_info
    """.split()
)


def is_available() -> bool:
    """Return False: there is no GPU."""
    return False


is_initialized = is_available


def device_count() -> int:
    """Return 0."""
    return 0


def manual_seed(seed: int) -> None:
    """Do nothing: there is no GPU whose stream would be seeded."""


manual_seed_all = manual_seed


def empty_cache() -> None:
    """Do nothing: there is no memory of a GPU."""


def _absent(*args: Any, **options: Any) -> NoReturn:
    raise AssertionError("Torch not compiled with CUDA enabled")


def __getattr__(name: str) -> Any:
    if name in _MISSING:
        return _absent
    raise no_name(__name__, name, __all__)
