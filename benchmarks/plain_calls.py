"""What fad.numpy costs where nothing is traced: fad.numpy.f(x) against numpy.f(x).

    python benchmarks/plain_calls.py            every function; prints the dearest
    python benchmarks/plain_calls.py sum sin    these

Code written once over fad.numpy also runs on plain arrays: in data loading, in tests,
at the bottom of every nest of transforms. There a call should cost what NumPy's costs.
Each pair takes turns on the same small arguments; the result is the difference.

Limit of the project: 0.3 us over the NumPy call.
"""

import sys
import warnings
from operator import attrgetter

import numpy as np
from _plain_arguments import WITH_OPTIONS, arguments_of
from _timing import Call, batch_size, batch_time, machine, print_table

import fad.numpy as fnp

MOST_NANOSECONDS = 300
ROUNDS, BATCH_SECONDS = 61, 0.0002
SHOWN = 25


def main(names: list[str]) -> None:
    """Measure the calls and print the table of the dearest, or of those named."""
    print(machine("numpy", "fad-autodiff"))
    calls = [call for call in all_calls() if not names or call[0] in names]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        rows = sorted((measure(*call) for call in calls), key=lambda row: -row[2])
    print("ns per call on 8 or 4x4 elements")
    shown = rows if names else rows[:SHOWN]
    header = ["function", "numpy", "over", ""]
    print_table(header, [format_row(*row) for row in shown])
    over = sum(row[2] > MOST_NANOSECONDS for row in rows)
    print(f"\n{len(rows)} calls, {over} of them over {MOST_NANOSECONDS} ns")


def all_calls() -> list[tuple[str, tuple, dict]]:
    """Return (name, arguments, options) for every function that is fad's own."""
    calls = list(WITH_OPTIONS)
    for prefix, module in (("", fnp), ("linalg.", fnp.linalg), ("fft.", fnp.fft)):
        for name in sorted(module.__all__):
            numpys = attrgetter(prefix + name)(np) if has(np, prefix + name) else None
            if callable(numpys) and getattr(module, name) is not numpys:
                args = arguments_of(prefix + name, numpys)
                if args is not None and not isinstance(numpys, type):
                    calls.append((prefix + name, args, {}))
    return calls


def has(module, path: str) -> bool:
    """Tell whether a dotted name exists."""
    try:
        attrgetter(path)(module)
    except AttributeError:
        return False
    return True


def measure(name: str, args: tuple, options: dict) -> tuple[str, float, float]:
    """Time one function in both namespaces; return nanoseconds and the difference.

    Each is judged by its quickest round: what disturbs a round makes it longer, by more
    than the difference where the function itself takes long.
    """
    bare = written_out(attrgetter(name)(np), args, options)
    ours = written_out(attrgetter(name)(fnp), args, options)
    size = batch_size(bare, BATCH_SECONDS)
    batch_time(ours, size)
    times = [(batch_time(bare, size), batch_time(ours, size)) for _ in range(ROUNDS)]
    least, ours_least = (
        1e9 / size * min(column) for column in zip(*times, strict=True)
    )
    return ", ".join([name, *options]), least, ours_least - least


def written_out(function: Call, args: tuple, options: dict) -> Call:
    """Return a function that makes a call as a program does: `f(a, axis=b)`.

    `f(*args, **options)` and `partial` are slower, most of all for Python functions.
    """
    values = {f"a{i}": v for i, v in enumerate((*args, *options.values()))}
    keys = [""] * len(args) + [f"{key}=" for key in options]
    written = ", ".join(map("{}{}".format, keys, values))
    return eval(f"lambda: f({written})", {"f": function, **values})


def format_row(name: str, bare: float, over: float) -> list[str]:
    """Return one line of the table."""
    verdict = "OVER" if over > MOST_NANOSECONDS else "ok"
    return [name, f"{bare:.0f}", f"{over:+.0f}", verdict]


if __name__ == "__main__":
    main(sys.argv[1:])
