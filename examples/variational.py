"""Fit a posterior by reparameterised random numbers, and compare it with the exact one.

The posterior of a Bayesian linear regression is approximated by independent normal
distributions. The evidence lower bound is an expectation over them,

    ELBO = E [log p(y, w)] + entropy,    w = mean + exp(log_scale) * noise,

and `random.normal` is differentiated through, so its gradient is an expectation too.
The keys make every estimate a pure function: `vmap` averages over them, `jit` compiles.

    python -m pip install -e ".[examples]" && python examples/variational.py
"""

import argparse

import numpy as np

import fad
import fad.numpy as fnp
from fad import random
from fad.tree_util import tree_map

try:
    import matplotlib.pyplot as plt
    from tqdm import trange
except ImportError as missing:
    raise SystemExit(
        f"{missing.name} is needed by this example, but it is not installed. Run\n"
        '    python -m pip install -e ".[examples]"'
    ) from None

NOISE, SAMPLES = 0.3, 16
X = np.vander(np.linspace(-1, 1, 30), 3, increasing=True)
TRUE = np.array([0.5, -1.0, 2.0])


def log_joint(w: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return log p(y, w) with a standard normal prior, up to a constant."""
    gap = (y - X @ w) / NOISE
    return -0.5 * fnp.sum(gap * gap) - 0.5 * fnp.sum(w * w)


def elbo(params: dict, y: np.ndarray, key) -> np.ndarray:
    """Return an unbiased estimate of the evidence lower bound."""

    def one(key):
        noise = random.normal(key, params["mean"].shape)
        return log_joint(params["mean"] + fnp.exp(params["log_scale"]) * noise, y)

    samples = fad.vmap(one)(random.split(key, SAMPLES))
    return fnp.mean(samples) + fnp.sum(params["log_scale"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer steps")
    steps = 300 if parser.parse_args().quick else 2000
    data_key, key = random.split(random.key(1))
    y = X @ TRUE + NOISE * random.normal(data_key, (len(X),))

    step_of = fad.jit(fad.value_and_grad(elbo))
    params = {"mean": np.zeros(3), "log_scale": np.full(3, -1.0)}
    history = []
    progress = trange(steps, desc="fitting", mininterval=1)
    for step in progress:
        value, gradient = step_of(params, y, random.fold_in(key, step))
        rate = 0.005 / (1 + 4 * step / steps)
        params = tree_map(lambda p, g, r=rate: p + r * g, params, gradient)
        history.append(value)

    precision = X.T @ X / NOISE**2 + np.eye(3)
    exact = np.linalg.solve(precision, X.T @ y / NOISE**2)
    # the best independent normals have the precisions on the diagonal
    scales = 1 / np.sqrt(np.diag(precision))
    print("exact mean  ", exact.round(3), " best scales", scales.round(4))
    found = np.exp(params["log_scale"]).round(4)
    print("fitted mean ", params["mean"].round(3), " scales     ", found)
    draw(history, params, exact, precision)


def draw(history: list, params: dict, exact, precision) -> None:
    """Plot the bound, and the fitted and exact distributions of each weight."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5))
    left.plot(history, lw=0.6)
    left.set(
        xlabel="step", ylabel="estimated ELBO", ylim=(np.median(history) - 40, None)
    )
    spread = np.sqrt(np.diag(np.linalg.inv(precision)))
    for i, color in enumerate(("C0", "C1", "C2")):
        grid = np.linspace(exact[i] - 4 * spread[i], exact[i] + 4 * spread[i], 200)
        scale = np.exp(params["log_scale"][i])
        for mean, width, style in (
            (exact[i], spread[i], "--"),
            (params["mean"][i], scale, "-"),
        ):
            density = np.exp(-0.5 * ((grid - mean) / width) ** 2) / width
            right.plot(grid, density, style, color=color)
    right.set(xlabel="weight", ylabel="density", title="solid: fitted, dashed: exact")
    figure.tight_layout()
    figure.savefig("variational.png", dpi=120)
    plt.close(figure)


if __name__ == "__main__":
    main()
