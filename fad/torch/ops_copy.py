"""Writing all of a tensor: copy_, fill_ and zero_.

Public names: `copy_`, `fill_`, `expands`, `expand_error`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from ..ops.arithmetic import convert
from ..ops.comparison import where
from ..ops.shape import broadcast_to
from .declare import as_operand, composite, method, size_mismatch
from .inplace import write_into
from .tensor import Tensor

__all__ = ["copy_", "expand_error", "expands", "fill_"]


def _over(x: Any, source: Any) -> Any:
    """Return `source` in the shape and dtype of x, whose gradient is then zero."""
    aval = aval_of(x)
    if aval_of(source).dtype != aval.dtype:
        source = convert(source, dtype=aval.dtype)
    if aval_of(source).shape != aval.shape:
        source = broadcast_to(source, shape=aval.shape)
    return where(False, x, source) if isinstance(x, Tracer) else source


_COPIED = composite("CopyBackwards", _over)
_FILLED = composite("FillBackward2", _over)
_FILLED_BY = composite("FillBackward3", _over)
_ZEROED = composite("ZeroBackward0", _over)


@method()
def copy_(self: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """Write the values of another tensor, broadcast and converted."""
    source = src if isinstance(src, Tensor) else as_operand(src)

    def copied(x: Tensor, source: Tensor) -> Tensor:
        try:
            out: Tensor = _COPIED(x, _real(source, x))
        except ValueError as error:
            raise RuntimeError(
                size_mismatch(x, source) or _too_small(x, source)
            ) from error
        return out

    return write_into(self, copied, (source,), {})


def _real(source: Tensor, target: Tensor) -> Tensor:
    if source.aval.dtype.kind == "c" and target.aval.dtype.kind != "c":
        return source.real
    return source


def _too_small(x: Tensor, source: Tensor) -> str:
    shape = list(np.broadcast_shapes(x.shape, source.shape))
    return (
        f"output with shape {list(x.shape)} doesn't match the broadcast shape {shape}"
    )


def expands(given: Sequence[int], target: Sequence[int]) -> bool:
    """Tell whether a shape can be expanded to another."""
    if len(given) > len(target):
        return False
    tail = target[len(target) - len(given) :]
    return all(m in (1, n) for m, n in zip(given, tail, strict=True))


def expand_error(x: Tensor, source: Tensor) -> str:
    mine, given = list(x.shape), list(source.shape)
    if len(given) > len(mine):
        return (
            f"expand(torch.{source.dtype.title}Tensor{{{given}}}, size={mine}): the "
            f"number of sizes provided ({len(mine)}) must be greater or equal to the "
            f"number of dimensions in the tensor ({len(given)})"
        )
    for i in range(1, len(given) + 1):
        if given[-i] not in (1, mine[-i]):
            return (
                f"The expanded size of the tensor ({mine[-i]}) must match the existing "
                f"size ({given[-i]}) at non-singleton dimension {len(mine) - i}.  "
                f"Target sizes: {mine}.  Tensor sizes: {given}"
            )
    return "the sizes do not match"


@method()
def fill_(self: Tensor, value: Any) -> Tensor:
    """Write one value everywhere."""
    value = as_operand(value)
    if isinstance(value, Tensor):
        if value.ndim:
            raise RuntimeError(
                "fill_ only supports 0-dimension value tensor but got tensor with "
                f"{value.ndim} dimensions."
            )
        return write_into(self, _FILLED_BY, (value,), {}, repeats=True)
    return write_into(self, _FILLED, (_as_array(value, self),), {}, repeats=True)


def _as_array(value: Any, x: Tensor) -> Any:
    return np.asarray(value).astype(aval_of(x.value).dtype)


@method()
def zero_(self: Tensor) -> Tensor:
    """Write zeros everywhere."""
    return write_into(self, _ZEROED, (_as_array(0, self),), {}, repeats=True)
