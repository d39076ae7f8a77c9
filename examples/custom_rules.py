"""A function that fad cannot look into gets a derivative: Kepler's equation.

    E - e sin E = M

The eccentric anomaly E is found from the mean anomaly M and the eccentricity e by a
loop in plain NumPy, which could as well be a library in C. By the implicit function
theorem

    dE = (dM + sin E de) / (1 - e cos E),

so the derivative needs no derivative of the loop. `custom_jvp` states it once; `grad`,
`jvp`, `vmap`, `jit` and second derivatives follow, and `check_grads` confirms it.

    python examples/custom_rules.py
"""

from __future__ import annotations

import numpy as np

import fad
import fad.numpy as fnp
from fad.testing import check_grads


def solve_kepler(mean: np.ndarray, e: np.ndarray) -> np.ndarray:
    """Solve Kepler's equation by Newton's method, for plain arrays."""
    anomaly = mean + e * np.sin(mean)
    for _ in range(20):
        wrong = anomaly - e * np.sin(anomaly) - mean
        anomaly = anomaly - wrong / (1.0 - e * np.cos(anomaly))
    return anomaly


@fad.custom_jvp
def anomaly(mean: np.ndarray, e: np.ndarray) -> np.ndarray:
    mean, e = fnp.broadcast_arrays(mean, e)
    out = fad.ShapeDtypeStruct(mean.shape, mean.dtype)
    return fad.pure_callback(solve_kepler, out, mean, e, vmap_method="broadcast_all")


@anomaly.defjvp
def anomaly_jvp(primals: tuple, tangents: tuple) -> tuple:
    (mean, e), (t_mean, t_e) = primals, tangents
    found = anomaly(mean, e)
    t = (t_mean + fnp.sin(found) * t_e) / (1.0 - e * fnp.cos(found))
    return found, t


def distance(mean: np.ndarray, e: np.ndarray) -> np.ndarray:
    """Return the distance from the sun, in units of the semi-major axis."""
    return 1.0 - e * fnp.cos(anomaly(mean, e))


def main() -> None:
    mean, e = 1.0, 0.3
    print("anomaly:", anomaly(mean, e).round(6))
    by_mean, by_e = fad.grad(distance, argnums=(0, 1))(mean, e)
    print("distance by M and e:", by_mean.round(6), by_e.round(6))
    print("second derivative by M:", fad.grad(fad.grad(distance))(mean, e).round(6))

    year = np.linspace(0.0, 2 * np.pi, 5)
    speeds = fad.jit(fad.vmap(fad.grad(distance), in_axes=(0, None)))(year, e)
    print("along the year:", speeds.round(4) + 0.0)

    check_grads(distance, (mean, e), order=2)
    print("the rule agrees with differences, up to second order")


if __name__ == "__main__":
    main()
