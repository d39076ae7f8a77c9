"""Random numbers under `vmap`: an error, the same or others for every example.

A sampler says what it draws for one example; with ``randomness="different"`` it draws
for all at once, the mapped dimensions first, as PyTorch does.

Public names: `drawn`, `drawn_by`, `check_filled`, `MAPPED_ERROR`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.trace import Tracer
from ..transforms.batching import Batch
from .modes import current, not_compiled

__all__ = ["check_filled", "drawn", "drawn_by"]

_ERROR = (
    "vmap: called random operation while in randomness error mode. Please either use "
    "the 'same' or 'different' randomness flags on vmap or perform the randomness "
    "operation out of vmap"
)
_SAME_BY = (
    "Vmap does not currently support same randomness with a batched tensor input. "
    "Please file an issue with functorch"
)
_DIFFERENT_IN_PLACE = (
    "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This "
    "will appear like same randomness. If this is necessary for your usage, please "
    "file an issue with functorch."
)


def _maps() -> list[Batch]:
    """Return the maps at work whose examples get numbers of their own, outer first."""
    mapped = current().mapped
    if any(how == "error" for _, how in mapped):
        raise RuntimeError(_ERROR)
    return [batch for batch, how in mapped if how == "different"]


def drawn(
    shape: Sequence[int],
    draw: Callable[[tuple[int, ...]], np.ndarray],
    one_by_one: bool = False,
) -> Any:
    """Return random numbers of a shape.

    Args:
        draw: makes the array of a shape.
        one_by_one: call it for every example, since numbers depend on each other.

    Returns:
        An array, or a tracer that holds one for all examples.
    """
    mode = current()
    if not mode.mapped:
        return _now_or_noted(draw, tuple(shape))
    maps = _maps()
    sizes = tuple([b.size for b in maps])
    if one_by_one and maps:
        not_compiled("it draws random numbers one by one")
        rows = [draw(tuple(shape)) for _ in range(math.prod(sizes))]
        return _boxed(np.stack(rows).reshape(*sizes, *rows[0].shape), maps)
    return _boxed(_now_or_noted(draw, (*sizes, *shape)), maps)


def _now_or_noted(draw: Callable[..., Any], shape: tuple[int, ...]) -> Any:
    """Draw numbers, or note for `torch.compile` how to draw them at each call."""
    draws = current().compiling
    return draw(shape) if draws is None else draws.note(lambda: draw(shape))


def drawn_by(
    draw: Callable[..., np.ndarray], *values: Any, flatten: int | None = None
) -> Any:
    """Return random numbers that depend on values, which may be tracers.

    Args:
        flatten: the number of dimensions of an example that `draw` takes; mapped ones
            are joined into one in front of them.
    """
    not_compiled("it draws random numbers that depend on the values of tensors")
    maps = _maps() if current().mapped else []
    arrays = [_stacked(v, maps) if isinstance(v, Tracer) else v for v in values]
    if not maps:
        return draw(*arrays)
    n, sizes = len(maps), tuple([b.size for b in maps])
    if flatten is None:
        return _boxed(draw(*[_wide(a, v, sizes) for a, v in zip(arrays, values)]), maps)  # noqa: B905
    (array,) = arrays
    rows = _wide(array, values[0], sizes).reshape(-1, *array.shape[n:][-flatten:])
    found = draw(rows)
    return _boxed(found.reshape(*array.shape[:-flatten], *found.shape[1:]), maps)


def _wide(array: Any, value: Any, sizes: tuple[int, ...]) -> Any:
    """Return an array with the mapped dimensions in front."""
    if isinstance(value, Tracer) or not isinstance(array, np.ndarray):
        return array
    return np.broadcast_to(array, (*sizes, *array.shape)).copy()


def check_filled(x: Any) -> None:
    """Raise if a tensor that is the same for all examples is to get several values."""
    for batch in _maps() if current().mapped else ():
        if not _owned_by(x, batch):
            raise RuntimeError(_DIFFERENT_IN_PLACE)


def _owned_by(x: Any, batch: Batch) -> bool:
    while isinstance(x, Tracer):
        if x.owner is batch:
            return True
        x = x.payload.stacked if isinstance(x.owner, Batch) else x.value
    return False


def _boxed(array: np.ndarray, maps: Sequence[Batch]) -> Any:
    value: Any = array
    for batch in maps:
        value = batch.input(value, 0)
    return value


def _stacked(value: Any, maps: Sequence[Batch]) -> Any:
    """Return the array of a value, with the dimensions of the maps in front."""
    owner = value.owner if isinstance(value, Tracer) else None
    if maps and owner is maps[-1]:
        stacked, dim = value.payload
        outer = maps[:-1]
        return np.moveaxis(_stacked(stacked, outer), len(outer) + dim, len(outer))
    if isinstance(owner, Batch):
        if not maps:
            raise RuntimeError(_SAME_BY)
    elif owner is not None:
        return _stacked(value.value, maps)
    if not maps:
        return value
    inner = _stacked(value, maps[:-1])
    n = len(maps) - 1
    shape = (*inner.shape[:n], maps[-1].size, *inner.shape[n:])
    return np.broadcast_to(np.expand_dims(inner, n), shape).copy()
