"""Arguments of SciPy's functions as operands of fad's operations.

Public names: `inexact`, `numbers`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.trace import aval_of
from ..numpy.convert import operand, result_dtype
from ..ops.arithmetic import convert

__all__ = ["inexact", "numbers"]


def inexact(x: Any) -> Any:
    """Return an operand of a floating or complex dtype: integers become float64."""
    x = operand(x)
    aval = aval_of(x)
    return x if aval.dtype.kind in "fc" else convert(x, dtype=np.dtype(np.float64))


def numbers(*values: Any) -> list[Any]:
    """Return operands of one floating dtype, the promoted one; numbers stay weak."""
    found = [operand(v) for v in values]
    found = [float(v) if v.__class__ in (int, bool) else v for v in found]
    dtype = result_dtype(*found, 1.0)
    return [
        v if aval_of(v).weak or aval_of(v).dtype == dtype else convert(v, dtype=dtype)
        for v in found
    ]
