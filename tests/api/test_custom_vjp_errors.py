"""What `custom_vjp` refuses, and how it says so."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fad
import fad.numpy as fnp

FORWARD = lambda f: lambda x: fad.jvp(f, (x,), (1.0,))[1]


def with_rule(fwd, bwd, f=lambda x: x, **options):
    f = fad.custom_vjp(f)
    f.defvjp(fwd, bwd, **options)
    return f


def test_missing_rule():
    f = fad.custom_vjp(lambda x: x)
    with pytest.raises(AttributeError, match=r"no vjp rule is defined .*\.defvjp"):
        f(1.0)


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="defvjp needs two functions, got 3"):
        fad.custom_vjp(lambda x: x).defvjp(lambda x: x, 3)


PASS = lambda x: (x, None)


@pytest.mark.parametrize("derivative", [fad.grad, FORWARD])
@pytest.mark.parametrize(
    ("fwd", "bwd", "error", "text"),
    [
        (lambda x: x, None, TypeError, r"must return a pair \(output, residuals\)"),
        (lambda x: ("out", 1), None, TypeError, "must be arrays, numbers or pytrees"),
        (PASS, lambda r, ct: ct, TypeError, r"must return a tuple .*write \(ct,\)"),
        (PASS, lambda r, ct: (ct, ct), TypeError, "1 of them .* got 2"),
        (PASS, lambda r, ct: (), TypeError, "1 of them .* got 0"),
        (PASS, lambda r, ct: ((ct, ct),), TypeError, "structure of the arguments"),
        (PASS, lambda r, ct: ("ct",), TypeError, "must be arrays, or None for zero"),
        (PASS, lambda r, ct: (np.ones(3),), ValueError, r"must have the shape \(\)"),
    ],
)
def test_what_the_rules_return_is_checked(derivative, fwd, bwd, error, text):
    with pytest.raises(error, match=text):
        derivative(with_rule(fwd, bwd or (lambda r, ct: (ct,))))(2.0)


def test_bwd_that_is_not_linear_refuses_forward_mode_and_says_why():
    f = with_rule(PASS, lambda r, ct: (fnp.sin(ct),))
    assert_allclose(fad.grad(f)(1.0), np.sin(1.0))
    with pytest.raises(NotImplementedError, match="sin") as caught:
        FORWARD(f)(1.0)
    assert any("transposes its bwd rule" in n for n in caught.value.__notes__)
    f = with_rule(PASS, lambda r, ct: (ct if ct > 0 else -ct,))
    with pytest.raises(NotImplementedError, match="gt") as caught:
        FORWARD(f)(1.0)
    assert any("give it a forward rule by defjvp" in n for n in caught.value.__notes__)


def test_nondiff_arguments_must_not_be_differentiated():
    f = fad.custom_vjp(lambda n, x: n * x, nondiff_argnums=(0,))
    f.defvjp(lambda n, x: (n * x, None), lambda n, res, ct: (7.0 * ct,))
    for transform in (fad.grad, fad.jacfwd):
        with pytest.raises(fad.core.errors.UnexpectedTracerError, match="ordinary"):
            transform(lambda n: f(n, 3.0))(2.0)
    assert fad.grad(lambda x: f(2.0, x))(3.0) == 7.0
    mapped = fad.vmap(fad.grad(f, 1), (0, None))(np.ones(2), 3.0)
    assert_allclose(mapped, [7.0, 7.0])


@pytest.mark.parametrize("ufunc", [fnp.sin, np.sin])
def test_rules_of_ufuncs_see_their_inputs_only(ufunc):
    f = with_rule(lambda x: (ufunc(x), x), lambda x, ct: (7.0 * ct,), ufunc)
    assert fad.grad(f)(1.0) == 7.0
    assert f(1.0) == np.sin(1.0)
