"""Control flow and primitive operations, under the names of `jax.lax`.

    cond switch while_loop fori_loop scan map associative_scan select_n

All are differentiable in both modes and at every order, and work under `vmap` and `jit`
in any nesting.
"""

from __future__ import annotations

from .control.cond import cond, switch
from .control.scanning import associative_scan, scan
from .control.scanning import map_ as map
from .control.while_loop import fori_loop, while_loop

__all__ = [
    "associative_scan",
    "cond",
    "fori_loop",
    "map",
    "scan",
    "switch",
    "while_loop",
]
