"""Elementwise operations with rules of their own, and explicit shapes, of fad.lax."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad import lax

X = np.arange(6.0).reshape(2, 3)
INTS = np.array([-7, 7, -6, 6, 0])


def test_integers_are_divided_towards_zero():
    np.testing.assert_array_equal(lax.div(INTS, 2), [-3, 3, -3, 3, 0])
    np.testing.assert_array_equal(lax.div(INTS, -2), [3, -3, 3, -3, 0])
    np.testing.assert_array_equal(lax.rem(INTS, 4), [-3, 3, -2, 2, 0])
    assert lax.div(INTS.astype(np.int8), np.int8(2)).dtype == np.int8
    assert lax.div(1.0, 2.0) == 0.5
    np.testing.assert_array_equal(fad.jit(lax.div)(INTS, 2), [-3, 3, -3, 3, 0])


def test_rounding_of_halves():
    halves = np.array([-2.5, -0.5, 0.5, 1.5, 2.4])
    np.testing.assert_array_equal(lax.round(halves), [-3, -1, 1, 2, 2])
    even = lax.RoundingMethod.TO_NEAREST_EVEN
    np.testing.assert_array_equal(lax.round(halves, even), [-2, 0, 0, 2, 2])
    assert fad.grad(lambda x: lax.round(x) * x)(1.7) == 2.0


def test_powers_and_roots():
    assert lax.integer_pow(2.0, -2) == 0.25
    assert lax.integer_pow(3, 2) == 9
    assert fad.grad(lambda x: lax.integer_pow(x, 3))(2.0) == 12.0
    np.testing.assert_allclose(lax.rsqrt(4.0), 0.5)


def test_clamp_and_select_want_matching_shapes():
    np.testing.assert_array_equal(lax.clamp(1.0, X, 4.0), X.clip(1, 4))
    np.testing.assert_array_equal(lax.select(X > 2, X, -X), np.where(X > 2, X, -X))
    with pytest.raises(TypeError, match="a bound must be a number"):
        lax.clamp(X[0], X, 4.0)
    with pytest.raises(TypeError, match="one shape and dtype"):
        lax.select(X > 2, X, X[0])
    with pytest.raises(TypeError, match="mask must be boolean"):
        lax.select(X, X, X)


def test_bits():
    np.testing.assert_array_equal(lax.clz(np.array([1, 8, -1, 0])), [63, 60, 0, 64])
    assert lax.clz(np.uint8(1)) == 7
    count = lax.population_count(np.array([7, -1]))
    np.testing.assert_array_equal(count, [3, 64])
    assert count.dtype == np.int64
    assert lax.shift_right_logical(np.int8(-8), np.int8(1)) == 124
    assert lax.shift_right_arithmetic(-8, 1) == -4
    assert lax.shift_left(3, 1) == 6


def test_conversion():
    assert lax.convert_element_type(1.7, int) == 1
    assert lax.convert_element_type(np.array([1 + 2j]), float)[0] == 1.0
    assert fad.grad(lambda x: lax.convert_element_type(x, np.float32))(1.0) == 1.0
    z = lax.complex(1.0, 2.0)
    assert (z, lax.real(z), lax.imag(z), lax.conj(z)) == (1 + 2j, 1.0, 2.0, 1 - 2j)


def test_broadcasting_names_the_axes():
    np.testing.assert_array_equal(
        lax.broadcast_in_dim(X, (2, 4, 3), (0, 2)),
        np.broadcast_to(X[:, None], (2, 4, 3)),
    )
    np.testing.assert_array_equal(lax.broadcast_in_dim(5.0, (2,), ()), [5.0, 5.0])
    assert lax.broadcast(X, (4,)).shape == (4, 2, 3)
    assert lax.broadcast_to_rank(X, 4).shape == (1, 1, 2, 3)
    f = lambda x: fnp.sum(lax.broadcast_in_dim(x, (2, 4, 3), (0, 2)) ** 2)
    np.testing.assert_array_equal(fad.grad(f)(X), 8 * X)
    with pytest.raises(TypeError, match="does not fit"):
        lax.broadcast_in_dim(X, (3, 2), (0, 1))
    with pytest.raises(TypeError, match="increasing"):
        lax.broadcast_in_dim(X, (3, 2), (1, 0))


def test_making_arrays():
    np.testing.assert_array_equal(lax.iota(np.int32, 3), np.arange(3, dtype=np.int32))
    got = lax.broadcasted_iota(np.float32, (2, 3), 1)
    np.testing.assert_array_equal(got, np.broadcast_to(np.arange(3), (2, 3)))
    assert got.dtype == np.float32
    assert lax.full((2,), 3).dtype == np.int64
    assert lax.full_like(X, 1, shape=(4,)).tolist() == [1.0] * 4


def test_rearranging():
    np.testing.assert_array_equal(lax.reshape(X, (3, 2), (1, 0)), X.T)
    assert lax.collapse(np.ones((2, 3, 4)), 0, 2).shape == (6, 4)
    np.testing.assert_array_equal(lax.transpose(X, (1, 0)), X.T)
    np.testing.assert_array_equal(lax.rev(X, (0, 1)), X[::-1, ::-1])
    assert lax.expand_dims(X, (0, 3)).shape == (1, 2, 3, 1)
    assert lax.squeeze(X[None], (0,)).shape == X.shape
    np.testing.assert_array_equal(lax.concatenate([X, X], 1), np.hstack([X, X]))
    np.testing.assert_array_equal(lax.tile(X, (2, 1)), np.vstack([X, X]))
    np.testing.assert_array_equal(lax.stack(lax.unstack(X, 1), 1), X)
    left, right = lax.split(X, (1, 2), axis=1)
    np.testing.assert_array_equal(right, X[:, 1:])
    with pytest.raises(TypeError, match="has 6 elements"):
        lax.reshape(X, (4, 2))
    with pytest.raises(TypeError, match="do not fit together"):
        lax.concatenate([X, X.T], 0)
    with pytest.raises(ValueError, match="do not add up"):
        lax.split(X, (1, 1), axis=1)


def test_slices():
    np.testing.assert_array_equal(lax.slice(X, (0, 1), (2, 3)), X[:, 1:])
    np.testing.assert_array_equal(lax.slice(X, (0, 0), (2, 3), (1, 2)), X[:, ::2])
    np.testing.assert_array_equal(lax.index_in_dim(X, -1, 1), X[:, 2:])
    np.testing.assert_array_equal(lax.index_in_dim(X, 0, keepdims=False), X[0])
    with pytest.raises(TypeError, match="an entry per axis"):
        lax.slice(X, (0,), (2,))
    with pytest.raises(TypeError, match="an entry per axis"):
        lax.slice(X, (0, 0), (2, 4))


def test_padding_around_between_and_negative():
    got = lax.pad(X, 9.0, [(1, 0, 0), (0, 2, 1)])
    want = [[9] * 7, [0, 9, 1, 9, 2, 9, 9], [3, 9, 4, 9, 5, 9, 9]]
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(lax.pad(X, 0.0, [(-1, 0, 0), (0, -1, 0)]), X[1:, :2])
    np.testing.assert_array_equal(
        lax.pad(X[0], 9.0, [(-1, 1, 2)]), [9, 9, 1, 9, 9, 2, 9]
    )
    assert lax.pad(X, 0.0, [(-1, -1, 0), (0, 0, 0)]).shape == (0, 3)
    config = [(1, -1, 2), (-1, 1, 0)]
    fad.testing.check_grads(lambda x, v: lax.pad(x, v, config), (X, 2.0), order=2)
    stack = fad.vmap(lambda x, v: lax.pad(x, v, config))(X[None], np.array([2.0]))
    np.testing.assert_array_equal(stack[0], lax.pad(X, 2.0, config))
    with pytest.raises(ValueError, match="every axis"):
        lax.pad(X, 0.0, [(0, 0, 0)])
