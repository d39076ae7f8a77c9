"""Comparison and selection."""

import numpy as np
import pytest

import fad
from fad.core.trace import Tracer
from fad.ops import arithmetic, comparison, elementary


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge", "logical_and"])
def test_comparisons_of_tracers_are_plain_under_grad(name):
    seen = []

    def f(x):
        seen.append(getattr(comparison, name)(x, 1.0))
        return x * 1.0

    fad.grad(f)(2.0)
    assert not isinstance(seen[0], Tracer) and seen[0].dtype == bool


def test_branch_not_taken_leaks_no_nan():
    left = lambda t: comparison.where(t < 0, elementary.sqrt(-t), 3.0 * t)
    right = lambda t: comparison.where(t == 0, 0.0 * t, t * elementary.sqrt(t))
    with np.errstate(invalid="ignore"):
        assert fad.grad(left)(2.0) == 3.0
        assert fad.grad(left)(-4.0) == -0.25
        assert fad.grad(right)(0.0) == 0.0


def test_branch_not_taken_leaks_no_nan_at_second_order():
    f = lambda t: comparison.where(t > 0, elementary.log(t), t * t)
    with np.errstate(divide="ignore", invalid="ignore"):
        assert fad.grad(fad.grad(f))(0.0) == 2.0
        assert fad.grad(fad.grad(f))(2.0) == -0.25


def test_where_sums_over_a_broadcast_branch():
    mask = np.array([True, False, True])
    (d,) = fad.vjp(lambda y: comparison.where(mask, y, 0.0), 1.0)[1](np.ones(3))
    assert d == 2.0


def test_where_keeps_float32_beside_python_numbers():
    x = np.array([1.0, -1.0], np.float32)
    y, t = fad.jvp(lambda x: comparison.where(x > 0, x, 0), (x,), (x,))
    assert y.dtype == t.dtype == np.float32


def test_where_promotes_real_with_complex():
    mask = np.array([True, False])
    f = lambda x: comparison.where(mask, x, 1j)
    (d,) = fad.vjp(f, np.ones(2))[1](np.array([2 + 3j, 5j]))
    assert d.tolist() == [2.0, 0.0]


def test_bitwise_functions_work_while_staging():
    jaxpr = fad.make_jaxpr(lambda i: comparison.bitwise_and(i, 6))(np.int64(3))
    assert fad.eval_jaxpr(jaxpr, np.int64(3)) == [2]
    assert arithmetic.is_complex(1j) and not arithmetic.is_complex(np.float32(1))
