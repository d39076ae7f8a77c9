"""Samples of the gamma, Dirichlet and binomial distributions.

Gamma and Dirichlet samples are differentiable in their concentrations: a sample x keeps
the value of the distribution function F(x; a), so dx/da = -(dF/da) / (dF/dx).

Public names: none; the functions are declared into `fad.torch`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import numpy as fnp
from ..core.trace import aval_of
from ..ops.arithmetic import convert, stop_gradient
from ..ops.random_variates import held_beta, held_gamma
from .declare import composite, function
from .generator import Generator
from .mapped_random import drawn_by
from .ops_binary import tied
from .random import default_generator
from .rejection_sampling import binomial as draw_binomial
from .rejection_sampling import dirichlet as draw_dirichlet
from .rejection_sampling import gamma as draw_gamma
from .tensor import Tensor

__all__: list[str] = []

_DOUBLE = np.dtype(np.float64)


def _stream(generator: Generator | None) -> Generator:
    return default_generator if generator is None else generator


def _follow_gamma(alpha: Any, *, sample: Any) -> Any:
    a, x = (convert(v, dtype=_DOUBLE) for v in (alpha, sample))
    return convert(held_gamma(a, x), dtype=aval_of(alpha).dtype)


_gamma_node = composite("StandardGammaBackward0", _follow_gamma)


@function("_standard_gamma", out=False)
def standard_gamma(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Return samples of the gamma distribution of rate 1, by concentration."""
    stream = _stream(generator)
    sample = drawn_by(lambda a: draw_gamma(stream, a), input.value)
    return _gamma_node(input, sample=sample)  # type: ignore[no-any-return]


def _follow_dirichlet(alpha: Any, *, sample: Any) -> Any:
    """Let each share follow its own beta distribution, the others in proportion.

    A share that moves by d takes it from the others: all move by (e - x) d / (1 - x).
    """
    a, x = (convert(v, dtype=_DOUBLE) for v in (alpha, sample))
    b = stop_gradient(fnp.sum(a, axis=-1, keepdims=True) - a)
    own = held_beta(a, b, x)
    moved = (own - stop_gradient(own)) / (1 - x)
    moved = moved - x * fnp.sum(moved, axis=-1, keepdims=True)
    return sample + convert(moved, dtype=aval_of(alpha).dtype)


_dirichlet_node = composite("_DirichletBackward", _follow_dirichlet)


@function("_sample_dirichlet", out=False)
def sample_dirichlet(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Return shares by concentrations, which lie along the last dimension."""
    stream = _stream(generator)
    sample = drawn_by(lambda a: draw_dirichlet(stream, a), input.value)
    return _dirichlet_node(input, sample=sample)  # type: ignore[no-any-return]


_binomial_node = composite(
    "BinomialBackward0", lambda count, prob, *, sample: tied(sample, count, prob)
)


@function("binomial", methods=False, out=False)
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """Return numbers of successes in `count` trials, each with probability `prob`."""
    stream = _stream(generator)

    def draw(n: Any, p: Any) -> Any:
        return draw_binomial(stream, n, p)

    sample = drawn_by(draw, count.value, prob.value)
    return _binomial_node(count, prob, sample=sample)  # type: ignore[no-any-return]
