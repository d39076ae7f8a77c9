"""Threads: transforms run side by side, and a tracing context is a thread's own."""

import threading

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

import fad
import fad.numpy as fnp


def in_threads(*tasks):
    """Run the tasks at once; return their results, or raise the first error."""
    results = [None] * len(tasks)
    errors = []
    start = threading.Barrier(len(tasks))

    def run(i, task):
        try:
            start.wait()
            results[i] = task()
        except BaseException as error:
            errors.append(error)

    threads = [
        threading.Thread(target=run, args=(i, task)) for i, task in enumerate(tasks)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if errors:
        raise errors[0]
    return results


def test_two_threads_differentiate_at_once():
    x = np.linspace(0.0, 1.0, 50)
    f = lambda k: (
        lambda: [fad.grad(lambda v: fnp.sum(fnp.sin(k * v)))(x) for _ in range(100)][-1]
    )
    a, b = in_threads(f(1.0), f(2.0))
    assert_allclose(a, np.cos(x))
    assert_allclose(b, 2 * np.cos(2 * x))


def test_one_pullback_is_called_by_two_threads():
    _, pull = fad.vjp(lambda v: fnp.sin(v) * v, np.ones(10))
    call = lambda: [pull(np.ones(10))[0] for _ in range(100)][-1]
    a, b = in_threads(call, call)
    assert_array_equal(a, b)


def test_custom_rule_under_vmap_is_pulled_back_by_two_threads():
    f = fad.custom_vjp(lambda x: x * 1.0)
    f.defvjp(lambda x: (x * 1.0, x), lambda x, ct: (3.0 * ct * x,))
    _, pull = fad.vjp(fad.vmap(f), np.ones(10))
    call = lambda: [pull(np.ones(10))[0] for _ in range(100)][-1]
    for result in in_threads(call, call, call):
        assert_array_equal(result, np.full(10, 3.0))


def test_tracing_in_one_thread_is_not_seen_by_another():
    inside, done = threading.Event(), threading.Event()

    def trace():
        def f(x):
            inside.set()
            assert done.wait(10)
            return fnp.sin(x)

        return fad.make_jaxpr(f)(1.0)

    def compute():
        assert inside.wait(10)
        value = fnp.cos(0.0)
        done.set()
        return value

    jaxpr, value = in_threads(trace, compute)
    assert value == 1.0
    assert [e.prim.name for e in jaxpr.eqns] == ["sin"]


def test_tracer_may_be_used_by_a_thread_of_the_function():
    def f(x):
        out = []
        worker = threading.Thread(target=lambda: out.append(fnp.sin(x)))
        worker.start()
        worker.join()
        return out[0]

    assert_allclose(fad.grad(f)(0.5), np.cos(0.5))
    assert_allclose(fad.jvp(f, (0.5,), (1.0,))[1], np.cos(0.5))
    assert_allclose(fad.vmap(f)(np.array([0.5])), [np.sin(0.5)])


def test_many_threads_of_nested_transforms():
    f = lambda x: fnp.sin(x) * x
    task = lambda: [fad.vmap(fad.hessian(f))(np.array([0.5, 1.0])) for _ in range(10)]
    expected = 2 * np.cos([0.5, 1.0]) - [0.5, 1.0] * np.sin([0.5, 1.0])
    for result in in_threads(*[task] * 4):
        assert_allclose(result[-1], expected)
