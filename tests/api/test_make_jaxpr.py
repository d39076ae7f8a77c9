"""`make_jaxpr`, `eval_jaxpr`, `eval_shape`: programs, and what tracing refuses."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fad
import fad.numpy as fnp

X = np.array([1.0, 2.0, 3.0])


def names(jaxpr):
    return [e.prim.name for e in jaxpr.eqns]


def test_prints_the_familiar_form():
    assert str(fad.make_jaxpr(fnp.sin)(X)) == (
        "{ lambda ; a:f64[3]. let b:f64[3] = sin a in (b,) }"
    )


def test_literals_dtypes_and_several_outputs():
    jaxpr = fad.make_jaxpr(lambda x, n: (x * 2.0, n))(np.float32(1.0), 3)
    assert str(jaxpr) == (
        "{ lambda ; a:f32[] b:i64[]. let c:f32[] = mul a 2.0:f64[] in (c, b) }"
    )


def test_long_programs_take_a_line_per_equation():
    text = str(fad.make_jaxpr(lambda x: fnp.sin(fnp.sin(fnp.sin(fnp.sin(x)))))(X))
    assert text.splitlines()[0] == "{ lambda ; a:f64[3]. let"
    assert text.splitlines()[1] == "    b:f64[3] = sin a"
    assert text.splitlines()[-1] == "  in (e,) }"


def test_dead_code_never_gets_in():
    def f(x):
        fnp.exp(x)
        return fnp.sin(x)

    assert names(fad.make_jaxpr(f)(X)) == ["sin"]


def test_operations_on_plain_values_are_captured():
    assert "cos" in names(fad.make_jaxpr(lambda x: x * fnp.cos(2.0))(1.0))


def test_large_constants_are_held_by_reference():
    big = np.zeros(100_000)
    jaxpr = fad.make_jaxpr(lambda x: x + big)(1.0)
    assert jaxpr.consts[0] is big and big.flags.writeable
    assert str(jaxpr).startswith("{ lambda a:f64[100000] ; b:f64[].")


def test_attributes():
    jaxpr = fad.make_jaxpr(lambda x, y: (x + y, y))(X, 2.0)
    assert [str(a) for a in jaxpr.in_avals] == ["f64[3]", "f64[]"]
    assert [str(a) for a in jaxpr.out_avals] == ["f64[3]", "f64[]"]
    assert jaxpr.jaxpr is jaxpr
    assert len(jaxpr.eqns) == 1


def test_equations_know_the_users_line():
    jaxpr = fad.make_jaxpr(lambda x: fnp.sin(x))(X)
    source = jaxpr.eqns[0].source
    assert source.file == __file__
    assert "lambda" in source.function


def test_pytrees_keywords_and_shapes_as_arguments():
    f = lambda p, k: {"s": p["a"] * k}
    jaxpr, shape = fad.make_jaxpr(f, return_shape=True)(
        {"a": fad.ShapeDtypeStruct((2,), np.float32)}, k=2.0
    )
    assert names(jaxpr) == ["mul"]
    assert shape == {"s": fad.ShapeDtypeStruct((2,), np.float32)}


def test_static_arguments_are_passed_as_they_are():
    f = lambda x, n, flag: x**n if flag else x
    assert names(fad.make_jaxpr(f, static_argnums=(1, 2))(X, 3, False)) == []
    assert len(fad.make_jaxpr(f, static_argnums=(1, -1))(X, 3, True).eqns) == 1


def test_derivatives_are_programs():
    jaxpr = fad.make_jaxpr(fad.grad(lambda x: fnp.sum(fnp.sin(x))))(X)
    assert "cos" in names(jaxpr)
    assert_allclose(fad.eval_jaxpr(jaxpr, X)[0], np.cos(X))
    jaxpr = fad.make_jaxpr(fad.vmap(fad.hessian(lambda x: fnp.sin(x) * x)))(X)
    assert_allclose(fad.eval_jaxpr(jaxpr, X)[0], 2 * np.cos(X) - X * np.sin(X))


def test_program_may_be_transformed():
    jaxpr = fad.make_jaxpr(lambda x: fnp.sin(x) * x)(1.0)
    run = lambda x: fad.eval_jaxpr(jaxpr, x)[0]
    assert_allclose(fad.grad(run)(2.0), np.sin(2.0) + 2 * np.cos(2.0))
    assert_allclose(fad.vmap(run)(X), np.sin(X) * X)
    assert str(fad.make_jaxpr(run)(1.0)) == str(jaxpr)


def test_inside_grad_outer_values_are_constants():
    kept = []

    def f(x):
        jaxpr = fad.make_jaxpr(lambda y: y * x)(2.0)
        kept.append(jaxpr)
        return fad.eval_jaxpr(jaxpr, 5.0)[0]

    assert fad.grad(f)(3.0) == 5.0
    assert len(kept[0].consts) == 1


def test_nested_make_jaxpr_does_not_leak_operations():
    def f(x):
        fad.make_jaxpr(fnp.exp)(1.0)
        return fnp.sin(x)

    assert names(fad.make_jaxpr(f)(1.0)) == ["sin"]


def test_eval_jaxpr_counts_its_arguments():
    with pytest.raises(TypeError, match="takes 1 arguments, got 2"):
        fad.eval_jaxpr(fad.make_jaxpr(fnp.sin)(1.0), 1.0, 2.0)


def test_inputs_as_outputs():
    jaxpr = fad.make_jaxpr(lambda x, y: (y, x, x))(1.0, 2.0)
    assert fad.eval_jaxpr(jaxpr, 1.0, 2.0) == [2.0, 1.0, 1.0]


def test_eval_shape_computes_nothing():
    calls = []

    def f(x):
        calls.append(x.shape)
        return {"a": x @ x.T, "n": 3}

    shape = fad.eval_shape(f, fad.ShapeDtypeStruct((10**6, 10**6), np.float32))
    assert shape["a"] == fad.ShapeDtypeStruct((10**6, 10**6), np.float32)
    assert calls == [(10**6, 10**6)]


def test_eval_shape_shows_shape_errors():
    with pytest.raises(ValueError, match="broadcast"):
        fad.eval_shape(lambda x, y: x + y, np.ones(2), np.ones(3))


def test_tracing_is_linear_in_the_number_of_operations():
    def f(x):
        for _ in range(10_000):
            x = x * 1.5
        return x

    assert len(fad.make_jaxpr(f)(1.0).eqns) == 10_000


@pytest.mark.parametrize(
    ("f", "error", "text"),
    [
        (lambda x: x if x > 0 else -x, TypeError, "bool.*where.condition, a, b"),
        (lambda x: x and 1.0, TypeError, "bool"),
        (float, TypeError, "float.. was asked of a value.*not known while tracing"),
        (int, TypeError, "int.. was asked"),
        (lambda x: complex(x), TypeError, "complex.. was asked"),
        (lambda x: [1, 2][x], TypeError, "list indices must be plain integers"),
        (lambda x: range(x), TypeError, "static argument"),
        (lambda x: np.asarray(x), TypeError, "cannot become a plain numpy.ndarray"),
        (lambda x: "text", TypeError, "outputs must be arrays or numbers"),
        (lambda x: {1, 2}, TypeError, "outputs must be arrays or numbers"),
    ],
)
def test_what_needs_values_is_refused(f, error, text):
    with pytest.raises(error, match=text):
        fad.make_jaxpr(f)(1)


def test_writing_a_tracer_into_a_plain_array_names_the_two_ways_out():
    def f(x):
        out = np.zeros(3)
        out[0] = x[0]
        return out

    with pytest.raises((TypeError, ValueError)) as caught:
        fad.grad(lambda x: fnp.sum(f(x)))(X)
    text = str(caught.value.__cause__ or caught.value)  # NumPy wraps some in its own
    assert "fnp.stack" in text
    assert "out = fnp.at(out)[index].set(value)" in text
    assert __file__ in text


def test_argument_that_is_no_array():
    with pytest.raises(TypeError, match="arguments must be arrays or numbers"):
        fad.make_jaxpr(lambda x: x)("text")


def test_weak_numbers_stay_weak_in_the_program():
    jaxpr = fad.make_jaxpr(lambda x, s: x * s)(np.float32(1.0), 2.0)
    assert str(jaxpr.out_avals[0]) == "f32[]"
    assert_array_equal(fad.eval_jaxpr(jaxpr, np.ones(2, np.float32), 2.0)[0], [2, 2])


def test_make_jaxpr_needs_a_function():
    with pytest.raises(TypeError, match="needs a function, got 3"):
        fad.make_jaxpr(3)


def test_equations_name_their_primitive_in_two_ways():
    (eqn,) = fad.make_jaxpr(fnp.sin)(X).eqns
    assert eqn.primitive is eqn.prim
