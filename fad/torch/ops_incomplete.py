"""The incomplete gamma functions, which need SciPy.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

from ..ops import incomplete_functions as incomplete
from .declare import binary

__all__: list[str] = []

binary("igamma", incomplete.gammainc, floating=True)
binary("igammac", incomplete.gammaincc, floating=True)
