"""torch.autograd: differentiation of tensors.

Public names: `backward`, `grad`, `no_grad`, `enable_grad`, `set_grad_enabled`,
`inference_mode`, `detect_anomaly`, `set_detect_anomaly`, `Function`, `Variable`,
`gradcheck`, `gradgradcheck`, and the modules `function graph functional forward_ad`.
"""

import importlib as _importlib
from typing import Any as _Any

from ..anomaly import detect_anomaly, is_anomaly_enabled, set_detect_anomaly
from ..backprop import backward, grad
from ..missing import no_name as _no_name
from ..modes import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)
from . import function, graph
from .function import Function
from .gradcheck import gradcheck, gradgradcheck
from .variable import Variable

__all__ = [
    "Function",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "function",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_anomaly_enabled",
    "is_grad_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]


_LATER = ("functional", "forward_ad")


def __getattr__(name: str) -> _Any:
    """Import what is seldom needed when it is first used."""
    if name not in _LATER:
        raise _no_name(__name__, name, globals())
    module = _importlib.import_module(f"{__name__}.{name}")
    return globals().setdefault(name, module)
