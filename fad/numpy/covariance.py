"""Covariance and correlation matrices, differentiable in observations and aweights.

>>> import fad, fad.numpy as fnp
>>> import numpy as np
>>> x = np.array([[1.0, 2.0, 3.0], [1.0, 0.0, 2.0]])
>>> fad.grad(lambda x: fnp.cov(x)[0, 1])(x)
array([[ 0. , -0.5,  0.5],
       [-0.5,  0. ,  0.5]])

Public names: `cov corrcoef`.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..core.trace import aval_of, concrete_value
from ..ops.arithmetic import complex_, conj, imag, real
from ..ops.comparison import gt, lt
from ..ops.comparison import where as select
from ..ops.elementary import sqrt
from ..ops.indexing import getitem
from ..ops.reductions import reduce_sum
from ..ops.shape import concatenate, reshape, transpose
from .convert import cast, operand, result_dtype
from .dispatch import implements
from .statistics import average

__all__ = ["corrcoef", "cov"]


@implements(np.cov)
def cov(
    m: Any,
    y: Any = None,
    rowvar: Any = True,
    bias: Any = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    """Return the covariance matrix of variables: the rows of `m`, then of `y`."""
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    if ddof is None:
        ddof = 1 if bias == 0 else 0
    x = _variables(operand(m), None if y is None else operand(y), rowvar, dtype)
    n, observations = aval_of(x).shape
    if n == 0:
        return np.zeros((0, 0))
    f = _weights("fweights", fweights, observations)
    a = _weights("aweights", aweights, observations)
    w = f if a is None else a if f is None else f * a
    center, total = average(x, axis=1, weights=w, returned=True, keepdims=True)
    x = x - center
    weighted = x if w is None else x * w
    scale = _freedom(observations, ddof, w, a, total)
    c = (x @ conj(transpose(weighted, axes=(1, 0)))) * scale
    return reshape(c, shape=()) if n == 1 else c


def _variables(m: Any, y: Any, rowvar: Any, dtype: Any) -> Any:
    """Return all variables as rows of one matrix."""
    for name, x in (("m", m), ("y", y)):
        if x is not None and len(aval_of(x).shape) > 2:
            raise ValueError(f"{name} has more than 2 dimensions")
    if dtype is None:
        dtype = result_dtype(*[v for v in (m, y) if v is not None], np.float64(0))
    rows = _as_rows(cast(m, dtype), not rowvar and len(aval_of(m).shape) != 1)
    if y is None or aval_of(rows).shape[0] == 0:
        return rows
    shape = aval_of(y).shape
    flipped = not rowvar and len(shape) == 2 and shape[0] != 1
    return concatenate(rows, _as_rows(cast(y, dtype), flipped), axis=0)


def _as_rows(x: Any, flipped: bool) -> Any:
    shape = aval_of(x).shape
    if len(shape) < 2:
        x = reshape(x, shape=(1, *shape) if shape else (1, 1))
    return transpose(x, axes=(1, 0)) if flipped else x


def _weights(name: str, weights: Any, observations: int) -> Any:
    """Return checked weights as floats."""
    if weights is None:
        return None
    w = operand(weights)
    w = cast(w, np.float64) if aval_of(w).dtype.kind in "iub" else w
    shape = aval_of(w).shape
    if len(shape) > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if shape[0] != observations:
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    known = concrete_value(w)
    if known is not None and name == "fweights" and np.any(known != np.around(known)):
        raise TypeError("fweights must be integer")
    if known is not None and np.any(known < 0):
        raise ValueError(f"{name} cannot be negative")
    return w


def _freedom(observations: int, ddof: Any, w: Any, aweights: Any, total: Any) -> Any:
    """Return the factor of the sums of products, 1 / (degrees of freedom)."""
    if w is None:
        freedom = observations - ddof
    else:
        freedom = getitem(total, index=(0, 0))
        if aweights is not None and ddof != 0:
            freedom = freedom - ddof * reduce_sum(w * aweights, axis=(0,)) / freedom
        else:
            freedom = freedom - ddof
    known = concrete_value(freedom)
    if known is not None and known <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=4)
        return np.inf
    return 1 / freedom


@implements(np.corrcoef)
def corrcoef(x: Any, y: Any = None, rowvar: Any = True, *, dtype: Any = None) -> Any:
    """Return the correlation matrix of variables, its parts clipped to [-1, 1]."""
    c = cov(x, y, rowvar, dtype=dtype)
    shape = aval_of(c).shape
    if not shape:
        return c / c
    n = shape[0]
    diagonal = getitem(reshape(c, shape=(n * n,)), index=(slice(None, None, n + 1),))
    deviation = sqrt(real(diagonal))
    c = c / reshape(deviation, shape=(n, 1)) / reshape(deviation, shape=(1, n))
    if aval_of(c).dtype.kind == "c":
        return complex_(_clipped(real(c)), _clipped(imag(c)))
    return _clipped(c)


def _clipped(x: Any) -> Any:
    one = aval_of(x).dtype.type(1)
    return select(gt(x, one), one, select(lt(x, -one), -one, x))
