"""What `jit`, `scan` and `hessian` gain: gradients beside NumPy written by hand.

    python benchmarks/programs.py

Each workload has its derivative derived on paper, in plain NumPy with outputs reused,
as somebody would write it who has the time. The columns are ratios to that; a library
that is not installed shows as such. All run on one thread.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is imported

from collections.abc import Callable

import numpy as np
from _timing import Call, machine, median_times, print_table

import fad
import fad.numpy as fnp

R = np.random.default_rng(0)


class Elementwise:
    """sum(tanh(x y) + exp(-x^2) log1p(y^2)) of 5 million numbers, by x and y."""

    args = R.standard_normal(5_000_000), R.standard_normal(5_000_000)
    transform = staticmethod(lambda f: fad.grad(f, argnums=(0, 1)))

    @staticmethod
    def f(xp, x, y):
        return xp.sum(xp.tanh(x * y) + xp.exp(-(x**2)) * xp.log1p(y**2))

    @staticmethod
    def by_hand(x, y):
        t, e, y2 = np.tanh(x * y), np.exp(-x * x), y * y
        p = np.log1p(y2)
        p *= e
        np.subtract(1, t * t, t)
        p *= x
        p *= -2
        by_x = t * y
        by_x += p
        y2 += 1
        np.divide(y, y2, y2)
        y2 *= e
        y2 *= 2
        t *= x
        y2 += t
        return by_x, y2


class LogisticHessian:
    """The Hessian of a logistic regression with 1000 examples and 100 weights."""

    args = 0.1 * R.standard_normal(100), R.standard_normal((1000, 100))
    transform = staticmethod(fad.hessian)

    @staticmethod
    def f(xp, w, x):
        return xp.sum(xp.log1p(xp.exp(-(x @ w))))

    @staticmethod
    def by_hand(w, x):
        e = np.exp(-(x @ w))
        return (x.T * (e / (1 + e) ** 2)) @ x


class Recurrent:
    """A recurrent net of 16 states over 2000 steps, by its weights."""

    args = R.standard_normal((16, 16)) / 5, 0.5 * R.standard_normal((2000, 16))
    transform = staticmethod(fad.grad)

    @staticmethod
    def f(xp, w, xs):
        def step(h, x):
            h = fnp.tanh(h @ w + x)
            return h, fnp.sum(h * h)

        return fnp.sum(fad.lax.scan(step, np.zeros(16), xs)[1])

    @staticmethod
    def by_hand(w, xs):
        n, k = xs.shape
        states, slopes = np.zeros((n + 1, k)), np.empty((n, k))
        z, g, back = np.empty(k), np.zeros(k), np.ascontiguousarray(w.T)
        for t in range(n):
            np.dot(states[t], w, z)
            np.add(z, xs[t], z)
            np.tanh(z, states[t + 1])
        direct, inner = 2 * states[1:], 1 - states[1:] ** 2
        for t in range(n - 1, -1, -1):
            np.add(g, direct[t], g)
            np.multiply(g, inner[t], slopes[t])
            np.dot(slopes[t], back, g)
        return states[:-1].T @ slopes


WORKLOADS = [Elementwise, LogisticHessian, Recurrent]


def with_hand(work: type) -> Call:
    """Return the derivative by hand."""
    return lambda: work.by_hand(*work.args)


def with_fad(work: type) -> Call:
    """Return the derivative, eager."""
    derivative = work.transform(lambda *args: work.f(fnp, *args))
    return lambda: derivative(*work.args)


def with_fad_jit(work: type) -> Call:
    """Return the derivative, compiled."""
    derivative = fad.jit(work.transform(lambda *args: work.f(fnp, *args)))
    return lambda: derivative(*work.args)


def with_autograd(work: type) -> Call | None:
    """Return autograd's, of what it can write."""
    import autograd
    import autograd.numpy as anp

    if work is Recurrent:
        return None
    f = lambda *args: work.f(anp, *args)
    derivative = (
        autograd.hessian(f)
        if work is LogisticHessian
        else lambda *args: [autograd.grad(f, i)(*args) for i in range(len(args))]
    )
    return lambda: derivative(*work.args)


PEERS: dict[str, Callable] = {
    "by hand": with_hand,
    "fad": with_fad,
    "fad jit": with_fad_jit,
    "autograd": with_autograd,
}


def main() -> None:
    """Measure every workload with every library installed."""
    print(machine("numpy", "fad-autodiff", "autograd"))
    print("milliseconds by hand, and ratios to them")
    print_table(["workload", *PEERS], map(row, WORKLOADS))


def row(work: type) -> list[str]:
    """Check and measure one workload; return its line of the table."""
    calls = {}
    for name, prepare in PEERS.items():
        try:
            call = prepare(work)
        except ModuleNotFoundError:
            continue
        if call is not None:
            calls[name] = call
    expected = calls["by hand"]()
    for call in calls.values():
        call()  # loops and programs get their source
        np.testing.assert_allclose(call(), expected, rtol=1e-8, atol=1e-10)
    times = median_times(calls, rounds=9)
    hand = times.pop("by hand")
    ratios = [f"{times[n] / hand:.2f}" if n in times else "-" for n in PEERS][1:]
    return [work.__name__, f"{1e3 * hand:.2f}", *ratios]


if __name__ == "__main__":
    main()
