"""Linear regression as PyTorch's tutorials do it, on fad.torch, with a live plot.

Points scattered around y = 2 x + 3 arrive in small batches; a line w x + b follows them
by plain gradient descent. Every now and then the plot is drawn again, and the pictures
are saved as an animation, `torch_tutorial.gif`. With PyTorch's random stream the
numbers printed are the ones that PyTorch prints.

    python -m pip install -e ".[examples]"
    python examples/torch_tutorial.py
"""

from __future__ import annotations

import argparse

import fad.torch as torch

try:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import animation, pyplot
    from tqdm import trange
except ImportError as missing:
    raise SystemExit(
        f"{missing.name} is needed by this example, but it is not installed. Run\n"
        '    python -m pip install -e ".[examples]"'
    ) from None

STEPS, LEARNING_RATE = 8000, 0.001
Line = tuple[float, float]


def fake_data(batch_size: int = 8) -> tuple[torch.Tensor, torch.Tensor]:
    """Return points around y = 2 x + 3."""
    x = torch.rand(batch_size, 1) * 20
    y = x * 2 + (1 + torch.randn(batch_size, 1)) * 3
    return x, y


def train(steps: int, every: int) -> tuple[Line, list[Line]]:
    """Follow the gradient; return the last line, and one line for each picture."""
    w = torch.rand(1, 1).requires_grad_()
    b = torch.zeros(1, 1, requires_grad=True)
    pictures = []
    for step in trange(steps, desc="training", disable=None):
        x, y = fake_data()
        loss = (0.5 * (x.mm(w) + b.expand_as(y) - y) ** 2).sum()
        loss.backward()
        with torch.no_grad():
            for p in (w, b):
                p.sub_(LEARNING_RATE * p.grad)
                p.grad.zero_()
        if step % every == 0:
            pictures.append((w.item(), b.item()))
    return (w.item(), b.item()), pictures


def animate(pictures: list[Line], name: str) -> None:
    """Save the lines, one after another, over a sample of the points."""
    figure, axes = pyplot.subplots(figsize=(5, 4), layout="constrained")
    x, y = fake_data(batch_size=20)
    axes.scatter(x.numpy(), y.numpy(), label="data")
    (drawn,) = axes.plot([], [], "r", label="w x + b")
    axes.set(xlim=(0, 20), ylim=(0, 41), xlabel="x", ylabel="y")
    axes.legend(loc="upper left")

    def show(i: int) -> list[object]:
        w, b = pictures[i]
        drawn.set_data([0, 20], [b, 20 * w + b])
        axes.set_title(f"picture {i}: w = {w:.2f}, b = {b:.2f}")
        return [drawn]

    shown = animation.FuncAnimation(figure, show, frames=len(pictures))
    shown.save(name, writer=animation.PillowWriter(fps=8))
    pyplot.close(figure)


def main() -> None:
    """Train, print the line, and save the animation."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the steps")
    quick = parser.parse_args().quick
    steps, count = (STEPS // 10, 8) if quick else (STEPS, 40)
    torch.manual_seed(1000)
    (w, b), pictures = train(steps, every=steps // count)
    animate(pictures, "torch_tutorial.gif")
    print(f"w: {w:.4f}")
    print(f"b: {b:.4f}")


if __name__ == "__main__":
    main()
