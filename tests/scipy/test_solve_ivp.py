"""solve_ivp: SciPy's results, and derivatives in every mode."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fad
import fad.numpy as fnp
from fad.scipy.integrate import solve_ivp

TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def decay(t, y, rate):
    return -rate * y


def pendulum(t, y, a):
    return fnp.stack([y[1], -a * fnp.sin(y[0]) + 0.3 * fnp.cos(t)])


def end(rate, start, stop, y0):
    return solve_ivp(decay, (start, stop), y0, args=(rate,), **TIGHT).y[0, -1]


# (method, span): the times of SciPy 1.17's steps, and the last y
SCIPYS = {
    ("RK45", (0.0, 5.0)): (
        [0.0, 0.149546607831, 1.51187790752, 3.13477415405, 4.71798136001, 5.0],
        [-0.334407386583, 0.671399575757],
    ),
    ("RK45", (5.0, 0.0)): (
        [5.0, 4.87018667596, 3.64002334429, 2.15790528951, 0.717461082138, 0.0],
        [0.633688852506, -0.876646811467],
    ),
    ("RK23", (0.0, 5.0)): (
        [
            0.0, 0.0421335071262, 0.463468578388, 1.19852848595, 1.9335883935,
            2.57160301362, 3.18645803578, 3.96879072749, 4.68058001057, 5.0,
        ],
        [-0.313386682195, 0.631759191364],
    ),
    ("RK23", (5.0, 0.0)): (
        [
            5.0, 4.96671881475, 4.63390696222, 4.0178264447, 3.44168265707,
            2.88780233077, 2.17195030075, 1.47173580873, 0.827280284492,
            0.263620472287, 0.0,
        ],
        [0.620501700386, -0.840599018276],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("method", "span"), SCIPYS)
def test_steps_are_those_of_scipy(method, span):
    times, last = SCIPYS[method, span]
    y0 = np.array([0.4, 0.1])
    found = solve_ivp(pendulum, span, y0, method, args=(1.3,), rtol=1e-2, atol=1e-4)
    assert_allclose(found.t, times, rtol=1e-9, atol=1e-12)
    assert_allclose(found.y[:, -1], last, rtol=1e-9)


@pytest.mark.parametrize("span", [(0.0, 2.0), (2.0, 0.0)])
def test_wanted_times_in_either_direction(span):
    times = np.linspace(*span, 5)
    found = solve_ivp(decay, span, np.ones(1), t_eval=times, args=(0.7,), **TIGHT)
    assert_allclose(found.y[0], np.exp(-0.7 * (times - span[0])), rtol=1e-9)
    assert found.success


@pytest.mark.parametrize("jacobian", [fad.jacrev, fad.jacfwd])
@pytest.mark.parametrize("span", [(0.0, 1.0), (1.0, 0.0)])
def test_derivatives_by_arguments_ends_and_initial_value(jacobian, span):
    start, stop = span
    got = jacobian(end, argnums=(0, 1, 2, 3))(1.5, start, stop, np.ones(1))
    value = np.exp(-1.5 * (stop - start))
    expected = (-(stop - start) * value, 1.5 * value, -1.5 * value, [value])
    for g, e in zip(got, expected, strict=True):
        assert_allclose(g, e, rtol=1e-8)


def test_second_derivative():
    by_rate = fad.grad(fad.grad(end))(1.5, 0.0, 1.0, np.ones(1))
    assert_allclose(by_rate, np.exp(-1.5), rtol=1e-7)


def test_pytrees_have_the_times_last():
    y0 = {"a": np.ones((2, 3)), "b": 1.0}
    slope = lambda t, y: {"a": -y["a"], "b": y["b"]}
    found = solve_ivp(slope, (0, 1), y0, t_eval=np.array([0.5, 1.0]), **TIGHT)
    assert found.y["a"].shape == (2, 3, 2)
    assert_allclose(found.y["b"], np.exp([0.5, 1.0]), rtol=1e-9)


def test_dense_output_answers_in_any_order():
    found = solve_ivp(
        decay, (0.0, 2.0), np.ones(1), dense_output=True, args=(1.0,), **TIGHT
    )
    times = np.array([1.5, 0.2, 0.9])
    assert_allclose(found.sol(times)[0], np.exp(-times), rtol=1e-9)
    slope = fad.grad(lambda t: found.sol(t)[0])(0.7)
    assert_allclose(slope, -np.exp(-0.7), rtol=1e-8)


def test_jit_and_vmap_with_wanted_times():
    times = np.linspace(0, 1, 3)
    f = lambda rate, y0: (
        solve_ivp(decay, (0.0, 1.0), y0, t_eval=times, args=(rate,), **TIGHT).y
    )
    assert_allclose(fad.jit(f)(1.5, np.ones(1)), f(1.5, np.ones(1)), rtol=1e-12)
    many = fad.vmap(f, in_axes=(0, None))(np.array([0.5, 1.5]), np.ones(1))
    assert_allclose(many[1], f(1.5, np.ones(1)), rtol=1e-8)


def test_steps_that_become_too_short_are_told():
    found = solve_ivp(lambda t, y: y**2, (0.0, 2.0), np.ones(1))
    assert found.status == -1
    assert not found.success
    assert "less than spacing" in found.message
    assert found.t[-1] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"method": "BDF"}, ValueError, "RK45, RK23"),
        ({"events": lambda t, y: y}, NotImplementedError, "events"),
        ({"t_eval": np.array([0.5, 0.2])}, ValueError, "not properly sorted"),
        ({"t_eval": np.array([0.5, 1.2])}, ValueError, "not within t_span"),
    ],
)
def test_what_is_refused(options, error, text):
    with pytest.raises(error, match=text):
        solve_ivp(lambda t, y: -y, (0.0, 1.0), np.ones(1), **options)


@pytest.mark.parametrize("transform", [fad.jit, fad.vmap])
def test_unknown_numbers_of_steps_ask_for_times(transform):
    f = transform(lambda y0: solve_ivp(lambda t, y: -y, (0.0, 1.0), y0).y)
    with pytest.raises(ValueError, match="Pass t_eval"):
        f(np.ones((2, 1)) if transform is fad.vmap else np.ones(1))
