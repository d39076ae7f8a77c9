"""`custom_jvp`: every transform obeys the rule, at every order, and checks it."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fad
import fad.numpy as fnp
from fad.control import SymbolicZero


@fad.custom_jvp
def tripled(x):
    """The sine, with three times its derivative, so that one sees who was asked."""
    return fnp.sin(x)


@tripled.defjvp
def _tripled_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    return tripled(x), 3.0 * fnp.cos(x) * t


X = 0.7
FIRST = 3.0 * np.cos(X)
SECOND = -3.0 * np.sin(X)


def test_call_without_transform_runs_the_function():
    assert tripled(X) == np.sin(X)


@pytest.mark.parametrize(
    "derivative",
    [
        fad.grad,
        fad.jacfwd,
        fad.jacrev,
        lambda f: lambda x: fad.jvp(f, (x,), (1.0,))[1],
        lambda f: lambda x: fad.vjp(f, x)[1](1.0)[0],
        lambda f: lambda x: fad.linearize(f, x)[1](1.0),
        lambda f: lambda x: fad.value_and_grad(f)(x)[1],
        lambda f: lambda x: fad.vmap(fad.grad(f))(np.array([x]))[0],
        lambda f: (
            lambda x: fad.grad(lambda v: fnp.sum(fad.vmap(f)(v)))(np.array([x]))[0]
        ),
    ],
)
def test_every_first_derivative_uses_the_rule(derivative):
    assert_allclose(derivative(tripled)(X), FIRST, rtol=1e-14)


FORWARD = lambda f: lambda x: fad.jvp(f, (x,), (1.0,))[1]


@pytest.mark.parametrize("outer", [fad.grad, FORWARD])
@pytest.mark.parametrize("inner", [fad.grad, FORWARD])
def test_second_derivatives_differentiate_the_rule(outer, inner):
    assert_allclose(outer(inner(tripled))(X), SECOND, rtol=1e-14)


def test_rule_that_calls_its_function_is_obeyed_at_every_order():
    @fad.custom_jvp
    def square(x):
        return x * x

    @square.defjvp
    def _(primals, tangents):
        (x,), (t,) = primals, tangents
        return square(x), 2.0 * x * t

    g = lambda x: square(square(x))
    for expected in (108.0, 108.0, 72.0, 24.0):
        g = fad.jacfwd(g)
        assert_allclose(g(3.0), expected, rtol=1e-13)


def test_straight_through_rounding():
    @fad.custom_jvp
    def rounded(x):
        return fnp.floor(x + 0.5)

    rounded.defjvp(lambda primals, tangents: (rounded(primals[0]), tangents[0]))
    assert fad.grad(lambda x: rounded(x) ** 2)(2.7) == 6.0


def test_python_control_flow_on_values_works_in_function_and_rule():
    @fad.custom_jvp
    def f(x):
        return x * x if x > 0 else x * 0.0

    @f.defjvp
    def _(primals, tangents):
        (x,), (t,) = primals, tangents
        if x > 0:
            return x * x, 2.0 * x * t
        return x * 0.0, 0.0 * t

    assert fad.grad(f)(3.0) == 6.0
    assert fad.grad(f)(-3.0) == 0.0
    assert fad.grad(fad.grad(f))(3.0) == 2.0


def test_rule_made_of_jvp_of_another_function():
    @fad.custom_jvp
    def f(x):
        return fnp.exp(x)

    f.defjvp(lambda primals, tangents: fad.jvp(fnp.sin, primals, tangents))
    assert_allclose(fad.grad(f)(X), np.cos(X), rtol=1e-14)
    assert_allclose(fad.grad(fad.grad(f))(X), -np.sin(X), rtol=1e-14)


def test_pytrees_in_and_out():
    @fad.custom_jvp
    def f(params, x):
        return {"y": params["a"] * x, "z": [x]}

    @f.defjvp
    def _(primals, tangents):
        (params, x), (dparams, dx) = primals, tangents
        y = f(params, x)
        return y, {"y": dparams["a"] * 10.0, "z": [dx * 100.0]}

    def total(params, x):
        out = f(params, x)
        return out["y"] + out["z"][0]

    grads = fad.grad(total, argnums=(0, 1))({"a": 2.0, "b": 1.0}, 3.0)
    assert grads == ({"a": 10.0, "b": 0.0}, 100.0)


def test_none_tangent_is_zero():
    @fad.custom_jvp
    def f(x):
        return x, {"a": x}

    f.defjvp(lambda p, t: (f(p[0]), (t[0], None)))
    out, tangent = fad.jvp(f, (2.0,), (5.0,))
    assert out == (2.0, {"a": 2.0})
    assert tangent == (5.0, {"a": 0.0})


def test_symbolic_zeros_are_given_and_taken():
    seen = []

    @fad.custom_jvp
    def f(x, y):
        return x * y

    def rule(primals, tangents):
        seen.append([isinstance(t, SymbolicZero) for t in tangents])
        assert tangents[1].shape == (2,)
        assert tangents[1].dtype == np.float64
        return f(*primals), (tangents[1] if seen[-1][0] else tangents[0])

    f.defjvp(rule, symbolic_zeros=True)
    x = np.ones(2)
    assert_array_equal(fad.jvp(lambda x: f(x, x * 0 + 1), (x,), (x,))[1], x)
    assert_array_equal(fad.jvp(lambda x: f(x, np.ones(2)), (x,), (x,))[1], x)
    assert seen == [[False, False], [False, True]]


def test_zero_tangents_are_arrays_by_default_and_float0_for_integers():
    @fad.custom_jvp
    def f(x, y, n):
        return x * n

    @f.defjvp
    def _(primals, tangents):
        x, y, n = primals
        tx, ty, tn = tangents
        assert_array_equal(ty, np.zeros(2))
        assert tn.dtype == fad.float0
        return f(*primals), tx * n

    assert fad.grad(f)(1.0, np.ones(2), 3) == 3.0


def test_integer_outputs_need_no_tangent():
    @fad.custom_jvp
    def f(x):
        return x * 2.0, fnp.argmax(x)

    f.defjvp(lambda p, t: (f(p[0]), (t[0] * 2.0, None)))
    x = np.array([1.0, 3.0, 2.0])
    (y, i), (ty, ti) = fad.jvp(f, (x,), (x,))
    assert i == 1
    assert ti.dtype == fad.float0
    assert_array_equal(ty, 2 * x)


def test_make_jaxpr_keeps_the_call_and_its_rule():
    jaxpr = fad.make_jaxpr(lambda x: tripled(x) * 2.0)(X)
    assert [e.prim.name for e in jaxpr.eqns] == ["custom_jvp_call", "mul"]
    assert str(jaxpr.eqns[0].params["jaxpr"]) == (
        "{ lambda ; a:f64[]. let b:f64[] = sin a in (b,) }"
    )
    run = lambda x: fad.eval_jaxpr(jaxpr, x)[0]
    assert_allclose(run(X), 2 * np.sin(X))
    assert_allclose(fad.grad(run)(X), 2 * FIRST)
    assert_allclose(fad.grad(fad.grad(run))(X), 2 * SECOND)
    assert_allclose(fad.vmap(FORWARD(run))(np.array([X, X])), [2 * FIRST] * 2)
    again = fad.make_jaxpr(run)(X)
    assert [e.prim.name for e in again.eqns] == ["custom_jvp_call", "mul"]


def test_make_jaxpr_of_a_derivative_holds_the_rules_operations():
    names = [e.prim.name for e in fad.make_jaxpr(fad.grad(tripled))(X).eqns]
    assert "cos" in names
    assert "custom_jvp_call" not in names


def test_batch_axes_anywhere_and_unbatched_arguments():
    @fad.custom_jvp
    def f(x, y):
        return x @ y

    @f.defjvp
    def _(primals, tangents):
        (x, y), (tx, ty) = primals, tangents
        return f(x, y), 2.0 * (tx @ y) + 3.0 * (x @ ty)

    xs, y = np.arange(6.0).reshape(3, 2), np.array([1.0, 2.0])
    mapped = fad.vmap(f, in_axes=(1, None))(xs.T, y)
    assert_array_equal(mapped, xs @ y)
    total = lambda xs, y: fnp.sum(fad.vmap(f, in_axes=(1, None))(xs, y))
    gx, gy = fad.grad(total, argnums=(0, 1))(xs.T, y)
    assert_array_equal(gx, 2.0 * np.stack([y] * 3, axis=1))
    assert_array_equal(gy, 3.0 * xs.sum(0))
    gx, gy = fad.vmap(fad.grad(f, argnums=(0, 1)), in_axes=(1, None))(xs.T, y)
    assert_array_equal(gx, np.stack([2.0 * y] * 3))
    assert_array_equal(gy, 3.0 * xs)


def test_nested_vmaps():
    xs = np.linspace(0.1, 0.6, 6).reshape(2, 3)
    f = lambda v: fnp.sum(fad.vmap(fad.vmap(tripled))(v))
    assert_allclose(fad.grad(f)(xs), 3.0 * np.cos(xs))
    assert_allclose(fad.vmap(fad.vmap(fad.hessian(tripled)))(xs), -3.0 * np.sin(xs))


def test_custom_function_inside_a_custom_function():
    @fad.custom_jvp
    def outer(x):
        return tripled(x) * x

    @outer.defjvp
    def _(primals, tangents):
        (x,), (t,) = primals, tangents
        return outer(x), t * tripled(x)

    assert_allclose(fad.grad(outer)(X), np.sin(X))
    assert_allclose(fad.grad(fad.grad(outer))(X), FIRST)


def test_float32_and_complex_values_keep_their_dtypes():
    g = fad.grad(tripled)(np.float32(X))
    assert g.dtype == np.float32
    assert_allclose(g, FIRST, rtol=1e-6)
    g = fad.grad(tripled, holomorphic=True)(0.3 + 0.4j)
    assert_allclose(g, 3 * np.cos(0.3 + 0.4j))


def test_reverse_rule_beside_the_forward_rule():
    @fad.custom_jvp
    def f(x):
        return fnp.sin(x)

    f.defjvp(lambda p, t: (f(p[0]), 2.0 * t[0]))
    f.defvjp(lambda x: (f(x), None), lambda res, ct: (5.0 * ct,))
    assert fad.jvp(f, (X,), (1.0,))[1] == 2.0
    assert fad.jacfwd(f)(X) == 2.0
    assert fad.linearize(f, X)[1](1.0) == 2.0
    assert fad.grad(f)(X) == 5.0
    assert fad.jacrev(f)(X) == 5.0


def test_methods_are_bound():
    class Model:
        @partial(fad.custom_jvp, nondiff_argnums=(0,))
        def f(self, x):
            return x

        f.defjvp(lambda self, p, t: (p[0], 4.0 * t[0]))

    assert fad.grad(Model().f)(1.0) == 4.0


def test_wraps_name_and_docstring():
    assert tripled.__name__ == "tripled"
    assert tripled.__doc__.startswith("The sine")


def test_mutation_of_a_residual_array_does_not_reach_the_pullback():
    scale = np.full(500, 2.0)
    f = fad.custom_jvp(lambda x: x * 1.0)
    f.defjvp(lambda p, t: (p[0] * 1.0, t[0] * scale))
    _, pull = fad.vjp(f, np.ones(500))
    scale[:] = 0.0
    assert_array_equal(pull(np.ones(500))[0], np.full(500, 2.0))
