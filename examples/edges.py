"""A minimum that sits on a kink: the geometric median, started on a data point.

The geometric median minimises the sum of distances to the data,

    f(m) = sum_i |m - p_i|,

and the distance has no derivative at 0. A gradient that is nan there would end the
descent at the first step, since it starts at a data point. In fad the derivative of a
norm at 0 is 0: the point under the iterate does not pull, the others do. The second
part puts so many copies of a point into the data that the median *is* that point; the
others pull with less than the copies weigh, which is the condition of optimality.

The conventions are on the page docs/conventions-at-the-edges.md.

    python examples/edges.py
"""

from __future__ import annotations

import numpy as np

import fad
import fad.numpy as fnp


def total_distance(m: np.ndarray, points: np.ndarray) -> np.ndarray:
    return fnp.sum(fnp.linalg.norm(m - points, axis=1))


def main() -> None:
    points = np.random.default_rng(0).normal(size=(9, 2))
    start = points[0]
    print("gradient at a data point:", fad.grad(total_distance)(start, points).round(4))
    m = descend(start, points)
    print("geometric median:", m.round(4), "f =", total_distance(m, points).round(6))
    print("gradient there:", abs(fad.grad(total_distance)(m, points)).max().round(6))

    heavy = np.concatenate([points, np.tile(start, (9, 1))])
    pull = np.linalg.norm(fad.grad(total_distance)(start, heavy))
    print(f"with ten copies of the start: the others pull with {pull:.4f} < 10")


def descend(m: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Go downhill, by shorter and shorter steps."""
    for k in range(400):
        m = m - 0.2 * 0.98**k * fad.grad(total_distance)(m, points)
    return m


if __name__ == "__main__":
    main()
