"""torch.nn: modules, parameters and containers, and the functions they are made of.

The functions are in `torch.nn.functional`, the ways to fill parameters in
`torch.nn.init`, tools for gradients and sequences in `torch.nn.utils`; each `modules_*` file holds one family of layers.

Public names: `Module`, `Parameter`, `Sequential`, `ModuleList`, `ModuleDict`,
`ParameterList`, `ParameterDict`, `functional`, `init`, and those of the families.
"""

from __future__ import annotations

from . import (
    functional,
    init,
    modules_activation,
    modules_attention,
    modules_cells,
    modules_conv,
    modules_dropout,
    modules_embedding,
    modules_linear,
    modules_loss,
    modules_norm,
    modules_pool,
    modules_recurrent,
    modules_running_norm,
    modules_shape,
    modules_transformer,
    utils,
)
from .containers import ModuleDict, ModuleList, Sequential
from .module import Module
from .parameter import Parameter
from .parameter_containers import ParameterDict, ParameterList

_FAMILIES = (
    modules_activation,
    modules_attention,
    modules_cells,
    modules_conv,
    modules_dropout,
    modules_embedding,
    modules_linear,
    modules_loss,
    modules_norm,
    modules_pool,
    modules_recurrent,
    modules_running_norm,
    modules_shape,
    modules_transformer,
)
globals().update(
    {name: getattr(family, name) for family in _FAMILIES for name in family.__all__}
)

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
    "utils",
]
__all__ += [name for family in _FAMILIES for name in family.__all__]
