"""Which tracers are views, and when they are taken anew."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad.core.views import View, is_array, root_of, snapshot

X = np.arange(12.0).reshape(3, 4)

VIEWS = [
    lambda x: x[1:],
    lambda x: x[0],
    lambda x: x[0, 0, ...],
    lambda x: x[None],
    lambda x: x.T,
    lambda x: x[::-1].T[1:],
    lambda x: x[:, None, :, None],
    lambda x: x.reshape(3, 1, 4),
    lambda x: fnp.flip(x),
    lambda x: fnp.broadcast_to(x, (2, 3, 4)),
    lambda x: fnp.diagonal(x),
    lambda x: fnp.moveaxis(x, 0, 1),
    lambda x: fnp.squeeze(x[:1]),
    lambda x: fnp.split(x, 3)[1],
    lambda x: fnp.rot90(x),
    lambda x: next(iter(x)),
]
COPIES = [
    lambda x: x[[0, 1]],
    lambda x: x[np.array([True, False, True])],
    lambda x: x[np.array(0)],
    lambda x: x[True],
    lambda x: x.copy(),
    lambda x: x.flatten(),
    lambda x: x + 1.0,
    lambda x: fnp.tile(x, 2),
    lambda x: fnp.tile(x, 1),
    lambda x: fnp.repeat(x, 1),
    lambda x: fnp.roll(x, 0),
    lambda x: fnp.pad(x, 0),
    lambda x: fnp.concatenate([x]),
    lambda x: fnp.resize(x, (3, 4)),
    lambda x: fnp.delete(x, []),
    lambda x: fnp.tril(x, 9),
    lambda x: fnp.block(x),
    lambda x: fnp.reshape(x, (12,), copy=True),
    lambda x: fnp.diag(x[0]),
]
SCALARS = [lambda x: x[0, 0], lambda x: x[-1][2], lambda x: fnp.sum(x)]


def under(way, f):
    if way == "make_jaxpr":
        fad.make_jaxpr(f)(X)
    elif way == "vmap":
        fad.vmap(f)(X[None])
    else:
        fad.vjp(f, X)


@pytest.mark.parametrize("way", ["vjp", "vmap", "make_jaxpr"])
@pytest.mark.parametrize("view", VIEWS)
def test_views_are_those_of_numpy(view, way):
    def f(x):
        y = view(x)
        assert isinstance(y, View) and y.certain and is_array(y)
        assert root_of(y)[0] is x
        return x

    under(way, f)


@pytest.mark.parametrize("way", ["vjp", "vmap", "make_jaxpr"])
@pytest.mark.parametrize("copy", COPIES)
def test_copies_are_those_of_numpy(copy, way):
    def f(x):
        root, _ = root_of(copy(x))
        assert root is not x
        y = copy(x)
        y[...] = 5.0  # which is possible, and is not seen in x
        return x

    under(way, f)
    np.testing.assert_array_equal(fad.vmap(f)(X[None])[0], X)


@pytest.mark.parametrize("way", ["vjp", "vmap", "make_jaxpr"])
@pytest.mark.parametrize("scalar", SCALARS)
def test_numbers_are_no_arrays(scalar, way):
    def f(x):
        assert not is_array(scalar(x))
        return x

    under(way, f)


def test_ravel_of_an_array_with_gaps_is_a_copy():
    def f(x):
        column = x[:, 0]
        copied = column.ravel()
        x *= 2.0
        return copied

    np.testing.assert_array_equal(fad.vjp(lambda x: f(1.0 * x), X)[0], f(X.copy()))


def test_views_that_no_write_concerns_are_not_taken_anew():
    def f(x):
        y, other = 2.0 * x, 3.0 * x
        view = y[1:]
        atom = view.payload
        other[0] = 1.0
        assert view.payload is atom
        y[0] = 1.0
        assert view.payload is not atom
        return fnp.sum(view)

    fad.grad(f)(X)


def test_long_chains_of_views_need_no_recursion():
    def f(x):
        y = x[...]
        for _ in range(5000):
            y = y[...]
        x[0] = 1.0
        return fnp.sum(y)

    np.testing.assert_array_equal(fad.grad(f)(np.ones(2)), [0.0, 1.0])


def test_a_view_may_first_be_read_inside_a_staged_program():
    def f(x):
        y = 2.0 * x
        view = y[1:]
        y[1] = 7.0 * x[0]
        inner = lambda z: fnp.sum(z * view)
        return fad.eval_jaxpr(fad.make_jaxpr(inner)(np.ones(2)), np.ones(2))[0]

    np.testing.assert_array_equal(fad.grad(f)(np.ones(3)), [7.0, 0.0, 2.0])
    nested = fad.jvp(fad.grad(f), (np.ones(3),), (np.ones(3),))[0]
    np.testing.assert_array_equal(nested, [7.0, 0.0, 2.0])


def test_a_stopped_gradient_may_be_written_to():
    def f(x):
        y = fnp.exp(x)
        stopped = fad.stop_gradient(y)
        stopped[...] = 100.0
        return fnp.sum(y)

    np.testing.assert_allclose(fad.grad(f)(np.ones(3)), np.exp(np.ones(3)))


def test_an_overwritten_array_keeps_its_memory_order():
    def f(x):
        y = 1.0 * x
        y[...] = (2.0 * x).T[::-1].T[:, ::-1]
        flat = y.reshape(-1)
        y[0, 0] = 100.0
        return flat

    want = f(X[:3, :3].copy())
    np.testing.assert_array_equal(fad.vjp(f, X[:3, :3])[0], want)


def test_a_snapshot_does_not_see_writes():
    def f(x):
        before = snapshot(x)
        x[0] = 5.0
        return fnp.sum(before * x)

    np.testing.assert_array_equal(fad.grad(f)(np.array([2.0, 3.0])), [5.0, 6.0])
    assert snapshot(X) is X


def test_a_write_in_a_batched_function_stays_inside():
    def outer(x):
        y = 2.0 * x

        def inner(z):
            z = 1.0 * z
            z[0] = y[1]
            return z

        return fnp.sum(fad.vmap(inner)(x[None]) * 1.0) + y[0]

    np.testing.assert_array_equal(fad.grad(outer)(np.ones(3)), [2.0, 3.0, 1.0])
