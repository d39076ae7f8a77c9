"""The operations from a base to its view, and where in the base the view lies.

A step is a primitive of fad with its parameters, or a function over fad's operations
where no single primitive makes the view. `replay` runs steps on values of any kind. To
find which elements of the base a view covers, `places` runs them on numbers of
elements; a complex base has two numbers per element, of its real and imaginary part.

Public names: `Steps`, `replay`, `pulled`, `erase`, `view_name`, `windows`, `strided`,
`as_pairs`, `from_pairs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.primitive import Primitive
from ..core.trace import Tracer, aval_of, bind
from ..ops import shape as shapes
from ..ops.arithmetic import complex_, conj, imag, real
from ..ops.comparison import where
from ..ops.index_layout import ARRAY
from ..ops.indexing import getitem

__all__ = [
    "Steps",
    "as_pairs",
    "erase",
    "from_pairs",
    "places",
    "pulled",
    "replay",
    "strided",
    "view_name",
    "windows",
]

Steps = tuple[tuple[Any, dict[str, Any]], ...]


def windows(x: Any, *, axis: int, size: int, step: int) -> Any:
    """Return windows along an axis, their elements last."""
    n = aval_of(x).shape[axis]
    starts = np.arange(0, n - size + 1, step)
    found = starts[:, None] + np.arange(size)
    out = getitem(x, found, index=(slice(None),) * axis + (ARRAY,))
    return shapes.move_axis(out, axis + 1, aval_of(out).ndim - 1)


def strided(x: Any, *, places: np.ndarray) -> Any:
    """Return the elements of x at places in its order."""
    return getitem(shapes.ravel(x), places, index=(ARRAY,))


def as_pairs(z: Any) -> Any:
    """Return complex numbers as pairs (real, imaginary) in a last axis."""
    last = aval_of(z).ndim
    parts = [shapes.expand_dims(p, last) for p in (real(z), imag(z))]
    return shapes.concatenate(*parts, axis=last)


def from_pairs(x: Any) -> Any:
    """Return pairs in the last axis as complex numbers."""
    return complex_(*[getitem(x, index=(Ellipsis, i)) for i in (0, 1)])


def replay(steps: Steps, x: Any) -> Any:
    """Return the view that the steps make of a base, an array or a tracer."""
    for step, params in steps:
        x = _apply(step, x, params)
    return x


def _apply(step: Any, x: Any, params: dict[str, Any]) -> Any:
    return bind(step, x, **params) if isinstance(step, Primitive) else step(x, **params)


def pulled(steps: Steps, ct: Any) -> Any:
    """Return the gradient of what is written to a view, from that of the base.

    The view of the gradient: where numbers are complex, of the conjugate, since fad's
    gradients of complex numbers are the conjugates of directions.
    """
    if ct.dtype.kind != "c" and not any(step is from_pairs for step, _ in steps):
        return replay(steps, ct)
    part = replay(steps, conj(ct) if ct.dtype.kind == "c" else ct)
    return conj(part) if part.dtype.kind == "c" else part


def places(steps: Steps, shape: Sequence[int], is_complex: bool) -> list[np.ndarray]:
    """Return the numbers of the base's elements that a view covers.

    Returns:
        An array for a real view; two, of real and imaginary parts, for a complex one.
    """
    size = int(np.prod(shape, dtype=int))
    count = size * (2 if is_complex else 1)
    numbers = np.arange(count).reshape(*shape, -1)
    parts = [numbers[..., i] for i in range(numbers.shape[-1])] if size else [numbers]
    for step, params in steps:
        if step is real or step is imag:
            parts = [parts[step is imag]]
        elif step is as_pairs:
            parts = [np.stack(parts, axis=-1)]
        elif step is from_pairs:
            parts = [parts[0][..., 0], parts[0][..., 1]]
        else:
            parts = [_apply(step, p, params) for p in parts]
    return parts


def erase(ct: Any, steps: Steps) -> Any:
    """Return a gradient with zeros where the view lies."""
    aval = aval_of(ct)
    is_complex = aval.dtype.kind == "c"
    if not aval.size:
        return ct
    kept = np.ones(aval.size * (1 + is_complex), bool)
    for part in places(steps, aval.shape, is_complex):
        kept[part.reshape(-1)] = False
    if not is_complex:
        return _kept(kept.reshape(aval.shape), ct)
    pairs = kept.reshape(*aval.shape, 2)
    if (pairs[..., 0] == pairs[..., 1]).all():
        return _kept(pairs[..., 0], ct)
    return complex_(_kept(pairs[..., 0], real(ct)), _kept(pairs[..., 1], imag(ct)))


def _kept(mask: np.ndarray, x: Any) -> Any:
    if not isinstance(x, Tracer):
        return np.where(mask, x, x.dtype.type(0))
    return where(mask, x, np.zeros((), aval_of(x).dtype))


_NAMES: dict[Any, str] = {
    real: "SelectBackward0",
    imag: "SelectBackward0",
    as_pairs: "ViewAsRealBackward0",
    from_pairs: "ViewAsComplexBackward0",
    shapes.reshape: "ViewBackward0",
    shapes.transpose: "PermuteBackward0",
    getitem: "SliceBackward0",
}


def view_name(steps: Steps) -> str:
    """Return the name of the node that a view gets when its base was written to.

    Views of one dtype are taken anew by their strides, others by their last operation.
    """
    if any(step in (real, imag, as_pairs, from_pairs) for step, _ in steps):
        return _NAMES.get(steps[-1][0], "AsStridedBackward0")
    return "AsStridedBackward0"
