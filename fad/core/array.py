"""`Array`: what arrays are, plain or traced, for `isinstance` and annotations.

Public names: `Array`.
"""

from __future__ import annotations

from abc import ABC

import numpy as np

from .trace import Tracer

__all__ = ["Array"]


class Array(ABC):  # noqa: B024  # nothing to implement: it is to be asked
    """The type of NumPy's arrays and numbers, and of traced values.

    A traced value is no `numpy.ndarray`, which would have to have elements. Python's
    numbers are not among them.

    >>> import fad, numpy as np
    >>> isinstance(np.ones(3), fad.Array), isinstance([1.0], fad.Array)
    (True, False)
    >>> fad.make_jaxpr(lambda x: x if isinstance(x, fad.Array) else None)(1.0)
    { lambda ; a:f64[]. let in (a,) }
    """


for _kind in (np.ndarray, np.number, np.bool_, Tracer):
    Array.register(_kind)
