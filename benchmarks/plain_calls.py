"""What fad.numpy costs where nothing is traced: fad.numpy.f(x) against numpy.f(x).

    python benchmarks/plain_calls.py

Code written once over fad.numpy also runs on plain arrays: in data loading, in tests,
at the bottom of every nest of transforms. There a call should cost what NumPy's costs.
Each pair takes turns on the same small arguments; the result is the difference.

Limit of the project: 0.3 us over the NumPy call.
"""

from functools import partial
from operator import attrgetter

import numpy as np
from _timing import machine, median_times, print_table

import fad.numpy as fnp

MOST_NANOSECONDS = 300

x, y = np.linspace(0.1, 0.8, 8), np.linspace(-1.0, 1.0, 8)
matrix = np.arange(16.0).reshape(4, 4) + 20 * np.eye(4)

CALLS = [
    ("sin", (x,), {}),
    ("exp", (x,), {}),
    ("tanh", (x,), {}),
    ("abs", (y,), {}),
    ("negative", (x,), {}),
    ("sqrt", (x,), {}),
    ("add", (x, y), {}),
    ("multiply", (x, 2.0), {}),
    ("power", (x, 3), {}),
    ("maximum", (x, y), {}),
    ("greater", (x, y), {}),
    ("where", (y > 0, x, y), {}),
    ("clip", (y, -0.5, 0.5), {}),
    ("sum", (x,), {}),
    ("sum", (matrix,), {"axis": 0}),
    ("mean", (x,), {}),
    ("max", (x,), {}),
    ("var", (x,), {}),
    ("cumsum", (x,), {}),
    ("argmax", (x,), {}),
    ("sort", (y,), {}),
    ("reshape", (x, (2, 4)), {}),
    ("transpose", (matrix,), {}),
    ("expand_dims", (x, 0), {}),
    ("broadcast_to", (x, (4, 8)), {}),
    ("concatenate", ((x, y),), {}),
    ("stack", ((x, y),), {}),
    ("take", (x, np.array([0, 3, 5])), {}),
    ("dot", (x, y), {}),
    ("matmul", (matrix, matrix), {}),
    ("einsum", ("ij,jk->ik", matrix, matrix), {}),
    ("tensordot", (matrix, matrix, 1), {}),
    ("zeros", (8,), {}),
    ("arange", (8,), {}),
    ("zeros_like", (x,), {}),
    ("linalg.norm", (x,), {}),
    ("linalg.inv", (matrix,), {}),
    ("linalg.solve", (matrix, matrix), {}),
    ("fft.fft", (x,), {}),
]


def main() -> None:
    """Measure every call, print the table and the worst of it."""
    print(machine("numpy", "fad-autodiff"))
    print("ns per call on 8 or 4x4 elements")
    rows = [measure(*call) for call in CALLS]
    header = ["function", "numpy", "fad.numpy", "over", ""]
    print_table(header, [format_row(*row) for row in rows])
    name, bare, wrapped = max(rows, key=lambda row: row[2] - row[1])
    print(f"\nworst: {name}, {wrapped - bare:.0f} ns; limit: {MOST_NANOSECONDS} ns")


def measure(name: str, args: tuple, kwargs: dict) -> tuple[str, float, float]:
    """Time one function in both namespaces; return its name and nanoseconds."""
    function = attrgetter(name)
    calls = {
        "numpy": partial(function(np), *args, **kwargs),
        "fad.numpy": partial(function(fnp), *args, **kwargs),
    }
    times = median_times(calls, rounds=101, batch_seconds=0.001)
    label = ", ".join([name, *(f"{key}={value}" for key, value in kwargs.items())])
    return label, 1e9 * times["numpy"], 1e9 * times["fad.numpy"]


def format_row(name: str, bare: float, wrapped: float) -> list[str]:
    """Return one line of the table."""
    over = wrapped - bare
    verdict = "OVER" if over > MOST_NANOSECONDS else "ok"
    return [name, f"{bare:.0f}", f"{wrapped:.0f}", f"{over:+.0f}", verdict]


if __name__ == "__main__":
    main()
