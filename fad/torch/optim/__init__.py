"""torch.optim: optimisers and schedules of their learning rates.

>>> from fad import torch
>>> w = torch.tensor([3.], requires_grad=True)
>>> optimizer = torch.optim.Adam([w], lr=0.5)
>>> for _ in range(100):
...     optimizer.zero_grad()
...     ((w - 1) ** 2).sum().backward()
...     _ = optimizer.step()
>>> abs(w.item() - 1) < 0.1
True
"""

import importlib as _importlib
from typing import Any as _Any

from ..missing import no_name as _no_name
from . import lr_scheduler as lr_scheduler
from .adam import Adam, Adamax, AdamW, NAdam, RAdam
from .adaptive import Adadelta, Adafactor, Adagrad, RMSprop
from .lbfgs import LBFGS
from .optimizer import Optimizer
from .sgd import ASGD, SGD, Rprop

__all__ = [
    "ASGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "LBFGS",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SGD",
    "lr_scheduler",
]


def __getattr__(name: str) -> _Any:
    if name == "swa_utils":  # it needs torch.nn
        return _importlib.import_module(f"{__name__}.swa_utils")
    raise _no_name(__name__, name, __all__)
