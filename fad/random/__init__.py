"""Random numbers as functions of explicit keys, in the manner of `jax.random`.

    key = fad.random.key(0)
    key, draw = fad.random.split(key)
    x = fad.random.normal(draw, (3,))

A sampler called twice with one key returns the same numbers; `split` and `fold_in` make
new keys. The bits come from a counter-based generator, Philox4x64-10, so the numbers
are the same in eager code, under `jit` and under `vmap` over keys. Samplers are
differentiable in their parameters where the mathematics has it: gamma, beta, Dirichlet
and Student's t variates by implicit reparameterisation.

Keys are arrays (2,) of uint64. The numbers are fad's own, not JAX's.

Public names: those of `fad.random.keys`, `uniforms`, `gammas`, `discrete` and
`multivariate`.
"""

from . import discrete, gammas, keys, multivariate, uniforms
from .discrete import *  # noqa: F403
from .gammas import *  # noqa: F403
from .keys import *  # noqa: F403
from .multivariate import *  # noqa: F403
from .uniforms import *  # noqa: F403

__all__ = sorted(
    name
    for module in (keys, uniforms, gammas, discrete, multivariate)
    for name in module.__all__
)
