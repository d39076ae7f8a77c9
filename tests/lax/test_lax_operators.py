"""Operations of fad.lax besides control flow."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad import lax

rng = np.random.default_rng(0)
IMAGES = rng.standard_normal((2, 3, 6, 5))
KERNELS = rng.standard_normal((4, 3, 3, 2))


def by_hand(x, w, stride=(1, 1)):
    oh = (x.shape[2] - w.shape[2]) // stride[0] + 1
    ow = (x.shape[3] - w.shape[3]) // stride[1] + 1
    out = np.empty((x.shape[0], w.shape[0], oh, ow))
    for i in range(oh):
        for j in range(ow):
            a, b = i * stride[0], j * stride[1]
            part = x[:, :, a : a + w.shape[2], b : b + w.shape[3]]
            out[:, :, i, j] = np.einsum("nchw,ochw->no", part, w)
    return out


def test_convolution():
    found = lax.conv_general_dilated(IMAGES, KERNELS, (1, 1), "VALID")
    np.testing.assert_allclose(found, by_hand(IMAGES, KERNELS))
    found = lax.conv(IMAGES, KERNELS, (2, 1), "VALID")
    np.testing.assert_allclose(found, by_hand(IMAGES, KERNELS, (2, 1)))


def test_padding_of_the_same_size():
    found = lax.conv_general_dilated(IMAGES, KERNELS, (1, 1), "SAME")
    padded = np.pad(IMAGES, ((0, 0), (0, 0), (1, 1), (0, 1)))
    np.testing.assert_allclose(found, by_hand(padded, KERNELS))
    with pytest.raises(ValueError, match="'SAME', 'VALID'"):
        lax.conv(IMAGES, KERNELS, (1, 1), "FULL")
    with pytest.raises(ValueError, match="as many strides"):
        lax.conv(IMAGES, KERNELS, (1,), "SAME")


def test_orders_of_axes():
    x, w = IMAGES.transpose(0, 2, 3, 1), KERNELS.transpose(2, 3, 1, 0)
    numbers = ("NHWC", "HWIO", "NHWC")
    found = lax.conv_general_dilated(x, w, (1, 1), "VALID", dimension_numbers=numbers)
    want = by_hand(IMAGES, KERNELS).transpose(0, 2, 3, 1)
    np.testing.assert_allclose(found, want)


def test_gradient_of_a_convolution():
    f = lambda w: fnp.sum(lax.conv(IMAGES, w, (1, 1), "SAME") ** 2)
    fad.testing.check_grads(f, (KERNELS,), order=1)


@pytest.mark.parametrize("jit", [lambda f: f, fad.jit])
def test_blocks_at_a_traced_start(jit):
    x = np.arange(12.0).reshape(3, 4)
    take = jit(lambda i, j: lax.dynamic_slice(x, (i, j), (2, 2)))
    np.testing.assert_array_equal(take(1, 2), x[1:3, 2:4])
    np.testing.assert_array_equal(take(5, -2), x[1:3, 2:4])
    put = jit(lambda i: lax.dynamic_update_slice(x, np.zeros((2, 2)), (i, 1)))
    want = x.copy()
    want[1:3, 1:3] = 0
    np.testing.assert_array_equal(put(1), want)
    np.testing.assert_array_equal(
        jit(lambda i: lax.dynamic_index_in_dim(x, i))(2), x[2:]
    )
    one = jit(lambda i: lax.dynamic_index_in_dim(x, i, 1, keepdims=False))
    np.testing.assert_array_equal(one(3), x[:, 3])


def test_gradients_of_blocks():
    x = np.arange(4.0)
    f = lambda x, u, i: fnp.sum(lax.dynamic_update_slice(x, u, (i,)) ** 2)
    gx, gu = fad.jit(fad.grad(f, (0, 1)))(x, np.ones(2), 1)
    np.testing.assert_array_equal(gx, [0.0, 0.0, 0.0, 6.0])
    np.testing.assert_array_equal(gu, [2.0, 2.0])
    g = fad.grad(lambda x, i: fnp.sum(lax.dynamic_slice(x, (i,), (2,)) ** 2))
    np.testing.assert_array_equal(fad.jit(g)(x, 2), [0, 0, 4, 6])
    np.testing.assert_array_equal(
        fad.vmap(g, (None, 0))(x, np.array([0, 2])), [[0, 2, 0, 0], [0, 0, 4, 6]]
    )


def test_blocks_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="too large"):
        lax.dynamic_slice(np.ones(3), (0,), (4,))
    with pytest.raises(ValueError, match="needs 1 starts"):
        lax.dynamic_slice(np.ones(3), (0, 0), (1,))


def test_slices_and_largest_elements():
    x = rng.standard_normal((3, 7))
    np.testing.assert_array_equal(lax.slice_in_dim(x, 1, 6, 2, axis=1), x[:, 1:6:2])
    values, where = fad.jit(lambda x: lax.top_k(x, 2))(x)
    np.testing.assert_array_equal(values, np.sort(x, axis=1)[:, :-3:-1])
    np.testing.assert_array_equal(np.take_along_axis(x, where, 1), values)
    assert lax.top_k(np.array([1.0, 1.0]), 1)[1] == [0]


def test_names_of_elementwise_functions():
    np.testing.assert_allclose(lax.rsqrt(4.0), 0.5)
    np.testing.assert_allclose(lax.add(1.0, lax.mul(2.0, lax.neg(3.0))), -5.0)
    assert fad.grad(lambda x: lax.max(x, lax.sin(x)))(1.0) == 1.0
