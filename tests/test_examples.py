"""Every script in examples/ runs, and says what to install when it cannot.

Each takes `--quick`, which does the same work on less data, and writes its pictures to
the directory it is started in. Only NumPy is certain to be installed here, so a script
whose optional libraries are missing has to fail with one line that names the extra.
"""

import ast
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = {path.name: path for path in sorted((ROOT / "examples").glob("*.py"))}
INSTALLED = sys.stdlib_module_names | {"fad", "numpy"}
HOW_TO_INSTALL = 'python -m pip install -e ".[examples]"'


def optional_libraries(path: Path) -> set[str]:
    """The top-level packages a script imports beyond those fad itself needs."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return names - INSTALLED


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.fixture(scope="module")
def run_quickly(tmp_path_factory):
    """Return a function from an example's name to its result and the folder it ran in.

    Each example runs once, however many tests look at what it did.
    """

    @cache
    def result_and_folder(name: str):
        folder = tmp_path_factory.mktemp(name)
        return run(str(EXAMPLES[name]), "--quick", cwd=folder), folder

    return result_and_folder


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_runs_or_names_the_extra_to_install(name, run_quickly):
    libraries = optional_libraries(EXAMPLES[name])
    missing = [library for library in libraries if find_spec(library) is None]
    result, _ = run_quickly(name)
    if missing:
        assert result.returncode == 1
        assert HOW_TO_INSTALL in result.stderr
    else:
        assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("name", "library"),
    [
        (name, library)
        for name, path in EXAMPLES.items()
        for library in sorted(optional_libraries(path))
    ],
)
def test_example_without_one_of_its_libraries_names_the_extra(name, library, tmp_path):
    hide_and_run = f"""if True:
        import runpy, sys
        sys.modules[{library!r}] = None  # what makes `import library` fail
        runpy.run_path({str(EXAMPLES[name])!r}, run_name="__main__")
    """
    result = run("-c", hide_and_run, cwd=tmp_path)
    assert result.returncode == 1
    assert HOW_TO_INSTALL in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(
    any(find_spec(name) is None for name in optional_libraries(EXAMPLES["digits.py"])),
    reason="needs the extra 'examples'; without it, the tests above look at the error",
)
def test_digits_reaches_its_accuracy_and_draws_its_plot(run_quickly):
    result, folder = run_quickly("digits.py")
    report = dict(line.split(": ") for line in result.stdout.splitlines())
    assert float(report["test accuracy"].rstrip(" %")) > 95
    assert float(report["largest curvature"]) > 0
    assert (folder / "digits.png").stat().st_size > 10_000
