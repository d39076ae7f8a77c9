"""What one operation costs: gradients of long chains on arrays of 8 elements.

    python benchmarks/overhead.py

The arithmetic on so small an array is nothing, so what is left is what a library does
around it: recording the operation, walking back, adding up. Libraries take turns in one
process, after a check that their gradients agree. The column `numpy` is the function
alone, without its gradient.

Limits of the project: 5 us an operation, and 0.4 of autograd's time.
"""

from collections.abc import Callable
from types import ModuleType

import numpy as np
from _timing import Call, machine, median_times, print_table

OPERATIONS = 600
X = np.linspace(0.5, 1.2, 8)
MOST_MICROSECONDS, MOST_OF_AUTOGRAD = 5.0, 0.4

Chain = Callable  # (namespace, x) -> scalar


def scalars(xp: ModuleType, x):
    """Multiply by a number, add a number: linear in the array."""
    y = x
    for _ in range(OPERATIONS // 2):
        y = y * 1.001
        y = y - 0.001
    return xp.sum(y)


def arrays(xp: ModuleType, x):
    """Multiply by an array and add one; both are differentiated."""
    y = x
    for _ in range(OPERATIONS // 2):
        y = y * x
        y = y + x
    return xp.sum(y)


def sines(xp: ModuleType, x):
    """Apply one elementary function."""
    y = x
    for _ in range(OPERATIONS):
        y = xp.sin(y)
    return xp.sum(y)


def mixed(xp: ModuleType, x):
    """Six operations of several kinds, in turn."""
    y = x
    for _ in range(OPERATIONS // 6):
        y = xp.sin(y)
        y = y * x
        y = y + 0.5
        y = xp.tanh(y)
        y = -y
        y = xp.exp(y)
    return xp.sum(y)


CHAINS = [scalars, arrays, sines, mixed]


def with_numpy(chain: Chain) -> Call:
    """Return a call of the chain alone."""
    return lambda: chain(np, X)


def with_fad(chain: Chain) -> Call:
    """Return a call of the chain's gradient."""
    import fad
    import fad.numpy as fnp

    gradient = fad.grad(lambda x: chain(fnp, x))
    return lambda: gradient(X)


def with_autograd(chain: Chain) -> Call:
    """Return a call of the chain's gradient."""
    import autograd
    import autograd.numpy as anp

    gradient = autograd.grad(lambda x: chain(anp, x))
    return lambda: gradient(X)


def with_mygrad(chain: Chain) -> Call:
    """Return a call of the chain's gradient."""
    import mygrad

    def gradient():
        x = mygrad.tensor(X)
        chain(mygrad, x).backward()
        return x.grad

    return gradient


def with_torch(chain: Chain) -> Call:
    """Return a call of the chain's gradient."""
    import torch

    def gradient():
        x = torch.tensor(X, requires_grad=True)
        chain(torch, x).backward()
        return x.grad

    return gradient


PEERS = {
    "numpy": with_numpy,
    "fad": with_fad,
    "autograd": with_autograd,
    "mygrad": with_mygrad,
    "torch": with_torch,
}


def main() -> None:
    """Measure every chain with every library installed."""
    print(machine("numpy", "fad-autodiff", "autograd", "mygrad", "torch"))
    print(f"us per operation, gradient of {OPERATIONS} operations on 8 elements")
    ratios = [f"fad/{name}" for name in ("autograd", "mygrad", "torch")]
    print_table(["chain", *PEERS, *ratios, ""], map(row, CHAINS))
    print(f"\nlimits: {MOST_MICROSECONDS} us, fad/autograd {MOST_OF_AUTOGRAD}")


def row(chain: Chain) -> list[str]:
    """Measure one chain; return its line of the table."""
    calls = installed(chain)
    check(calls)
    times = median_times(calls)
    cost = {name: 1e6 * time / OPERATIONS for name, time in times.items()}
    ratios = {
        name: cost["fad"] / cost[name]
        for name in ("autograd", "mygrad", "torch")
        if name in cost
    }
    over = (
        cost["fad"] > MOST_MICROSECONDS or ratios.get("autograd", 0) > MOST_OF_AUTOGRAD
    )
    return [
        chain.__name__,
        *(f"{cost[name]:.2f}" if name in cost else "not installed" for name in PEERS),
        *(
            f"{ratios[name]:.2f}" if name in ratios else "-"
            for name in ("autograd", "mygrad", "torch")
        ),
        "OVER" if over else "ok",
    ]


def installed(chain: Chain) -> dict[str, Call]:
    """Prepare the chain for each library that can be imported."""
    calls = {}
    for name, prepare in PEERS.items():
        try:
            calls[name] = prepare(chain)
        except ModuleNotFoundError as missing:
            if missing.name != name:
                raise
    return calls


def check(calls: dict[str, Call]) -> None:
    """Raise unless all libraries compute one gradient."""
    expected = calls["fad"]()
    for name, call in calls.items():
        if name != "numpy":
            np.testing.assert_allclose(call(), expected, rtol=1e-9, err_msg=name)


if __name__ == "__main__":
    main()
