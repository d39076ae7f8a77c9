"""Names that NumPy is dropping, for as long as the version at hand has them.

A traced call is that of the function which takes their place.

Public names: `in1d row_stack trapz`, those of them that NumPy has.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .convert import operand
from .differences import trapezoid
from .dispatch import implements
from .joining import vstack
from .sets import isin

__all__ = []

if "row_stack" in np.__all__:
    __all__ += ["row_stack"]

    @implements(np.row_stack)  # noqa: NPY201
    def row_stack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
        """Join rows; use `vstack`."""
        return vstack(tup, dtype=dtype, casting=casting)


if "in1d" in np.__all__:
    __all__ += ["in1d"]

    @implements(np.in1d)  # noqa: NPY201
    def in1d(
        ar1: Any,
        ar2: Any,
        assume_unique: bool = False,
        invert: bool = False,
        *,
        kind: Any = None,
    ) -> Any:
        """Tell which elements of a flattened array are in another; use `isin`."""
        flat = operand(ar1).reshape(-1)
        return isin(flat, ar2, assume_unique, invert, kind=kind)


if "trapz" in np.__all__:
    __all__ += ["trapz"]

    @implements(np.trapz)  # noqa: NPY201
    def trapz(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
        """Integrate by the trapezoidal rule; use `trapezoid`."""
        return trapezoid(y, x, dx, axis)
