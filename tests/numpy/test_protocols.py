import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad.core.errors import TracerArrayConversionError
from fad.numpy.dispatch import implementations

X = np.array([0.5, -1.5, 2.0])


def seen(f, x=X):
    kept = []
    fad.vjp(lambda x: kept.append(f(x)) or fnp.sum(x), x)
    return kept[0]


@pytest.mark.parametrize(
    "question",
    [
        lambda a, xp: xp.shape(a),
        lambda a, xp: xp.ndim(a),
        lambda a, xp: xp.size(a),
        lambda a, xp: xp.size(a, 0),
        lambda a, xp: xp.result_type(a, np.complex64),
        lambda a, xp: xp.can_cast(a, np.float32),
        lambda a, xp: xp.iscomplexobj(a),
        lambda a, xp: xp.isrealobj(a),
        lambda a, xp: xp.common_type(a),
        lambda a, xp: xp.min_scalar_type(a),
        lambda a, xp: xp.array_str(a),
        lambda a, xp: xp.array2string(a, precision=2, separator=", "),
        lambda a, xp: xp.may_share_memory(a, a[:1]),
        lambda a, xp: xp.shares_memory(a, a[1:]),
        lambda a, xp: xp.shares_memory(a[:1], a[1:]),
        lambda a, xp: xp.isscalar(a),
        lambda a, xp: xp.iterable(a),
    ],
)
def test_questions_about_arrays_have_numpys_answers(question):
    want = question(X, np)
    assert seen(lambda x: question(x, fnp)) == want
    assert seen(lambda x: question(x, np)) == want


def test_memory_order_is_not_traced():
    assert seen(fnp.isfortran) is False


def test_weak_numbers_stay_weak_in_result_type():
    types = fad.make_jaxpr(lambda x: fnp.zeros(3, fnp.result_type(x, np.float32)))(2.0)
    assert types.out_avals[0].dtype == np.float32


def test_isscalar_of_a_number():
    assert seen(fnp.isscalar, np.float64(2.0)) and not fnp.isscalar(np.array(2.0))


def test_size_along_an_axis_out_of_range():
    with pytest.raises(np.exceptions.AxisError):
        seen(lambda x: fnp.size(x, 1))


def test_memory_of_abstract_values_is_that_of_their_root():
    def f(x):
        assert fnp.shares_memory(x, x[1:])
        assert not fnp.shares_memory(x, x + 1)
        assert not fnp.may_share_memory(x, X)
        return x

    fad.make_jaxpr(f)(X)


def test_array_repr_shows_value_and_trace():
    text = seen(lambda x: np.array_repr(x, precision=1))
    assert text == "Tracer<f64[3], grad, value=array([ 0.5, -1.5,  2. ])>"


def test_texts_of_abstract_values():
    def f(x):
        text = "Tracer<f64[3], make_jaxpr or jit>"
        assert repr(x) == str(x) == fnp.array_str(x) == fnp.array_repr(x) == text
        assert fnp.array2string(x) == text
        return x

    fad.make_jaxpr(f)(X)


def test_numpy_array_of_tracers_names_the_two_ways_out():
    with pytest.raises(TracerArrayConversionError, match="Two ways out.*fnp.array"):
        fad.grad(lambda x: np.array([x, 1.0])[0])(2.0)
    assert fad.grad(lambda x: fnp.array([x, 1.0])[0])(2.0) == 1.0


def test_function_without_a_rule_is_named():
    @np._core.overrides.array_function_dispatch(lambda x: (x,))
    def unheard_of(x):
        return x

    with pytest.raises(TypeError, match="no rule for .*unheard_of.*custom_jvp"):
        seen(unheard_of)


def test_unsupported_function_called_through_numpy_gives_the_reason():
    with pytest.raises(TypeError, match="numpy.save does not take.*has_aux"):
        seen(lambda x: np.save("nowhere.npy", x))


def test_like_gives_plain_arrays():
    out = seen(lambda x: np.zeros(3, like=x))
    assert type(out) is np.ndarray


def test_array_like_a_tracer_may_hold_tracers():
    f = lambda x: np.asarray([x, 2.0], like=x)[0]
    assert fad.grad(f)(3.0) == 1.0


def test_other_array_types_have_their_say():
    class Other:
        def __array_function__(self, func, types, args, kwargs):
            return "mine"

    assert seen(lambda x: np.concatenate([x, Other()])) == "mine"


def test_namespace_is_this_one():
    assert seen(lambda x: x.__array_namespace__()) is fnp
    with pytest.raises(ValueError, match="API"):
        seen(lambda x: x.__array_namespace__(api_version="1999.1"))


def test_every_implementation_belongs_to_a_numpy_function():
    assert all(callable(f) and callable(g) for f, g in implementations.items())
