"""Train a classifier of handwritten digits, then look at the loss around its optimum.

    python -m pip install -e ".[examples]" && python examples/digits.py

The model is a two-layer perceptron in plain NumPy style. Its parameters are a pytree,
here a dict of arrays, and `fad.value_and_grad` returns the gradient as a dict of the
same form, which Adam adds up leaf by leaf with `tree_map`.

Where training ends, the loss along a direction v of length 1 is, to second order,

    loss(p + t v)  =  loss(p)  +  t <g, v>  +  t^2/2 <v, H v>.

The product H v of the Hessian with a vector costs a few gradients and never forms H:
`fad.hvp` differentiates the gradient along v. Power iteration on it finds the
direction in which the loss bends most. The plot compares the two sides there.
"""

import argparse
from collections.abc import Callable

import numpy as np
from numpy.random import Generator

import fad
import fad.numpy as fnp
from fad.tree_util import tree_leaves, tree_map

try:
    import matplotlib.pyplot as plt
    from matplotlib.axes import Axes
    from sklearn.datasets import load_digits
    from tqdm import trange
except ImportError as missing:
    raise SystemExit(
        f"{missing.name} is needed by this example, but it is not installed. Run\n"
        '    python -m pip install -e ".[examples]"'
    ) from None

Params = dict[str, np.ndarray]
Data = tuple[np.ndarray, np.ndarray]  # images (n, 64) with ink from 0 to 1, labels (n,)
Loss = Callable[[Params], float]

PIXELS, HIDDEN, CLASSES = 64, 64, 10
DECAY = 1e-4  # weight decay keeps the optimum at a finite place


def main() -> None:
    """Train, report, plot."""
    options = read_options()
    epochs, iterations = (20, 15) if options.quick else (60, 50)
    rng = np.random.default_rng(0)
    train_data, test_data = load_data(rng)
    params = init(rng)
    params, losses = train(params, train_data, epochs, rng)
    images, labels = test_data
    predicted = np.argmax(logits(params, images), axis=1)
    print(f"test accuracy: {100 * np.mean(predicted == labels):.1f} %")

    def train_loss(params: Params) -> float:
        return loss(params, *train_data)

    curvature, direction = sharpest_direction(train_loss, params, iterations, rng)
    print(f"largest curvature: {curvature:.4g}")

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(14, 4.2))
    draw_training(left, losses)
    draw_surface(middle, train_loss, params, direction, curvature)
    draw_digits(right, test_data, predicted)
    figure.tight_layout()
    figure.savefig(options.plot, dpi=120)
    print(f"plot: {options.plot}")


def read_options() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description="digits classifier in fad")
    parser.add_argument("--plot", default="digits.png", help="where the plot goes")
    parser.add_argument("--quick", action="store_true", help="a third of the work")
    return parser.parse_args()


def load_data(rng: Generator, test_share: float = 0.25) -> tuple[Data, Data]:
    """Return shuffled data for training and for testing."""
    images, labels = load_digits(return_X_y=True)
    order = rng.permutation(len(labels))
    test, train = np.split(order, [int(test_share * len(order))])
    images = images / 16
    return (images[train], labels[train]), (images[test], labels[test])


# --- the model ------------------------------------------------------------------------


def init(rng: Generator) -> Params:
    """Draw weights that keep the variance of what passes through them."""
    return {
        "w1": rng.normal(size=(PIXELS, HIDDEN)) / np.sqrt(PIXELS),
        "b1": np.zeros(HIDDEN),
        "w2": rng.normal(size=(HIDDEN, CLASSES)) / np.sqrt(HIDDEN),
        "b2": np.zeros(CLASSES),
    }


def logits(params: Params, x: np.ndarray) -> np.ndarray:
    """Map images (n, 64) to unnormalised log-probabilities (n, 10)."""
    hidden = fnp.tanh(x @ params["w1"] + params["b1"])
    return hidden @ params["w2"] + params["b2"]


def loss(params: Params, x: np.ndarray, y: np.ndarray) -> float:
    """Cross-entropy of the labels y plus weight decay."""
    scores = logits(params, x)
    scores = scores - fnp.max(scores, axis=1, keepdims=True)
    log_normaliser = fnp.log(fnp.sum(fnp.exp(scores), axis=1))
    cross_entropy = fnp.mean(log_normaliser - scores[np.arange(len(y)), y])
    return cross_entropy + DECAY / 2 * dot(params, params)


def dot(a: Params, b: Params) -> float:
    """Inner product of two pytrees of the same form."""
    return sum(tree_leaves(tree_map(lambda x, y: fnp.sum(x * y), a, b)))


# --- training -------------------------------------------------------------------------


def train(
    params: Params, data: Data, epochs: int, rng: Generator, batch: int = 64
) -> tuple[Params, list[float]]:
    """Minimise the loss by Adam over shuffled batches; return it for every step."""
    x, y = data
    loss_and_gradient = fad.value_and_grad(loss)
    mean = square = tree_map(np.zeros_like, params)
    losses = []
    progress = trange(epochs, desc="training", unit="epoch")
    for _ in progress:
        for rows in np.array_split(rng.permutation(len(y)), len(y) // batch):
            value, gradient = loss_and_gradient(params, x[rows], y[rows])
            losses.append(value)
            params, mean, square = adam(params, gradient, mean, square, len(losses))
        progress.set_postfix(loss=f"{losses[-1]:.4f}")
    return params, losses


def adam(
    params: Params,
    gradient: Params,
    mean: Params,
    square: Params,
    step: int,
    rate: float = 2e-3,
    b1: float = 0.9,
    b2: float = 0.999,
) -> tuple[Params, Params, Params]:
    """One step of Adam (Kingma and Ba, 2015, algorithm 1)."""
    mean = tree_map(lambda m, g: b1 * m + (1 - b1) * g, mean, gradient)
    square = tree_map(lambda s, g: b2 * s + (1 - b2) * g * g, square, gradient)
    size = rate * np.sqrt(1 - b2**step) / (1 - b1**step)
    params = tree_map(
        lambda p, m, s: p - size * m / (np.sqrt(s) + 1e-8), params, mean, square
    )
    return params, mean, square


# --- the loss surface -----------------------------------------------------------------


def sharpest_direction(
    f: Loss, params: Params, iterations: int, rng: Generator
) -> tuple[float, Params]:
    """Find the eigenpair of the Hessian of f with the largest |eigenvalue|.

    Power iteration: multiply by H, normalise, repeat. Returns the eigenvalue and the
    direction, a pytree of length 1.
    """
    v = normalise(tree_map(lambda p: rng.normal(size=p.shape), params))
    for _ in trange(iterations, desc="power iteration"):
        hv = fad.hvp(f, (params,), (v,))
        curvature = dot(v, hv)
        v = normalise(hv)
    return float(curvature), v


def normalise(v: Params) -> Params:
    """Scale a pytree to length 1."""
    length = np.sqrt(dot(v, v))
    return tree_map(lambda x: x / length, v)


# --- the plot -------------------------------------------------------------------------


def draw_training(axes: Axes, losses: list[float]) -> None:
    """Draw the loss of every training step."""
    axes.semilogy(losses, linewidth=0.8)
    axes.set(title="training", xlabel="step", ylabel="loss of the batch")


def draw_surface(
    axes: Axes, f: Loss, params: Params, v: Params, curvature: float, reach: float = 2.0
) -> None:
    """Draw f along v, and the parabola that its gradient and H v predict."""
    value, gradient = fad.value_and_grad(f)(params)
    slope = dot(gradient, v)
    t = np.linspace(-reach, reach, 61)
    surface = [f(tree_map(lambda p, d, s=s: p + s * d, params, v)) for s in t]
    axes.plot(t, surface, label="loss")
    axes.plot(
        t, value + slope * t + curvature / 2 * t**2, "--", label="quadratic model"
    )
    axes.set(title="loss along the sharpest direction", xlabel="distance")
    axes.legend()


def draw_digits(
    axes: Axes, data: Data, predicted: np.ndarray, rows: int = 4, columns: int = 6
) -> None:
    """Draw test digits with predictions, the wrong ones first and in red."""
    x, y = data
    first = np.argsort(predicted == y, kind="stable")[: rows * columns]
    tiles = 1 - np.pad(x[first].reshape(-1, 8, 8), ((0, 0), (1, 3), (1, 1)))
    sheet = tiles.reshape(rows, columns, 12, 10).swapaxes(1, 2)
    axes.imshow(sheet.reshape(rows * 12, columns * 10), cmap="gray")
    for i, k in enumerate(first):
        row, column = divmod(i, columns)
        colour = "black" if predicted[k] == y[k] else "red"
        where = (column * 10 + 4.5, row * 12 + 10)
        axes.text(*where, predicted[k], color=colour, ha="center", va="center")
    axes.set(title="test digits and predictions (mistakes in red)")
    axes.axis("off")


if __name__ == "__main__":
    plt.switch_backend("agg")  # draws to a file; needs no display
    main()
