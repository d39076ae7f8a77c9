import itertools

import numpy as np
import pytest

import fad
from fad.ops.convolution import Window, conv_general, convolve
from fad.testing import check_grads, check_vjp_jvp_duality

rng = np.random.default_rng(6)


def real(*shape):
    return rng.standard_normal(shape)


def by_definition(x, w, window, groups):
    """A convolution, one product at a time."""
    strides, padding, spread, dilation = window
    n, _, *sizes = x.shape
    features, depth, *kernel = w.shape
    out = window.out_sizes(sizes, kernel)
    y = np.zeros((n, features, *out))
    for o, p in itertools.product(range(features), np.ndindex(*out)):
        first = o // (features // groups) * depth
        for k in np.ndindex(*kernel):
            spread_at = [
                p[i] * strides[i] + k[i] * dilation[i] - padding[i][0]
                for i in range(len(out))
            ]
            source = [q // s for q, s in zip(spread_at, spread, strict=True)]
            inside = all(
                q % s == 0 and 0 <= i < size
                for q, s, i, size in zip(spread_at, spread, source, sizes, strict=True)
            )
            if inside:
                part = x[(slice(None), slice(first, first + depth), *source)]
                y[(slice(None), o, *p)] += part @ w[(o, slice(None), *k)]
    return y


WINDOWS_1D = [
    Window((s,), ((lo, hi),), (f,), (d,))
    for s, (lo, hi), f, d in itertools.product(
        (1, 2, 3), ((0, 0), (2, 1), (-1, 1)), (1, 2, 3), (1, 2)
    )
]


@pytest.mark.parametrize("window", WINDOWS_1D, ids=str)
def test_every_window_in_one_dimension(window):
    x, w = real(2, 4, 6), real(6, 2, 3)
    f = lambda x, w: conv_general(x, w, window=window, groups=2)
    np.testing.assert_allclose(f(x, w), by_definition(x, w, window, 2), 1e-12, 1e-12)
    check_vjp_jvp_duality(f, (x, w), directions=1)


@pytest.mark.parametrize(
    "window",
    [
        Window.plain(2, 1),
        Window((2, 1), ((1, 0), (0, 2)), (1, 1), (1, 2)),
        Window((1, 2), ((-1, 0), (2, -1)), (2, 3), (1, 2)),
        Window((3, 3), ((0, 0), (0, 0)), (1, 1), (1, 1)),
    ],
    ids=str,
)
def test_two_dimensions(window):
    x, w = real(2, 2, 5, 4), real(3, 2, 3, 2)
    f = lambda x, w: conv_general(x, w, window=window, groups=1)
    np.testing.assert_allclose(f(x, w), by_definition(x, w, window, 1), 1e-12, 1e-12)
    check_grads(f, (x, w), order=2, directions=1)
    check_vjp_jvp_duality(f, (x, w))


@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize("pad", [(0, 0), (1, 1), (2, 0), (0, 3), (5, 4), (-1, 0)])
@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("groups", [1, 2])
def test_many_channels_to_few(rank, groups, pad, dilation):
    """Products land on a grid where channels are many: any padding crops it."""
    ones = (1,) * rank
    window = Window(ones, (pad,) * rank, ones, (dilation,) * rank)
    x = real(2, 8 * groups, *(7, 6, 5)[:rank])
    w = real(2 * groups, 8, *(3, 2, 2)[:rank])
    found = conv_general(x, w, window=window, groups=groups)
    expected = by_definition(x, w, window, groups)
    np.testing.assert_allclose(found, expected, 1e-12, 1e-12)


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("axes", [(0, None), (None, 0), (0, 0), (2, 1), (-1, -1)])
def test_vmap_is_native_in_images_and_kernels(axes, groups):
    window = Window((2, 1), ((1, 0), (0, 1)), (1, 1), (1, 1))
    f = lambda x, w: conv_general(x, w, window=window, groups=groups)
    x, w = (
        real(*shape) if a is None else np.stack([real(*shape) for _ in range(3)], a)
        for shape, a in zip([(2, 2, 4, 3), (4, 2 // groups, 2, 2)], axes, strict=True)
    )
    got = fad.vmap(f, in_axes=axes)(x, w)
    for i in range(3):
        example = [
            v if a is None else v.take(i, a) for v, a in zip((x, w), axes, strict=True)
        ]
        np.testing.assert_allclose(got[i], f(*example), 1e-11, 1e-11)
    program = fad.make_jaxpr(fad.vmap(f, in_axes=axes))(x, w)
    assert [e.prim.name for e in program.eqns].count("conv_general") == 1


@pytest.mark.parametrize(
    ("x", "w"),
    [((0, 2, 4), (3, 2, 2)), ((2, 0, 4), (3, 0, 2)), ((2, 2, 4), (0, 2, 2))],
)
def test_empty_axes_give_zeros_and_gradients_of_the_right_shape(x, w):
    f = lambda x, w: conv_general(x, w, window=Window.plain(1), groups=1)
    out, pull = fad.vjp(f, real(*x), real(*w))
    assert out.shape == (x[0], w[0], 3) and not out.any()
    assert [c.shape for c in pull(out)] == [x, w]


def test_channels_that_do_not_match_are_refused():
    with pytest.raises(ValueError, match="has 3 channels and w .* takes 2"):
        conv_general(real(1, 3, 4), real(2, 2, 2), window=Window.plain(1), groups=1)


@pytest.mark.parametrize("mode", ["full", "valid"])
@pytest.mark.parametrize(("n", "m"), [(5, 3), (3, 5), (4, 4), (1, 3), (3, 1), (6, 2)])
def test_vectors(n, m, mode):
    f = lambda x, y: convolve(x, y, mode=mode)
    x, y = real(n), real(m)
    np.testing.assert_array_equal(f(x, y), np.convolve(x, y, mode))
    check_grads(f, (x, y), order=2)
    check_vjp_jvp_duality(f, (x, y))
    for axes in [(0, None), (None, 0), (0, 0), (1, 0)]:
        xs = x if axes[0] is None else np.stack([x, 2 * x], axes[0])
        ys = y if axes[1] is None else np.stack([y, 3 * y], axes[1])
        scale = [1, (2 if axes[0] is not None else 1) * (3 if axes[1] == 0 else 1)]
        got = fad.vmap(f, in_axes=axes)(xs, ys)
        want = np.stack([s * f(x, y) for s in scale])
        np.testing.assert_allclose(got, want, 1e-12, 1e-12)


def test_empty_vectors_are_refused_when_staged_too():
    with pytest.raises(ValueError, match="v cannot be empty"):
        fad.make_jaxpr(lambda x: convolve(x, x[:0], mode="full"))(real(3))
