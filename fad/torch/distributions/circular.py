"""Distributions on a circle and on the unit interval with one parameter of shape.

Public names: `VonMises`, `ContinuousBernoulli`.
"""

from __future__ import annotations

import math
from typing import Any

from .. import special
from ..declare import functions
from ..modes import no_grad
from ..nn import functional as F
from . import constraints
from .discrete import Probabilities, clamp_probs
from .distribution import Distribution, ExponentialFamily, broadcast

__all__ = ["ContinuousBernoulli", "VonMises"]


class VonMises(Distribution):
    """The normal distribution's like on a circle.

    Args:
        loc: an angle in radians.
        concentration: the greater, the narrower.
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real

    def __init__(
        self, loc: Any, concentration: Any, validate_args: bool | None = None
    ) -> None:
        self.loc, self.concentration = broadcast(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distribution with a larger batch."""
        return self._expanded(batch_shape, "loc", "concentration")

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        k = self.concentration
        log_bessel = special.i0e(k).log() + k
        return k * (value - self.loc).cos() - math.log(2 * math.pi) - log_bessel

    def _proposal(self) -> Any:
        """Return the parameter of the wrapped Cauchy numbers that are drawn first."""
        k = self.concentration.double()
        tau = 1 + (1 + 4 * k**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * k)
        usual = (1 + rho**2) / (2 * rho)
        return functions["where"](k < 1e-5, 1 / k + k, usual)

    def sample(self, sample_shape: Any = ()) -> Any:
        """Draw samples, by Best and Fisher's rejection."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            loc, k = self.loc.double(), self.concentration.double()
            r = self._proposal()
            x = functions["empty"](shape, dtype=loc.dtype)
            done = functions["zeros"](shape, dtype=functions["isnan"](x).dtype)
            while not done.all():
                u = functions["rand"]((3, *shape), dtype=loc.dtype)
                u1, u2, u3 = u.unbind()
                z = (math.pi * u1).cos()
                f = (1 + r * z) / (r + z)
                c = k * (r - f)
                accept = (c * (2 - c) - u2 > 0) | ((c / u2).log() + 1 - c >= 0)
                if accept.any():
                    x = functions["where"](accept, (u3 - 0.5).sign() * f.acos(), x)
                    done = done | accept
            return ((x + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        """The circular variance."""
        k = self.concentration
        return 1 - special.i1e(k) / special.i0e(k)


class ContinuousBernoulli(Probabilities, ExponentialFamily):
    """Numbers of the unit interval whose density is lam**x (1 - lam)**(1 - x) c."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        name, given = self._choose(probs, logits)
        (self.__dict__[name],) = broadcast(given)
        if name == "probs":
            if validate_args is not None:
                if not constraints.unit_interval.check(self.probs).all():
                    raise ValueError("The parameter probs has invalid values")
            self.__dict__[name] = clamp_probs(self.probs)
        self._lims = lims
        super().__init__(self.__dict__[name].shape, validate_args=validate_args)

    @property
    def param_shape(self) -> Any:
        """The shape of the probabilities."""
        return self.__dict__[self._given].shape

    def _probs_of(self, logits: Any) -> Any:
        return clamp_probs(logits.sigmoid())

    def _logits_of(self, probs: Any) -> Any:
        return probs.log() - (-probs).log1p()

    def _outside(self) -> Any:
        """Return where the formulas are stable: away from one half."""
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut(self) -> Any:
        """Return the probabilities, the lower limit where they are near one half."""
        limit = self._lims[0] * functions["ones_like"](self.probs)
        return functions["where"](self._outside(), self.probs, limit)

    def _near(self, usual: Any, x: Any) -> Any:
        return functions["where"](self._outside(), usual, x)

    def _log_norm(self) -> Any:
        cut = self._cut()
        low = functions["where"](cut <= 0.5, cut, functions["zeros_like"](cut))
        high = functions["where"](cut >= 0.5, cut, functions["ones_like"](cut))
        size = ((-cut).log1p() - cut.log()).abs().log()
        width = functions["where"](
            cut <= 0.5, (-2.0 * low).log1p(), (2.0 * high - 1.0).log()
        )
        x = (self.probs - 0.5).pow(2)
        taylor = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return self._near(size - width, taylor)

    @property
    def mean(self) -> Any:
        cut = self._cut()
        usual = cut / (2.0 * cut - 1.0) + 1.0 / ((-cut).log1p() - cut.log())
        x = self.probs - 0.5
        return self._near(usual, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.pow(2)) * x)

    @property
    def stddev(self) -> Any:
        return self.variance.sqrt()

    @property
    def variance(self) -> Any:
        cut = self._cut()
        usual = cut * (cut - 1.0) / (1.0 - 2.0 * cut).pow(2)
        usual = usual + 1.0 / ((-cut).log1p() - cut.log()).pow(2)
        x = (self.probs - 0.5).pow(2)
        taylor = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return self._near(usual, taylor)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        return self.icdf(functions["rand"](shape, dtype=self.probs.dtype))

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        logits, value = functions["broadcast_tensors"](self.logits, value)
        cross = F.binary_cross_entropy_with_logits(logits, value, reduction="none")
        return -cross + self._log_norm()

    def cdf(self, value: Any) -> Any:
        self._validate_sample(value)
        cut = self._cut()
        power = cut.pow(value) * (1.0 - cut).pow(1.0 - value)
        usual = (power + cut - 1.0) / (2.0 * cut - 1.0)
        found = self._near(usual, value)
        where = functions["where"]
        inner = where(value >= 1.0, functions["ones_like"](found), found)
        return where(value <= 0.0, functions["zeros_like"](found), inner)

    def icdf(self, value: Any) -> Any:
        cut = self._cut()
        turned = (-cut + value * (2.0 * cut - 1.0)).log1p() - (-cut).log1p()
        return self._near(turned / (cut.log() - (-cut).log1p()), value)

    def entropy(self) -> Any:
        log0, log1 = (-self.probs).log1p(), self.probs.log()
        return self.mean * (log0 - log1) - self._log_norm() - log0
