"""The checkers of `fad.testing`: they pass what is right and name what is wrong."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad.testing import check_grads, check_vjp_jvp_duality, check_vmap

X = np.array([0.5, 2.0, -1.0])


def with_slope(f, slope):
    """The function with a wrong derivative, `slope(x) * t`."""
    g = fad.custom_jvp(f)
    g.defjvp(lambda p, t: (g(p[0]), slope(p[0]) * t[0]))
    return g


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (fnp.sin, (X,)),
        (fnp.sin, (1.0,)),
        (lambda x, y: {"a": x @ y, "b": [x * y[0]]}, (X, X + 1)),
        (lambda p, n: p["u"] ** n, ({"u": X, "v": ()}, 3)),
        (lambda z: z * fnp.conj(z) + fnp.exp(z), (np.array([1 + 2j, 0.3]),)),
        (lambda x: fnp.exp(1j * x), (X,)),
        (lambda x: fnp.abs(x), (X,)),
        (lambda x: (x * x, fnp.argmax(x)), (X,)),
        (lambda x: fnp.floor(x), (X + 0.1,)),
        (lambda x: 3.0, (X,)),
        (lambda x: fnp.log(x), (np.float64(0.03),)),
        (lambda x: 1 / x, (np.array([0.05, 1e3]),)),
    ],
)
def test_right_derivatives_pass_to_the_second_order(f, args):
    check_grads(f, args, order=2)
    check_vjp_jvp_duality(f, args)


def test_third_order():
    check_grads(lambda x: fnp.sin(x) * fnp.exp(x), (X,), order=3, directions=1)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_single_precision(dtype):
    check_grads(lambda x: fnp.sin(x) * x, (X.astype(dtype),), order=2)


@pytest.mark.parametrize(
    ("mode", "text"), [("fwd", "jvp against difference"), ("rev", "vjp along a random")]
)
def test_wrong_derivative_is_named_with_mode_order_and_direction(mode, text):
    f = with_slope(fnp.sin, lambda x: 1.00001 * fnp.cos(x))
    with pytest.raises(
        AssertionError, match=f"{mode} mode, order 1, direction 0: {text}"
    ):
        check_grads(f, (X,), modes=(mode,))


def test_message_has_place_and_both_values():
    f = with_slope(fnp.sin, lambda x: 2.0)
    with pytest.raises(AssertionError, match=r"(?s)output\['b'\]\[1\].*expected.*got"):
        check_grads(lambda x: {"a": x, "b": (x, f(x))}, (1.0,))


def test_second_order_error_is_found():
    """A rule whose own derivative is cut off is right to first order only."""
    f = with_slope(fnp.sin, lambda x: fad.stop_gradient(fnp.cos(x)))
    check_grads(f, (X,))
    with pytest.raises(AssertionError, match="of fwd mode, order 2"):
        check_grads(f, (X,), order=2)
    with pytest.raises(AssertionError, match="rev of rev mode, order 2|order 2"):
        check_grads(f, (X,), order=2, modes=("rev",))


def test_wrong_imaginary_part_is_found():
    f = fad.custom_jvp(lambda z: z * z)
    f.defjvp(lambda p, t: (f(p[0]), 2 * p[0] * (fnp.real(t[0]) + 0j)))
    with pytest.raises(AssertionError, match="order 1"):
        check_grads(f, (1 + 2j,))


def test_kink_where_the_complex_step_lies():
    f = with_slope(fnp.abs, lambda x: 0.0 * x)
    with pytest.raises(AssertionError):
        check_grads(f, (X,))


def test_tolerances_may_be_given():
    f = with_slope(fnp.sin, lambda x: 1.001 * fnp.cos(x))
    check_grads(f, (X,), rtol=1e-2)
    check_grads(f, (X,), atol=1e-2)


def test_modes_are_checked():
    with pytest.raises(ValueError, match="modes are 'fwd' and 'rev'"):
        check_grads(fnp.sin, (X,), modes=("forward",))
    with pytest.raises(ValueError, match="modes are"):
        check_grads(fnp.sin, (X,), modes=())


def test_duality_finds_a_reverse_rule_that_is_not_the_transpose():
    f = fad.custom_jvp(lambda x: x * x)
    f.defjvp(lambda p, t: (p[0] * p[0], 2 * p[0] * t[0]))
    check_vjp_jvp_duality(f, (X,))
    f.defvjp(lambda x: (x * x, x), lambda x, ct: (2.001 * x * ct,))
    with pytest.raises(AssertionError, match="not each other's transpose"):
        check_vjp_jvp_duality(f, (X,))


def test_duality_of_pytrees_and_integers():
    check_vjp_jvp_duality(lambda p, n: [p["a"] * n, n], ({"a": X}, 3))


def test_vmap_check():
    check_vmap(lambda x, y: x * y, (np.ones((2, 3)), X), in_axes=(0, None))
    check_vmap(lambda x: {"a": fnp.sum(x)}, (np.ones((2, 3)),), in_axes=1)


def test_vmap_check_finds_a_difference():
    """A function that tells examples from arrays."""
    f = lambda x: x * 2 if isinstance(x, np.ndarray) else x
    with pytest.raises(AssertionError, match="example 0: vmap against the call"):
        check_vmap(f, (np.ones((2, 3)),))


def test_one_mode_by_name_and_the_usual_step():
    fad.testing.check_grads(np.sin, (0.3,), modes="rev", eps=None)
    with pytest.raises(ValueError, match="got \\('both',\\)"):
        fad.testing.check_grads(np.sin, (0.3,), modes="both")
