"""Normal values from uniform ones, in the two ways PyTorch's CPU kernels know.

Both are the transform of Box and Muller (1958): for uniform ``u`` and ``v``,
``sqrt(-2 log(1 - u))`` times the cosine and the sine of ``2 pi v`` are independent
and standard normal.

- *Scalar*: for fewer than 16 elements, or an output with gaps. In float64 for every
  dtype, from pairs ``v, u`` of `Generator.uniform53`; a second value that is not
  needed waits in the generator.
- *Blocks*: otherwise. 16 uniform values of the output's precision (float32 for
  float16) hold 8 ``u``, then 8 ``v``, and become 8 cosine, then 8 sine values. When
  the size is no multiple of 16, the last 16 elements come from a block of their own,
  drawn at the end; float32 and float64 have by then drawn one value for every
  element, float16 only for the full blocks.

Both scale with one fused multiply-add.

Public names: `scalar_normals`, `normal_blocks`.
"""

from __future__ import annotations

import math

import numpy as np

from fad.torch.generator import Generator
from fad.torch.rounding import c_library, fused_multiply_add, log32, sin_cos32

__all__ = ["normal_blocks", "scalar_normals"]


def scalar_normals(
    generator: Generator, count: int, mean: float, std: float
) -> np.ndarray:
    """Draw `count` float64 normal values the scalar way.

    >>> scalar_normals(Generator().manual_seed(0), 3, 0.0, 1.0).round(4)
    array([ 1.541 , -0.2934, -2.1788])
    """
    if not count:
        return np.empty(0)
    kept = [] if generator.spare_normal is None else [generator.spare_normal]
    missing = count - len(kept)
    v, u = generator.uniform53(missing + missing % 2).reshape(-1, 2).T
    radius = np.sqrt(-2.0 * c_library("log1p", -u))
    angle = 2.0 * math.pi * v
    pairs = [radius * c_library("cos", angle), radius * c_library("sin", angle)]
    values = np.concatenate([kept, np.stack(pairs, 1).ravel()])
    generator.spare_normal = float(values[-1]) if missing % 2 else None
    return fused_multiply_add(values[:count], std, mean)


def normal_blocks(
    generator: Generator, count: int, dtype: np.dtype, mean: float, std: float
) -> np.ndarray:
    """Draw `count` normal values, 16 or more, in blocks.

    Returns:
        float64 values for the dtype float64, else float32 ones.

    >>> standard = Generator().manual_seed(1), 16, np.dtype(np.float32), 0.0, 1.0
    >>> normal_blocks(*standard)[:3].round(4)
    array([-1.5256, -0.7502, -0.654 ], dtype=float32)
    """
    double = dtype == np.float64
    draw = generator.uniform53 if double else generator.uniform24
    transform = _transform_double if double else _transform_single
    whole = count - count % 16
    uniforms = draw(whole if dtype == np.float16 else count)[:whole]
    if whole == count:
        return transform(uniforms, mean, std)
    values = transform(np.concatenate([uniforms, draw(16)]), mean, std)
    return np.concatenate([values[: count - 16], values[-16:]])


def _transform_double(uniforms: np.ndarray, mean: float, std: float) -> np.ndarray:
    blocks = uniforms.reshape(-1, 2, 8)
    radius = np.sqrt(-2.0 * c_library("log", 1.0 - blocks[:, 0]))
    angle = 2.0 * math.pi * blocks[:, 1]
    pairs = [radius * c_library("cos", angle), radius * c_library("sin", angle)]
    return fused_multiply_add(np.stack(pairs, 1).ravel(), std, mean)


_CHUNK = 16384  # uniform values at a time: their float64 temporaries stay in cache


def _transform_single(uniforms: np.ndarray, mean: float, std: float) -> np.ndarray:
    mean, std = float(np.float32(mean)), float(np.float32(std))
    out = np.empty_like(uniforms)
    for start in range(0, uniforms.size, _CHUNK):
        blocks = uniforms[start : start + _CHUNK].reshape(-1, 2, 8)
        target = out[start : start + _CHUNK].reshape(-1, 2, 8)
        radius = np.sqrt(-2.0 * log32(np.float32(1.0) - blocks[:, 0]))
        radius = radius.astype(np.float32)
        sin, cos = sin_cos32(np.float32(2.0 * math.pi) * blocks[:, 1])
        # float32 times float32-valued float64 is exact: assigning rounds it once.
        for half, circle in enumerate((cos, sin)):
            scaled = (radius * circle).astype(np.float32)
            target[:, half] = scaled * np.float64(std) + mean
    return out
