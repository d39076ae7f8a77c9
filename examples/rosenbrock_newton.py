"""Newton's method in many dimensions, without ever forming a Hessian.

Rosenbrock's function has a long curved valley,

    f(x) = sum_i 100 (x[i+1] - x[i]^2)^2 + (1 - x[i])^2,    least at (1, ..., 1).

A Newton step solves H p = -grad f. Conjugate gradients need only the products H v, and
`linearize(grad(f), x)` gives the map v -> H v: the gradient is traced once for each
step, however many products follow. The solver stops at a direction of negative
curvature, and a line search makes every step go downhill.

    python examples/rosenbrock_newton.py
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import fad
import fad.numpy as fnp


def rosenbrock(x: np.ndarray) -> np.ndarray:
    return fnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def main() -> None:
    x = np.tile([-1.2, 1.0], 10)
    print(f"{'step':>4} {'f':>12} {'|gradient|':>12} {'products H v':>13}")
    for step in range(200):
        gradient, times_hessian = fad.linearize(fad.grad(rosenbrock), x)
        size = np.linalg.norm(gradient)
        if size < 1e-8:
            break
        direction, products = newton_direction(times_hessian, gradient)
        x = x + line_search(x, direction, gradient) * direction
        if step % 20 == 0:
            print(f"{step:4} {rosenbrock(x):12.4e} {size:12.4e} {products:13}")
    print(f"{step} steps, f = {rosenbrock(x):.2e}, |gradient| = {size:.2e}")


def newton_direction(
    times_hessian: Callable[[np.ndarray], np.ndarray], gradient: np.ndarray
) -> tuple[np.ndarray, int]:
    """Solve H p = -gradient by conjugate gradients; return p and the products used."""
    p, residual = np.zeros_like(gradient), -gradient
    v, square = residual, residual @ residual
    tolerance = min(0.5, np.sqrt(np.sqrt(square))) * np.sqrt(square)
    for count in range(1, 2 * gradient.size + 1):
        hv = times_hessian(v)
        curvature = v @ hv
        if curvature <= 0:
            return (p if count > 1 else -gradient), count
        alpha = square / curvature
        p, residual = p + alpha * v, residual - alpha * hv
        square, last = residual @ residual, square
        if np.sqrt(square) < tolerance:
            break
        v = residual + square / last * v
    return p, count


def line_search(x: np.ndarray, direction: np.ndarray, gradient: np.ndarray) -> float:
    """Return the first of 1, 1/2, 1/4, ... that lowers f enough (Armijo's rule)."""
    f, slope, t = rosenbrock(x), gradient @ direction, 1.0
    while rosenbrock(x + t * direction) > f + 1e-4 * t * slope and t > 1e-10:
        t /= 2
    return t


if __name__ == "__main__":
    main()
