"""Groups on large arrays run on several threads, with the same results."""

import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad.backends import threads

X = np.linspace(0.1, 3.0, threads.LARGE + 12345)


def loss(x):
    return fnp.sum(fnp.sin(x) * fnp.exp(-x)) + fnp.max(fnp.tanh(x) * x)


@pytest.fixture
def with_threads(monkeypatch):
    """Return a function that runs another with a number of threads."""

    def run(count, call):
        monkeypatch.setenv("OMP_NUM_THREADS", str(count))
        threads._pool.cache_clear()
        return call()

    yield run
    threads._pool.cache_clear()


def test_results_do_not_depend_on_the_number_of_threads(with_threads):
    f = fad.jit(fad.value_and_grad(loss))
    one = with_threads(1, lambda: f(X))
    four = with_threads(4, lambda: f(X))
    np.testing.assert_array_equal(one[0], four[0])
    np.testing.assert_array_equal(one[1], four[1])
    np.testing.assert_allclose(one[0], loss(X), rtol=1e-12)


def test_pieces_run_on_several_threads(with_threads):
    seen = set()

    def piece(start, stop):
        seen.add(threading.get_ident())
        time.sleep(0.01)
        return [stop - start]

    found = with_threads(3, lambda: threads.run_pieces(piece, 1000, 10, [np.add]))
    assert found == [1000]
    assert len(seen) == 3


def test_an_error_in_a_piece_is_raised_once(with_threads):
    def piece(start, stop):
        if start:
            raise FloatingPointError("in a piece")
        return [0]

    with pytest.raises(FloatingPointError, match="in a piece"):
        with_threads(3, lambda: threads.run_pieces(piece, 1000, 10, [np.add]))
    assert threads.run_pieces(lambda a, b: [b - a], 1000, 10, [np.add]) == [1000]


@pytest.mark.parametrize("count", [1, 4])
def test_numpy_error_handling_of_the_caller_holds_in_every_thread(with_threads, count):
    f = fad.jit(lambda x: fnp.sum(fnp.log(x - 0.1) * x))
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        with_threads(count, lambda: f(X[::-1].copy()))
    with np.errstate(divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert with_threads(count, lambda: f(X)) == -np.inf


def test_programs_in_many_threads_at_once(with_threads):
    f = fad.jit(fad.value_and_grad(loss))
    expected = f(X)

    def many():
        with ThreadPoolExecutor(4) as pool:
            return list(pool.map(lambda _: f(X), range(8)))

    for value, gradient in with_threads(2, many):
        np.testing.assert_array_equal(value, expected[0])
        np.testing.assert_array_equal(gradient, expected[1])
