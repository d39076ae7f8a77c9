"""Control flow and solvers, under the names of `jax.lax`.

    cond switch while_loop fori_loop scan map associative_scan select_n
    custom_root custom_linear_solve stop_gradient

All are differentiable in both modes and at every order, and work under `vmap` and `jit`
in any nesting.
"""

from __future__ import annotations

from .control.cond import cond, switch
from .control.linear_solve import custom_linear_solve
from .control.root import custom_root
from .control.scanning import associative_scan, scan
from .control.scanning import map_ as map
from .control.selecting import select_n
from .control.while_loop import fori_loop, while_loop

__all__ = [
    "associative_scan",
    "cond",
    "custom_linear_solve",
    "custom_root",
    "fori_loop",
    "map",
    "scan",
    "select_n",
    "switch",
    "while_loop",
]
