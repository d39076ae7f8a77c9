"""The shape of the package: who may import whom, and what `import fad` costs.

`LAYERS` is the tree of the design, lowest line first. A module may import from its own
package and from lines below; an import inside a function counts, one under
`if TYPE_CHECKING:` does not. The front door, `fad/__init__.py`, imports from every
line, and for that reason nobody inside the package imports it.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

LAYERS = [
    ["fad.core"],
    ["fad.ops"],
    ["fad.transforms"],
    ["fad.backends"],
    ["fad.control"],
    ["fad.numpy"],
    ["fad.scipy", "fad.random", "fad.lax"],
    ["fad.tree", "fad.tree_util", "fad.checkpoint_policies", "fad.debug"],
    ["fad.flatten_util", "fad.nn"],
    ["fad.api"],
    ["fad.higher"],
    ["fad.torch"],
    ["fad.viz", "fad.testing"],
    ["fad"],
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}

LONGEST_DOCSTRING = 30


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted((ROOT / "fad").rglob("*.py"))}
PUBLIC = [name for name in MODULES if "._" not in name]


def package_of(module: str) -> str:
    """The entry of LAYERS a module belongs to: `fad.ops.fft` is in `fad.ops`."""
    return ".".join(module.split(".")[:2])


def imports_of(tree: ast.Module, module: str, is_package: bool) -> Iterator[str]:
    """Yield the dotted name of everything `module` imports while it runs."""
    parents = module.split(".") if is_package else module.split(".")[:-1]
    for node in running_nodes(tree):
        match node:
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom():
                above = parents[: len(parents) - node.level + 1] if node.level else []
                base = ".".join([*above, *filter(None, [node.module])])
                yield from (f"{base}.{alias.name}" for alias in node.names)
            case ast.Call(args=[ast.Constant(str(name)), *_]) if is_import(node.func):
                yield name


def running_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Walk a syntax tree, leaving out what only a type checker reads."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            yield from (n for other in child.orelse for n in running_nodes(other))
        else:
            yield from running_nodes(child)


def is_import(function: ast.expr) -> bool:
    return ast.unparse(function).split(".")[-1] in ("import_module", "__import__")


def inside_fad(imported: str) -> str | None:
    """The entry of LAYERS an imported name comes from, or None outside of fad.

    `from fad import x` names a package of its own where x is one, else the front door.
    """
    if imported.split(".")[0] != "fad":
        return None
    package = package_of(imported)
    return package if package in LEVEL or package in MODULES else "fad"


def forbidden(importer: str, imported: str) -> bool:
    if importer == "fad" or imported == importer:
        return False
    return LEVEL[imported] >= LEVEL[importer]


@pytest.mark.parametrize("module", MODULES)
def test_module_imports_only_from_lines_below_its_own(module):
    importer = package_of(module)
    assert importer in LEVEL, f"{importer} has no line in LAYERS: give it one"
    path = MODULES[module]
    names = imports_of(ast.parse(path.read_text()), module, path.stem == "__init__")
    wrong = [
        name
        for name in names
        if (target := inside_fad(name)) and forbidden(importer, target)
    ]
    assert not wrong, f"{module} is on or below the line of {', '.join(wrong)}"


@pytest.mark.parametrize(
    ("module", "source", "imported"),
    [
        ("fad.api", "import fad.ops.fft as f", ["fad.ops.fft"]),
        ("fad.api", "from fad import ops, numpy", ["fad.ops", "fad.numpy"]),
        ("fad.api", "from . import lax", ["fad.lax"]),
        ("fad.ops.fft", "from .kinds import linear", ["fad.ops.kinds.linear"]),
        ("fad.ops.fft", "from ..core import ir", ["fad.core.ir"]),
        ("fad.ops.fft", "def f():\n import fad.api", ["fad.api"]),
        ("fad.ops.fft", "importlib.import_module('fad.api')", ["fad.api"]),
        ("fad.ops.fft", "if TYPE_CHECKING:\n import fad.api", []),
        ("fad.ops.fft", "if TYPE_CHECKING: pass\nelse:\n import os", ["os"]),
    ],
)
def test_every_form_of_import_is_seen(module, source, imported):
    assert list(imports_of(ast.parse(source), module, False)) == imported


def test_relative_imports_of_a_package_start_at_itself():
    tree = ast.parse("from .kinds import linear")
    assert list(imports_of(tree, "fad.ops", True)) == ["fad.ops.kinds.linear"]


@pytest.mark.parametrize(
    ("importer", "imported", "is_forbidden"),
    [
        ("fad.transforms", "fad.ops", False),
        ("fad.ops", "fad.ops", False),
        ("fad", "fad.testing", False),
        ("fad.ops", "fad.transforms", True),
        ("fad.scipy", "fad.lax", True),
        ("fad.testing", "fad", True),
    ],
)
def test_imports_point_downwards(importer, imported, is_forbidden):
    assert forbidden(importer, imported) is is_forbidden


def test_import_fad_loads_nothing_but_numpy():
    """Optional libraries are imported by the functions that need them."""
    probe = """if True:
        import sys, typing_extensions
        import numpy, numpy.fft, numpy.linalg, numpy.random
        before = set(sys.modules)
        import fad
        loaded = {name.partition(".")[0] for name in set(sys.modules) - before}
        print(*sorted(loaded - sys.stdlib_module_names - {"fad", "numpy"}))
    """
    command = [sys.executable, "-c", probe]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


@pytest.mark.parametrize("module", PUBLIC)
def test_public_module_explains_itself_briefly(module):
    docstring = ast.get_docstring(ast.parse(MODULES[module].read_text()))
    assert docstring, f"{module} has no docstring"
    assert len(docstring.splitlines()) <= LONGEST_DOCSTRING
