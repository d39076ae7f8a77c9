"""Running sums and products.

Running products are exact where elements are zero, at every order.

>>> import fad, fad.numpy as fnp
>>> import numpy as np
>>> fad.grad(lambda x: fnp.cumprod(x).sum())(np.array([2.0, 0.0, 3.0]))
array([1., 8., 0.])

Public names: `cumsum cumprod cumulative_sum cumulative_prod nancumsum nancumprod`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from ..ops import cumulative as ops
from ..ops.comparison import isnan
from ..ops.comparison import where as select
from ..ops.reductions import keep_axes
from ..ops.shape import concatenate
from .convert import cast, no_out, operand
from .dispatch import implements
from .sorting import along_or_one

__all__ = [
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "nancumprod",
    "nancumsum",
]


def _running_sum(x: Any, axis: int, dtype: Any) -> Any:
    return cast(ops.cumsum(cast(x, dtype), axis=axis, reverse=False), dtype)


def _running_product(x: Any, axis: int, dtype: Any) -> Any:
    return cast(ops.cumprod(cast(x, dtype), axis=axis), dtype)


@implements(np.cumsum)
def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Return the running sum along an axis, of the flattened array if it is None."""
    no_out("cumsum", out)
    return _running_sum(*along_or_one(a, axis), dtype)


@implements(np.cumprod)
def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Return the running product along an axis; exact where elements are zero."""
    no_out("cumprod", out)
    return _running_product(*along_or_one(a, axis), dtype)


@implements(np.nancumsum)
def nancumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Return the running sum with nan as 0; its derivative there is 0."""
    no_out("nancumsum", out)
    x, axis = along_or_one(a, axis)
    return _running_sum(without_nan(x, 0), axis, dtype)


@implements(np.nancumprod)
def nancumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Return the running product with nan as 1; its derivative there is 0."""
    no_out("nancumprod", out)
    x, axis = along_or_one(a, axis)
    return _running_product(without_nan(x, 1), axis, dtype)


def without_nan(x: Any, fill: Any) -> Any:
    """Return `x` with `fill` for nan."""
    aval = aval_of(x)
    if aval.dtype.kind not in "fc":
        return x
    return select(isnan(x), aval.dtype.type(fill), x)


def cumulative_sum(
    x: Any,
    /,
    *,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    include_initial: Any = False,
) -> Any:
    """Return the running sum along an axis; `include_initial` puts a 0 first."""
    no_out("cumulative_sum", out)
    x, axis = _one_axis("cumulative_sum", operand(x), axis)
    return _after(0, _running_sum(x, axis, dtype), axis, include_initial)


def cumulative_prod(
    x: Any,
    /,
    *,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    include_initial: Any = False,
) -> Any:
    """Return the running product along an axis; `include_initial` puts a 1 first."""
    no_out("cumulative_prod", out)
    x, axis = _one_axis("cumulative_prod", operand(x), axis)
    return _after(1, _running_product(x, axis, dtype), axis, include_initial)


if np.lib.NumpyVersion(np.__version__) >= "2.1.0":  # before, it is fad's alone
    cumulative_sum = implements(np.cumulative_sum)(cumulative_sum)
    cumulative_prod = implements(np.cumulative_prod)(cumulative_prod)


def _one_axis(name: str, x: Any, axis: Any) -> tuple[Any, int]:
    if axis is None and len(aval_of(x).shape) > 1:
        raise ValueError(
            "For arrays which have more than one dimension ``axis`` argument is "
            f"required: {name} got {aval_of(x)}."
        )
    return along_or_one(x, axis)


def _after(first: int, running: Any, axis: int, wanted: Any) -> Any:
    """Return a running total with its first value in front, if that is wanted."""
    if not wanted:
        return running
    aval = aval_of(running)
    head = np.full(keep_axes(aval.shape, (axis,)), first, aval.dtype)
    return concatenate(head, running, axis=axis)


def _install() -> None:
    for method in (cumsum, cumprod):
        setattr(Tracer, method.__name__, method)


_install()
