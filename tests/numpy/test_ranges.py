import numpy as np
import pytest
from derivative_checks import check_derivatives

import fad
import fad.numpy as fnp

A, B = np.array([1.0, 2.0]), np.array([4.0, 0.5])


def traced(f, *args):
    return fad.vjp(f, *args)[0]


@pytest.mark.parametrize("args", [(0.5, 4.0, 0.3), (3.0, -1.0, -0.5), (2.0, 1.0, 1.0)])
def test_arange(args):
    f = lambda *a: fnp.arange(*a)
    np.testing.assert_allclose(traced(f, *args), np.arange(*args), rtol=1e-15)


def test_arange_is_differentiable_in_start_and_step():
    f = lambda a, s: fnp.sum(fnp.arange(a, 2.9, s))
    assert fad.grad(f, argnums=(0, 1))(0.0, 1.0) == (3.0, 3.0)


def test_arange_of_a_traced_stop_alone_is_plain():
    assert traced(lambda b: fnp.arange(b) * b, 3.0).tolist() == [0.0, 3.0, 6.0]


def test_arange_needs_a_known_length():
    with pytest.raises(TypeError, match="number of values has to be known"):
        fad.make_jaxpr(lambda b: fnp.arange(0.0, b))(3.0)


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("num", [0, 1, 2, 5])
@pytest.mark.parametrize("axis", [0, -1])
def test_linspace(num, endpoint, axis):
    options = dict(endpoint=endpoint, axis=axis)
    f = lambda a, b: fnp.linspace(a, b, num, **options)
    np.testing.assert_array_equal(traced(f, A, B), np.linspace(A, B, num, **options))
    if num:
        check_derivatives(f, A, B)


def test_linspace_returns_its_step():
    f = lambda a: fnp.linspace(a, 3.0, 5, retstep=True)[1]
    assert fad.grad(f)(1.0) == -0.25


@pytest.mark.parametrize("start", [np.float32(1), 1.0])
def test_linspace_keeps_dtypes(start):
    want = np.linspace(start, np.float32(2), 3)
    found = traced(lambda a: fnp.linspace(a, np.float32(2), 3), start)
    assert found.dtype == want.dtype


def test_linspace_of_integers_rounds_down():
    f = lambda a: fnp.linspace(a, 0.0, 4, dtype=int)
    assert traced(f, -2.0).tolist() == np.linspace(-2.0, 0.0, 4, dtype=int).tolist()


def test_linspace_refuses_a_negative_number():
    with pytest.raises(ValueError, match="non-negative"):
        traced(lambda a: fnp.linspace(a, 1.0, -1), 0.0)


@pytest.mark.parametrize("options", [{}, dict(endpoint=False), dict(base=2.0)])
def test_logspace(options):
    f = lambda a, b: fnp.logspace(a, b, 4, **options)
    np.testing.assert_allclose(
        traced(f, A, B), np.logspace(A, B, 4, **options), rtol=1e-15
    )
    check_derivatives(f, A / 3, B / 3, rtol=1e-6)


def test_logspace_of_many_bases():
    f = lambda c: fnp.logspace(0.5, 1.5, 3, base=c, axis=-1)
    np.testing.assert_allclose(
        traced(f, A), np.logspace(0.5, 1.5, 3, base=A, axis=-1), rtol=1e-15
    )
    check_derivatives(f, A, rtol=1e-6)


@pytest.mark.parametrize("options", [{}, dict(endpoint=False), dict(axis=-1)])
@pytest.mark.parametrize("sign", [1, -1])
def test_geomspace(sign, options):
    f = lambda a, b: fnp.geomspace(a, b, 4, **options)
    a, b = sign * A, sign * B
    np.testing.assert_allclose(
        traced(f, a, b), np.geomspace(a, b, 4, **options), rtol=1e-14
    )
    check_derivatives(f, a, b, rtol=1e-6)


def test_geomspace_cannot_reach_zero():
    with pytest.raises(ValueError, match="cannot include zero"):
        traced(lambda a: fnp.geomspace(a, 1.0), 0.0)


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_meshgrid(count, sparse, indexing):
    vectors = [np.arange(2.0), np.arange(3.0) + 5, np.arange(4.0) - 9][:count]
    options = dict(sparse=sparse, indexing=indexing)
    found = traced(lambda *v: fnp.meshgrid(*v, **options), *vectors)
    for a, b in zip(found, np.meshgrid(*vectors, **options), strict=True):
        np.testing.assert_array_equal(a, b)


def test_meshgrid_is_differentiable():
    check_derivatives(lambda x, y: fnp.prod(fnp.array(fnp.meshgrid(x, y)), 0), A, B)


def test_meshgrid_knows_two_ways_of_indexing():
    with pytest.raises(ValueError, match="'xy' and 'ij'"):
        traced(lambda x: fnp.meshgrid(x, indexing="yx"), A)


def test_kaiser_is_differentiable_in_beta():
    f = lambda b: fnp.kaiser(5, b)
    np.testing.assert_allclose(traced(f, 3.0), np.kaiser(5, 3.0))
    check_derivatives(f, 3.0)
    assert fad.grad(lambda b: fnp.kaiser(1, b)[0])(3.0) == 0.0
