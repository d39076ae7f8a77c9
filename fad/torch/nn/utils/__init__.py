"""torch.nn.utils: gradients clipped, parameters as one vector, weights reparametrized.

Public names: `clip_grad_norm_`, `clip_grad_norm`, `clip_grad_value_`,
`clip_grads_with_norm_`, `get_total_norm`, `parameters_to_vector`,
`vector_to_parameters`, `skip_init`, `rnn`; on demand `parametrize`,
`parametrizations`, `stateless`, `weight_norm`, `spectral_norm` and their removal, and
the functions of `fusion`.
"""

import importlib as _importlib
from typing import Any as _Any

from ...missing import no_name as _no_name
from . import rnn
from .clipping import (
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from .vectors import parameters_to_vector, vector_to_parameters

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    "parameters_to_vector",
    "rnn",
    "skip_init",
    "vector_to_parameters",
]

_MODULES = ("parametrizations", "parametrize", "prune", "stateless")
_HOLDERS = ("fusion", "weight_hooks")  # modules that need all layers


def skip_init(module_cls: type, *args: _Any, **kwargs: _Any) -> _Any:
    """Return a module; there is no way to leave its parameters uninitialised."""
    if not isinstance(module_cls, type):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    return module_cls(*args, **kwargs)


def __getattr__(name: str) -> _Any:
    if name in _MODULES:
        try:
            return _importlib.import_module(f"{__name__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
    if not name.startswith("_"):
        for holder in _HOLDERS:
            module = _importlib.import_module(f"{__name__}.{holder}")
            if name in module.__all__:
                return getattr(module, name)
    raise _no_name(__name__, name, __all__)
