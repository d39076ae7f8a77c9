"""Fit the rates of a differential equation to noisy data, by SciPy's BFGS.

Hares and lynxes follow the equations of Lotka and Volterra. `odeint` solves them, its
adjoint gives the gradient of the misfit by the four rates at the cost of one more
solution, and `optimize.minimize` hands both to SciPy. The unknowns are a dict.

    python -m pip install -e ".[examples,scipy]" && python examples/fit_equation.py
"""

import argparse

import numpy as np

import fad.numpy as fnp

try:
    import matplotlib.pyplot as plt
    import scipy
    from tqdm import tqdm
except ImportError as missing:
    raise SystemExit(
        f"{missing.name} is needed by this example, but it is not installed. Run\n"
        '    python -m pip install -e ".[examples]"'
    ) from None

from fad.scipy import integrate, optimize

START = {"hares": 2.0, "lynxes": 1.0}
TRUE = {"birth": 1.0, "hunt": 0.5, "feed": 0.2, "death": 0.6}


def rates_of_change(y: dict, t: float, rates: dict) -> dict:
    meetings = y["hares"] * y["lynxes"]
    return {
        "hares": rates["birth"] * y["hares"] - rates["hunt"] * meetings,
        "lynxes": rates["feed"] * meetings - rates["death"] * y["lynxes"],
    }


def counts(logs: dict, times: np.ndarray) -> dict:
    """Return both populations at times, for the logarithms of the rates."""
    rates = {name: fnp.exp(log) for name, log in logs.items()}
    return integrate.odeint(rates_of_change, START, times, rates, rtol=1e-7)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="less data")
    points = 12 if parser.parse_args().quick else 40
    times = np.linspace(0, 15, points)
    true_logs = {name: np.log(rate) for name, rate in TRUE.items()}
    rng = np.random.default_rng(0)
    data = {
        name: values * np.exp(0.05 * rng.normal(size=points))
        for name, values in counts(true_logs, times).items()
    }

    def misfit(logs: dict) -> np.ndarray:
        found = counts(logs, times)
        gaps = [fnp.log(found[name]) - np.log(data[name]) for name in data]
        return sum(fnp.sum(gap * gap) for gap in gaps)

    guess = {name: log + 0.2 for name, log in true_logs.items()}
    with tqdm(desc="iterations") as bar:
        result = optimize.minimize(
            misfit, guess, method="BFGS", jit=True, callback=lambda _: bar.update()
        )
    print(f"scipy {scipy.__version__}: misfit {misfit(guess):.3f} -> {result.fun:.4f}")
    for name, rate in TRUE.items():
        print(f"{name:6} {np.exp(result.x[name]):.3f}  (data made with {rate})")
    draw(times, data, guess, result.x)


def draw(times, data: dict, guess: dict, logs: dict) -> None:
    """Plot the data, the first guess and the fit."""
    fine = np.linspace(0, times[-1], 300)
    first, fitted = counts(guess, fine), counts(logs, fine)
    figure, axes = plt.subplots(figsize=(7, 3.5))
    for name, color in (("hares", "C0"), ("lynxes", "C3")):
        axes.plot(times, data[name], "o", ms=3, color=color, label=name)
        axes.plot(fine, first[name], ":", color=color)
        axes.plot(fine, fitted[name], color=color)
    axes.set(xlabel="time", ylabel="number", title="dotted: first guess, solid: fit")
    axes.legend()
    figure.tight_layout()
    figure.savefig("fit_equation.png", dpi=120)
    plt.close(figure)


if __name__ == "__main__":
    main()
