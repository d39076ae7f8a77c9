"""torch.backends: the switches of libraries that are not there.

Scripts set them before they start; what is set is remembered and changes nothing.

Public names: `cudnn`, `cuda`, `mps`, `mkl`, `mkldnn`, `openmp`.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .missing import no_name

__all__ = ["cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp"]


def _absent(**switches: Any) -> SimpleNamespace:
    """Return a library that is not available."""

    def is_available() -> bool:
        """Return False."""
        return False

    return SimpleNamespace(is_available=is_available, **switches)


cudnn = _absent(
    enabled=True,
    benchmark=False,
    deterministic=False,
    allow_tf32=True,
    version=lambda: None,
)
cuda = _absent(
    is_built=lambda: False,
    matmul=SimpleNamespace(
        allow_tf32=False, allow_fp16_reduced_precision_reduction=True
    ),
)
mps = _absent(is_built=lambda: False)
mkl, openmp = _absent(), _absent()
mkldnn = _absent(enabled=True)


def __getattr__(name: str) -> Any:
    raise no_name(__name__, name, __all__)
