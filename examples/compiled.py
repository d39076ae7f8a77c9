"""What `jit` does to a program, and what that gains.

The function is the negative log likelihood of a mixture of Gaussians in one dimension.
`lower` shows the traced program, `cost` counts what it does, and the times are ratios
to plain NumPy, measured side by side in this process.

    python examples/compiled.py
"""

import argparse
from time import perf_counter

import numpy as np

import fad
import fad.numpy as fnp


def loss(weights, means, scales, x):
    """Return the mean negative log likelihood, up to a constant."""
    z = (x[:, None] - means) / scales
    terms = weights - 0.5 * z * z - fnp.log(scales)
    return fnp.logaddexp.reduce(weights) - fnp.mean(fnp.logaddexp.reduce(terms, axis=1))


def fastest(call, *args, rounds: int) -> float:
    """Return the shortest of several times, in seconds."""
    times = []
    for _ in range(rounds):
        start = perf_counter()
        call(*args)
        times.append(perf_counter() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="less data")
    count, rounds = (2_000, 3) if parser.parse_args().quick else (200_000, 7)
    rng = np.random.default_rng(0)
    args = np.zeros(5), np.linspace(-2, 2, 5), np.ones(5), rng.normal(size=count)

    gradient = fad.grad(loss, argnums=(0, 1, 2))
    compiled = fad.jit(gradient)
    lowered = compiled.lower(*args)
    cost = lowered.cost()
    print(f"{len(lowered.jaxpr.eqns)} equations, {cost.flops / 1e6:.1f} Mflop,")
    print(f"{cost.peak_bytes / 1e6:.1f} MB at most; the source begins")
    for line in lowered.compile().as_text().splitlines()[:4]:
        print("   ", line)

    for eager, fast in zip(gradient(*args), compiled(*args), strict=True):
        np.testing.assert_allclose(eager, fast, rtol=1e-9, atol=1e-12)
    plain = fastest(loss, *args, rounds=rounds)
    print("times of NumPy evaluating the function alone:")
    for name, call in (("gradient", gradient), ("gradient under jit", compiled)):
        print(f"{name:20} {fastest(call, *args, rounds=rounds) / plain:6.2f}")


if __name__ == "__main__":
    main()
