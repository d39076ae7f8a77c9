"""In-place writes on traced arrays mean what they mean in NumPy, views included."""

import operator
from functools import partial

import numpy as np
from derivative_checks import check_derivatives
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from inplace_programs import TRANSFORMS, V, X, same

import fad
import fad.numpy as fnp
from fad.core.errors import InPlaceError

VIEWS = {
    "T": lambda a: a.T,
    "flip": lambda a: a[::-1],
    "whole": lambda a: a[...],
    "flat": lambda a: a.reshape(-1),
    "ravel": lambda a: a.ravel(),
    "fold": lambda a: a.reshape(2, -1) if a.size % 2 == 0 else a[...],
    "axis": lambda a: a[None],
    "last row": lambda a: list(a)[-1] if len(a) else a,
    "copy": lambda a: a.copy(),
    "double": lambda a: 2 * a,
    "reversed axes": lambda a: a.swapaxes(0, -1),
}
IN_PLACE = {
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
}


@st.composite
def programs(draw):
    """A list of steps on a growing list of arrays, which starts with a copy of x."""
    steps = []
    shapes = [X.shape]
    example = [1.0 * X]
    for _ in range(draw(st.integers(1, 8))):
        source = draw(st.integers(0, len(shapes) - 1))
        shape = example[source].shape
        if not shape or 0 in shape:
            continue
        kind = draw(st.sampled_from(["view", "index", "write", "write", "update"]))
        if kind == "view":
            steps.append((kind, source, draw(st.sampled_from(sorted(VIEWS)))))
        elif kind == "index":
            steps.append((kind, source, draw(indices(shape, arrays=False))))
        elif kind == "write":
            steps.append(
                (kind, source, draw(indices(shape)), *draw(values(len(shapes))))
            )
        else:
            name = draw(st.sampled_from(sorted(IN_PLACE)))
            steps.append((kind, source, name, *draw(values(len(shapes)))))
        try:
            run_step(example, steps[-1])
        except ValueError:
            steps.pop()  # shapes do not fit
        shapes = [np.shape(a) for a in example]
    return steps


def indices(shape, arrays=True):
    basic = hnp.basic_indices(shape)
    if not arrays:
        return basic
    return basic | hnp.integer_array_indices(
        shape, result_shape=hnp.array_shapes(max_dims=1, max_side=3)
    )


def values(count):
    number = st.tuples(st.just("number"), st.sampled_from([0.5, -2.0, 3.0]))
    return number | st.tuples(st.just("array"), st.integers(0, count - 1))


def run_step(arrays, step):
    kind, source, what, *value = step
    a = arrays[source]
    if kind == "view":
        arrays.append(VIEWS[what](a))
    elif kind == "index":
        arrays.append(a[what])
    else:
        v = value[1] if value[0] == "number" else arrays[value[1]]
        if kind == "write":
            a[what] = v
        else:
            arrays[source] = IN_PLACE[what](a, v)


def run(steps, x):
    arrays = [1.0 * x]
    for step in steps:
        run_step(arrays, step)
    return arrays


def total(arrays):
    """A number that depends on every element of every array in its own way."""
    result = 0.0
    for k, a in enumerate(arrays):
        weights = np.cos(k + np.arange(float(np.size(a)))).reshape(np.shape(a))
        result = result + (weights[()] * a).sum()
    return result


def slope(steps, x, t):
    """The derivative along t, by a complex step through NumPy's own execution."""
    moved = [np.imag(a) / 1e-30 for a in run(steps, x + 1e-30j * t)]
    return total(moved)


@given(programs(), st.sampled_from(sorted(TRANSFORMS)))
def test_random_programs_write_what_numpy_writes(steps, name):
    want = run(steps, X)
    try:
        got = TRANSFORMS[name](lambda x: run(steps, x), X)
    except InPlaceError as error:
        assert name in ("vmap", "make_jaxpr") and "memory layout" in str(error)
        assume(False)
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-12, atol=1e-12)


@given(programs())
def test_derivatives_of_random_programs_are_exact(steps):
    f = lambda x: total(run(steps, x))
    t = np.sin(X)
    want = slope(steps, X, t)
    scale = 1e-9 * (1 + abs(want))
    np.testing.assert_allclose(np.sum(fad.grad(f)(X) * t), want, rtol=1e-9, atol=scale)
    np.testing.assert_allclose(fad.jvp(f, (X,), (t,))[1], want, rtol=1e-9, atol=scale)


def test_a_write_is_seen_in_views_taken_before():
    def program(a):
        row, column = a[1], a[:, 1]
        a[1, 1] = 9.0
        return row.sum() + 10 * column.sum()

    same(program)


def test_a_write_to_a_view_of_a_view_is_seen_in_the_array_and_its_other_views():
    def program(a):
        other = a[:, ::-1]
        inner = a.T[1:][:, 0]
        inner[1] = 5.0
        inner *= 2.0
        return a + other

    same(program)


def test_rows_of_an_iteration_are_views():
    def program(a):
        for k, row in enumerate(a):
            row *= k
        return a

    same(program)


def test_elements_are_numbers_and_rebind():
    def program(a):
        first = a[0, 0]
        first += 10.0
        for number in a[1]:
            number *= 2.0
        return a + first

    same(program)


def test_zero_dimensional_views_are_arrays_and_mutate():
    def program(a):
        first = a[0, 0, ...]
        first += 10.0
        return a

    same(program)


def test_an_update_of_an_indexed_array_writes_once():
    def program(a):
        a[1] += 1.0
        a[:, 2] *= a[:, 1]
        a[[0, 0], [1, 1]] += 1.0  # buffered: once, as in NumPy
        a[a[:, 0] > 1] -= 3.0 if isinstance(a, np.ndarray) else 3.0
        return a

    same(program, ways=("vjp", "jvp", "nested"))
    jaxpr = fad.make_jaxpr(lambda a: [a.__setitem__(0, 1.0), a][1])(X)
    assert str(jaxpr).count("scatter_set") == 1


def test_indexed_update_is_one_scatter():
    def f(a):
        a[1] += 1.0
        return a

    assert str(fad.make_jaxpr(f)(X)).count("scatter_set") == 1


def test_two_names_of_one_array_and_a_copy():
    def program(a):
        b, c = a, a.copy()
        b += 1.0
        c *= 0.0
        return a + c

    same(program)


def test_overwritten_values_have_no_derivative():
    def f(x):
        y = fnp.sqrt(x)
        y[...] = 2.0
        y += x
        return fnp.sum(y)

    np.testing.assert_array_equal(fad.grad(f)(np.zeros(3)), np.ones(3))


def test_values_read_before_a_write_keep_their_derivative():
    def f(x):
        y = 3.0 * x
        z = y * y
        y[0] = 100.0
        return fnp.sum(z)

    np.testing.assert_allclose(fad.grad(f)(V), 18 * V)


def test_the_array_of_the_caller_is_not_changed():
    x = V.copy()

    def f(x):
        x[0] = 7.0
        x *= 2.0
        return fnp.sum(x)

    np.testing.assert_array_equal(fad.grad(f)(x), [0.0, 2.0, 2.0])
    np.testing.assert_array_equal(x, V)


def test_last_of_several_writes_to_one_element_stays():
    def f(x):
        y = fnp.zeros_like(x)
        y[[0, 0, 2]] = x
        return y[0] * 10 + y[2]

    np.testing.assert_array_equal(fad.grad(f)(V), [0.0, 10.0, 1.0])


def test_real_and_imaginary_parts_are_views():
    def program(z):
        z.real[1] = 5.0
        z.imag = z.real
        z.T.imag[0] *= 2.0
        return z

    z = V * (1 + 2j)
    want = program(z.copy())
    np.testing.assert_array_equal(fad.vjp(lambda z: program(1.0 * z), z)[0], want)
    check_derivatives(lambda z: program(1.0 * z), z, order=1)


def test_writing_functions_of_numpy():
    def program(np_, a):
        np_.put(a, [0, 5, -1], [1.0, 2.0])
        np_.place(a, np.arange(12).reshape(3, 4) % 5 == 0, [7.0, 8.0])
        np_.putmask(a[1], a[1] > 0.8, [3.0, 4.0])
        np_.fill_diagonal(a[:, 1:], [5.0, 6.0])
        np_.copyto(a[2], [1.0, 2.0, 3.0, 4.0], where=[True, False, False, True])
        np_.put_along_axis(a, np.array([[1], [2], [0]]), -1.0, axis=1)
        a.flat[2:9:3] = [0.25, 0.75]
        a.T.flat = a.flat[::-1]
        a[0].fill(2.5)
        a.put([1], 0.125)
        return a

    want = program(np, X.copy())
    for f in (partial(program, np), partial(program, fnp)):
        got = fad.vjp(lambda a, f=f: f(1.0 * a), X)[0]
        np.testing.assert_array_equal(got, want)
    check_derivatives(lambda a: program(fnp, 1.0 * a), X, order=1, batch=False)


def test_swapping_rows():
    def program(a):
        a[0], a[2] = a[2].copy(), a[0].copy()
        a[[0, 1]] = a[[1, 0]]
        return a

    same(program)


def test_a_time_stepping_loop():
    def program(a):
        for _ in range(5):
            a[1:-1, 1:-1] += 0.25 * (a[2:, 1:-1] + a[:-2, 1:-1] - 2 * a[1:-1, 1:-1])
            a[:, 0] = a[:, 1]
        return a

    same(program)
    check_derivatives(lambda a: program(1.0 * a), X, order=2)
