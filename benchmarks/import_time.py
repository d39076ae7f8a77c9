"""How long `import fad` takes beyond `import numpy`.

    python benchmarks/import_time.py

Every import happens in a process of its own, the two in turn, after one round that
fills the file caches. The clock runs around the import statement alone, so the start of
the interpreter is not in it.

Limit of the project: 60 ms.
"""

import statistics
import subprocess
import sys

from _timing import machine, print_table

ROUNDS = 21
MOST_MILLISECONDS = 60

PROBE = """if True:
    from time import perf_counter
    start = perf_counter()
    import {module}
    print(perf_counter() - start)
"""


def main() -> None:
    """Measure both imports in turn."""
    print(machine("numpy", "fad-autodiff"))
    modules = ["numpy", "fad"]
    times = {module: [] for module in modules}
    for module in modules:
        import_milliseconds(module)
    for _ in range(ROUNDS):
        for module in modules:
            times[module].append(import_milliseconds(module))

    print(f"ms per import, {ROUNDS} fresh processes each")
    rows = [
        [f"import {module}", f"{statistics.median(times[module]):.1f}"]
        + [f"{quantile:.1f}" for quantile in (min(times[module]), max(times[module]))]
        for module in modules
    ]
    print_table(["", "median", "least", "most"], rows)
    over = statistics.median(times["fad"]) - statistics.median(times["numpy"])
    verdict = "OVER" if over > MOST_MILLISECONDS else "ok"
    print(f"\nfad over numpy: {over:.1f} ms; limit: {MOST_MILLISECONDS} ms; {verdict}")


def import_milliseconds(module: str) -> float:
    """Import a module in a fresh process; return how long that took."""
    command = [sys.executable, "-c", PROBE.format(module=module)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return 1e3 * float(run.stdout)


if __name__ == "__main__":
    main()
