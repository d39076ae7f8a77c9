"""`silent_caller`: a number asked for by C code is told from one asked for by name."""

import math
from math import sqrt

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad.core.calls import silent_caller
from fad.core.errors import TracerArrayConversionError

X = np.arange(1.0, 4.0)
FUNCTIONS = [float]


class Asked:
    """Remembers who asked it for a number."""

    caller = "nobody"

    def __float__(self):
        self.caller = silent_caller(1)
        return 2.0


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x: math.sqrt(x), "sqrt"),
        (lambda x: sqrt(x), "sqrt"),
        (lambda x: math.atan2(1.0, x), "atan2"),
        (lambda x: math.hypot(*[x, x]), "hypot"),
        (lambda x: np.zeros(2).fill(x), "fill"),
        (lambda x: np.float64(x), "float64"),
        (lambda x: np.zeros(2).__setitem__(0, x), "__setitem__"),
        (lambda x: float(x), None),
        (lambda x: max(float(x), 1.0), None),
        (lambda x: f"{float(x):.1f}", None),
        (lambda x: "%.1f" % x, None),  # noqa: UP031
        (lambda x: [float(v) for v in [x]], None),
        (lambda x: list(map(float, [x])), None),
        (lambda x, f=float: f(x), None),
        (lambda x: FUNCTIONS[0](x), None),
        (lambda x: math.isnan(x), None),
        (lambda x: math.sqrt(x if FUNCTIONS else 1.0), None),
    ],
)
def test_names_the_function_in_c(call, name):
    asked = Asked()
    call(asked)
    assert asked.caller == name


def _filled(x):
    out = np.zeros(3)
    out.fill(x[0])
    return out.sum()


@pytest.mark.parametrize(
    ("f", "name"),
    [
        (lambda x: math.exp(x[0]), "exp"),
        (_filled, "fill"),
        (lambda x: np.fromiter(x, float).sum(), "fromiter"),
        (lambda x: np.float64(x[0]) * 2.0, "float64"),
        (lambda x: np.max(np.zeros(3), initial=x[0]), "reduce"),
    ],
    ids=["math", "fill", "fromiter", "scalar", "initial"],
)
def test_derivatives_are_not_lost_in_silence(f, name):
    with pytest.raises(
        TracerArrayConversionError, match=rf"{name}\(\) asked.*float\(x"
    ):
        fad.grad(f)(X)


def test_a_number_asked_for_by_name_is_a_constant():
    f = lambda x: x[0] * math.exp(float(x[1])) * math.floor(x[2])
    slope = fad.grad(f)(X)
    np.testing.assert_allclose(slope, [3.0 * math.exp(2.0), 0.0, 0.0])


def test_traced_initial_values_are_differentiated_by_fad_numpy():
    f = lambda a: fnp.max(X, initial=a) + fnp.sum(X, initial=a)
    assert fad.grad(f)(10.0) == 2.0
