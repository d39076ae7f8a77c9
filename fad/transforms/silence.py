"""Formulas do not warn: 0 * inf, or a slope of infinity, is no mistake of the user's.

What the user has set to raise still raises, and operations on values warn as NumPy's.

Public names: `quiet`, `silenced`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["quiet", "silenced"]


def silenced() -> dict[str, Any]:
    """Return the settings for `np.errstate` that turn warnings off."""
    return {kind: "ignore" for kind, what in np.geterr().items() if what == "warn"}


def quiet() -> Any:
    """Return a context without NumPy's warnings."""
    return np.errstate(**silenced())
