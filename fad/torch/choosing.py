"""Random permutations, choices and counts, equal to PyTorch's CPU ones.

With the words and uniform numbers of `fad.torch.generator`:

- `randperm`: for ``i = 0 .. n - 2`` swap items ``i`` and ``i + word % (n - i)``;
- `multinomial` of one index, or without replacement: the greatest ``p / q`` for
  exponential ``q``; else where u53 falls in the normalised running sum;
- `poisson`: below rate 10 how many u53 multiply to no less than ``exp(-rate)``,
  above it Hoermann's transformed rejection (1993);
- `dropout_mask`: one `bernoulli_` of ``1 - p``.

A data loader with ``shuffle=True`` takes two seeds from the default generator each
epoch: `draw_seed` for its workers, then, at the first batch, one for a generator
that shuffles (`shuffled`).

Public names: `randperm`, `multinomial`, `poisson`, `normal`, `dropout_mask`,
`draw_seed`, `shuffled`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import DTypeLike

from fad.torch.filling import empty_as, narrow, require_kind, scalar_name
from fad.torch.generator import Generator
from fad.torch.integers import greatest_integer, randint, random_
from fad.torch.sampling import bernoulli_, exponential_, normal_

__all__ = [
    "draw_seed",
    "dropout_mask",
    "multinomial",
    "normal",
    "poisson",
    "randperm",
    "shuffled",
]


def randperm(generator: Generator, n: int, dtype: DTypeLike = np.int64) -> np.ndarray:
    """Return the integers below `n` in random order.

    Raises:
        RuntimeError: `n` is negative or too great for the dtype.

    >>> randperm(Generator().manual_seed(0), 5)
    array([4, 0, 1, 3, 2])
    """
    dtype = np.dtype(dtype)
    _check_permutation(n, dtype)
    few = n < (2**32 - 1) // 20
    return (_swap_forward if few else _insert_inside_out)(generator, n).astype(dtype)


def _swap_forward(generator: Generator, n: int) -> np.ndarray:
    """Return what swapping ``i`` with ``z[i]``, for rising ``i``, makes of 0 .. n-1.

    Before step j, position j holds what an earlier swap put there, the last ``k < j``
    with ``z[k] == j``: what position k held before step k, and so on back to a
    position that no swap had reached. Step i moves to i what ``z[i]`` holds: by the
    same rule, with the last ``k < i`` that has ``z[k] == z[i]``.
    """
    step = np.arange(n, dtype=np.int64)
    z = step.copy()
    words = generator.words(max(n - 1, 0)).astype(np.int64)
    z[:-1] += words % (n - step[:-1])
    origin = step.copy()
    far = z > step
    origin[z[far]] = step[far]  # of several steps the last one stays
    while not np.array_equal(further := origin[origin], origin):
        origin = further
    by_target = np.sort(z << 32 | step)  # n < 2**32 / 20: both fit
    again = by_target[1:] >> 32 == by_target[:-1] >> 32
    later, earlier = by_target[1:][again], by_target[:-1][again]
    z[later & 0xFFFFFFFF] = origin[earlier & 0xFFFFFFFF]
    return z


def _insert_inside_out(generator: Generator, n: int) -> np.ndarray:
    """Shuffle so many items that one word would favour some of them."""
    items = np.arange(n, dtype=np.int64)
    for i in range(n):
        z = int(generator.wide_words(1)[0]) % (i + 1)
        items[i] = items[z]
        items[z] = i
    return items


def multinomial(
    generator: Generator, weights: np.ndarray, count: int, replacement: bool = False
) -> np.ndarray:
    """Choose `count` indices of each row with probabilities as its weights.

    Args:
        generator: Where the words come from.
        weights: Non-negative floats, shape ``(n,)`` or ``(rows, n)``.
        count: Choices a row.
        replacement: Whether an index may be chosen again.

    Returns:
        int64 indices, shape ``(count,)`` or ``(rows, count)``. Without replacement
        they come by decreasing ``p / q``; weights of zero, which tie, come last in
        an order that is not PyTorch's.

    Raises:
        RuntimeError: The weights or the count are not valid.

    >>> weights = np.array([0.1, 0.2, 0.3, 0.4], np.float32)
    >>> multinomial(Generator().manual_seed(0), weights, 3)
    array([2, 1, 3])
    """
    _check_weights(weights, count, replacement)
    if weights.size == 0:
        return np.empty((*weights.shape[:-1], count), np.int64)
    if replacement and count > 1:
        return _multinomial_with_replacement(generator, weights, count)
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = weights / exponential_(generator, empty_as(weights))
    return np.argsort(-scores, axis=-1, kind="stable")[..., :count]


def _multinomial_with_replacement(
    generator: Generator, weights: np.ndarray, count: int
) -> np.ndarray:
    rows = np.atleast_2d(weights)
    exact = rows.dtype if rows.dtype == np.float64 else np.dtype(np.float32)
    sums = np.cumsum(rows, axis=-1, dtype=exact)
    sums /= sums[:, -1:].copy()
    sums[:, -1] = 1.0
    uniforms = generator.uniform53(len(rows) * count).reshape(-1, count)
    chosen = [
        np.searchsorted(row.astype(np.float64), u)
        for row, u in zip(sums, uniforms, strict=True)
    ]
    return np.array(chosen, np.int64).reshape((*weights.shape[:-1], count))


def poisson(generator: Generator, rates: np.ndarray) -> np.ndarray:
    """Return Poisson counts with the given rates, in their shape and dtype.

    Raises:
        RuntimeError: A rate is negative.

    >>> poisson(Generator().manual_seed(0), np.array([1.0, 5.0, 50.0]))
    array([ 2.,  6., 49.])
    """
    require_kind(rates, "f", "poisson_cpu")
    if (rates < 0).any():
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    with generator.one_by_one() as uniform:
        counts = [_poisson_count(rate, uniform) for rate in rates.ravel().tolist()]
    return narrow(np.array(counts, np.float64), rates.dtype).reshape(rates.shape)


def _poisson_count(rate: float, uniform: Callable[[], float]) -> int:
    if rate >= 10:
        return _reject_poisson(rate, uniform)
    if rate == 0:
        return 0
    count, product, floor = 0, uniform(), math.exp(-rate)
    while product > floor:
        count += 1
        product *= uniform()
    return count


def _reject_poisson(rate: float, uniform: Callable[[], float]) -> int:
    """Draw a count by Hoermann's algorithm PTRS; the names are the paper's."""
    log_rate = math.log(rate)
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    v_r = 0.9277 - 3.6224 / (b - 2)
    while True:
        u = uniform() - 0.5
        v = uniform()
        u_s = 0.5 - abs(u)
        k = math.floor((2 * a / u_s + b) * u + rate + 0.43) if u_s else -1
        if u_s >= 0.07 and v <= v_r:
            return k
        if k < 0 or (u_s < 0.013 and v > u_s):
            continue
        density = -rate + k * log_rate - math.lgamma(k + 1)
        hat = math.log(inverse_alpha) - math.log(a / (u_s * u_s) + b)
        if (math.log(v) if v else -math.inf) + hat <= density:
            return k


def normal(
    generator: Generator, mean: float | np.ndarray, std: float | np.ndarray
) -> np.ndarray:
    """Return normal values, one for each element of `mean` and `std` broadcast.

    Args:
        generator: Where the words come from.
        mean: The means; an array's dtype is the result's.
        std: The standard deviations; an array's dtype is the result's if `mean` is
            a number. One of the two must be an array.

    Raises:
        RuntimeError: A standard deviation is negative.

    >>> spread = np.array([0.1, 0.2], np.float32)
    >>> normal(Generator().manual_seed(2), np.float32([1, 2]), spread).round(4)
    array([1.0392, 1.9553], dtype=float32)
    """
    if isinstance(std, np.ndarray):
        if (std < 0).any():
            raise RuntimeError("normal expects all elements of std >= 0.0")
        like = mean if isinstance(mean, np.ndarray) else std
        out = np.empty(np.broadcast_shapes(np.shape(mean), std.shape), like.dtype)
        out = normal_(generator, out)
        out *= std
    else:
        assert isinstance(mean, np.ndarray), "draw numbers with normal_"
        out = normal_(generator, np.empty(mean.shape, mean.dtype), 0.0, std)
    out += mean
    return out


def dropout_mask(generator: Generator, like: np.ndarray, p: float) -> np.ndarray:
    """Return what dropout multiplies by: 0 with probability `p`, else ``1/(1-p)``.

    Args:
        generator: Where the words come from; none are drawn for `p` of 0 or 1.
        like: The input, for its shape, dtype and order in memory. For dropout of
            whole channels, an array of shape ``(batch, channels, 1, ...)``.
        p: The probability of a zero.

    Raises:
        ValueError: `p` is outside [0, 1].

    >>> dropout_mask(Generator().manual_seed(0), np.ones(5, np.float32), 0.5)
    array([0., 0., 2., 0., 0.], dtype=float32)
    """
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if p in (0, 1):
        return np.full_like(like, 1 - p)
    mask = bernoulli_(generator, empty_as(like), 1 - p)
    exact = np.float64 if like.dtype == np.float64 else np.float32
    mask *= (exact(1) / exact(1 - p)).astype(like.dtype)
    return mask


def draw_seed(generator: Generator) -> int:
    """Draw a seed below 2**63, as ``torch.empty((), dtype=int64).random_()``.

    >>> draw_seed(Generator().manual_seed(0))
    900450186894289455
    """
    return int(random_(generator, np.empty((), np.int64)))


def shuffled(
    generator: Generator,
    n: int,
    own: Generator | None = None,
    count: int | None = None,
    replacement: bool = False,
) -> list[int]:
    """Return the order in which ``RandomSampler`` visits `n` items.

    Args:
        generator: The default generator, which gives the seed when `own` is None.
        n: The number of items.
        own: The sampler's own generator, used as it is.
        count: How many indices, `n` unless given.
        replacement: Whether indices repeat.

    >>> shuffled(Generator().manual_seed(0), 5)
    [1, 3, 4, 2, 0]
    """
    if own is None:
        own = Generator().manual_seed(draw_seed(generator))
    count = n if count is None else count
    if replacement:
        return list(map(int, randint(own, 0, n, (count,))))
    order = [randperm(own, n) for _ in range(count // n + 1)]
    return list(map(int, np.concatenate(order)[:count]))


def _check_permutation(n: int, dtype: np.dtype) -> None:
    if n < 0:
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {n}: [{n}]"
        )
    require_kind(np.empty(0, dtype), "iuf", "randperm")
    most = greatest_integer(dtype) + 1
    if n > most and dtype.kind == "f":
        name = scalar_name(dtype)
        raise RuntimeError(f"n cannot be greater than {most} for {name} type.")
    if n > most:
        raise RuntimeError(
            f"value cannot be converted to type {dtype.name}_t without overflow"
        )


def _check_weights(weights: np.ndarray, count: int, replacement: bool) -> None:
    if weights.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if weights.dtype.kind != "f":
        raise RuntimeError(
            "multinomial only supports floating-point dtypes for input, got: "
            + scalar_name(weights.dtype)
        )
    if count <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and count > weights.shape[-1]:
        raise RuntimeError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
        )
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise RuntimeError(
            "probability tensor contains either `inf`, `nan` or element < 0"
        )
    if (weights.sum(axis=-1) == 0).any():
        raise RuntimeError(
            "invalid multinomial distribution (sum of probabilities <= 0)"
        )
