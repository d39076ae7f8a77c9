"""The tables of docs/conventions-at-the-edges.md are true, row by row, in both modes.

A row has the cells function, at, value, derivative, remark. The first four are Python,
in the namespace that the page's own blocks make; the arguments are called x, y.
"""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from test_docs import blocks_of, run_block

import fad

PAGE = Path(__file__).resolve().parent.parent / "docs" / "conventions-at-the-edges.md"
ROW = re.compile(r"^\| `(.+?)` \| `(.+?)` \| `(.+?)` \| `(.+?)` \| .*\|$", re.MULTILINE)
BAR = re.compile(r"^\| `", re.MULTILINE)


class Row(NamedTuple):
    function: str
    at: str
    value: str
    derivative: str


ROWS = [Row(*cells) for cells in ROW.findall(PAGE.read_text())]


@pytest.fixture(scope="module")
def namespace():
    """Return the names that the page's blocks define."""
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks_of(PAGE.read_text()):
        run_block(block, str(PAGE), names)
    return names


def evaluated(cell, namespace):
    value = eval(cell, dict(namespace))
    return value if isinstance(value, tuple) else (value,)


def function_of(row, namespace):
    return eval(f"lambda x, y=None: {row.function}", dict(namespace))


def summed(f):
    return lambda *args: fad.numpy.sum(f(*args))


def by_ids(row):
    return f"{row.function} at {row.at}"


def test_every_row_of_the_tables_is_read():
    assert len(ROWS) == len(BAR.findall(PAGE.read_text())) > 70


@pytest.mark.parametrize("row", ROWS, ids=by_ids)
@np.errstate(all="ignore")
def test_value_and_gradient_are_those_of_the_table(row, namespace):
    f, point = function_of(row, namespace), evaluated(row.at, namespace)
    (value,) = evaluated(row.value, namespace)
    np.testing.assert_allclose(f(*map(np.asarray, point)), value, 1e-12, 1e-12)
    found = fad.grad(summed(f), argnums=tuple(range(len(point))))(*point)
    derivatives = evaluated(row.derivative, namespace)
    for got, expected in zip(found, derivatives, strict=True):
        np.testing.assert_allclose(got, expected, 1e-10, 1e-12)


@pytest.mark.parametrize("row", ROWS, ids=by_ids)
@np.errstate(all="ignore")
def test_forward_mode_gives_the_derivative_of_the_table(row, namespace):
    f, point = function_of(row, namespace), evaluated(row.at, namespace)
    derivatives = evaluated(row.derivative, namespace)
    if len(point) == 1 and np.ndim(point[0]) == 0:
        directions = [np.ones((), np.result_type(point[0]))]  # takes infinite slopes
    elif not all(np.all(np.isfinite(d)) for d in derivatives):
        return  # a sum over inputs, in which infinities may cancel
    else:
        directions = [np.cos(1.0 + np.arange(np.size(p))) for p in point]
    tangents = [d.reshape(np.shape(p)) for d, p in zip(directions, point, strict=True)]
    pushed = fad.jvp(summed(f), tuple(point), tuple(tangents))[1]
    paired = sum(
        np.sum(np.real(d * t)) for d, t in zip(derivatives, tangents, strict=True)
    )
    np.testing.assert_allclose(pushed, paired, 1e-10, 1e-12)
