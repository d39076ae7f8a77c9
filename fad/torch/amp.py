"""torch.amp: mixed precision, which on this CPU means full precision.

`autocast` is accepted, so that scripts run, and computes in the dtypes of the tensors;
`GradScaler` passes losses and steps through.

Public names: `autocast`, `GradScaler`, `is_autocast_available`.
"""

from __future__ import annotations

import contextlib
from typing import Any

from .missing import no_name

__all__ = ["GradScaler", "autocast", "is_autocast_available"]


class autocast(contextlib.ContextDecorator):
    """A block or function whose tensors keep their dtypes."""

    def __init__(
        self,
        device_type: str = "cpu",
        dtype: Any = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        self.device, self.fast_dtype = device_type, dtype

    def __enter__(self) -> autocast:
        return self

    def __exit__(self, *error: object) -> None:
        return None


class GradScaler:
    """A scaler of losses with the scale 1."""

    def __init__(self, device: str = "cpu", *args: Any, **options: Any) -> None:
        self._device = device

    def scale(self, outputs: Any) -> Any:
        """Return the loss."""
        return outputs

    def unscale_(self, optimizer: Any) -> None:
        """Do nothing: gradients have no scale."""

    def step(self, optimizer: Any, *args: Any, **options: Any) -> Any:
        """Let the optimiser take its step."""
        return optimizer.step(*args, **options)

    def update(self, new_scale: Any = None) -> None:
        """Do nothing: the scale stays 1."""

    def get_scale(self) -> float:
        """Return 1."""
        return 1.0

    def is_enabled(self) -> bool:
        """Return False."""
        return False

    def state_dict(self) -> dict[str, Any]:
        """Return an empty state."""
        return {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Do nothing: there is no state."""


def is_autocast_available(device_type: str) -> bool:
    """Return False: all is computed in the dtypes of the tensors."""
    return False


def __getattr__(name: str) -> Any:
    raise no_name(__name__, name, __all__)
