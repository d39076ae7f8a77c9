"""Writing into arrays: a gradient is right or there is an error, never silence."""

import gc
import threading

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fad
import fad.numpy as fnp

SIZES = pytest.mark.parametrize("size", [3, 1000])


@SIZES
def test_argument_may_change_between_forward_and_backward_pass(size):
    x = np.linspace(0.1, 1.0, size)
    before = x.copy()
    _, pull = fad.vjp(lambda v: fnp.sum(v**3), x)
    _, lin = fad.linearize(fnp.sin, x)
    x[:] = 100.0
    assert_allclose(pull(1.0)[0], 3 * before**2, rtol=1e-14)
    assert_allclose(lin(np.ones(size)), np.cos(before), rtol=1e-14)


@SIZES
def test_closed_over_array_may_change_between_forward_and_backward_pass(size):
    data = np.full(size, 2.0)
    _, pull = fad.vjp(lambda v: v * data, np.ones(size))
    data[:] = 100.0
    assert_array_equal(pull(np.ones(size))[0], np.full(size, 2.0))


@SIZES
def test_array_that_changes_inside_the_function_is_used_as_it_was_or_refused(size):
    data = np.full(size, 2.0)

    def f(x):
        y = x * data
        data[:] = 100.0
        return fnp.sum(y)

    try:
        g = fad.grad(f)(np.ones(size))
    except ValueError as error:
        assert "read-only" in str(error)
    else:
        assert_array_equal(g, np.full(size, 2.0))


@SIZES
def test_array_used_twice_with_a_change_in_between(size):
    data = np.full(size, 2.0)

    def f(x):
        y = x * data
        data[:] = 5.0
        return y + x * data

    try:
        _, pull = fad.vjp(f, np.ones(size))
    except ValueError as error:
        assert "read-only" in str(error)
    else:
        assert_array_equal(pull(np.ones(size))[0], np.full(size, 7.0))


def test_view_of_a_used_array_is_protected_too():
    data = np.full(1000, 2.0)

    def f(x):
        y = x * data[::2]
        data[:] = 100.0
        return fnp.sum(y)

    try:
        g = fad.grad(f)(np.ones(500))
    except ValueError as error:
        assert "read-only" in str(error)
    else:
        assert_array_equal(g, np.full(500, 2.0))


def test_arrays_are_writeable_again_after_grad():
    x, data = np.ones(1000), np.ones(1000)
    fad.grad(lambda v: fnp.sum(v * data * v))(x)
    x[:] = 2.0
    data[:] = 2.0


def test_arrays_are_writeable_again_after_an_exception():
    x, data = np.ones(1000), np.ones(1000)

    def f(v):
        y = v * data * v
        raise KeyError(y.shape)

    for call in (
        lambda: fad.grad(f)(x),
        lambda: fad.vjp(f, x),
        lambda: fad.grad(lambda v: v * data * v)(x),  # no scalar: refused at the end
    ):
        with pytest.raises((KeyError, TypeError)):
            call()
        gc.collect()
        x[:] = 2.0
        data[:] = 2.0


def test_error_in_the_backward_pass_releases_the_arrays():
    x = np.ones(1000)
    f = fad.custom_vjp(lambda v: v)
    f.defvjp(lambda v: (v, None), lambda res, ct: (1 / 0,))
    with pytest.raises(ZeroDivisionError):
        fad.grad(lambda v: fnp.sum(f(v * v)))(x)
    gc.collect()
    x[:] = 2.0


def test_read_only_arrays_stay_read_only():
    x = np.ones(1000)
    x.flags.writeable = False
    assert_array_equal(fad.grad(lambda v: fnp.sum(v * v))(x), 2 * x)
    assert not x.flags.writeable


def test_nested_gradients_share_an_array():
    x = np.full(1000, 3.0)
    f = lambda v: fnp.sum(v * v * v)
    g = lambda v: fnp.sum(fad.grad(f)(v))
    assert_array_equal(fad.grad(g)(x), np.full(1000, 18.0))
    x[:] = 1.0


def test_array_is_not_released_while_another_gradient_holds_it():
    data = np.full(1000, 2.0)

    def f(x):
        y = x * data
        fad.grad(lambda v: fnp.sum(v * data))(np.ones(1000))
        try:
            data[:] = 100.0
        except ValueError as error:
            assert "read-only" in str(error)
        return fnp.sum(y)

    assert_array_equal(fad.grad(f)(np.ones(1000)), np.full(1000, 2.0))
    data[:] = 1.0


def test_concurrent_gradients_of_one_array_leave_it_writeable():
    x = np.ones(2000)
    errors = []

    def work():
        try:
            for _ in range(30):
                fad.grad(lambda v: fnp.sum(v * x))(x)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors
    x[:] = 2.0


class TestOwnership:
    """Results share no memory with arguments, cotangents, or one another."""

    @SIZES
    @pytest.mark.parametrize(
        "f", [lambda x: x, lambda x: x * 1.0, lambda x: x[:], lambda x: x[::-1]]
    )
    def test_results_are_the_callers_own(self, f, size):
        x, ct = np.ones(size), np.ones(size)
        y, pull = fad.vjp(f, x)
        (g,) = pull(ct)
        value, tangent = fad.jvp(f, (x,), (ct,))
        _, lin = fad.linearize(f, x)
        results = [y, g, value, tangent, lin(ct)]
        for a in results:
            assert a.flags.writeable
            assert not any(np.shares_memory(a, b) for b in (x, ct))
            assert sum(np.shares_memory(a, b) for b in results) == 1

    def test_two_gradients_are_two_arrays(self):
        a, b = fad.grad(lambda x, y: fnp.sum(x + y), (0, 1))(np.ones(3), np.ones(3))
        assert not np.shares_memory(a, b)
        assert a.flags.writeable
        assert b.flags.writeable

    def test_writing_into_the_output_changes_no_pullback(self):
        y, pull = fad.vjp(fnp.exp, np.zeros(1000))
        y[:] = 7.0
        assert_array_equal(pull(np.ones(1000))[0], np.ones(1000))

    def test_writing_into_a_cotangent_changes_no_later_one(self):
        _, pull = fad.vjp(lambda x: fnp.sin(x), np.zeros(1000))
        (g,) = pull(np.ones(1000))
        g[:] = 7.0
        assert_array_equal(pull(np.ones(1000))[0], np.ones(1000))

    def test_aux_is_no_residual(self):
        g, aux = fad.grad(lambda x: (fnp.sum(x * x), x), has_aux=True)(np.ones(1000))
        aux[:] = 3.0
        assert_array_equal(g, np.full(1000, 2.0))

    def test_value_of_value_and_grad_is_the_callers_own(self):
        x = np.ones(())
        value, _ = fad.value_and_grad(lambda x: x)(x)
        assert not np.shares_memory(value, x)

    def test_vmap_and_jacobians_give_arrays_of_their_own(self):
        x = np.ones((3, 2))
        for y in (fad.vmap(lambda v: v)(x), fad.jacrev(lambda v: v * 2)(x)):
            assert y.flags.writeable
            assert not np.shares_memory(y, x)


def test_read_only_view_of_memory_numpy_does_not_own():
    data = bytearray(8000)
    x = np.frombuffer(data, np.float64)
    _, pull = fad.vjp(lambda v: fnp.sum(v * v), x)
    data[:8] = np.float64(9.0).tobytes()
    assert pull(1.0)[0][0] == 0.0


def test_guard_copies_no_large_array_in_grad():
    import tracemalloc

    big = np.ones(1_000_000)
    f = fad.grad(lambda s: fnp.sum(s * big))
    f(2.0)
    tracemalloc.start()
    f(2.0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.5 * big.nbytes


def test_exception_that_is_kept_locks_no_array():
    """As a notebook keeps the last one, with all its frames."""
    x = np.ones(1000)

    def f(v):
        y = v * v
        raise KeyError(y.shape)

    with pytest.raises(KeyError) as kept:
        fad.grad(f)(x)
    x[:] = 2.0
    assert kept.value.args
