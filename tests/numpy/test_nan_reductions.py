import numpy as np
import pytest
from numpy_agreement import check_agrees

import fad
import fad.numpy as fnp
from fad.testing import check_grads, check_vmap

rng = np.random.default_rng(2)
X = rng.standard_normal((3, 4))
HOLES = X.copy()
HOLES[0, 1] = HOLES[2, 2] = HOLES[2, 3] = np.nan
MASK = X > -0.5
TOTALS = ["nansum", "nanprod"]
EXTREMA = ["nanmax", "nanmin"]
MEANS = ["nanmean", "nanvar", "nanstd"]


@pytest.mark.parametrize("name", TOTALS + EXTREMA + MEANS)
def test_values_and_dtypes_are_those_of_numpy(name):
    gap = HOLES.copy()
    gap[:, 0] = np.nan
    ints = np.arange(12).reshape(3, 4)
    for x in (HOLES, gap, HOLES.astype("f4"), HOLES.astype("f2"), ints, ints > 3):
        for axis in [None, 0, 1, (0, 1)]:
            check_agrees(name, x, axis=axis, keepdims=axis == 1)


@pytest.mark.parametrize("name", MEANS)
def test_means_take_masks_and_dtypes(name):
    check_agrees(name, HOLES, axis=1, where=MASK)
    check_agrees(name, HOLES + 1j, axis=0)
    if name != "nanmean":
        for ddof in (1, 2, 3, 4):
            check_agrees(name, HOLES, axis=0, ddof=ddof)
        check_agrees(name, HOLES, axis=0, correction=1)
        check_agrees(name, HOLES, axis=1, mean=np.nanmean(HOLES, axis=1, keepdims=True))


@pytest.mark.parametrize("name", TOTALS + EXTREMA)
def test_initial_and_where(name):
    check_agrees(name, HOLES, axis=0, initial=0.5, where=MASK)
    check_agrees(name, HOLES, initial=5.0)


@pytest.mark.parametrize("name", ["nanargmax", "nanargmin"])
def test_positions(name):
    for axis in [None, 0, -1]:
        check_agrees(name, HOLES, axis=axis)
    check_agrees(name, np.array([[np.nan, np.nan], [1.0, 2.0]]), axis=0)
    with pytest.raises(ValueError, match="All-NaN"):
        fad.jvp(lambda x: getattr(fnp, name)(x), (np.array([np.nan]),), (np.ones(1),))


@pytest.mark.parametrize("name", TOTALS + EXTREMA + MEANS)
def test_nans_have_no_derivative_and_the_others_that_of_their_own(name):
    holes = np.array([0.3, np.nan, -1.2, 2.0, np.nan])
    rest = np.array([0.3, -1.2, 2.0])
    grad = fad.grad(getattr(fnp, name))(holes)
    np.testing.assert_array_equal(grad[[1, 4]], 0.0)
    plain = fad.grad(getattr(fnp, name[3:]))(rest)
    np.testing.assert_allclose(grad[[0, 2, 3]], plain, rtol=1e-14)


@pytest.mark.parametrize("name", TOTALS + EXTREMA + MEANS)
def test_second_order_and_batches(name):
    spread = lambda x: fnp.where(np.isnan(HOLES), np.nan, x)
    check_grads(lambda x: getattr(fnp, name)(spread(x), axis=1), (X,), order=2)
    check_vmap(lambda x: getattr(fnp, name)(x, axis=0), (np.stack([HOLES, X], 1),), 1)


@pytest.mark.parametrize("name", EXTREMA + MEANS)
def test_slices_of_nans_warn_as_in_numpy(name):
    x = np.full(3, np.nan)
    with pytest.warns(RuntimeWarning):
        out = fad.jvp(getattr(fnp, name), (x,), (np.ones(3),))[0]
    assert np.isnan(out)
    with pytest.warns(RuntimeWarning):
        np.testing.assert_array_equal(fad.grad(getattr(fnp, name))(x), np.zeros(3))
