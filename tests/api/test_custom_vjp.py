"""`custom_vjp`: the rule is obeyed by every transform; forward mode transposes it."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fad
import fad.numpy as fnp
from fad.control import SymbolicZero

X = 0.7
FIRST = 3.0 * np.cos(X)
SECOND = -3.0 * np.sin(X)


@fad.custom_vjp
def tripled(x):
    """The sine, with three times its derivative, so that one sees who was asked."""
    return fnp.sin(x)


tripled.defvjp(
    lambda x: (tripled(x), fnp.cos(x)), lambda cos_x, ct: (3.0 * cos_x * ct,)
)

FORWARD = lambda f: lambda x: fad.jvp(f, (x,), (1.0,))[1]


def with_rule(fwd, bwd, f=lambda x: x, **options):
    f = fad.custom_vjp(f)
    f.defvjp(fwd, bwd, **options)
    return f


def test_call_without_transform_runs_the_function():
    assert tripled(X) == np.sin(X)


@pytest.mark.parametrize(
    "derivative",
    [
        fad.grad,
        fad.jacfwd,
        fad.jacrev,
        FORWARD,
        lambda f: lambda x: fad.vjp(f, x)[1](1.0)[0],
        lambda f: lambda x: fad.linearize(f, x)[1](1.0),
        lambda f: lambda x: fad.vmap(fad.grad(f))(np.array([x]))[0],
        lambda f: lambda x: fad.vmap(FORWARD(f))(np.array([x]))[0],
        lambda f: (
            lambda x: fad.grad(lambda v: fnp.sum(fad.vmap(f)(v)))(np.array([x]))[0]
        ),
    ],
)
def test_every_first_derivative_uses_the_rule(derivative):
    assert_allclose(derivative(tripled)(X), FIRST, rtol=1e-14)


@pytest.mark.parametrize("outer", [fad.grad, FORWARD])
@pytest.mark.parametrize("inner", [fad.grad, FORWARD])
def test_second_derivatives_differentiate_the_rule(outer, inner):
    assert_allclose(outer(inner(tripled))(X), SECOND, rtol=1e-14)


def test_third_derivative_and_hessian_under_vmap():
    assert_allclose(fad.grad(fad.hessian(tripled))(X), -FIRST, rtol=1e-14)
    xs = np.array([X, -X])
    assert_allclose(fad.vmap(fad.hessian(tripled))(xs), -3.0 * np.sin(xs))


def test_forward_mode_is_the_transpose_of_bwd_for_matrices():
    matrix = np.arange(6.0).reshape(2, 3)
    f = with_rule(
        lambda x: (x[:2] * 1.0, None), lambda res, ct: (ct @ matrix,), lambda x: x[:2]
    )
    x, t = np.ones(3), np.array([1.0, -2.0, 0.5])
    assert_allclose(fad.jvp(f, (x,), (t,))[1], matrix @ t)
    assert_allclose(fad.jacfwd(f)(x), matrix)
    assert_allclose(fad.jacrev(f)(x), matrix)


def test_pullback_may_be_called_many_times():
    _, pull = fad.vjp(tripled, X)
    assert_allclose([pull(1.0)[0], pull(2.0)[0]], [FIRST, 2 * FIRST])


def test_python_control_flow_on_values_works_in_function_and_rules():
    f = with_rule(
        lambda x: (x * x, x) if x > 0 else (x * 0.0, x),
        lambda x, ct: (2.0 * x * ct,) if x > 0 else (None,),
        lambda x: x * x if x > 0 else x * 0.0,
    )
    assert fad.grad(f)(3.0) == 6.0
    assert fad.grad(f)(-3.0) == 0.0
    assert fad.grad(fad.grad(f))(3.0) == 2.0


def test_pytrees_and_none_for_zero_anywhere():
    def bwd(res, ct):
        return {"a": 10.0 * ct["y"], "b": None}, None, (2.0 * ct["z"][0], None)

    f = fad.custom_vjp(lambda p, q, r: {"y": p["a"] * r[0], "z": [r[1]]})
    f.defvjp(lambda p, q, r: (f(p, q, r), ()), bwd)

    def total(p, q, r):
        out = f(p, q, r)
        return out["y"] + out["z"][0]

    args = {"a": 1.0, "b": np.ones(2)}, [1.0, (2.0,)], (3.0, 4.0)
    gp, gq, gr = fad.grad(total, argnums=(0, 1, 2))(*args)
    assert gp["a"] == 10.0
    assert_array_equal(gp["b"], [0.0, 0.0])
    assert gq == [0.0, (0.0,)]
    assert gr == (2.0, 0.0)


def test_outputs_that_are_not_used_have_zero_cotangents():
    f = with_rule(
        lambda x: ((x, x * 2.0), None),
        lambda res, ct: (ct[0] + 10.0 * ct[1],),
        lambda x: (x, x * 2.0),
    )
    assert fad.grad(lambda x: f(x)[0])(1.0) == 1.0
    assert fad.grad(lambda x: f(x)[1])(1.0) == 10.0


def test_nondiff_arguments():
    @partial(fad.custom_vjp, nondiff_argnums=(0, 2))
    def apply(f, x, mode):
        return f(x)

    def fwd(f, x, mode):
        assert mode == "mode"
        return f(x), x

    def bwd(f, mode, x, ct):
        assert mode == "mode"
        return (ct * f(x),)

    apply.defvjp(fwd, bwd)
    assert_allclose(fad.grad(lambda x: apply(fnp.sin, x, "mode"))(X), np.sin(X))
    named = fad.custom_vjp(lambda x, power: x**power, nondiff_argnames="power")
    named.defvjp(lambda x, power: (x**power, None), lambda power, r, ct: (ct * power,))
    assert fad.grad(lambda x: named(x, power=7))(2.0) == 7.0


def test_keywords_and_defaults_are_resolved_by_the_signature():
    f = fad.custom_vjp(lambda x, y=2.0: x * y)
    f.defvjp(lambda x, y: (x * y, None), lambda res, ct: (ct, 10.0 * ct))
    assert fad.grad(f)(1.0) == 1.0
    assert fad.grad(lambda y: f(1.0, y=y))(1.0) == 10.0


def test_integer_arguments_and_outputs():
    f = with_rule(
        lambda x, n: ((x * n, n), n), lambda n, ct: (ct[0] * n, None),
        lambda x, n: (x * n, n),
    )  # fmt: skip
    assert fad.grad(lambda x: f(x, 3)[0])(2.0) == 3.0
    assert fad.grad(lambda x: f(x, x > 1)[0])(2.0) == 1.0
    assert fad.jvp(lambda x: f(x, 3)[0], (2.0,), (1.0,))[1] == 3.0


def test_symbolic_zeros():
    seen = []

    def fwd(x, y):
        seen.append((x.perturbed, y.perturbed))
        return (x.value * y.value, y.value * 1.0), (x.value, y.value)

    def bwd(res, cts):
        seen.append(tuple(isinstance(c, SymbolicZero) for c in cts))
        return cts[0] * res[1], None

    f = fad.custom_vjp(lambda x, y: (x * y, y))
    f.defvjp(fwd, bwd, symbolic_zeros=True)
    assert fad.grad(lambda x: f(x, 5.0)[0])(2.0) == 5.0
    assert seen == [(True, False), (False, True)]


def test_residual_that_depends_on_a_value_of_its_own_level():
    def outer(c):
        f = with_rule(lambda x: (x * 1.0, c), lambda res, ct: (ct * res,))
        return f(c)

    assert fad.grad(outer)(3.0) == 3.0
    assert fad.grad(fad.grad(outer))(3.0) == 1.0


def test_make_jaxpr_keeps_the_call_and_its_rule():
    jaxpr = fad.make_jaxpr(lambda x: tripled(x) * 2.0)(X)
    assert [e.prim.name for e in jaxpr.eqns] == ["custom_vjp_call", "mul"]
    assert "sin" in str(jaxpr.eqns[0].params["jaxpr"])
    run = lambda x: fad.eval_jaxpr(jaxpr, x)[0]
    assert_allclose(run(X), 2 * np.sin(X))
    assert_allclose(fad.grad(run)(X), 2 * FIRST)
    assert_allclose(FORWARD(fad.grad(run))(X), 2 * SECOND)
    assert_allclose(fad.vmap(fad.grad(run))(np.array([X, X])), [2 * FIRST] * 2)


def test_make_jaxpr_of_grad_inside():
    jaxpr = fad.make_jaxpr(lambda x: fad.grad(tripled)(x) * 2.0)(X)
    assert_allclose(fad.eval_jaxpr(jaxpr, X)[0], 2 * FIRST)
    assert "custom_vjp_call" not in str(jaxpr)


def test_batch_axes_anywhere_and_sums_over_examples():
    f = fad.custom_vjp(lambda x, y: x @ y)
    f.defvjp(
        lambda x, y: (f(x, y), (x, y)),
        lambda res, ct: (2.0 * ct * res[1], 3.0 * ct * res[0]),
    )
    xs, y = np.arange(6.0).reshape(3, 2), np.array([1.0, 2.0])
    total = lambda xs, y: fnp.sum(fad.vmap(f, in_axes=(1, None))(xs, y))
    gx, gy = fad.grad(total, argnums=(0, 1))(xs.T, y)
    assert_array_equal(gx, 2.0 * np.stack([y] * 3, axis=1))
    assert_array_equal(gy, 3.0 * xs.sum(0))
    gx, gy = fad.vmap(fad.grad(f, argnums=(0, 1)), in_axes=(1, None))(xs.T, y)
    assert_array_equal(gx, np.stack([2.0 * y] * 3))
    assert_array_equal(gy, 3.0 * xs)


def test_cotangent_that_is_the_same_for_every_example_is_counted_for_each():
    f = with_rule(
        lambda x, y: (x + y, None), lambda res, ct: (ct, np.float64(2.0)),
        lambda x, y: x + y,
    )  # fmt: skip
    total = lambda y: fnp.sum(fad.vmap(f, in_axes=(0, None))(np.ones(5), y))
    assert fad.grad(total)(1.0) == 10.0


def test_forward_rule_beside_the_reverse_rule():
    f = with_rule(lambda x: (fnp.sin(x), None), lambda res, ct: (5.0 * ct,), fnp.sin)
    f.defjvp(lambda p, t: (fnp.sin(p[0]), 2.0 * t[0]))
    assert fad.jvp(f, (X,), (1.0,))[1] == 2.0
    assert fad.linearize(f, X)[1](1.0) == 2.0
    assert fad.grad(f)(X) == 5.0
    assert_array_equal(fad.vmap(fad.grad(f))(np.ones(2)), [5.0, 5.0])
    assert_array_equal(fad.vmap(FORWARD(f))(np.ones(2)), [2.0, 2.0])


def test_nested_in_custom_jvp_and_the_other_way_round():
    outer = fad.custom_jvp(lambda x: tripled(x) ** 2)
    outer.defjvp(lambda p, t: (outer(p[0]), t[0] * tripled(p[0])))
    assert_allclose(fad.grad(outer)(X), np.sin(X))
    assert_allclose(fad.grad(fad.grad(outer))(X), FIRST)
    other = fad.custom_vjp(lambda x: outer(x))
    other.defvjp(lambda x: (outer(x), x), lambda x, ct: (ct * outer(x),))
    assert_allclose(fad.grad(fad.grad(other))(X), np.sin(X))
    assert_allclose(FORWARD(FORWARD(other))(X), np.sin(X))


def test_linear_function_is_transposed_as_it_stands():
    f = with_rule(
        lambda x: (2.0 * x, None), lambda r, ct: (9.0 * ct,), lambda x: 2.0 * x
    )
    assert fad.linear_transpose(f, 1.0)(1.0)[0] == 2.0


def test_cotangents_take_the_dtype_of_their_argument():
    f = with_rule(lambda x: (x, None), lambda res, ct: (np.float64(3.0),))
    g = fad.grad(f)(np.float32(1.0))
    assert g == 3.0
    assert g.dtype == np.float32


def test_complex_forward_mode_is_the_adjoint_under_the_real_pairing():
    f = with_rule(
        lambda z: (fnp.conj(z), None), lambda res, ct: (fnp.conj(ct),), fnp.conj
    )
    z, t = np.complex128(1 + 2j), np.complex128(3 - 1j)
    assert fad.jvp(f, (z,), (t,))[1] == np.conj(t)


def test_residuals_may_hold_anything():
    f = with_rule(
        lambda x: (x, {"how": "double", "n": 2}),
        lambda res, ct: (ct * res["n"] if res["how"] == "double" else None,),
    )
    assert fad.grad(f)(1.0) == 2.0


def test_mutation_of_a_residual_array_does_not_reach_the_pullback():
    scale = np.full(500, 2.0)
    f = with_rule(lambda x: (x * 1.0, scale), lambda scale, ct: (ct * scale,))
    _, pull = fad.vjp(f, np.ones(500))
    scale[:] = 0.0
    assert_array_equal(pull(np.ones(500))[0], np.full(500, 2.0))


def test_make_jaxpr_of_vmap_and_vmap_of_a_program():
    xs = np.array([X, -X])
    jaxpr = fad.make_jaxpr(fad.vmap(tripled))(xs)
    assert [e.prim.name for e in jaxpr.eqns] == ["custom_vjp_call"]
    total = lambda xs: fnp.sum(fad.eval_jaxpr(jaxpr, xs)[0])
    assert_allclose(fad.grad(total)(xs), 3.0 * np.cos(xs))
    again = fad.make_jaxpr(fad.vmap(lambda x: fad.eval_jaxpr(jaxpr, x)[0]))(xs[None])
    assert_allclose(fad.eval_jaxpr(again, xs[None])[0], np.sin(xs[None]))


TRANSFORMS = {
    "jit": (fad.jit, 0),
    "grad": (fad.grad, 1),
    "jvp": (FORWARD, 1),
    "linearize": (lambda f: lambda x: fad.linearize(f, x)[1](1.0), 1),
    "vmap": (lambda f: lambda x: fad.vmap(f)(fnp.stack([x, 2.0 * x]))[0], 0),
}


@pytest.mark.parametrize("kind", ["jvp", "vjp", "both"])
@pytest.mark.parametrize("outer", TRANSFORMS)
@pytest.mark.parametrize("middle", TRANSFORMS)
@pytest.mark.parametrize("inner", TRANSFORMS)
def test_rule_is_obeyed_through_three_transforms(outer, middle, inner, kind):
    f = fad.custom_jvp(fnp.sin) if kind == "jvp" else fad.custom_vjp(fnp.sin)
    if kind != "vjp":
        f.defjvp(lambda p, t: (f(p[0]), 3.0 * fnp.cos(p[0]) * t[0]))
    if kind != "jvp":
        f.defvjp(lambda x: (f(x), fnp.cos(x)), lambda c, ct: (3.0 * c * ct,))
    g, order = f, 0
    for name in (inner, middle, outer):
        transform, more = TRANSFORMS[name]
        g, order = transform(g), order + more
    expected = [np.sin(X), FIRST, SECOND, -FIRST][order]
    assert_allclose(g(X), expected, rtol=1e-13)
