"""fad.scipy.special: values, edges and derivatives, at several orders."""

import math

import numpy as np
import pytest
from derivative_checks import check_derivatives
from numpy.testing import assert_allclose
from scipy_or_error import needs_scipy

import fad
from fad.scipy import special

X = np.array([0.4, 1.3, 2.6])
P = np.array([0.2, 0.5, 0.9])
A = np.array([0.7, 2.5, 6.0])

WITHOUT_SCIPY = {
    "erf": (special.erf, X),
    "erfc": (special.erfc, X),
    "erfcx": (special.erfcx, X),
    "erfinv": (special.erfinv, P),
    "erfcinv": (special.erfcinv, P),
    "ndtr": (special.ndtr, X),
    "log_ndtr": (special.log_ndtr, X),
    "ndtri": (special.ndtri, P),
    "gammaln": (special.gammaln, X),
    "digamma": (special.digamma, X),
    "polygamma": (lambda x: special.polygamma(2, x), X),
    "multigammaln": (lambda x: special.multigammaln(x, 3), X + 2),
    "xlogy": (special.xlogy, X, P),
    "xlog1py": (special.xlog1py, X, P),
    "entr": (special.entr, X),
    "rel_entr": (special.rel_entr, X, P),
    "kl_div": (special.kl_div, X, P),
    "expit": (special.expit, X),
    "log_expit": (special.log_expit, X),
    "logit": (special.logit, P),
    "logsumexp": (special.logsumexp, X),
    "softmax": (special.softmax, X),
    "log_softmax": (special.log_softmax, X),
    "i0": (special.i0, X),
    "expn 0": (lambda x: special.expn(0, x), X),
}
WITH_SCIPY = {
    "gamma": (special.gamma, X),
    "rgamma": (special.rgamma, np.array([-1.0, 0.0, 2.5])),
    "loggamma": (special.loggamma, X + 0.5j),
    "beta": (special.beta, A, X),
    "betaln": (special.betaln, A, X),
    "gammainc": (special.gammainc, A, X),
    "gammaincc": (special.gammaincc, A, X),
    "betainc": (special.betainc, A, X, P),
    "betaincc": (special.betaincc, A, X, P),
    "j0": (special.j0, X),
    "j1": (special.j1, X),
    "jn": (lambda x: special.jn(3, x), X),
    "jv of complex numbers": (lambda x: special.jv(0.5, x), X + 0.5j),
    "y0": (special.y0, X),
    "y1": (special.y1, X),
    "yn": (lambda x: special.yn(2, x), X),
    "iv": (lambda x: special.iv(1.5, x), X),
    "ive": (lambda x: special.ive(1.5, x), X),
    "ive of complex numbers": (lambda x: special.ive(1.5, x), X + 0.5j),
    "i1": (special.i1, X),
    "i0e": (special.i0e, X),
    "i1e": (special.i1e, -X),
    "kv": (lambda x: special.kv(0.5, x), X),
    "kve": (lambda x: special.kve(1, x), X),
    "k0": (special.k0, X),
    "k1": (special.k1, X),
    "expn": (lambda x: special.expn(2, x), X),
    "exp1": (special.exp1, X),
    "expi": (special.expi, X),
    "dawsn": (special.dawsn, X),
    "wofz": (special.wofz, X + 0.5j),
    "zeta": (lambda q: special.zeta(3.0, q), X),
    "lambertw": (lambda x: special.lambertw(x).real, X),
}


@pytest.mark.parametrize("name", WITHOUT_SCIPY)
def test_derivatives_of_functions_of_numpy(name):
    f, *args = WITHOUT_SCIPY[name]
    check_derivatives(f, *args, rtol=1e-6, batch=False)


@pytest.mark.parametrize("name", WITH_SCIPY)
@needs_scipy
def test_derivatives_of_functions_of_scipy(name):
    f, *args = WITH_SCIPY[name]
    check_derivatives(f, *args, rtol=1e-6, batch=False)


@pytest.mark.parametrize(
    ("f", "x", "value"),
    [
        (lambda x: special.jn(1, x), 0.0, 0.5),
        (special.j1, 0.0, 0.5),
        (special.i0e, 0.0, 0.0),
        (special.rgamma, 0.0, 1.0),
        (special.rgamma, -2.0, 2.0),
        (lambda x: special.gammainc(1.0, x), 0.0, 1.0),
        (lambda a: special.gammainc(a, 0.0), 2.0, 0.0),
        (lambda a: special.betainc(a, 2.0, 1.0), 2.0, 0.0),
        (special.lambertw, 0.0, 1.0),
    ],
)
@needs_scipy
def test_slopes_at_the_edges(f, x, value):
    real = lambda x: fad.numpy.real(f(x))
    assert float(fad.grad(real)(x)) == pytest.approx(value, abs=1e-15)


@needs_scipy
def test_second_derivative_of_the_reciprocal_gamma_at_a_pole():
    """1/gamma(x) = x + g x^2 + ..., with g Euler's constant."""
    second = fad.grad(fad.grad(special.rgamma))(0.0)
    assert float(second) == pytest.approx(2 * 0.5772156649015329, rel=1e-13)


def test_xlogy_is_zero_at_zero_with_finite_derivatives_by_y():
    x, y = np.array([0.0, 0.0, 2.0]), np.array([0.0, 2.0, 3.0])
    assert_allclose(special.xlogy(x, y), [0, 0, 2 * math.log(3)])
    by_y = fad.elementwise_grad(special.xlogy, argnums=1)(x, y)
    assert_allclose(by_y, [0, 0, 2 / 3])


def test_entropies_outside_of_their_domains():
    np.testing.assert_array_equal(special.entr(np.array([-1.0, 0.0])), [-np.inf, 0])
    x, y = np.array([0.0, 1.0, -1.0]), np.array([0.0, 0.0, 1.0])
    np.testing.assert_array_equal(special.rel_entr(x, y), [0, np.inf, np.inf])
    np.testing.assert_array_equal(special.kl_div(x, y), [0, np.inf, np.inf])


def test_softmax_of_large_numbers_along_an_axis():
    x = np.array([[1e4, 0.0], [0.0, 0.0]])
    assert_allclose(special.softmax(x, axis=1), [[1, 0], [0.5, 0.5]])
    assert_allclose(special.log_softmax(x, axis=1)[0], [0, -1e4])


@needs_scipy
def test_derivative_by_the_order_of_a_bessel_function_is_refused():
    with pytest.raises(NotImplementedError, match="jv: the derivative with respect to"):
        fad.grad(lambda v: special.jv(v, 1.0))(0.5)


def test_traced_order_is_refused():
    with pytest.raises(TypeError, match="polygamma: the order must be a plain integer"):
        fad.jit(lambda n: special.polygamma(n, 1.0))(2)


@pytest.mark.parametrize("f", [special.erf, special.gammaln, special.xlogy])
def test_integers_are_taken_as_floats_and_single_precision_stays(f):
    count = 2 if f is special.xlogy else 1
    assert f(*[np.array([2, 3])] * count).dtype == np.float64
    assert f(*[np.array([2, 3], np.float32)] * count).dtype == np.float32


@needs_scipy
def test_functions_work_under_jit_and_vmap():
    f = lambda a, x: special.gammainc(a, x) * special.jv(1, x)
    expected = f(A, X)
    assert_allclose(fad.jit(f)(A, X), expected, 1e-14)
    assert_allclose(fad.vmap(f)(A, X), expected, 1e-14)
    slopes = fad.vmap(fad.grad(f, argnums=(0, 1)))(A, X)
    jitted = fad.jit(fad.vmap(fad.grad(f, argnums=(0, 1))))(A, X)
    assert_allclose(jitted, slopes, 1e-13)
