"""torch.autograd: differentiation of tensors.

Public names: `backward`, `grad`, `no_grad`, `enable_grad`, `set_grad_enabled`,
`inference_mode`, `detect_anomaly`, `set_detect_anomaly`, `Function`, `Variable`.
"""

from ..anomaly import detect_anomaly, is_anomaly_enabled, set_detect_anomaly
from ..backprop import backward, grad
from ..modes import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)
from . import function, graph
from .function import Function

__all__ = [
    "Function",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "function",
    "grad",
    "graph",
    "inference_mode",
    "is_anomaly_enabled",
    "is_grad_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]
