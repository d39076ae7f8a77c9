"""What differentiation holds in memory, counted by tracemalloc.

    python benchmarks/memory.py

NumPy reports its arrays to tracemalloc, so bytes divided by the size of one array are
arrays. The cycle collector is off throughout: what is freed here is freed by reference
counts alone, at the moment nobody needs it. Five claims are checked:

- 50 linear steps keep nothing but their result; 50 sines keep at most 50 arrays;
- forward mode holds a primal and a tangent between two steps, however many there are;
- a chain of a million operations is recorded, differentiated and freed at the default
  recursion limit;
- a training loop does not grow.
"""

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from time import perf_counter

import numpy as np
from _timing import machine, print_table

import fad
import fad.numpy as fnp

STEPS = 50
LONG_CHAIN = 1_000_000
TRAINING_STEPS = 10_000
BYTES_OF_ARRAY = 800_000
SLACK = 0.1  # the equations themselves take a few hundred bytes each

Step = Callable  # array -> array


def linear(x):
    """Scale: the derivative does not depend on the value."""
    return x * 1.01


def sine(x):
    """Apply sin: the derivative needs the value."""
    return fnp.sin(x)


def main() -> None:
    """Run every measurement with the collector off."""
    print(machine("numpy", "fad-autodiff"))
    gc.disable()
    tracemalloc.start()
    print_table(["measure", "value", "limit", ""], map(judge, measures()))


def measures() -> Iterator[tuple[str, float, float]]:
    """Yield (what, value, limit) for each claim."""
    arrays = f"arrays held after {STEPS} steps"
    yield f"vjp of x * c: {arrays}", arrays_after_forward(linear), 1
    yield f"vjp of sin: {arrays}", arrays_after_forward(sine), STEPS
    between = "arrays held between steps, most"
    yield f"jvp of x * c: {between}", arrays_between_steps(linear), 2
    yield f"jvp of sin: {between}", arrays_between_steps(sine), 2
    yield f"chain of {LONG_CHAIN:,}: seconds", long_chain_seconds(), np.inf
    peak, left = bytes_of_an_operation()
    yield "bytes an operation in a chain, at the peak", peak, np.inf
    yield "bytes an operation in a chain, left after it", left, 1
    name = f"training loop: bytes grown in {TRAINING_STEPS:,} steps"
    yield name, training_growth(), 1000


def judge(measure: tuple[str, float, float]) -> list[str]:
    """Return one line of the table."""
    name, value, limit = measure
    shown = "-" if limit == np.inf else f"{limit:g}"
    return [name, f"{value:.2f}", shown, "ok" if value < limit + SLACK else "OVER"]


def traced_bytes() -> int:
    """Return how many bytes are allocated now."""
    return tracemalloc.get_traced_memory()[0]


def chain(step: Step, x, watch: Callable[[], object] = lambda: None):
    """Apply a step many times, calling `watch` after each one."""
    for _ in range(STEPS):
        x = step(x)
        watch()
    return x


def arrays_after_forward(step: Step) -> float:
    """Count the arrays that a result and its pullback keep alive."""
    x = np.ones(BYTES_OF_ARRAY // 8)
    fad.vjp(lambda x: chain(step, x), x)  # fills caches, which stay
    before = traced_bytes()
    result, pullback = fad.vjp(lambda x: chain(step, x), x)
    held = traced_bytes() - before
    (cotangent,) = pullback(np.ones_like(result))  # it does work
    assert cotangent.shape == x.shape
    return held / BYTES_OF_ARRAY


def arrays_between_steps(step: Step) -> float:
    """Count the arrays alive between two steps of forward mode, at worst."""
    x, v = np.ones(BYTES_OF_ARRAY // 8), np.ones(BYTES_OF_ARRAY // 8)
    before = traced_bytes()
    held = []

    def watch():
        held.append(traced_bytes() - before)

    fad.jvp(lambda x: chain(step, x, watch), (x,), (v,))
    return max(held) / BYTES_OF_ARRAY


def chain_gradient(operations: int) -> Callable[[float], float]:
    """Return the gradient of a chain that may be deeper than Python's stack."""

    def f(x):
        for _ in range(operations):
            x = x * 1.0000001
        return x

    return fad.grad(f)


def long_chain_seconds() -> float:
    """Differentiate the long chain without tracemalloc, which would slow it."""
    gradient = chain_gradient(LONG_CHAIN)
    tracemalloc.stop()
    start = perf_counter()
    gradient(1.0)
    seconds = perf_counter() - start
    tracemalloc.start()
    return seconds


def bytes_of_an_operation() -> tuple[float, float]:
    """Return the bytes each operation of a chain takes at the peak and leaves after."""
    operations = LONG_CHAIN // 10
    gradient = chain_gradient(operations)
    gradient(1.0)  # fills caches, which stay
    tracemalloc.reset_peak()
    before = traced_bytes()
    gradient(1.0)
    after, peak = tracemalloc.get_traced_memory()
    return (peak - before) / operations, (after - before) / operations


def training_growth() -> float:
    """Return by how many bytes the later half of a training loop grows."""
    x = np.linspace(-1.0, 1.0, 16)
    gradient = fad.grad(lambda w: fnp.mean((fnp.tanh(w * x) - x) ** 2))
    w = 0.5
    for step in range(TRAINING_STEPS):
        w = w - 0.1 * gradient(w)
        if step == TRAINING_STEPS // 10:
            before = traced_bytes()
    return traced_bytes() - before


if __name__ == "__main__":
    main()
