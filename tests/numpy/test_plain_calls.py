"""Calls in which nothing is traced go to NumPy, the same as written."""

import inspect

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad.numpy.dispatch import implementations
from fad.numpy.plain_calls import PLAIN, all_plain, dispatching, holds_tracer

X = np.array([3.0, 1.0, 2.0])


class Duck:
    """An array of another library, which takes NumPy's functions over."""

    def __array_function__(self, function, types, args, kwargs):
        return function, args, kwargs


def test_an_array_of_another_library_gets_what_was_given_and_no_defaults():
    duck = Duck()
    assert fnp.sum(duck) == (np.sum, (duck,), {})
    assert fnp.sum(duck, axis=0) == (np.sum, (duck, 0), {})
    assert fnp.sum(duck, keepdims=True) == (np.sum, (duck,), {"keepdims": True})
    assert fnp.concatenate([duck, X], axis=0)[0] is np.concatenate
    assert fnp.where(duck, 1.0, X)[0] is np.where
    assert fnp.pad(duck, 1, constant_values=2)[2] == {"constant_values": 2}


def test_subclasses_keep_their_own_ways():
    masked = np.ma.array(X, mask=[True, False, False])
    assert fnp.sum(masked) == 3.0
    assert fnp.mean(masked) == 1.5


@pytest.mark.parametrize(
    "call",
    [
        lambda xp: xp.sum(X, axis=0, keepdims=True),
        lambda xp: xp.sum(X, where=X > 1.0, initial=5.0),
        lambda xp: xp.concatenate([X, X]),
        lambda xp: xp.concatenate((X, X), axis=0, dtype=np.float32),
        lambda xp: xp.array([X, [1.0, 2.0, 3.0]]),
        lambda xp: xp.array(X, ndmin=2),
        lambda xp: xp.arange(3),
        lambda xp: xp.arange(1.0, 3.0, 0.5),
        lambda xp: xp.arange(start=1, stop=3),
        lambda xp: xp.where(X > 1.0),
        lambda xp: xp.where(X > 1.0, X, 0.0),
        lambda xp: xp.dot(b=X, a=X),
        lambda xp: xp.pad(X, 1, constant_values=7.0),
        lambda xp: xp.clip(X, min=1.5, max=None),
        lambda xp: xp.einsum("i,i->", X, X, optimize=True),
        lambda xp: xp.divmod(X, 2.0),
        lambda xp: xp.add(X, 1, dtype=np.float32),
    ],
)
def test_results_are_numpys(call):
    for _ in range(2):  # the first call compiles the function
        found, want = call(fnp), call(np)
        assert type(found) is type(want)
        np.testing.assert_array_equal(found, want)


def test_plain_outputs_are_written():
    out = np.zeros(3)
    assert fnp.add(X, 1.0, out=out) is out
    assert fnp.negative(X, out, where=X > 1.0) is out
    np.testing.assert_array_equal(out, [-3.0, 2.0, -2.0])
    assert fnp.cumsum(X, out=out) is out
    whole, part = np.zeros(3), np.zeros(3)
    assert fnp.modf(X + 0.5, part, whole)[1] is whole
    np.testing.assert_array_equal(fnp.modf(X + 0.5, out=(part, whole))[0], [0.5] * 3)


@pytest.mark.parametrize("call", [lambda: fnp.sum(), lambda: fnp.sum(X, axes=0)])
def test_wrong_calls_are_type_errors(call):
    with pytest.raises(TypeError, match=r"argument"):
        call()


@pytest.mark.parametrize(
    "f",
    [
        lambda t: fnp.sum([[t, 2.0], (1.0, t)]),
        lambda t: fnp.stack((X, [t, 1.0, 2.0]))[1, 0] * 2,
        lambda t: fnp.pad(X, 1, constant_values=t)[0] * 2,
        lambda t: fnp.clip(X, None, max=2 * t)[0],
        lambda t: fnp.where(X > 5.0, 1.0, 2 * t)[0],
        lambda t: fnp.sum(X, initial=2 * t),
    ],
)
def test_a_tracer_is_found_wherever_it_is(f):
    assert fad.grad(f)(0.5) == 2.0


def test_a_traced_output_takes_a_traced_result():
    def f(x):
        out = fnp.zeros_like(x)
        fnp.cumsum(x, out=out)
        return fnp.sum(out)

    np.testing.assert_array_equal(fad.grad(f)(X), [3.0, 2.0, 1.0])


def test_staging_takes_plain_calls_too():
    jaxpr = fad.make_jaxpr(lambda: fnp.sum(X))()
    assert [eqn.prim.name for eqn in jaxpr.eqns] == ["reduce_sum"]


def test_the_public_signature_is_that_of_the_implementation():
    implementation = implementations[np.sum]
    assert inspect.signature(fnp.sum) == inspect.signature(implementation)


def test_dispatching_without_a_known_signature():
    calls = []
    traced = lambda a, b=None: calls.append("traced")
    otherwise = lambda args, kwargs: (args, kwargs)
    f = dispatching(max, traced, otherwise)
    assert f([1, 2]) == 2 and f(1, 2) == 2 and f(1, 5, 3) == 5 and f(1, 2, 3, 4) == 4
    assert f([1, 2], default=3) == 2 and f(1, 2, key=lambda v: -v) == 1
    assert f(Duck, a := Duck()) == ((Duck, a), {})
    assert f() == ((), {})


def test_what_is_plain():
    assert all_plain(X) and all_plain([1.0, (X, None)]) and all_plain("ij,jk->ik")
    assert not all_plain([1.0, (X, Duck())])
    assert type(np.float16(1)) in PLAIN and type(np.dtype("f8")) in PLAIN
    assert not holds_tracer([X, [Duck()]])
