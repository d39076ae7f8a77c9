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

from .control.collectives import (
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
from .control.cond import cond, switch
from .control.linear_solve import custom_linear_solve
from .control.root import custom_root
from .control.scanning import associative_scan, scan
from .control.scanning import map_ as map
from .control.selecting import select_n
from .control.while_loop import fori_loop, while_loop
from .core.pytree import tree_map
from .ops import arithmetic

__all__ = [
    "all_gather",
    "all_to_all",
    "associative_scan",
    "axis_index",
    "axis_size",
    "cond",
    "custom_linear_solve",
    "custom_root",
    "fori_loop",
    "map",
    "pmax",
    "pmean",
    "pmin",
    "ppermute",
    "psum",
    "psum_scatter",
    "scan",
    "select_n",
    "stop_gradient",
    "switch",
    "while_loop",
]


def stop_gradient(x: Any) -> Any:
    """Return a pytree of the same values with zero derivative."""
    return tree_map(lambda leaf: arithmetic.stop_gradient(leaf), x)
