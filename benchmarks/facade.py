"""What one operation on tensors costs: forward with grad, and backward.

    python benchmarks/facade.py

Chains of one operation on float32 tensors of 8 elements. PyTorch, if it is installed,
takes turns with fad.torch in the same process, on one thread.

Limits of the project: 8 us an operation forward and 5 us an operation backward.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from _timing import Call, machine, median_times, print_table

OPERATIONS = 300
X = np.linspace(0.5, 1.2, 8, dtype=np.float32)
MOST_FORWARD, MOST_BACKWARD = 8.0, 5.0

STEPS: dict[str, Callable[[ModuleType, Any, Any], Any]] = {
    "y * x": lambda torch, y, x: y * x,
    "y + x": lambda torch, y, x: y + x,
    "y * 1.001": lambda torch, y, x: y * 1.001,
    "y - 0.001": lambda torch, y, x: y - 0.001,
    "y / x": lambda torch, y, x: y / x,
    "-y": lambda torch, y, x: -y,
    "y.sin()": lambda torch, y, x: y.sin(),
    "torch.tanh(y)": lambda torch, y, x: torch.tanh(y),
    "torch.exp(y * 0.1)": lambda torch, y, x: torch.exp(y * 0.1),
    "torch.relu(y)": lambda torch, y, x: torch.relu(y),
    "y.sigmoid()": lambda torch, y, x: y.sigmoid(),
    "y ** 2": lambda torch, y, x: y**2,
    "y.reshape(2, 4)": lambda torch, y, x: y.reshape(2, 4).reshape(8),
    "y.view(8)": lambda torch, y, x: y.view(8),
    "y + y.sum()": lambda torch, y, x: (y + y.sum()) * 0.1,
    "y + y[0]": lambda torch, y, x: (y + y[0]) * 0.1,
    "y @ w": lambda torch, y, x: y.view(1, 8).matmul(x.view(8, 1)).view(1) * 0.1 + y,
    "where": lambda torch, y, x: torch.where(y > 0.7, y, x),
}


def forward(torch: ModuleType, step: Callable, x: Any) -> Any:
    """Apply one operation many times."""
    y = x
    for _ in range(OPERATIONS):
        y = step(torch, y, x)
    return y


def both(torch: ModuleType, step: Callable, x: Any) -> None:
    """Do so and run backward."""
    forward(torch, step, x).sum().backward()
    x.grad = None


def calls(name: str, torch: ModuleType, step: Callable) -> dict[str, Call]:
    """Return the two calls of one library."""
    x = torch.from_numpy(X.copy()).requires_grad_()
    return {
        f"{name} forward": lambda: forward(torch, step, x),
        f"{name} both": lambda: both(torch, step, x),
    }


def libraries() -> dict[str, ModuleType]:
    """Return fad.torch and, where it is installed, PyTorch."""
    import fad.torch

    found = {"fad": fad.torch}
    try:
        import torch
    except ImportError:
        return found
    torch.set_num_threads(1)
    return found | {"torch": torch}


def row(label: str, step: Callable, found: dict[str, ModuleType]) -> list[str]:
    """Time one operation in all libraries; a pair of columns each."""
    timed: dict[str, Call] = {}
    for name, module in found.items():
        timed |= calls(name, module, step)
    took = median_times(timed, rounds=15)
    cells = [label]
    for name in found:
        first = took[f"{name} forward"] / OPERATIONS * 1e6
        second = took[f"{name} both"] / OPERATIONS * 1e6 - first
        cells += [f"{first:.2f}", f"{second:.2f}"]
    return cells


def main() -> None:
    """Print microseconds an operation, and those over the limits."""
    found = libraries()
    print(machine("numpy", "fad-autodiff", "torch"))
    header = ["step"] + [f"{n} {way}" for n in found for way in ("forward", "backward")]
    rows = [row(label, step, found) for label, step in STEPS.items()]
    print_table(header, rows)
    print(f"limits: {MOST_FORWARD} us forward, {MOST_BACKWARD} us backward")


if __name__ == "__main__":
    main()
