"""Pooling by norms, by random regions, and the inverse of max pooling.

Public names: the functions, as in `torch.nn.functional`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.trace import aval_of
from ...ops.indexing import put_along_axis
from ...ops.shape import reshape
from ..declare import composite
from ..sampling import rand
from ..tensor import Tensor, wrap
from .checks import many, source
from .functional_piecewise import relu
from .functional_pool import avg_pool1d, avg_pool2d, avg_pool3d, max_over

__all__ = [
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
]


def _lp_pooling(
    name: str, rank: int, mean: Callable[..., Tensor]
) -> Callable[..., Any]:
    def pool(
        input: Tensor,
        norm_type: float,
        kernel_size: Any,
        stride: Any = None,
        ceil_mode: bool = False,
    ) -> Tensor:
        powers = input.pow(norm_type)  # type: ignore[attr-defined]
        out: Any = mean(powers, kernel_size, stride, 0, ceil_mode)
        count = math.prod(many(kernel_size, rank))
        out = out.sign() * relu(out.abs()) * count
        return out.pow(1.0 / norm_type)  # type: ignore[no-any-return]

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = f"Return the p-norms of windows in {rank} dimensions."
    return pool


lp_pool1d = _lp_pooling("lp_pool1d", 1, avg_pool1d)
lp_pool2d = _lp_pooling("lp_pool2d", 2, avg_pool2d)
lp_pool3d = _lp_pooling("lp_pool3d", 3, avg_pool3d)


def _unpooled(x: Any, *, places: Any, sizes: tuple[int, ...]) -> Any:
    rank, shape = len(sizes), aval_of(x).shape
    lead = shape[:-rank]
    flat = reshape(x, shape=(*lead, math.prod(shape[-rank:])))
    blank = np.zeros((*lead, math.prod(sizes)), aval_of(x).dtype)
    places = places.reshape(flat.shape)
    out = put_along_axis(blank, places, flat, axis=len(lead))
    return reshape(out, shape=(*lead, *sizes))


def _unpooling(name: str, rank: int) -> Callable[..., Tensor]:
    node = "MaxUnpool3DBackward0" if rank == 3 else "MaxUnpool2DBackward0"
    apply = composite(node, _unpooled)

    def unpool(
        input: Tensor,
        indices: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        output_size: Any = None,
    ) -> Tensor:
        kernel = many(kernel_size, rank)
        steps = kernel if stride is None else many(stride, rank)
        sizes = _unpooled_sizes(
            input.shape[-rank:], kernel, steps, many(padding, rank), output_size
        )
        if indices.aval.dtype != np.int64:
            raise RuntimeError(
                "elements in indices should be type int64 but got: "
                f"{indices.dtype.title}"
            )
        places = indices.value
        bad = (places < 0) | (places >= math.prod(sizes))
        if bad.any():
            shown = "x".join(map(str, sizes))
            raise RuntimeError(
                f"Found an invalid max index: {places[bad].flat[0]} (output volumes are "
                f"of size {shown})"
            )
        found: Tensor = apply(input, places=places, sizes=sizes)
        return found

    unpool.__name__ = unpool.__qualname__ = name
    unpool.__doc__ = (
        f"Put the results of {rank}-D max pooling back where they came from."
    )
    return unpool


def _unpooled_sizes(
    sizes: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    given: Any,
) -> tuple[int, ...]:
    """Return the size of the result, near what the windows say.

    Raises:
        ValueError: the size asked for is not.
    """
    rank = len(sizes)
    normal = tuple(
        (n - 1) * s + k - 2 * p
        for n, k, s, p in zip(sizes, kernel, stride, padding, strict=True)
    )
    if given is None:
        return normal
    wanted = tuple(int(n) for n in given)
    if len(wanted) == rank + 2:
        wanted = wanted[2:]
    if len(wanted) != rank:
        raise ValueError(
            f"output_size should be a sequence containing {rank} or {rank + 2} elements, "
            f"but it has a length of '{len(wanted)}'"
        )
    for i, (n, w, s) in enumerate(zip(normal, wanted, stride, strict=True)):
        if not n - s < w < n + s:
            raise ValueError(
                f'invalid output_size "{wanted}" (dim {i} must be between {n - s} and '
                f"{n + s})"
            )
    return wanted


max_unpool1d = _unpooling("max_unpool1d", 1)
max_unpool2d = _unpooling("max_unpool2d", 2)
max_unpool3d = _unpooling("max_unpool3d", 3)


def _random_starts(n: int, out: int, k: int, u: float) -> Any:
    """Return where windows begin, by Graham's pseudo-random sequence."""
    if out <= 1:
        return np.full(out, n - k)
    alpha = np.float32((n - k) / (out - 1))
    i = np.arange(out - 1)
    u = np.float32(u)
    starts = ((i + u) * alpha).astype(np.int64) - int(u * alpha)
    return np.append(starts, n - k)


def _fractional(name: str, rank: int) -> Callable[..., Any]:
    apply = composite(f"FractionalMaxPool{rank}DBackward0", max_over)

    def pool(
        input: Tensor,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> Any:
        if output_size is None and output_ratio is None:
            raise ValueError(
                f"{name} requires specifying either an output_size or an output_ratio"
            )
        kernel = many(kernel_size, rank)
        sizes = input.shape[-rank:]
        if output_size is None:
            ratio = many(output_ratio, rank)
            outs = tuple(int(n * r) for n, r in zip(sizes, ratio, strict=True))
        else:
            outs = many(output_size, rank)
        lead = input.shape[:-rank]
        lead = lead if len(lead) == 2 else (1, *lead)
        samples = _random_samples
        if samples is None:
            samples = wrap(rand(source(), (*lead, rank), input.aval.dtype))
        return _pooled_at_random(apply, input, kernel, outs, samples, return_indices)

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = (
        f"Return the largest elements of random windows, in {rank} dimensions."
    )
    return pool


def _pooled_at_random(
    apply: Any,
    input: Any,
    kernel: Sequence[int],
    outs: Sequence[int],
    samples: Any,
    return_indices: bool,
) -> Any:
    from ..declare import functions

    rank = len(outs)
    sizes = input.shape[-rank:]
    planes = input.reshape(-1, *sizes)
    values, indices = [], []
    for plane, u in zip(planes, samples.value.reshape(-1, rank), strict=True):
        tables = [
            _random_starts(n, o, k, ui)[:, None] + np.arange(k)
            for n, o, k, ui in zip(sizes, outs, kernel, u[::-1], strict=True)
        ]
        value, index = apply(plane, tables=tables)
        values.append(value)
        indices.append(index)
    shape = (*input.shape[:-rank], *outs)
    found = functions["stack"](values).reshape(shape)
    if not return_indices:
        return found
    return found, functions["stack"](indices).reshape(shape)


fractional_max_pool2d = _fractional("fractional_max_pool2d", 2)
fractional_max_pool3d = _fractional("fractional_max_pool3d", 3)
