"""Batch and instance normalisation, which may keep running statistics.

Public names: `BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d
InstanceNorm3d SyncBatchNorm`.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np

from ..dtypes import default_float, to_numpy
from ..modes import no_grad
from ..tensor import Tensor, wrap
from . import functional as F
from .module import Module
from .modules_norm import register_affine, reset_affine

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "SyncBatchNorm",
]


class _RunningNorm(Module):
    """A layer that may keep running statistics of its channels.

    Attributes:
        ranks: numbers of dimensions of the input that it takes.
    """

    _version = 2
    ranks: ClassVar[tuple[int, ...]]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        register_affine(self, affine, bias, num_features, dtype, device)
        d = default_float() if dtype is None else to_numpy(dtype)
        for name, made in (
            ("running_mean", np.zeros(num_features, d)),
            ("running_var", np.ones(num_features, d)),
            ("num_batches_tracked", np.array(0)),
        ):
            self.register_buffer(name, wrap(made) if track_running_stats else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget all batches."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Forget all batches, and set the weight to 1 and the bias to 0."""
        self.reset_running_stats()
        reset_affine(self)

    def _check_input_dim(self, input: Tensor) -> None:
        if input.ndim not in self.ranks:
            shown = " or ".join(f"{r}D" for r in self.ranks)
            raise ValueError(f"expected {shown} input (got {input.ndim}D input)")

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *args: Any) -> None:
        version = args[0].get("version", None)
        if (version is None or version < 2) and self.track_running_stats:
            tracked = self.num_batches_tracked
            state_dict.setdefault(f"{prefix}num_batches_tracked", tracked)
        super()._load_from_state_dict(state_dict, prefix, *args)

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_RunningNorm):
    """A layer that normalises channels over the batch."""

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats:
            with no_grad():
                self.num_batches_tracked.add_(1)
            if self.momentum is None:
                momentum = 1.0 / float(self.num_batches_tracked)
        keeps = self.running_mean is not None and self.running_var is not None
        used = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if used else None,
            self.running_var if used else None,
            self.weight,
            self.bias,
            self.training or not keeps,
            momentum,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """Normalise each channel of vectors or sequences over the batch."""

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalise each channel of images over the batch."""

    ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Normalise each channel of volumes over the batch."""

    ranks = (5,)


class SyncBatchNorm(_BatchNorm):
    """Normalise each channel over the batch; there is one process."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features,
            eps,
            momentum,
            affine,
            track_running_stats,
            device,
            dtype,
            bias=bias,
        )

    def _check_input_dim(self, input: Tensor) -> None:
        if input.ndim < 2:
            raise ValueError(f"expected at least 2D input (got {input.ndim}D input)")


class _InstanceNorm(_RunningNorm):
    """A layer that normalises each channel of each example."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features,
            eps,
            momentum,
            affine,
            track_running_stats,
            device,
            dtype,
            bias=bias,
        )

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        single = input.ndim == self.ranks[0]
        axis = 0 if single else 1
        if input.shape[axis] != self.num_features:
            self._complain(axis, input.shape[axis])
        batch: Any = input.unsqueeze(0) if single else input  # type: ignore[attr-defined]
        out: Any = F.instance_norm(
            batch,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return out.squeeze(0) if single else out  # type: ignore[no-any-return]

    def _complain(self, axis: int, size: int) -> None:
        if self.affine:
            raise ValueError(
                f"expected input's size at dim={axis} to match num_features "
                f"({self.num_features}), but got: {size}."
            )
        warnings.warn(
            f"input's size at dim={axis} does not match num_features. You can silence "
            "this warning by not passing in num_features, which is not used because "
            "affine=False",
            stacklevel=4,
        )


class InstanceNorm1d(_InstanceNorm):
    """Normalise each channel of each sequence."""

    ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Normalise each channel of each image."""

    ranks = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Normalise each channel of each volume."""

    ranks = (4, 5)
