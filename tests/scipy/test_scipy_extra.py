"""SciPy is optional: what needs it says what to install, the rest works without."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

WITHOUT_SCIPY = """if True:
    import sys
    sys.modules["scipy"] = None  # what makes `import scipy` fail
    import numpy as np
    import fad
    from fad import scipy
"""


def run_without_scipy(code):
    command = [sys.executable, "-c", WITHOUT_SCIPY + code]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_what_numpy_can_do_needs_no_scipy():
    code = """
    a = np.array([[2.0, 1.0], [0.0, 3.0]])
    b = np.array([[1.0], [2.0]])
    s = scipy.special
    values = [
        s.erf(0.3), s.ndtri(0.9), s.gammaln(3.0), fad.grad(s.digamma)(0.5),
        s.logsumexp(np.zeros(2)), scipy.stats.norm.logpdf(1.0),
        scipy.stats.t.logpdf(0.0, 3.0), scipy.linalg.solve_triangular(a, b)[1, 0],
        scipy.linalg.expm(np.zeros((1, 1)))[0, 0], scipy.linalg.sqrtm(a @ a)[0, 1],
        scipy.linalg.solve_sylvester(a, a, a)[0, 0],
        scipy.signal.convolve(np.ones(2), np.ones(2))[1],
    ]
    print(*[round(float(v), 6) for v in values])
    """
    run = run_without_scipy(code)
    expected = "0.328627 1.281552 0.693147 4.934802 0.693147 -1.418939 -1.000889 "
    expected += "0.666667 1.0 1.0 0.5 2.0"
    assert run.stdout.split() == expected.split(), run.stderr


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("scipy.special.j0(1.0)", "fad.scipy.special.j0"),
        ("scipy.special.gammainc(1.0, 2.0)", "fad.scipy.special.gammainc"),
        ("scipy.stats.gamma.cdf(1.0, 2.0)", "fad.scipy.special.gammainc"),
        ("scipy.optimize.minimize(abs, 1.0)", "fad.scipy.optimize.minimize"),
        ("fad.grad(scipy.special.gamma)(1.5)", "fad.scipy.special.gamma"),
    ],
)
def test_what_needs_scipy_names_the_extra(call, name):
    run = run_without_scipy(f"    {call}")
    assert run.returncode == 1
    last = run.stderr.strip().splitlines()[-1]
    assert last.startswith(f"ImportError: {name} needs SciPy")
    assert "python -m pip install 'fad-autodiff[scipy]'" in last


def test_import_of_fad_does_not_import_scipy():
    code = "import sys, fad; print('scipy' in sys.modules)"
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_package_has_the_attributes_it_lists_and_no_others():
    import fad.scipy

    assert set(dir(fad.scipy)) == set(fad.scipy.__all__)
    with pytest.raises(AttributeError, match="no attribute 'cluster'"):
        fad.scipy.cluster  # noqa: B018
