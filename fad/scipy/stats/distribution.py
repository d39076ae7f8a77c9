"""What continuous distributions share: location, scale, support, and derived functions.

A distribution is given by functions of the standardised variable z = (x - loc) / scale
and of its shape parameters. Outside of the support they are not evaluated: the density
is 0 there, and the distribution function 0 or 1, with derivative 0.

Public names: `Continuous`, `bind_arguments`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from ...ops.comparison import ge, gt, isnan, le, logical_and, logical_or, where
from ...ops.elementary import exp, log
from ..arguments import numbers

__all__ = ["Continuous", "bind_arguments"]

Function = Callable[..., Any]


def bind_arguments(
    name: str, names: Sequence[str], args: Sequence[Any], kwargs: dict[str, Any]
) -> list[Any]:
    """Return the arguments in order; location 0 and scale 1 are the defaults.

    Raises:
        TypeError: an argument is missing, unknown or given twice.
    """
    if len(args) > len(names):
        raise TypeError(f"{name} takes ({', '.join(names)}), got {len(args)} arguments")
    given = dict(zip(names, args, strict=False))
    for key, value in kwargs.items():
        if key not in names or key in given:
            problem = "twice" if key in given else "which it does not have"
            raise TypeError(f"{name}: the argument {key} is given, {problem}")
        given[key] = value
    defaults = {"loc": 0.0, "scale": 1.0}
    missing = [n for n in names if n not in given and n not in defaults]
    if missing:
        raise TypeError(f"{name} needs the argument {missing[0]}: ({', '.join(names)})")
    return [given[n] if n in given else defaults[n] for n in names]


class Continuous:
    """A family of distributions with location and scale.

    Args:
        name: as in SciPy.
        shapes: names of its shape parameters.
        logpdf, cdf, sf: functions of (z, *shapes).
        logcdf, logsf: the same; else the logarithms of `cdf` and `sf`.
        ppf: a function of (q, *shapes), the inverse of `cdf`.
        support: (low, high) of z.
    """

    def __init__(
        self,
        name: str,
        shapes: Sequence[str] = (),
        *,
        logpdf: Function,
        cdf: Function,
        sf: Function,
        logcdf: Function | None = None,
        logsf: Function | None = None,
        ppf: Function,
        support: tuple[float, float] = (-inf, inf),
    ) -> None:
        self.name = name
        self.shapes = tuple(shapes)
        self._logpdf, self._cdf, self._sf, self._ppf = logpdf, cdf, sf, ppf
        self._logcdf = logcdf or (lambda *args: log(cdf(*args)))
        self._logsf = logsf or (lambda *args: log(sf(*args)))
        self.support = support

    def __repr__(self) -> str:
        return f"<distribution {self.name}({', '.join(self._names('x'))})>"

    def logpdf(self, *args: Any, **kwargs: Any) -> Any:
        """Return the logarithm of the density, -inf outside of the support."""
        z, shapes, scale = self._standard("logpdf", args, kwargs)
        return self._inside(
            z, lambda z: self._logpdf(z, *shapes) - log(scale), -inf, -inf
        )

    def pdf(self, *args: Any, **kwargs: Any) -> Any:
        """Return the density."""
        return exp(self.logpdf(*args, **kwargs))

    def cdf(self, *args: Any, **kwargs: Any) -> Any:
        """Return the probability of values up to x."""
        z, shapes, _ = self._standard("cdf", args, kwargs)
        return self._inside(z, lambda z: self._cdf(z, *shapes), 0.0, 1.0)

    def sf(self, *args: Any, **kwargs: Any) -> Any:
        """Return the probability of values above x, exact in the upper tail."""
        z, shapes, _ = self._standard("sf", args, kwargs)
        return self._inside(z, lambda z: self._sf(z, *shapes), 1.0, 0.0)

    def logcdf(self, *args: Any, **kwargs: Any) -> Any:
        """Return the logarithm of `cdf`."""
        z, shapes, _ = self._standard("logcdf", args, kwargs)
        return self._inside(z, lambda z: self._logcdf(z, *shapes), -inf, 0.0)

    def logsf(self, *args: Any, **kwargs: Any) -> Any:
        """Return the logarithm of `sf`."""
        z, shapes, _ = self._standard("logsf", args, kwargs)
        return self._inside(z, lambda z: self._logsf(z, *shapes), 0.0, -inf)

    def ppf(self, *args: Any, **kwargs: Any) -> Any:
        """Return x with cdf(x) = q."""
        names = self._names("q")
        values = bind_arguments(f"{self.name}.ppf", names, args, kwargs)
        q, *shapes, loc, scale = numbers(*values)
        return self._ppf(q, *shapes) * scale + loc

    def _names(self, first: str) -> list[str]:
        return [first, *self.shapes, "loc", "scale"]

    def _standard(
        self, what: str, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[Any, list[Any], Any]:
        """Return z, the shape parameters and the scale."""
        values = bind_arguments(f"{self.name}.{what}", self._names("x"), args, kwargs)
        x, *shapes, loc, scale = numbers(*values)
        return (x - loc) / scale, shapes, scale

    def _inside(self, z: Any, function: Function, below: float, above: float) -> Any:
        """Evaluate a function in the support; constants elsewhere, nan at nan."""
        low, high = self.support
        if (low, high) == (-inf, inf):
            return function(z)
        inside = logical_or(logical_and(ge(z, low), le(z, high)), isnan(z))
        safe = where(inside, z, low + 0.5)
        out = where(inside, function(safe), below)
        return where(gt(z, high), above, out) if above != below else out
