"""Item assignment and in-place operators: dtypes, shapes, refusals and ways out."""

import operator

import numpy as np
import pytest
from inplace_programs import V, X, same

import fad
import fad.numpy as fnp
from fad.core.errors import InPlaceError, TracerArrayConversionError

OPERATORS = "iadd isub imul itruediv ifloordiv imod ipow".split()


@pytest.mark.parametrize("name", OPERATORS)
def test_in_place_operators(name):
    same(lambda a: getattr(operator, name)(a, a[1] + 0.5), ways=("vjp", "jvp", "vmap"))
    f = lambda a: getattr(operator, name)(1.0 * a, 1.75)
    np.testing.assert_allclose(fad.vjp(f, X)[0], f(X))


def test_in_place_matmul():
    f = lambda a: operator.imatmul(1.0 * a, np.arange(16.0).reshape(4, 4))
    np.testing.assert_allclose(fad.vjp(f, X)[0], f(X))


@pytest.mark.parametrize("name", ["iand", "ior", "ixor", "ilshift", "irshift", "iadd"])
def test_in_place_operators_on_staged_integers(name):
    x = np.array([1, 2, 3])
    f = lambda a: [getattr(operator, name)(a, 2), a][1]
    np.testing.assert_array_equal(fad.vmap(f)(x[None])[0], f(x.copy()))


def test_dtype_of_the_array_stays():
    def f(x):
        x *= np.float64(2.0)
        x += np.arange(3.0)
        x[0] = np.float64(1.5)
        x[1:] = x[1:].astype(np.float64)
        return x

    out = fad.vjp(f, V.astype(np.float32))[0]
    assert out.dtype == np.float32
    np.testing.assert_array_equal(out, [1.5, -2.0, 6.0])


def test_unsafe_casts_are_refused():
    with pytest.raises(TypeError, match="same_kind"):
        fad.vjp(lambda x: operator.iadd(x, 1j), V)
    with pytest.raises(TypeError, match="same_kind"):
        fad.vmap(lambda n: operator.itruediv(n, 2))(np.ones((2, 3), int))
    with pytest.raises(TypeError):
        fad.vjp(lambda x: x.__setitem__(0, 1j), V)


def test_shapes_have_to_fit():
    with pytest.raises(ValueError, match="non-broadcastable output"):
        fad.vjp(lambda x: operator.iadd(x, np.ones((2, 3))), V)
    with pytest.raises(ValueError, match=r"broadcast input array from shape \(2,\)"):
        fad.vjp(lambda x: x.__setitem__(slice(3), x[:2]), V)
    with pytest.raises(ValueError, match="could not broadcast"):
        fad.vjp(lambda x: x.__setitem__(slice(3), np.ones(2)), V)
    with pytest.raises(IndexError):
        fad.vjp(lambda x: x.__setitem__(3, 0.0), V)


def test_a_row_takes_what_broadcasts():
    def program(a):
        a[1:] = a[:1] * 2.0
        a[:, 1] = 0.5
        a[0] = a[None, None, 1]
        a[2] = [1.0, 2.0, a[0, 0], 4.0]
        return a

    same(program)


@pytest.mark.parametrize("scalar", [2.0, np.float64(2.0)])
def test_scalars_cannot_be_assigned_to(scalar):
    def f(x):
        x[...] = 1.0

    with pytest.raises(TypeError, match="does not support item assignment"):
        fad.vjp(f, scalar)


READ_ONLY = [
    lambda x: fnp.broadcast_to(x, (2, 3)),
    lambda x: fnp.diagonal(x[None] * x[:, None]),
    lambda x: fnp.broadcast_to(x, (2, 3))[0],
    lambda x: fnp.diag(x[None] * x[:, None]).T,
]


@pytest.mark.parametrize("view", READ_ONLY)
@pytest.mark.parametrize("way", ["vjp", "make_jaxpr"])
def test_read_only_views_are_read_only(view, way):
    def f(x):
        view(x)[0] = 1.0
        return x

    with pytest.raises(ValueError, match="assignment destination is read-only"):
        getattr(fad, way)(f, V) if way == "vjp" else fad.make_jaxpr(f)(V)


def test_read_only_views_see_writes():
    def program(a):
        repeated, corner = fnp.broadcast_to(a[0], (2, 4)), fnp.diagonal(a)
        a[0] = 3.0
        return fnp.sum(repeated) + fnp.sum(corner)

    same(program)


def test_what_depends_on_unknown_memory_is_refused():
    def through(x):
        y = x.T.reshape(-1)
        y[0] = 1.0
        return x

    def under(x):
        y = x.T.reshape(-1)
        x[0] = 1.0
        return y

    for f in (through, under):
        with pytest.raises(InPlaceError, match="memory layout"):
            fad.make_jaxpr(f)(X)
        same(f, ways=("vjp", "jvp"))


def test_reshape_that_only_adds_axes_is_a_view_everywhere():
    def program(a):
        a[:, None][1, 0] = 2.0
        fnp.expand_dims(a, 0)[0, 2] *= 3.0
        fnp.squeeze(a[:1])[0] = 4.0
        return a

    same(program)


def test_an_inner_value_does_not_go_into_an_outer_array():
    def outer(x):
        buffer = 1.0 * x

        def inner(y):
            buffer[0] = y
            return fnp.sum(buffer)

        return fad.grad(inner)(x[0])

    with pytest.raises(InPlaceError, match="inner grad"):
        fad.grad(outer)(V)


def test_an_outer_value_goes_into_an_inner_array():
    def outer(x):
        def inner(y):
            y[0] = x[1] * x[1]
            return fnp.sum(y * y)

        return fnp.sum(fad.grad(inner)(1.0 * x)) + inner(2.0 * x)

    f = lambda x: 2 * (x[1] + x[2]) + x[1] ** 4 + 4 * (x[1] ** 2 + x[2] ** 2)
    np.testing.assert_allclose(fad.grad(outer)(V), fad.grad(f)(V))


@pytest.mark.parametrize("keep", [fad.vjp, fad.linearize])
def test_a_write_after_an_inner_transform_does_not_reach_what_it_kept(keep):
    def outer(x):
        x = 1.0 * x
        factor = 2.0 * x
        _, kept = keep(lambda y: fnp.sin(y) * factor, x)
        x[...] = 100.0
        factor[:] = 100.0
        out = kept(np.ones(3))
        return fnp.sum(out[0] if keep is fad.vjp else out)

    np.testing.assert_allclose(
        fad.grad(outer)(V), fad.grad(lambda x: fnp.sum(2 * x * fnp.cos(x)))(V)
    )


def test_escaped_arrays_cannot_be_written_to():
    kept = []
    fad.grad(lambda x: kept.append(x) or fnp.sum(x))(V)
    with pytest.raises(TypeError, match="escaped"):
        kept[0][0] = 1.0


STORES = [
    lambda a, x: a.__setitem__(slice(1), x),
    lambda a, x: a.__setitem__([0, 1], x),
    lambda a, x: operator.iadd(a, x),
    lambda a, x: np.put(a, 0, x),
    lambda a, x: np.copyto(a, x),
    lambda a, x: np.fill_diagonal(a, x),
]


@pytest.mark.parametrize("store", STORES)
def test_plain_arrays_take_no_traced_values(store):
    with pytest.raises(TracerArrayConversionError):
        fad.grad(lambda x: store(np.zeros((3, 3)), x))(2.0)


@pytest.mark.parametrize("dtype", [float, np.float32, complex, int])
@pytest.mark.parametrize("way", ["grad", "vmap", "make_jaxpr"])
def test_an_element_of_a_plain_array_takes_no_traced_value(dtype, way):
    def f(x):
        a = np.zeros(3, dtype)
        a[0] = x
        return a.sum()

    call = lambda: getattr(fad, way)(f)(np.ones(2) if way == "vmap" else 2.0)
    # the type is kept where no debugger or coverage tool is tracing
    with pytest.raises(
        (TracerArrayConversionError, ValueError), match=r"Two ways out.*at\("
    ):
        call()


def test_numbers_of_known_values_can_be_taken():
    def f(x):
        table = {"a": 0.0}
        table["a"] = float(x)
        plain = [0.0]
        plain[int(x) - 2] = x
        return plain[0] * table["a"]

    assert fad.grad(f)(2.5) == 2.5
