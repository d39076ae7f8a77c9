"""What `custom_jvp` refuses, and how it says so."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp

FORWARD = lambda f: lambda x: fad.jvp(f, (x,), (1.0,))[1]


def test_missing_rule():
    f = fad.custom_jvp(lambda x: x)
    with pytest.raises(AttributeError, match=r"no jvp rule is defined .*\.defjvp"):
        f(1.0)


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="custom_jvp needs a function"):
        fad.custom_jvp(3)
    with pytest.raises(TypeError, match="defjvp needs a function"):
        fad.custom_jvp(lambda x: x).defjvp(None)


def with_rule(rule, f=lambda x: x):
    f = fad.custom_jvp(f)
    f.defjvp(rule)
    return f


@pytest.mark.parametrize("derivative", [fad.grad, FORWARD])
@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (lambda p, t: p[0], r"must return a pair \(output, tangent\)"),
        (lambda p, t: (p[0], t[0], 1), "must return a pair"),
        (lambda p, t: (p[0], (t[0], t[0])), "must have the structure of the output"),
        (lambda p, t: (p[0], "tangent"), "must be arrays, or None for zero"),
        (lambda p, t: (p[0], np.ones(3) * t[0]), r"must have the shape \(\)"),
        (lambda p, t: (p[0], np.float32(1) * fad.stop_gradient(p[0]) * (t[0] * 1j)),
         "must have the dtype float64"),
        (lambda p, t: ("out", t[0]), "must be arrays, numbers or pytrees"),
    ],
)  # fmt: skip
def test_what_a_rule_returns_is_checked(derivative, rule, text):
    with pytest.raises(TypeError, match=text):
        derivative(with_rule(rule))(2.0)


def test_tangent_of_another_dtype_is_refused():
    f = with_rule(lambda p, t: (p[0], t[0] * np.float64(2.0)))
    with pytest.raises(TypeError, match="convert it with .astype.'float32'"):
        fad.grad(f)(np.float32(1.0))


def test_rule_with_another_output_structure_is_refused_where_both_are_known():
    f = with_rule(lambda p, t: ((p[0],), (t[0],)))
    jaxpr = fad.make_jaxpr(f)(1.0)
    with pytest.raises(TypeError, match="as its first element, with the structure"):
        fad.grad(lambda x: fad.eval_jaxpr(jaxpr, x)[0])(1.0)


def test_argument_that_is_no_array_needs_nondiff_argnums():
    f = with_rule(lambda p, t: (p[0], t[0]), lambda x, mode: x)
    with pytest.raises(TypeError, match="name others in nondiff_argnums"):
        fad.grad(lambda x: f(x, "mode"))(1.0)


def test_rule_that_is_not_linear_says_so_in_reverse_mode():
    f = with_rule(lambda p, t: (p[0], fnp.sin(t[0])))
    with pytest.raises(NotImplementedError, match="sin") as caught:
        fad.grad(f)(1.0)
    assert any("must be linear in the tangents" in n for n in caught.value.__notes__)
    f = with_rule(lambda p, t: (p[0], 1.0))
    with pytest.raises(NotImplementedError, match="does not depend on the input tang"):
        fad.grad(f)(1.0)


def test_traced_nondiff_arguments_have_no_derivative():
    f = fad.custom_jvp(lambda n, x: n["n"] * x, nondiff_argnums=(0,))
    f.defjvp(lambda n, p, t: (f(n, *p), 7.0 * t[0]))
    product = lambda n, x: f({"n": n}, x)
    assert fad.grad(product, (0, 1))(2.0, 3.0) == (0.0, 7.0)
    assert fad.grad(product)(2.0, 3.0) == 0.0
    assert fad.jvp(product, (2.0, 3.0), (1.0, 1.0)) == (6.0, 7.0)
    assert fad.jit(fad.grad(product, 1))(2.0, 3.0) == 7.0
    each = fad.vmap(fad.grad(product, 1), (0, None))(np.ones(2), 3.0)
    np.testing.assert_array_equal(each, [7.0, 7.0])


def test_nondiff_argnums_out_of_range():
    f = fad.custom_jvp(lambda x: x, nondiff_argnums=(2,))
    f.defjvp(lambda n, p, t: (p[0], t[0]))
    with pytest.raises(TypeError, match="has 2, but the call has 1"):
        f(1.0)
    with pytest.raises(ValueError, match="no parameter of"):
        fad.custom_jvp(lambda x: x, nondiff_argnames="y")
