"""Tracers and `bind`: where an operation goes, and how a tracer looks to Python."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad.core.trace import Tracer, ambient, aval_of, bind, concrete_value, staging_trace
from fad.ops.arithmetic import add, mul
from fad.ops.elementary import sin


def seen_in(transform, look):
    """What `look` says of the tracer of a transform."""
    found = []

    def f(x):
        found.append(look(x))
        return x

    transform(f)
    return found[0]


X = np.ones((2, 3))
TRANSFORMS = pytest.mark.parametrize(
    "transform",
    [
        lambda f: fad.vjp(f, X),
        lambda f: fad.jvp(f, (X,), (X,)),
        lambda f: fad.vmap(f)(np.ones((4, 2, 3))),
        lambda f: fad.make_jaxpr(f)(X),
        lambda f: fad.linear_transpose(f, X)(X),
    ],
)


@TRANSFORMS
def test_tracer_looks_like_its_array(transform):
    look = lambda x: (x.shape, x.ndim, x.size, x.dtype, len(x), str(x.aval))
    assert seen_in(transform, look) == ((2, 3), 2, 6, np.float64, 2, "f64[2,3]")


@TRANSFORMS
def test_tracer_is_unhashable_as_arrays_are(transform):
    with pytest.raises(TypeError, match="unhashable"):
        seen_in(transform, hash)


@TRANSFORMS
def test_repr_shows_aval_and_transform(transform):
    assert "Tracer<f64[2,3], " in seen_in(transform, repr)


@TRANSFORMS
def test_tracer_does_not_become_an_array(transform):
    with pytest.raises(
        TypeError, match="cannot become a plain numpy.ndarray.*fnp.stack"
    ):
        seen_in(transform, np.asarray)


@pytest.mark.parametrize(
    "read",
    [
        lambda a, i: a[i],
        lambda a, i: a[i, None],
        lambda a, i: a[fnp.stack([i, i])],
        lambda a, i: a[i > 0],
    ],
)
def test_plain_array_is_not_indexed_by_an_unknown_value(read):
    for transform in (fad.jit, lambda f: lambda i: fad.vmap(f)(np.array([i]))):
        with pytest.raises(TypeError, match=r"was indexed by.*fnp\.take\(a, i"):
            transform(lambda i: read(np.arange(3.0), i))(1)


def test_len_of_a_scalar():
    with pytest.raises(TypeError, match="len.. of unsized object"):
        fad.grad(lambda x: len(x))(1.0)


def test_bind_without_tracers_is_the_implementation():
    assert type(bind(sin, 0.0)) is np.float64
    assert bind(add, 1, 2) == 3


def test_bind_goes_to_the_innermost_trace():
    seen = []

    def inner(y, x):
        seen.append((add(x, y).owner is y.owner, sin(x).owner is x.owner))
        return y

    fad.grad(lambda x: fad.grad(inner)(2.0, x))(1.0)
    assert seen == [(True, True)]


def test_operation_on_outer_values_is_not_recorded_inside():
    seen = []

    def inner(y, x):
        seen.append(mul(x, x))
        return y

    fad.grad(lambda x: fad.grad(inner)(2.0, x) * x)(3.0)
    assert isinstance(seen[0], Tracer)
    assert seen[0].owner.name == "grad"


def test_concrete_value_looks_through_all_levels():
    seen = []

    def inner(y):
        seen.append(concrete_value(y))
        return y * y

    fad.grad(fad.grad(inner))(3.0)
    fad.vmap(inner)(X)
    assert seen == [3.0, None]


def test_aval_of_values():
    assert str(aval_of(np.ones(2))) == "f64[2]"
    with pytest.raises(TypeError, match="str is not an array"):
        aval_of("text")


def test_ambient_trace_is_restored_after_an_error():
    class Mine(Exception):
        pass

    with pytest.raises(Mine), ambient(object()):
        assert staging_trace() is not None
        raise Mine
    assert staging_trace() is None


@pytest.mark.parametrize("convert", [bool, float, int, complex])
def test_conversions_of_known_values(convert):
    assert seen_in(lambda f: fad.vjp(f, 2.0), convert) == convert(2.0)


def test_index_of_a_known_float_is_pythons_error():
    with pytest.raises(TypeError, match="integer"):
        fad.grad(lambda x: [1, 2][x])(1.0)


def test_truth_of_an_array_is_numpys_error():
    with pytest.raises(ValueError, match="ambiguous"):
        fad.grad(lambda x: fnp.sum(x) if x > 0 else 0.0)(X)
