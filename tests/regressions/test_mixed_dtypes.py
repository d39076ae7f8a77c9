"""Operands of several dtypes are promoted before the work, as NumPy does."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fad
import fad.numpy as fnp

RNG = np.random.default_rng(0)
SINGLE = RNG.normal(size=(4, 3)).astype(np.float32)
DOUBLE = RNG.normal(size=(4, 3))


def _traced(f, *args):
    return fad.vjp(f, *args)[0]


@pytest.mark.parametrize("spec", ["ij,kl->k", "ij,ij->", "ij,ij,ij->j"])
def test_einsum_sums_in_the_wider_dtype(spec):
    args = [SINGLE, *[DOUBLE] * spec.count(",")]
    found = _traced(lambda *a: fnp.einsum(spec, *a), *args)
    assert_allclose(found, np.einsum(spec, *args), rtol=1e-13)


def test_einsum_gradients_keep_the_dtypes_of_the_inputs():
    f = lambda a, b: fnp.einsum("ij,kl->", a, b)
    grads = fad.grad(f, argnums=(0, 1))(SINGLE, DOUBLE)
    assert [g.dtype for g in grads] == [np.float32, np.float64]


def test_lstsq_solves_in_the_wider_dtype():
    b = RNG.normal(size=(4, 2)) + 1j
    x, residuals, rank, s = _traced(lambda a, b: fnp.linalg.lstsq(a, b), SINGLE, b)
    expected = np.linalg.lstsq(SINGLE, b, rcond=None)
    assert_allclose(x, expected[0], rtol=1e-12)
    assert_allclose(residuals, expected[1], rtol=1e-12)
    assert (rank, s.dtype) == (expected[2], expected[3].dtype)
