"""Samplers that draw until a candidate is accepted, one element after another.

Gamma numbers come from Marsaglia and Tsang's method, binomial ones from Hoermann's
transformed rejection, or from the gaps between successes where few are expected. Both
draw doubles from the generator in PyTorch's order.

Public names: `gamma`, `dirichlet`, `binomial`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .generator import Generator

__all__ = ["binomial", "dirichlet", "gamma"]

Draw = Callable[[], float]


def gamma(generator: Generator, alpha: np.ndarray) -> np.ndarray:
    """Return a sample of the gamma distribution of rate 1 for each concentration.

    >>> gamma(Generator().manual_seed(0), np.array([2.0, 0.5])).shape
    (2,)
    """
    out = np.empty(alpha.shape, alpha.dtype)
    flat = out.reshape(-1)
    tiny = float(np.finfo(alpha.dtype).tiny)
    with generator.one_by_one() as uniform:
        normal = _normal_numbers(generator, uniform)
        for i, a in enumerate(alpha.reshape(-1)):
            flat[i] = max(tiny, alpha.dtype.type(_gamma(a, uniform, normal)))
    return out


def _normal_numbers(generator: Generator, uniform: Draw) -> Draw:
    """Return a function that draws a normal number, with Box and Muller's pairs."""

    def normal() -> float:
        spare = generator.spare_normal
        if spare is not None:
            generator.spare_normal = None
            return spare
        angle = 2.0 * math.pi * uniform()
        radius = math.sqrt(-2.0 * math.log1p(-uniform()))
        generator.spare_normal = radius * math.sin(angle)
        return radius * math.cos(angle)

    return normal


def _gamma(alpha: np.floating, uniform: Draw, normal: Draw) -> float:
    scale = 1.0
    if alpha < 1:  # by a sample of alpha + 1, which is accepted more often
        if alpha == 0:
            return 0.0
        scale = math.pow(1.0 - uniform(), 1.0 / float(alpha))
        alpha = alpha + alpha.dtype.type(1)
    d = float(alpha) - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        y = 0.0
        while y <= 0:
            x = normal()
            y = 1.0 + c * x
        v = y * y * y
        u = 1.0 - uniform()
        xx = x * x
        if u < 1.0 - 0.0331 * xx * xx:
            return scale * d * v
        if math.log(u) < 0.5 * xx + d * (1.0 - v + math.log(v)):
            return scale * d * v


def dirichlet(generator: Generator, alpha: np.ndarray) -> np.ndarray:
    """Return shares that sum to 1 along the last axis, by gamma numbers in double.

    >>> x = dirichlet(Generator().manual_seed(0), np.array([1.0, 2.0]))
    >>> bool(abs(x.sum() - 1) < 1e-12)
    True
    """
    drawn = gamma(generator, alpha.astype(np.float64))
    shares = drawn / drawn.sum(-1, keepdims=True)
    tiny = np.finfo(alpha.dtype).tiny
    return np.maximum(shares, tiny).astype(alpha.dtype)


def binomial(generator: Generator, count: np.ndarray, prob: np.ndarray) -> np.ndarray:
    """Return a number of successes for each count of trials and probability.

    >>> binomial(Generator().manual_seed(0), np.array([10.0]), np.array([1.0]))
    array([10.])
    """
    count, prob = np.broadcast_arrays(count, prob)
    out = np.empty(count.shape, count.dtype)
    with generator.one_by_one() as uniform:
        pairs = zip(count.reshape(-1), prob.reshape(-1), strict=True)
        found = [_binomial(float(n), float(p), uniform) for n, p in pairs]
    out.reshape(-1)[:] = found
    return out


def _binomial(count: float, prob: float, uniform: Draw) -> float:
    if count <= 0.0 or prob <= 0.0:
        return 0.0
    if prob >= 1.0:
        return count
    if prob > 0.5:
        return count - _binomial_below_half(count, 1.0 - prob, uniform)
    return _binomial_below_half(count, prob, uniform)


def _binomial_below_half(count: float, prob: float, uniform: Draw) -> float:
    if math.isnan(prob):
        return prob
    if count * prob >= 10.0:
        return _by_rejection(count, prob, uniform)
    scale = math.log1p(-prob)
    trials, successes = 0.0, 0.0
    while True:
        u = uniform()
        trials += math.ceil(math.log(u) / scale) if u else math.inf
        if trials > count:
            return successes
        successes += 1.0


def _by_rejection(n: float, p: float, uniform: Draw) -> float:
    deviation = math.sqrt(n * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    centre, v_r, odds = n * p + 0.5, 0.92 - 4.2 / b, p / (1 - p)
    alpha, mode = (2.83 + 5.1 / b) * deviation, math.floor((n + 1) * p)
    while True:
        u, v = uniform() - 0.5, uniform()
        us = 0.5 - abs(u)
        k = float(math.floor((2 * a / us + b) * u + centre))
        if us >= 0.07 and v <= v_r:
            return k
        if k < 0 or k > n:
            continue
        v = math.log(v * alpha / (a / (us * us) + b))
        if v <= _log_ratio(n, k, mode, odds):
            return k


def _log_ratio(n: float, k: float, mode: float, odds: float) -> float:
    """Return the logarithm of the probability of k over that of the mode."""
    return (
        (mode + 0.5) * math.log((mode + 1) / (odds * (n - mode + 1)))
        + (n + 1) * math.log((n - mode + 1) / (n - k + 1))
        + (k + 0.5) * math.log(odds * (n - k + 1) / (k + 1))
        + _stirling_tail(mode)
        + _stirling_tail(n - mode)
        - _stirling_tail(k)
        - _stirling_tail(n - k)
    )


def _stirling_tail(k: float) -> float:
    """Return log k! less Stirling's approximation of it."""
    if k <= 9:
        stirling = (k + 0.5) * math.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi)
        return math.lgamma(k + 1) - stirling
    square = (k + 1) * (k + 1)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)
