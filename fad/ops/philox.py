"""Philox4x64-10: random bits that are a function of a key and a counter.

    (w0, w1, w2, w3) = philox(key, counter)         key: 128 bits, counter: 256 bits

Ten rounds of multiplications mix the counter under the key (Salmon, Moraes, Dror and
Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011). There is no state, so the
numbers are the same whatever runs the program: eager code, `jit` or `vmap`. NumPy has
the same generator, and long streams of one key come from it.

A key is an array (..., 2) of uint64. The last word of the counter is the *purpose*, so
that the bits of a key and the keys made from it have nothing in common.

    random_bits(key, shape=s)       the key's stream of bits, uint64
    random_fold(key, data)          new keys: one for each integer

Public names: `random_bits`, `random_fold`, `words`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.avals import Aval
from .batching_rules import move_to_front
from .infer_rules import broadcast_shapes
from .kinds import constant
from .stacks import align_stacks

__all__ = ["FOLD", "REJECT", "SPLIT", "random_bits", "random_fold", "words"]

BITS, SPLIT, FOLD, REJECT = range(4)
"""What a block of random words is for."""

UINT64 = np.dtype(np.uint64)
_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_FACTORS = (np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157))
_STEPS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B))
_LONG = 64  # blocks of one key from which NumPy's generator is the faster


def words(k0: Any, k1: Any, count: Any, purpose: int) -> tuple[Any, Any, Any, Any]:
    """Return the four words of block `count` under the keys (k0, k1).

    Args:
        k0, k1: arrays of uint64, of at least one axis.
        count: an array of uint64 that broadcasts against them.
        purpose: the last word of the counter.
    """
    zero = np.zeros(np.broadcast_shapes(k0.shape, count.shape), UINT64)
    x0, x1, x2, x3 = count + zero, zero, zero, zero + np.uint64(purpose)
    for step in range(10):
        if step:
            k0, k1 = k0 + _STEPS[0], k1 + _STEPS[1]
        high0, low0 = _multiply(_FACTORS[0], x0)
        high1, low1 = _multiply(_FACTORS[1], x2)
        x0, x1, x2, x3 = high1 ^ x1 ^ k0, low1, high0 ^ x3 ^ k1, low0
    return x0, x1, x2, x3


def _multiply(factor: np.uint64, x: Any) -> tuple[Any, Any]:
    """Return the high and the low 64 bits of a product of 128 bits."""
    a1, a0 = factor >> _HALF, factor & _LOW
    x1, x0 = x >> _HALF, x & _LOW
    middle = a1 * x0 + (a0 * x0 >> _HALF)
    cross = a0 * x1 + (middle & _LOW)
    return a1 * x1 + (middle >> _HALF) + (cross >> _HALF), factor * x


def _random_bits(key: Any, *, shape: tuple[int, ...]) -> Any:
    stack, size = key.shape[:-1], Aval(shape, UINT64).size
    blocks = -(-size // 4)
    keys = key.reshape(-1, 2)
    if blocks >= _LONG:
        rows = [_stream(k, size) for k in keys]
        out = np.stack(rows) if rows else np.empty((0, size), UINT64)
    else:
        count = np.arange(1, blocks + 1, dtype=UINT64)
        found = words(keys[:, :1], keys[:, 1:], count, BITS)
        out = np.stack(found, axis=-1).reshape(len(keys), 4 * blocks)[:, :size]
    return out.reshape((*stack, *shape))[()]


def _stream(key: Any, size: int) -> Any:
    """Return the key's first words from NumPy's generator, which starts at block 1."""
    return np.random.Philox(key=key, counter=BITS << 192).random_raw(size)


def _batch_bits(size: int, args: Any, dims: Any, *, shape: Any) -> tuple[Any, int]:
    return random_bits(move_to_front(args[0], dims[0]), shape=shape), 0


random_bits = constant(
    "random_bits",
    _random_bits,
    infer=lambda key, *, shape: Aval((*key.shape[:-1], *shape), UINT64),
    batch=_batch_bits,
)
"""`random_bits(key, shape=s)`: uint64 of shape (..., *s) for keys (..., 2)."""


def _random_fold(key: Any, data: Any, *, purpose: int) -> Any:
    data = np.asarray(data)
    count = data.astype(UINT64)
    k0, k1 = (np.atleast_1d(key[..., i]) for i in (0, 1))
    first, second, _, _ = words(k0, k1, np.atleast_1d(count), purpose)
    shape = np.broadcast_shapes(key.shape[:-1], data.shape)
    return np.stack([first, second], axis=-1).reshape(*shape, 2)


def _infer_fold(key: Aval, data: Aval, *, purpose: int) -> Aval:
    shape = broadcast_shapes("random_fold", key.shape[:-1], data.shape)
    return Aval((*shape, 2), UINT64)


def _batch_fold(size: int, args: Any, dims: Any, *, purpose: int) -> tuple[Any, int]:
    key, data = align_stacks(args, dims, (1, 0))
    return random_fold(key, data, purpose=purpose), 0


random_fold = constant(
    "random_fold", _random_fold, infer=_infer_fold, batch=_batch_fold
)
"""`random_fold(key, data, purpose=p)`: keys, for integers that broadcast with them."""
