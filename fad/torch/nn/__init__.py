"""torch.nn: modules, parameters and containers, and the functions they are made of.

The functions are in `torch.nn.functional`, the ways to fill parameters in
`torch.nn.init`, tools for gradients and sequences in `torch.nn.utils`; each `modules_*`
file holds one family of layers.

Public names: `Module`, `Parameter`, `Buffer`, `Sequential`, `ModuleList`, `ModuleDict`,
`ParameterList`, `ParameterDict`, `functional`, `init`, `utils`, and those of the
families.
"""

from __future__ import annotations

import importlib as _importlib
from typing import Any as _Any

from ..missing import no_name as _no_name
from . import functional, init, utils
from .containers import ModuleDict, ModuleList, Sequential
from .lazy import UninitializedBuffer, UninitializedParameter
from .module import Module
from .parameter import Buffer, Parameter
from .parameter_containers import ParameterDict, ParameterList

__all__ = [
    "Buffer",
    "Module",
    "ModuleDict",
    "ModuleList",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "Sequential",
    "UninitializedBuffer",
    "UninitializedParameter",
    "functional",
    "init",
    "utils",
]

_FAMILIES = """
    activation adaptive attention cells conv dropout embedding lazy linear loss norm
    parallel pool recurrent running_norm shape transformer
""".split()
for _name in _FAMILIES:
    _family = _importlib.import_module(f"{__name__}.modules_{_name}")
    globals().update({name: getattr(_family, name) for name in _family.__all__})
    __all__ += _family.__all__


def __getattr__(name: str) -> _Any:
    raise _no_name(__name__, name, __all__)
