"""`torch.vmap`: also at the top of the namespace.

Public names: none.
"""

from __future__ import annotations

from .declare import functions
from .func_vmap import vmap

__all__: list[str] = []

functions["vmap"] = vmap
