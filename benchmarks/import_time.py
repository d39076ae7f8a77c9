"""How long `import fad` takes beyond `import numpy`.

    python benchmarks/import_time.py

Every import happens in a process of its own, in turn. The clock counts processor time
around the import statement alone, so the start of the interpreter is not in it.
Bytecode is kept in a temporary folder, whatever the environment says about writing it,
and a first round fills that folder: what counts is every import but the first. The last
line shows what the first costs, when the sources of fad have to be compiled.

Limit of the project: 60 ms.
"""

import os
import statistics
import subprocess
import sys
from collections.abc import Mapping
from tempfile import TemporaryDirectory

from _timing import machine, print_table

ROUNDS = 15
MOST_MILLISECONDS = 60

PROBE = """if True:
    import sys
    from time import process_time
    start = process_time()
    import numpy
    sys.pycache_prefix = sys.pycache_prefix and sys.pycache_prefix + {suffix!r}
    import {module}
    print(process_time() - start)
"""

# what to import, and where fad's bytecode is looked for
IMPORTS = {
    "import numpy": ("numpy", ""),
    "import fad": ("fad", ""),
    "import fad, not compiled yet": ("fad", "-nothing-here"),
}


def main() -> None:
    """Measure the imports in turn."""
    print(machine("numpy", "fad-autodiff"))
    with TemporaryDirectory() as bytecode:
        times = measure(bytecode)
    print(f"ms per import, {ROUNDS} fresh processes each")
    medians = {name: statistics.median(each) for name, each in times.items()}
    rows = [
        [name, *(f"{ms:.1f}" for ms in (medians[name], min(each), max(each)))]
        for name, each in times.items()
    ]
    print_table(["", "median", "least", "most"], rows)
    over = medians["import fad"] - medians["import numpy"]
    least = min(times["import fad"]) - min(times["import numpy"])
    verdict = "OVER" if over > MOST_MILLISECONDS else "ok"
    print(
        f"\nfad over numpy: {over:.1f} ms by the medians, {least:.1f} ms by the least"
    )
    print(f"limit: {MOST_MILLISECONDS} ms by the medians: {verdict}")


def measure(bytecode: str) -> dict[str, list[float]]:
    """Time each import in turn; the first round, which compiles, does not count."""
    rounds = [
        {name: import_milliseconds(*what, bytecode) for name, what in IMPORTS.items()}
        for _ in range(1 + ROUNDS)
    ]
    return {name: [times[name] for times in rounds[1:]] for name in IMPORTS}


def import_milliseconds(module: str, suffix: str, bytecode: str) -> float:
    """Import a module in a fresh process; return how long that took."""
    command = [sys.executable, "-c", PROBE.format(module=module, suffix=suffix)]
    seconds = subprocess.check_output(command, env=environment(bytecode, suffix))
    return 1e3 * float(seconds)


def environment(bytecode: str, suffix: str) -> Mapping[str, str]:
    """Return ours, with a folder for bytecode, written unless there is a suffix."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    unwritten = {"PYTHONDONTWRITEBYTECODE": "1"} if suffix else {}
    return kept | {"PYTHONPYCACHEPREFIX": bytecode} | unwritten


if __name__ == "__main__":
    main()
