"""torch.optim.lr_scheduler: schedules of learning rates.

>>> from fad import torch
>>> w = torch.zeros(1, requires_grad=True)
>>> optimizer = torch.optim.SGD([w], lr=1.0)
>>> scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
>>> optimizer.step()
>>> scheduler.step()
>>> scheduler.get_last_lr()
[0.5]
"""

from .lr_base import LRScheduler
from .lr_composed import ChainedScheduler, ReduceLROnPlateau, SequentialLR
from .lr_cycles import CosineAnnealingWarmRestarts, CyclicLR, OneCycleLR
from .lr_decay import (
    ConstantLR,
    CosineAnnealingLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]

_LRScheduler = LRScheduler  # the name before PyTorch 2.0
