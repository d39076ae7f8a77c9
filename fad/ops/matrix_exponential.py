"""The exponential of stacks of square matrices, with exact derivatives.

    d exp(a) = frechet(a, da),  the upper right block of exp([[a, da], [0, a]])

`frechet(a, e)` is linear in e, and its transpose is frechet(a^T, ct). Its derivative by
`a` is the upper right block of a Fréchet derivative again, of a matrix twice as large:

    d frechet(a, e) = frechet([[a, e], [0, a]], [[da, de], [0, da]])  (upper right)

(Najfeld and Havel 1995; Al-Mohy and Higham 2009). So every order is exact.

Public names: `expm frechet`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.ir import Eqn
from ..core.primitive import ARGS, Plan
from ..core.trace import aval_of
from .contraction import swap_last
from .indexing import slice_along
from .infer_rules import broadcast_shapes
from .kinds import Opaque, conform, opaque
from .shape import broadcast_to, concatenate
from .stacks import align_stacks, batch_stacks, square

__all__ = ["expm", "frechet"]

_COEFFICIENTS = np.cumprod([1.0, *[(13 - k) / ((26 - k) * (k + 1)) for k in range(13)]])
"""Of the numerator of the Padé approximant of order 13; the denominator alternates."""
_REACH = {"f": 3.9, "F": 3.9, "d": 5.4, "D": 5.4}
"""Norms up to which the approximant is exact to rounding."""


def _expm(a: Any) -> Any:
    dtype = square("expm", Aval(a.shape, a.dtype)).dtype
    a = a.astype(dtype, copy=False)
    size = np.abs(a).sum(-2).max(-1, initial=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        halvings = np.ceil(np.log2(size / _REACH[dtype.char]))
    halvings = np.where(np.isfinite(halvings), np.maximum(halvings, 0), 0).astype(int)
    scaled = a * (0.5 ** halvings[..., None, None]).astype(dtype.char.lower())
    out = _pade(scaled)
    for k in range(int(halvings.max(initial=0))):
        out = np.where((halvings > k)[..., None, None], np.matmul(out, out), out)
    return out.astype(dtype, copy=False)


def _pade(a: Any) -> Any:
    """Return the approximant (v - u)^-1 (v + u), u odd and v even in a."""
    eye = np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape)
    squared = np.matmul(a, a)
    power, odd, even = eye, np.zeros_like(a), np.zeros_like(a)
    for k in range(7):
        even = even + power * a.dtype.type(_COEFFICIENTS[2 * k])
        odd = odd + power * a.dtype.type(_COEFFICIENTS[2 * k + 1])
        power = np.matmul(power, squared)
    odd = np.matmul(a, odd)
    return np.linalg.solve(even - odd, even + odd)


def _blocks(on: Any, above: Any) -> Any:
    """Return [[on, above], [0, on]]."""
    rank, zero = aval_of(on).ndim, np.zeros(aval_of(on).shape, aval_of(on).dtype)
    top = concatenate(on, above, axis=rank - 1)
    return concatenate(top, concatenate(zero, on, axis=rank - 1), axis=rank - 2)


def _corner(x: Any, row: int, column: int) -> Any:
    """Return one of the four quarters of matrices."""
    shape = aval_of(x).shape
    n, rank = shape[-1] // 2, len(shape)
    x = slice_along(x, row * n, (row + 1) * n, rank - 2)
    return slice_along(x, column * n, (column + 1) * n, rank - 1)


def _frechet(a: Any, e: Any) -> Any:
    dtype = np.result_type(a.dtype, e.dtype)
    shape = np.broadcast_shapes(a.shape, e.shape)
    a, e = (np.broadcast_to(x, shape).astype(dtype) for x in (a, e))
    size = np.abs(e).sum(-2).max(-1, initial=0)[..., None, None]
    size = np.where(size == 0, 1, size).astype(dtype.char.lower())
    below = np.concatenate([np.zeros_like(a), a], -1)
    whole = np.concatenate([np.concatenate([a, e / size], -1), below], -2)
    n = a.shape[-1]
    return (_expm(whole)[..., :n, n:] * size).astype(dtype, copy=False)


def _infer_frechet(a: Aval, e: Aval) -> Aval:
    a, e = square("frechet", a), square("frechet", e)
    stack = broadcast_shapes("frechet", a.shape, e.shape)
    return Aval(stack, np.result_type(a.dtype, e.dtype))


def _batch_frechet(
    size: int, args: Sequence[Any], dims: Sequence[int | None]
) -> tuple[Any, int]:
    return frechet(*align_stacks(args, dims, (2, 2))), 0


class _Frechet(Opaque):
    """Linear in e; with a differentiated it keeps both, else only a."""

    def make_plan(self, mask: tuple[bool, ...]) -> Plan:
        return Plan(mask, (ARGS,) if mask[0] else (0,), ())

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> Any:
        da, de = tangents
        if eqn.inputs[0] is None:
            found = None if de is None else frechet(eqn.residuals[0], de)
        elif da is None and de is None:
            found = None
        else:
            a, e = _full(eqn)
            zero = np.zeros(eqn.aval.shape, eqn.aval.dtype)
            da, de = (
                zero if t is None else broadcast_to(t, shape=eqn.aval.shape)
                for t in (da, de)
            )
            found = _corner(frechet(_blocks(a, e), _blocks(da, de)), 0, 1)
        return None if found is None else conform(found, eqn.aval)

    def pullback(  # type: ignore[override]
        self, eqn: Eqn, ct: Any, live: Any = None
    ) -> list[Any]:
        by_a, by_e = eqn.inputs
        if by_a is None:
            found = frechet(swap_last(eqn.residuals[0]), ct)
            return [None, conform(found, by_e.aval)]
        a, e = _full(eqn)
        zero = np.zeros(eqn.aval.shape, eqn.aval.dtype)
        rank = len(eqn.aval.shape)
        top = concatenate(zero, ct, axis=rank - 1)
        bottom = concatenate(zero, zero, axis=rank - 1)
        seed = concatenate(top, bottom, axis=rank - 2)
        found = frechet(swap_last(_blocks(a, e)), seed)
        total = _corner(found, 0, 0) + _corner(found, 1, 1)
        return [
            conform(total, by_a.aval),
            None if by_e is None else conform(_corner(found, 0, 1), by_e.aval),
        ]


def _full(eqn: Eqn) -> tuple[Any, Any]:
    ((a, e),) = eqn.residuals
    dtype = eqn.aval.dtype
    return tuple(
        broadcast_to(x, shape=eqn.aval.shape) * np.ones((), dtype)[()] for x in (a, e)
    )


frechet = _Frechet(
    "frechet",
    _frechet,
    lambda ans, primals, tangents: None,  # `pushforward` is written out above
    infer=_infer_frechet,
    batch=_batch_frechet,
)
"""`frechet(a, e)`: the derivative of `expm` at a in the direction e."""

expm: Opaque = opaque(
    "expm",
    _expm,
    lambda ans, primals, tangents: frechet(primals[0], tangents[0]),
    infer=lambda a: square("expm", a),
    batch=batch_stacks(lambda: expm),
)
"""`expm(a)`: the matrix exponential."""
