"""Anomaly mode: nodes remember where they were made, and nan in backward is an error.

Public names: `detect_anomaly`, `set_detect_anomaly`, `is_anomaly_enabled`,
`is_anomaly_check_nan_enabled`, `remember_place`, `pull_watched`.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from typing import Any

import numpy as np

from ..core.trace import concrete_value
from .modes import current, set_modes

__all__ = [
    "detect_anomaly",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "pull_watched",
    "remember_place",
    "set_detect_anomaly",
]


class set_detect_anomaly:
    """Switch anomaly mode on or off: at once, and until the end of a ``with`` block."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.before = set_modes(anomaly=bool(mode), check_nan=check_nan)

    def __enter__(self) -> None:
        return None

    def __exit__(self, *error: object) -> None:
        set_modes(anomaly=self.before.anomaly, check_nan=self.before.check_nan)


class detect_anomaly(set_detect_anomaly):
    """Anomaly mode inside a ``with`` block."""

    def __init__(self, check_nan: bool = True) -> None:
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime "
            "and should only be enabled for debugging.",
            UserWarning,
            stacklevel=2,
        )
        self.check_nan = check_nan
        self.before = current()

    def __enter__(self) -> None:
        self.before = set_modes(anomaly=True, check_nan=self.check_nan)


def is_anomaly_enabled() -> bool:
    """Tell whether anomaly mode is on in this context."""
    return current().anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Tell whether anomaly mode refuses nan."""
    return current().check_nan


def remember_place(node: Any) -> None:
    """Note the line of the user's program in a node's metadata."""
    frames = traceback.StackSummary.extract(traceback.walk_stack(sys._getframe(1)))
    node.metadata["traceback_"] = traceback.format_list(list(reversed(frames)))


def pull_watched(node: Any, grad: Any, create: bool) -> Any:
    """Run a node; on an error or nan say where its operation was called."""
    try:
        cts = node.pull(grad, create)
    except Exception:
        _tell(node)
        raise
    if current().check_nan:
        for i, ct in enumerate(cts):
            value = concrete_value(ct)
            if value is not None and np.isnan(value).any():
                _tell(node)
                raise RuntimeError(
                    f"Function '{type(node).__name__}' returned nan values in its "
                    f"{i}th output."
                )
    return cts


def _tell(node: Any) -> None:
    place = node.metadata.get("traceback_")
    if place is None:
        text = (
            f"Error detected in {type(node).__name__}. No forward pass information "
            "available. Enable detect anomaly during forward pass for more information."
        )
    else:
        text = (
            f"Error detected in {type(node).__name__}. Traceback of forward call that "
            f"caused the error:\n{''.join(place)}"
        )
    warnings.warn(text, UserWarning, stacklevel=3)
