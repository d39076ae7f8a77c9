"""Minimisation by SciPy's solvers, with exact derivatives, on pytrees.

>>> import fad, fad.numpy as fnp
>>> def rosenbrock(p):
...     return (1 - p["x"]) ** 2 + 100 * (p["y"] - p["x"] ** 2) ** 2

`fad.scipy.optimize.minimize(rosenbrock, {"x": 0.0, "y": 0.0}, method="trust-ncg")`
gives the solver the gradient, by one reverse pass, and products of the Hessian with
vectors, by one forward pass over that. It needs SciPy.

Public names: `minimize`, `OptimizeProgress`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..control.jit import jit as jitted
from ..core.pytree import tree_leaves
from ..core.trace import Tracer, aval_of
from ..ops.scipy_extra import scipy_module
from .derivatives import hessian_product, ravel, value_and_gradient

__all__ = ["OptimizeProgress", "minimize"]

NO_GRADIENT = {"nelder-mead", "powell", "cobyla", "cobyqa"}
HESSIAN = {"newton-cg", "trust-ncg", "trust-krylov", "trust-constr", "dogleg"}
HESSIAN |= {"trust-exact"}
FULL_HESSIAN = {"dogleg", "trust-exact"}


@dataclass(frozen=True, slots=True)
class OptimizeProgress:
    """What the callback of `minimize` gets after every iteration.

    Attributes:
        x: the current point, a pytree like `x0`.
        fun: the function's value there.
        nit: the number of iterations so far.
    """

    x: Any
    fun: float
    nit: int


def minimize(
    fun: Callable[..., Any],
    x0: Any,
    args: tuple[Any, ...] = (),
    method: str | None = None,
    *,
    bounds: Any = None,
    constraints: Any = (),
    tol: float | None = None,
    callback: Callable[[OptimizeProgress], Any] | None = None,
    options: dict[str, Any] | None = None,
    jit: bool = False,
) -> Any:
    """Minimise a scalar function of a pytree by `scipy.optimize.minimize`.

    Args:
        fun: `fun(x, *args)` returns a real scalar.
        x0: the starting point, a pytree of real arrays.
        args: further arguments.
        method: a name of SciPy's; None for its choice, BFGS or L-BFGS-B. "Newton-CG",
            "trust-ncg", "trust-krylov" and "trust-constr" use Hessian products,
            "dogleg" and "trust-exact" the whole Hessian.
        bounds: (low, high) pairs for all numbers in the order of the leaves, a
            `scipy.optimize.Bounds`, or a pair of pytrees like `x0`.
        constraints: as in SciPy, on the vector of all numbers.
        tol: tolerance for termination.
        callback: called with an `OptimizeProgress` after every iteration; it ends the
            search by raising StopIteration.
        options: the solver's, as in SciPy.
        jit: compile the function and its derivatives.

    Returns:
        SciPy's `OptimizeResult`; `x` and `jac` are pytrees like `x0`.

    Raises:
        ImportError: SciPy is not installed.
        TypeError: `x0` is traced (a solver has no derivative; differentiate the
            solution by `fad.lax.custom_root`), complex, or the function is not scalar.
    """
    optimize = scipy_module("optimize", "fad.scipy.optimize.minimize")
    if any(isinstance(v, Tracer) for v in tree_leaves((x0, args))):
        raise TypeError(
            "minimize: x0 or args are traced, and a solver's steps have no derivative. "
            "Differentiate the solution with fad.lax.custom_root on the gradient, or "
            "call minimize outside of the transformed function"
        )
    start, unravel = ravel(x0, "minimize: x0")
    problem = _Problem(fun, args, unravel, aval_of(start).dtype, jit)
    name = (method or "").lower()
    derivatives: dict[str, Any] = {}
    if name not in NO_GRADIENT:
        derivatives["jac"] = True
    if name in FULL_HESSIAN:
        derivatives["hess"] = problem.hessian
    elif name in HESSIAN:
        derivatives["hessp"] = problem.product
    result = optimize.minimize(
        problem.value if name in NO_GRADIENT else problem.value_and_gradient,
        np.asarray(start, np.float64),
        method=method,
        bounds=_bounds(bounds, x0),
        constraints=constraints,
        tol=tol,
        callback=None if callback is None else problem.reporter(callback),
        options=options,
        **derivatives,
    )
    result.x = problem.unravel(result.x)
    if "jac" in result and np.shape(result.jac) == np.shape(start):
        result.jac = problem.unravel(np.asarray(result.jac))
    return result


class _Problem:
    """The function on vectors of float64, as SciPy's solvers take it."""

    def __init__(
        self,
        fun: Callable[..., Any],
        args: tuple[Any, ...],
        unravel: Callable[[Any], Any],
        dtype: np.dtype[Any],
        jit: bool,
    ) -> None:
        def scalar(x: Any) -> Any:
            out = fun(unravel(x), *args)
            aval = aval_of(out)
            if aval.shape or aval.dtype.kind not in "fiub":
                raise TypeError(
                    "minimize needs a function that returns one real number, got "
                    f"{aval!r}"
                )
            return out

        wrap = jitted if jit else lambda f: f
        self._unravel, self._dtype = unravel, dtype
        self._value = wrap(scalar)
        self._both = wrap(lambda x: value_and_gradient(scalar, x))
        self._product = wrap(lambda x, v: hessian_product(scalar, x, v))
        self._last: tuple[Any, float] | None = None
        self._steps = 0

    def unravel(self, x: Any) -> Any:
        return self._unravel(np.asarray(x, self._dtype))

    def value(self, x: Any) -> float:
        found = float(self._value(np.array(x, self._dtype)))
        self._last = np.array(x), found
        return found

    def value_and_gradient(self, x: Any) -> tuple[float, Any]:
        value, gradient = self._both(np.array(x, self._dtype))
        self._last = np.array(x), float(value)
        return float(value), np.asarray(gradient, np.float64)

    def product(self, x: Any, v: Any) -> Any:
        x, v = (np.array(a, self._dtype).reshape(-1) for a in (x, v))
        return np.asarray(self._product(x, v), np.float64)

    def hessian(self, x: Any) -> Any:
        return np.stack([self.product(x, e) for e in np.eye(np.size(x))])

    def reporter(self, callback: Callable[[OptimizeProgress], Any]) -> Any:
        """Return SciPy's callback for the user's."""

        def report(xk: Any, *state: Any) -> None:
            self._steps += 1
            known = self._last is not None and np.array_equal(self._last[0], xk)
            value = self._last[1] if known else self.value(xk)  # type: ignore[index]
            callback(OptimizeProgress(self.unravel(xk), value, self._steps))

        return report


def _bounds(bounds: Any, x0: Any) -> Any:
    """Return bounds as SciPy takes them, from a pair of pytrees like `x0` too."""
    if not isinstance(bounds, Sequence) or len(bounds) != 2:
        return bounds
    if len(tree_leaves(bounds[0])) != len(tree_leaves(x0)):
        return bounds
    sides = [_spread(side, x0) for side in bounds]
    return list(zip(*sides, strict=True))


def _spread(side: Any, x0: Any) -> list[float]:
    """Return the numbers of a pytree whose leaves broadcast to those of `x0`."""
    numbers: list[float] = []
    for b, x in zip(tree_leaves(side), tree_leaves(x0), strict=True):
        numbers.extend(np.broadcast_to(b, np.shape(x)).reshape(-1).tolist())
    return numbers
