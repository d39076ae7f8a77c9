"""Examples in docstrings of functions declared with `implements`.

What the decorator returns lives in its own module, where the collector of doctests does
not look; the functions themselves are in the table.
"""

import doctest

import pytest

import fad.numpy  # noqa: F401  (fills the table)
from fad.numpy.dispatch import implementations

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
EXAMPLES = {
    f"{f.__module__}.{f.__name__}": f
    for f in implementations.values()
    if ">>>" in (getattr(f, "__doc__", None) or "") and f.__module__.startswith("fad.")
}


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_example_runs(name):
    function = EXAMPLES[name]
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=FLAGS)
    examples = parser.get_doctest(function.__doc__, {}, name, None, 0)
    report = []
    runner.run(examples, out=report.append)
    assert runner.failures == 0, "".join(report)


def test_there_are_examples():
    assert {"fad.numpy.fitting.interp", "fad.numpy.creation.array"} <= set(EXAMPLES)
