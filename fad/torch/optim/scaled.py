"""``x + alpha * y`` rounded once, as PyTorch's fused ``add(y, alpha=alpha)`` rounds it.

In float32 the product is taken in float64, where it is exact.

Public names: `add_scaled`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["add_scaled"]


def add_scaled(x: Any, y: Any, alpha: Any) -> Any:
    """Return ``x + alpha * y`` in the dtype of `x`.

    >>> float(add_scaled(np.float32(1), np.float32(0.1), -10))
    -1.4901161193847656e-08
    """
    if getattr(y, "dtype", None) != np.float32 or not isinstance(
        y, (np.ndarray, np.generic)
    ):
        return x + y * alpha
    if not isinstance(alpha, (int, float)) or getattr(x, "dtype", None) != np.float32:
        return x + y * alpha
    exact = y.astype(np.float64) * float(np.float32(alpha))
    return (exact + x).astype(np.float32)
