"""Control flow and solvers, under the names of `jax.lax`.

    cond switch while_loop fori_loop scan map associative_scan select_n
    custom_root custom_linear_solve stop_gradient

and collectives, between the examples of a `vmap(..., axis_name=...)`:

    psum pmean pmax pmin all_gather psum_scatter ppermute all_to_all
    axis_index axis_size

All are differentiable in both modes and at every order, and work under `vmap` and `jit`
in any nesting.
"""

from __future__ import annotations

from typing import Any

from ..control.collectives import (
    all_gather,
    all_to_all,
    axis_index,
    axis_size,
    pmax,
    pmean,
    pmin,
    ppermute,
    psum,
    psum_scatter,
)
from ..control.cond import cond, switch
from ..control.linear_solve import custom_linear_solve
from ..control.root import custom_root
from ..control.scanning import associative_scan, scan
from ..control.scanning import map_ as map
from ..control.selecting import select_n
from ..control.while_loop import fori_loop, while_loop
from ..core.pytree import tree_map
from ..numpy import abs as abs
from ..numpy import add as add
from ..numpy import arccos as acos
from ..numpy import arcsin as asin
from ..numpy import arctan as atan
from ..numpy import arctan2 as atan2
from ..numpy import (
    cbrt,
    ceil,
    cos,
    cosh,
    exp,
    exp2,
    expm1,
    floor,
    log,
    log1p,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    tan,
    tanh,
)
from ..numpy import divide as div
from ..numpy import maximum as max
from ..numpy import minimum as min
from ..numpy import multiply as mul
from ..numpy import negative as neg
from ..numpy import power as pow
from ..numpy import subtract as sub
from ..ops import arithmetic
from .operators import (
    conv,
    conv_general_dilated,
    dynamic_index_in_dim,
    dynamic_slice,
    dynamic_update_slice,
    rsqrt,
    slice_in_dim,
    top_k,
)

__all__ = [
    "abs",
    "acos",
    "add",
    "all_gather",
    "all_to_all",
    "asin",
    "associative_scan",
    "atan",
    "atan2",
    "axis_index",
    "axis_size",
    "cbrt",
    "ceil",
    "cond",
    "conv",
    "conv_general_dilated",
    "cos",
    "cosh",
    "custom_linear_solve",
    "custom_root",
    "div",
    "dynamic_index_in_dim",
    "dynamic_slice",
    "dynamic_update_slice",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "fori_loop",
    "log",
    "log1p",
    "map",
    "max",
    "min",
    "mul",
    "neg",
    "pmax",
    "pmean",
    "pmin",
    "pow",
    "ppermute",
    "psum",
    "psum_scatter",
    "rsqrt",
    "scan",
    "select_n",
    "sign",
    "sin",
    "sinh",
    "slice_in_dim",
    "sqrt",
    "square",
    "stop_gradient",
    "sub",
    "switch",
    "tan",
    "tanh",
    "top_k",
    "while_loop",
]


def stop_gradient(x: Any) -> Any:
    """Return a pytree of the same values with zero derivative."""
    return tree_map(lambda leaf: arithmetic.stop_gradient(leaf), x)
