"""Random integers, equal to PyTorch's CPU ones.

`random_` takes ``low + word % range``: one word of 32 bits a value, or one of 64
when the range is 2**28 or more, or, without bounds, the dtype int64 or float64. A
floating dtype cannot hold every integer; its bounds first move inwards to values
that no integer between them rounds past.

Public names: `random_`, `randint`, `greatest_integer`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import DTypeLike

from fad.torch.filling import c_name, lay_down, narrow, require_kind
from fad.torch.generator import Generator

__all__ = ["greatest_integer", "randint", "random_"]


def random_(
    generator: Generator,
    out: np.ndarray,
    low: int | None = None,
    high: int | None = None,
) -> np.ndarray:
    """Fill `out` with integers, each as likely as the others.

    Args:
        generator: Where the words come from.
        out: An integer, boolean or floating array.
        low: The least value. None: 0 up to the dtype's greatest integer, or up to
            ``2**digits`` for a floating dtype.
        high: The bound. None: the greatest value as above, included.

    Raises:
        RuntimeError: The bounds are out of order or out of the dtype's range.

    >>> random_(Generator().manual_seed(0), np.empty(3), 0, 10)
    array([4., 9., 3.])
    """
    if out.dtype.kind not in "biuf":
        raise RuntimeError(
            "check_random_bounds handles only integral, floating-point and boolean "
            "types"
        )
    if low is None:
        require_kind(out, "bf" if out.dtype in _LATE else "biuf", "random_kernel_cpu")
        base, last = 0, greatest_integer(out.dtype)
        wide = out.dtype in (np.float64, np.int64)
    else:
        base, last = _integer_bounds(out.dtype, low, high)
        wide = last - base >= 2**28 - 1
    words = generator.wide_words(out.size) if wide else generator.words(out.size)
    if last - base == 2**64 - 1:
        base = 0  # every word is an integer as it stands
    else:
        words = words % np.uint64(last - base + 1)
    integers = (words + np.uint64(base % 2**64)).view(np.int64)
    lay_down(out, narrow(integers, out.dtype))
    return out


_LATE = (np.uint16, np.uint32, np.uint64)  # PyTorch fills these between bounds only


def randint(
    generator: Generator,
    low: int,
    high: int,
    shape: Sequence[int],
    dtype: DTypeLike = np.int64,
) -> np.ndarray:
    """Return integers from ``low`` to ``high - 1``.

    >>> randint(Generator().manual_seed(0), 0, 10, (4,))
    array([4, 9, 3, 0])
    """
    return random_(generator, np.empty(shape, dtype), low, high)


def greatest_integer(dtype: np.dtype) -> int:
    """Return the greatest integer up to which `dtype` holds every one.

    >>> greatest_integer(np.dtype(np.float32)) == 2**24
    True
    """
    if dtype.kind == "f":
        return 1 << int(np.finfo(dtype).nmant + 1)
    return 1 if dtype.kind == "b" else int(np.iinfo(dtype).max)


def _integer_bounds(dtype: np.dtype, low: int, high: int | None) -> tuple[int, int]:
    """Return the least and the greatest integer `random_` may draw."""
    if high is None:
        last = greatest_integer(dtype)
    else:
        _check_order("'from' to be less than 'to'", low, high)
        last = high - 1
    if dtype.kind == "f":
        low = _representable_low(dtype, low)
        if high is not None:
            last = _representable_high(dtype, high) - 1
            casted = "'from' casted to dtype to be less than 'to' casted to dtype"
            _check_order(casted, low, last + 1)
    _check_integer_range(dtype, low, last)
    return low, last


def _check_order(expected: str, low: int, high: int) -> None:
    if low >= high:
        raise RuntimeError(
            f"random_ expects {expected}, but got from={low} >= to={high}"
        )


def _representable_low(dtype: np.dtype, low: int) -> int:
    """Move `low` up until ``low + 1`` no longer rounds to less than `low`."""
    rounded = _rounded(dtype, low + 1)
    return rounded + _spacing(dtype, low + 1) if rounded < low else low


def _representable_high(dtype: np.dtype, high: int) -> int:
    """Move `high` down until ``high - 1`` no longer rounds up to it."""
    rounded = _rounded(dtype, high - 1)
    return rounded - _spacing(dtype, high - 1) if rounded >= high else high


def _rounded(dtype: np.dtype, integer: int) -> int:
    """Round to `dtype`; what it cannot reach stays, for the range check to refuse."""
    with np.errstate(over="ignore"):
        value = dtype.type(integer)
    return int(value) if np.isfinite(value) else integer


def _spacing(dtype: np.dtype, integer: int) -> int:
    return 1 << abs(integer).bit_length() - 1 - int(np.finfo(dtype).nmant)


def _check_integer_range(dtype: np.dtype, low: int, last: int) -> None:
    real = dtype.kind == "f"
    least = 0 if dtype.kind == "b" else int((np.finfo if real else np.iinfo)(dtype).min)
    greatest = int(np.finfo(dtype).max) if real else greatest_integer(dtype)
    for name, bound in (("from", low), ("to - 1", last)):
        if not least <= bound <= greatest:
            raise RuntimeError(f"{name} is out of bounds for {c_name(dtype)}")
    digits = np.finfo(dtype).nmant + 1 if real else 64
    for name, bound in (("from", low), ("to - 1", last)):
        if abs(bound) > 2**digits:
            warnings.warn(
                f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to "
                f"precision limitations {c_name(dtype)} can support discrete uniform "
                "distribution only within this range. This warning will become an "
                "error in version 1.7 release, please fix the code in advance",
                stacklevel=4,
            )
