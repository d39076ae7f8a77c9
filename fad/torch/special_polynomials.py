"""Orthogonal polynomials by their recurrences of three terms.

    p[k+1](x) = (a x + b) p[k](x) - c p[k-1](x)

Public names: those of `torch.special` that end in ``polynomial_x``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.trace import aval_of
from .conversion import cast
from .declare import composite
from .dtypes import default_float
from .tensor import Tensor, wrap

__all__ = [
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
]

Coefficients = Callable[[int], tuple[float, float, float]]


def _polynomial(
    name: str, first: tuple[float, float], step: Coefficients, shifted: bool = False
) -> Callable[[Any, Any], Tensor]:
    """Return a polynomial as a function of tensors.

    Args:
        first: (m, t) of the polynomial m x + t of degree 1.
        step: from k the coefficients (a, b, c) of the recurrence.
        shifted: its argument is 2x - 1.
    """

    def run(x: Any, *, n: int) -> Any:
        x = x * 2 - 1 if shifted else x
        one = x * 0 + 1
        if n < 1:
            return one if n == 0 else x * 0
        last, value = one, x * first[0] + first[1]
        for k in range(1, n):
            a, b, c = step(k)
            last, value = value, (x * a + b) * value - last * c
        return value

    node = "".join(p.capitalize() for p in f"special_{name}".split("_")) + "Backward0"
    apply = composite(node, run)

    def polynomial(input: Any, n: Any) -> Tensor:
        x = input if isinstance(input, Tensor) else wrap(np.asarray(input))
        if aval_of(x.value).dtype.kind not in "f":
            x = cast(x, default_float())
        if isinstance(n, Tensor) and n.ndim:
            return _by_element(polynomial, x, n)
        return apply(x, n=int(n))  # type: ignore[no-any-return]

    polynomial.__name__ = polynomial.__qualname__ = name
    polynomial.__doc__ = f"Return {name} of degree n at each element."
    return polynomial


def _by_element(function: Any, x: Tensor, n: Tensor) -> Tensor:
    """Evaluate polynomials of several degrees."""
    degrees: Any = n.tolist()
    found: Any = None
    for degree in sorted({int(k) for k in np.ravel(degrees)}):
        value = function(x, degree)
        found = value if found is None else value.where(n == degree, found)
    return found if found is not None else x


def _chebyshev(k: int) -> tuple[float, float, float]:
    return 2.0, 0.0, 1.0


chebyshev_polynomial_t = _polynomial("chebyshev_polynomial_t", (1, 0), _chebyshev)
chebyshev_polynomial_u = _polynomial("chebyshev_polynomial_u", (2, 0), _chebyshev)
chebyshev_polynomial_v = _polynomial("chebyshev_polynomial_v", (2, -1), _chebyshev)
chebyshev_polynomial_w = _polynomial("chebyshev_polynomial_w", (2, 1), _chebyshev)
shifted_chebyshev_polynomial_t = _polynomial(
    "shifted_chebyshev_polynomial_t", (1, 0), _chebyshev, shifted=True
)
shifted_chebyshev_polynomial_u = _polynomial(
    "shifted_chebyshev_polynomial_u", (2, 0), _chebyshev, shifted=True
)
shifted_chebyshev_polynomial_v = _polynomial(
    "shifted_chebyshev_polynomial_v", (2, -1), _chebyshev, shifted=True
)
shifted_chebyshev_polynomial_w = _polynomial(
    "shifted_chebyshev_polynomial_w", (2, 1), _chebyshev, shifted=True
)
hermite_polynomial_h = _polynomial(
    "hermite_polynomial_h", (2, 0), lambda k: (2.0, 0.0, 2.0 * k)
)
hermite_polynomial_he = _polynomial(
    "hermite_polynomial_he", (1, 0), lambda k: (1.0, 0.0, float(k))
)
laguerre_polynomial_l = _polynomial(
    "laguerre_polynomial_l",
    (-1, 1),
    lambda k: (-1 / (k + 1), (2 * k + 1) / (k + 1), k / (k + 1)),
)
legendre_polynomial_p = _polynomial(
    "legendre_polynomial_p", (1, 0), lambda k: ((2 * k + 1) / (k + 1), 0.0, k / (k + 1))
)
