"""torch.nn: modules, parameters and containers, and the functions they are made of.

The functions are in `torch.nn.functional`, the ways to fill parameters in
`torch.nn.init`. Of the modules there are so far `Module`, the containers, `Linear`,
`Dropout`, `Flatten`, the activations and the commonest losses.

Public names: `Module`, `Parameter`, `Sequential`, `ModuleList`, `ModuleDict`,
`ParameterList`, `ParameterDict`, `functional`, `init`, and those of `modules_basic`.
"""

from __future__ import annotations

from . import functional, init, modules_basic
from .containers import ModuleDict, ModuleList, Sequential
from .module import Module
from .modules_basic import *  # noqa: F403
from .parameter import Parameter
from .parameter_containers import ParameterDict, ParameterList

__all__ = [
    "Module",
    "ModuleDict",
    "ModuleList",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "Sequential",
    "functional",
    "init",
    *modules_basic.__all__,
]
