"""Gradients by Python numbers, which are weak, go through functions of arrays, too."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad import lax

LINE = np.array([0.2, 0.7])
SQUARE = np.array([[0.3, 0.1], [0.6, 0.9]])

FUNCTIONS = {
    "kron": fnp.kron,
    "outer": fnp.outer,
    "vdot": lambda x, y: fnp.vdot(x, fnp.sum(y)),
    "convolve": lambda x, y: fnp.convolve(x, fnp.ravel(y)),
    "correlate": lambda x, y: fnp.correlate(fnp.ravel(y), x, "full"),
    "union1d": fnp.union1d,
    "setxor1d": fnp.setxor1d,
    "setdiff1d": fnp.setdiff1d,
    "intersect1d": fnp.intersect1d,
    "append": fnp.append,
    "einsum": lambda x, y: fnp.einsum(",...->...", x, y),
    "full": lambda x, y: fnp.full((2, 2), x) + y,
    "where": lambda x, y: fnp.where(y > 0.5, x, y),
    "stack": lambda x, y: fnp.stack([x, fnp.sum(y)]),
    "block": lambda x, y: fnp.block([[x, fnp.sum(y)]]),
    "tensordot": lambda x, y: fnp.tensordot(x, y, 0),
    "pad": lambda x, y: lax.pad(y, x, [(1, 1, 1)] * y.ndim),
}


@pytest.mark.parametrize("y", [LINE, SQUARE], ids=["line", "square"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradient_is_that_by_a_numpy_scalar(name, y):
    f = lambda x: fnp.sum(FUNCTIONS[name](x, y) * 2.0)
    assert fad.grad(f)(0.5) == fad.grad(f)(np.float64(0.5))


@pytest.mark.parametrize("f", [fnp.moveaxis, fnp.flip])
def test_axes_may_be_a_range(f):
    x = np.arange(24.0).reshape(2, 3, 4)
    args = (range(2), range(1, 3)) if f is fnp.moveaxis else (range(2),)
    got = fad.jit(lambda x: f(x, *args))(x)
    np.testing.assert_array_equal(got, getattr(np, f.__name__)(x, *args))
