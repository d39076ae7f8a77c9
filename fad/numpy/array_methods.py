"""Methods and attributes of tracers that rearrange, select or write elements.

Public names: `Flat`; importing the module installs the methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..core.errors import InPlaceError
from ..core.trace import Tracer, aval_of
from ..ops import arithmetic
from ..ops.indexing import getitem
from ..ops.inplace import check_writable, overwrite
from ..ops.shape import reshape as reshape_op
from . import axes as permuting
from . import diagonals, indexing, manipulation, positions, rearranging
from .index_keys import fit, read, written

__all__ = ["Flat"]


def reshape(
    self: Tracer, /, *shape: Any, order: Any = "C", copy: bool | None = None
) -> Any:
    """Give the elements a new shape, one argument or several."""
    sizes = shape[0] if len(shape) == 1 else shape
    if order == "C" and copy is None:
        return reshape_op(self, shape=manipulation.resolved(sizes, aval_of(self).size))
    return manipulation.reshape(self, sizes, order, copy=copy)


def transpose(self: Tracer, /, *axes: Any) -> Any:
    """Permute the axes, one argument or several; all in reverse by default."""
    given = axes[0] if len(axes) == 1 else axes
    if given is None or given == ():
        return permuting.transpose(self)
    return permuting.transpose(self, (given,) if isinstance(given, int) else given)


def flatten(self: Tracer, order: Any = "C") -> Any:
    """Return a copy with one axis."""
    return arithmetic.copy(manipulation.ravel(self, order))


def copy(self: Tracer, order: Any = "C") -> Any:
    """Return a copy: later writes to either are not seen in the other."""
    return arithmetic.copy(self)


def fill(self: Tracer, value: Any) -> None:
    """Write one value to all elements, in place."""
    self[...] = value  # type: ignore[index]


def compress(self: Tracer, condition: Any, axis: Any = None, out: Any = None) -> Any:
    """Take the elements along an axis for which a condition is true."""
    return indexing.compress(condition, self, axis, out)


def resize(self: Tracer, *shape: Any, refcheck: bool = True) -> None:
    """Refuse: memory of a traced value cannot be resized in place."""
    raise InPlaceError(
        f"resize() in place of a traced value {self.aval!r}: write y = fnp.resize(x, "
        "shape), which makes a new array."
    )


class Flat:
    """The elements of an array in C order, as `x.flat` shows and writes them."""

    __slots__ = ("base",)

    def __init__(self, base: Tracer) -> None:
        self.base = base

    def _elements(self) -> Any:
        return reshape_op(self.base, shape=(aval_of(self.base).size,))

    def __len__(self) -> int:
        return aval_of(self.base).size

    def __iter__(self) -> Iterator[Any]:
        elements = self._elements()
        return (getitem(elements, index=(i,)) for i in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        return manipulation.owned(read(self._elements(), key))

    def __setitem__(self, key: Any, value: Any) -> None:
        check_writable(self.base)
        aval = aval_of(self.base)
        places = read(np.arange(aval.size), key)
        values = (
            rearranging.resize(value, np.shape(places)) if np.ndim(places) else value
        )
        new = written(self._elements(), key, fit(values, np.shape(places), aval.dtype))
        overwrite(self.base, reshape_op(new, shape=aval.shape))

    def copy(self) -> Any:
        """Return the elements as a new array with one axis."""
        return arithmetic.copy(self._elements())


def _part(name: str) -> property:
    """Return the attribute `real` or `imag`, which can be assigned to."""
    primitive = getattr(arithmetic, name)

    def get(self: Tracer) -> Any:
        return primitive(self)

    def put(self: Tracer, value: Any) -> None:
        primitive(self)[...] = value

    return property(get, put, doc=f"The {name} part; a view.")


def _assigned(get: Callable[[Tracer], Any]) -> property:
    """Return an attribute that is a view and can be assigned to."""

    def put(self: Tracer, value: Any) -> None:
        get(self)[...] = value

    return property(get, put, doc=get.__doc__)


_METHODS: dict[str, Any] = {
    "T": property(manipulation.reversed_axes),
    "mT": property(permuting.matrix_transpose),
    "choose": indexing.choose,
    "compress": compress,
    "copy": copy,
    "diagonal": diagonals.diagonal,
    "fill": fill,
    "flat": _assigned(Flat),
    "flatten": flatten,
    "imag": _part("imag"),
    "nonzero": positions.nonzero,
    "put": indexing.put,
    "ravel": manipulation.ravel,
    "real": _part("real"),
    "repeat": rearranging.repeat,
    "reshape": reshape,
    "resize": resize,
    "squeeze": manipulation.squeeze,
    "swapaxes": permuting.swapaxes,
    "take": indexing.take,
    "transpose": transpose,
}
for _name, _method in _METHODS.items():
    setattr(Tracer, _name, _method)
