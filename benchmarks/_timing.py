"""Timing calls side by side, and printing what was measured.

The speed of a machine drifts, so the calls to compare take turns (A B C A B C ...) and
each is judged by the median of its rounds. A round is a batch of calls, long enough to
make the clock's own cost vanish. The clock counts the processor time of this process:
on a quiet machine that is the time that passes, on a busy one it leaves out the time
others had. The collector stays on: garbage a library leaves behind is part of its cost.

`median_times`, `machine`, `print_table`
"""

import os
import platform
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from time import process_time

Call = Callable[[], object]


def median_times(
    calls: Mapping[str, Call], rounds: int = 21, batch_seconds: float = 0.02
) -> dict[str, float]:
    """Time calls in turn; return the median seconds each one takes.

    Args:
        calls: the functions to compare, by name.
        rounds: how many batches of each to time.
        batch_seconds: about how long one batch should run.
    """
    sizes = {name: batch_size(call, batch_seconds) for name, call in calls.items()}
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(batch_time(call, sizes[name]) / sizes[name])
    return {name: statistics.median(batch) for name, batch in times.items()}


def batch_size(call: Call, seconds: float) -> int:
    """Count how many calls fill a batch, after a first call that warms caches."""
    call()
    size = 1
    while (elapsed := batch_time(call, size)) < seconds / 4:
        size *= 2
    return max(1, round(size * seconds / elapsed))


def batch_time(call: Call, size: int) -> float:
    """Return the seconds that `size` calls take."""
    repeat = range(size)
    start = process_time()
    for _ in repeat:
        call()
    return process_time() - start


def machine(*distributions: str) -> str:
    """Describe what was measured on: versions, processor, BLAS settings."""
    settings = [f"{k}={v}" for k, v in sorted(os.environ.items()) if is_blas(k)]
    lines = [
        f"Python {platform.python_version()}, {platform.system()} "
        f"{platform.machine()}, {os.cpu_count()} cores",
        ", ".join(map(describe, distributions)),
        " ".join(settings) or "no OPENBLAS_*, MKL_* or OMP_* in the environment",
    ]
    return "\n".join(lines) + "\n"


def is_blas(variable: str) -> bool:
    """Tell whether an environment variable steers the BLAS behind NumPy."""
    return variable.startswith(("OPENBLAS_", "MKL_", "OMP_"))


def describe(distribution: str) -> str:
    """Name an installed distribution with its version."""
    try:
        return f"{distribution} {version(distribution)}"
    except PackageNotFoundError:
        return f"{distribution} not installed"


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under a header, the first column to the left, the others right."""
    table = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for index, (first, *others) in enumerate(table):
        cells = [
            cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)
        ]
        print("  ".join([first.ljust(widths[0]), *cells]).rstrip())
        if index == 0:
            print("  ".join("-" * width for width in widths))
