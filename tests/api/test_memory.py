"""What is held, and for how long: linear steps keep nothing, chains free themselves."""

import gc
import tracemalloc
import weakref

import numpy as np
import pytest

import fad
import fad.numpy as fnp

SIZE = 100_000
ARRAY = 8 * SIZE


@pytest.fixture
def traced():
    """Measure memory from here on; returns (now, peak) in arrays of SIZE doubles."""
    gc.collect()
    tracemalloc.start()
    yield lambda: [m / ARRAY for m in tracemalloc.get_traced_memory()]
    tracemalloc.stop()


def linear_steps(x):
    for _ in range(50):
        x = 1.01 * x + 0.5
    return fnp.sum(x)


def sine_steps(x):
    for _ in range(50):
        x = fnp.sin(x)
    return x


def test_linear_steps_hold_at_most_one_array_after_the_forward_pass(traced):
    x = np.ones(SIZE)
    before = traced()[0]
    _, pull = fad.vjp(linear_steps, x)
    assert traced()[0] - before <= 1.1
    pull(1.0)


def test_nonlinear_steps_hold_at_most_one_array_each(traced):
    x = np.ones(SIZE)
    before = traced()[0]
    y, pull = fad.vjp(sine_steps, x)
    del y
    assert traced()[0] - before <= 50.5
    del pull
    gc.collect()
    assert traced()[0] - before <= 0.1


@pytest.mark.parametrize("f", [linear_steps, sine_steps])
def test_jvp_holds_no_program(traced, f):
    """Values and tangents of two steps at most: two pairs, and a temporary."""
    x, t = np.ones(SIZE), np.ones(SIZE)
    before = traced()[0]
    fad.jvp(f, (x,), (t,))
    assert traced()[1] - before <= 5.1


def test_backward_pass_frees_cotangents_as_it_goes(traced):
    x = np.ones(SIZE)
    before = traced()[0]
    fad.grad(lambda x: fnp.sum(sine_steps(x)))(x)
    assert traced()[1] - before <= 54


def test_a_gradient_frees_everything_without_the_garbage_collector(traced):
    x = np.ones(SIZE)
    gc.disable()
    try:
        before = traced()[0]
        for _ in range(3):
            fad.grad(lambda x: fnp.sum(sine_steps(x)))(x)
        assert traced()[0] - before <= 0.1
    finally:
        gc.enable()


def test_values_nobody_needs_are_freed_during_the_forward_pass(traced):
    alive = []

    def f(x):
        for _ in range(20):
            y = x * 2.0
            alive.append(weakref.ref(y.value))
            x = y + 1.0
        return fnp.sum(x)

    fad.vjp(f, np.ones(SIZE))
    assert sum(r() is not None for r in alive) == 0


def test_chain_of_hundreds_of_thousands_of_operations_differentiates_and_is_freed():
    def f(x):
        for _ in range(150_000):
            x = x * 1.000001
            x = x + 1e-6
        return x

    gc.collect()
    gc.disable()
    try:
        before = len(gc.get_objects())
        assert np.isclose(fad.grad(f)(1.0), 1.000001**150_000)
        assert len(gc.get_objects()) - before < 1000
    finally:
        gc.enable()


def test_training_loop_does_not_grow():
    rng = np.random.default_rng(0)
    xs, ys = rng.normal(size=(8, 3)), rng.normal(size=8)
    step = fad.value_and_grad(
        lambda p: fnp.sum((fnp.tanh(xs @ p["w"]) + p["b"] - ys) ** 2)
    )
    params = {"w": np.zeros(3), "b": 0.0}

    def train(count):
        nonlocal params
        for _ in range(count):
            _, g = step(params)
            params = fad.tree.map(lambda p, g: p - 1e-3 * g, params, g)

    train(100)
    gc.collect()
    tracemalloc.start()
    train(100)
    gc.collect()
    first = tracemalloc.get_traced_memory()[0]
    train(1_000)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - first
    tracemalloc.stop()
    assert grown < 2_000


@pytest.mark.parametrize(
    "make",
    [
        lambda x: fad.vjp(lambda v: fnp.sum(fnp.sin(v)), x),
        lambda x: fad.linearize(fnp.sin, x),
        lambda x: fad.make_jaxpr(lambda v: v + x)(x),
    ],
)
def test_what_a_transform_returned_is_freed_with_it(make):
    x = np.ones(SIZE)
    kept = make(x)
    alive = weakref.ref(x)
    del x, kept
    gc.collect()
    assert alive() is None
