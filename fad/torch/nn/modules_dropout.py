"""Dropout layers, which do something in training only.

Public names: the module classes, as in `torch.nn`.
"""

from __future__ import annotations

from typing import Any

from . import functional as F
from .modules_layer import Layer

__all__ = [
    "AlphaDropout",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "FeatureAlphaDropout",
]


class _Dropout(Layer):
    """A layer with a probability of dropping.

    Raises:
        ValueError: it is no probability.
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(
                f"dropout probability has to be between 0 and 1, but got {p}"
            )
        self.p = p
        self.inplace = inplace

    def options(self) -> dict[str, Any]:
        return {"p": self.p, "training": self.training, "inplace": self.inplace}

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """Set elements to 0 with probability p, and scale the rest by 1 / (1 - p)."""

    function = staticmethod(F.dropout)


class Dropout1d(_Dropout):
    """Drop whole channels of sequences."""

    function = staticmethod(F.dropout1d)


class Dropout2d(_Dropout):
    """Drop whole channels of images."""

    function = staticmethod(F.dropout2d)


class Dropout3d(_Dropout):
    """Drop whole channels of volumes."""

    function = staticmethod(F.dropout3d)


class AlphaDropout(_Dropout):
    """Drop to the lower limit of selu, keeping mean and variance."""

    function = staticmethod(F.alpha_dropout)

    def options(self) -> dict[str, Any]:
        return {"p": self.p, "training": self.training}


class FeatureAlphaDropout(AlphaDropout):
    """Drop whole channels to the lower limit of selu."""

    function = staticmethod(F.feature_alpha_dropout)
