"""Random variates that need a varying number of random words: gamma and Poisson.

Every element has a key of its own (k0, k1) and takes block after block of it, until one
is accepted; what it gets depends on its key and its parameter alone.

    random_loggamma(k0, k1, a)    log of a gamma variate (Marsaglia and Tsang, 2000)
    random_poisson(k0, k1, lam)   a Poisson variate: inversion, or PTRS (Hormann, 1993)

`random_loggamma` is differentiable in a: the variate is taken for the quantile of a
fixed probability, d log(x) = -W_1(a, log x) da (see `tail_moments`; Figurnov, Mohamed
and Mnih, "Implicit reparameterization gradients", 2018). The rule holds whatever
algorithm made the variate: `held_gamma` and `held_beta` take one that was made
elsewhere.

Public names: `held_beta`, `held_gamma`, `random_loggamma`, `random_poisson`, `unit`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .error_functions import own_ndtri
from .gamma_functions import own_gammaln
from .incomplete_functions import beta_quantile_by, gamma_quantile_by_a
from .kinds import constant, elementwise
from .philox import REJECT, words
from .tail_moments import gamma_tail

__all__ = [
    "held_beta",
    "held_gamma",
    "random_loggamma",
    "random_poisson",
    "unit",
]

_INVERT = 10.0  # means up to which Poisson variates are found by inversion


def unit(word: Any) -> Any:
    """Return doubles inside (0, 1) from random words: odd multiples of 2^-54."""
    return ((word >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def _until_accepted(
    trial: Callable[..., tuple[Any, Any]], k0: Any, k1: Any, *parameters: Any
) -> Any:
    """Call `trial(words, *parameters) -> (value, accepted)` until all are accepted.

    Each trial uses the next block of its element's key.
    """
    out = np.empty(k0.shape)
    left = np.arange(k0.size)
    count = 1
    while left.size:
        block = words(k0[left], k1[left], np.full(left.size, count, np.uint64), REJECT)
        value, accepted = trial(block, *[p[left] for p in parameters])
        out[left[accepted]] = value[accepted]
        left = left[~accepted]
        count += 1
    return out


def _flat(k0: Any, k1: Any, parameter: Any) -> tuple[tuple[int, ...], list[Any]]:
    words_of_keys = [np.asarray(k).astype(np.uint64) for k in (k0, k1)]
    together = np.broadcast_arrays(*words_of_keys, np.asarray(parameter, np.float64))
    return together[0].shape, [a.reshape(-1) for a in together]


def _loggamma_trial(block: Any, shape: Any, boost: Any) -> tuple[Any, Any]:
    """Propose d (1 + z/sqrt(9 d))^3; for shapes below 1, times U^(1/shape)."""
    d = np.where(boost, shape + 1, shape) - 1 / 3
    z = own_ndtri(unit(block[0]))
    cube = (1 + z / np.sqrt(9 * d)) ** 3
    log_cube = np.log(np.where(cube > 0, cube, 1))
    accepted = np.log(unit(block[1])) < 0.5 * z * z + d * (1 - cube + log_cube)
    value = np.log(d) + log_cube
    value = value + np.where(boost, np.log(unit(block[2])) / shape, 0)
    return value, accepted & (cube > 0)


def _random_loggamma(k0: Any, k1: Any, a: Any) -> Any:
    dtype = a.dtype if getattr(a, "dtype", None) == np.float32 else np.float64
    shape, (k0, k1, a) = _flat(k0, k1, a)
    valid = (a > 0) & np.isfinite(a)
    safe = np.where(valid, a, 1.0)
    with np.errstate(all="ignore"):
        out = _until_accepted(_loggamma_trial, k0, k1, safe, safe < 1)
        special = np.where(a == 0, -np.inf, np.where(a == np.inf, np.inf, np.nan))
        out = np.where(valid, out, special).astype(dtype)
    return out.reshape(shape)[()]


random_loggamma = elementwise(
    "random_loggamma",
    _random_loggamma,
    [None, None, lambda t, z, ans: t * -gamma_tail(z, ans, n=1)],
)


def _known(*values: Any) -> Any:
    """Return the last of some values, nan where one of the others is."""
    *parameters, x = values
    total = sum(parameters)
    return np.where(np.isnan(total), total, x)[()]


held_gamma = elementwise("held_gamma", _known, [gamma_quantile_by_a, None])
"""`(a, x)`: a sample x of a gamma distribution, kept at its probability as a moves."""

held_beta = elementwise(
    "held_beta", _known, [beta_quantile_by(1, 0), beta_quantile_by(0, 1), None]
)
"""`(a, b, x)`: the same of a beta distribution."""


def _invert(k0: Any, k1: Any, lam: Any) -> Any:
    """Count the terms of the distribution function below one uniform number."""
    u = unit(words(k0, k1, np.ones(k0.shape, np.uint64), REJECT)[0])
    term = np.exp(-lam)
    total, count = term, np.zeros_like(lam)
    for k in range(1, 120):
        more = u > total
        if not more.any():
            break
        count = count + more
        term = term * lam / k
        total = total + term
    return count


def _poisson_trial(block: Any, lam: Any) -> tuple[Any, Any]:
    """Transformed rejection with squeeze, algorithm PTRS."""
    b = 0.931 + 2.53 * np.sqrt(lam)
    a = -0.059 + 0.02483 * b
    u, v = unit(block[0]) - 0.5, unit(block[1])
    us = 0.5 - np.abs(u)
    k = np.floor((2 * a / us + b) * u + lam + 0.43)
    quick = (us >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
    never = (k < 0) | ((us < 0.013) & (v > us))
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    height = np.log(v * inverse_alpha / (a / (us * us) + b))
    bound = k * np.log(lam) - lam - own_gammaln(np.maximum(k, 0) + 1)
    return k, quick | (~never & (height <= bound))


def _random_poisson(k0: Any, k1: Any, lam: Any) -> Any:
    shape, (k0, k1, lam) = _flat(k0, k1, lam)
    out = np.full(lam.size, -1.0)
    for where, rule in (
        ((lam >= 0) & (lam < _INVERT), _invert),
        ((lam >= _INVERT) & (lam < 2.0**62), _by_rejection),
    ):
        if where.any():
            with np.errstate(all="ignore"):
                out[where] = rule(k0[where], k1[where], lam[where])
    return out.astype(np.int64).reshape(shape)[()]


def _by_rejection(k0: Any, k1: Any, lam: Any) -> Any:
    return _until_accepted(_poisson_trial, k0, k1, lam)


random_poisson = constant("random_poisson", _random_poisson)
"""int64 variates; -1 where the mean is negative, nan or too large."""
