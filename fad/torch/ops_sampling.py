"""Samples of the gamma, Dirichlet and binomial distributions.

Gamma and Dirichlet samples are differentiable in their concentrations: a sample x keeps
the value of the distribution function F(x; a), so dx/da = -(dF/da) / (dF/dx). The
implicit derivative is written as a summand that is zero, its denominator held fixed.
It needs SciPy; samples that nobody differentiates do not.

Public names: none; the functions are declared into `fad.torch`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import numpy as fnp
from ..core.trace import Tracer, aval_of
from ..ops.arithmetic import convert, stop_gradient
from ..ops.comparison import where
from ..ops.gamma_functions import gammaln
from ..ops.incomplete_functions import betainc, gammainc
from .declare import composite, function
from .generator import Generator
from .mapped_random import drawn_by
from .modes import current
from .ops_binary import tied
from .random import default_generator
from .rejection_sampling import binomial as draw_binomial
from .rejection_sampling import dirichlet as draw_dirichlet
from .rejection_sampling import gamma as draw_gamma
from .tensor import Tensor, tensor_of

__all__: list[str] = []

_DOUBLE = np.dtype(np.float64)


def _stream(generator: Generator | None) -> Generator:
    return default_generator if generator is None else generator


def _moved(probability: Any, log_density: Any) -> Any:
    """Return zero, whose derivative keeps a sample's probability the same."""
    density = stop_gradient(fnp.exp(log_density))
    safe = where(density > 0, density, 1.0)
    moved = (stop_gradient(probability) - probability) / safe
    return where(density > 0, moved, 0.0)


def _followed(node: Any, input: Tensor, sample: Any) -> Tensor:
    """Return a sample that depends on its parameter, if anybody may ask."""
    followed = input.requires_grad and current().grad
    if followed or isinstance(input.value, Tracer):
        return node(input, sample=sample)  # type: ignore[no-any-return]
    return tensor_of(sample)


def _follow_gamma(alpha: Any, *, sample: Any) -> Any:
    a, x = (convert(v, dtype=_DOUBLE) for v in (alpha, sample))
    log_density = (a - 1) * fnp.log(x) - x - gammaln(a)
    moved = _moved(gammainc(a, x), log_density)
    return sample + convert(moved, dtype=aval_of(alpha).dtype)


_gamma_node = composite("StandardGammaBackward0", _follow_gamma)


@function("_standard_gamma", out=False)
def standard_gamma(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Return samples of the gamma distribution of rate 1, by concentration."""
    stream = _stream(generator)
    sample = drawn_by(lambda a: draw_gamma(stream, a), input.value)
    return _followed(_gamma_node, input, sample)


def _follow_dirichlet(alpha: Any, *, sample: Any) -> Any:
    """Let each share follow its own beta distribution, the others in proportion."""
    a, x = (convert(v, dtype=_DOUBLE) for v in (alpha, sample))
    b = stop_gradient(fnp.sum(a, axis=-1, keepdims=True) - a)
    log_beta = gammaln(a) + gammaln(b) - gammaln(a + b)
    log_density = (a - 1) * fnp.log(x) + b * fnp.log1p(-x) - log_beta
    moved = _moved(betainc(a, b, x), log_density)
    moved = moved - x * fnp.sum(moved, axis=-1, keepdims=True)
    return sample + convert(moved, dtype=aval_of(alpha).dtype)


_dirichlet_node = composite("_DirichletBackward", _follow_dirichlet)


@function("_sample_dirichlet", out=False)
def sample_dirichlet(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Return shares by concentrations, which lie along the last dimension."""
    stream = _stream(generator)
    sample = drawn_by(lambda a: draw_dirichlet(stream, a), input.value)
    return _followed(_dirichlet_node, input, sample)


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
