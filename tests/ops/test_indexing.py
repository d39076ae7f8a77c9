"""Every NumPy index: values, errors, derivatives, batches; adding up at repeats."""

import numpy as np
import pytest
from derivative_checks import check_derivatives
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import fad
import fad.numpy as fnp
from fad.core.errors import NonConcreteBooleanIndexError
from fad.ops.index_layout import ARRAY, assemble, layout
from fad.ops.indexing import getitem, scatter, scatter_add
from fad.ops.scatter_kernels import sum_at

V = np.linspace(0.5, 2.0, 6)
M = np.arange(1.0, 13.0).reshape(3, 4)
C = np.arange(1.0, 25.0).reshape(2, 3, 4)
MASK = M % 3 > 0

INDICES = [
    (V, 2),
    (V, -1),
    (V, np.int32(3)),
    (V, slice(None, None, -2)),
    (V, slice(np.int64(1), 4)),
    (M, (1, 2)),
    (M, (1, ...)),
    (M, (..., None, 1)),
    (M, None),
    (M, ()),
    (M, ...),
    (V, [0, 0, 1]),
    (V, []),
    (V, np.array([[0, -1], [2, 2]])),
    (V, (np.array([1, 2]),)),
    (V, [True, False, True, True, False, False]),
    (M, [2, 0]),
    (M, ([0, 0, 2], [1, 1, 3])),
    (M, (slice(None), [0, 0, 3])),
    (M, ([[0], [2]], [1, 3])),
    (C, (0, slice(1), [1, 2])),
    (C, ([0, 1], slice(None), [1, 2])),
    (C, (slice(None), [0, 1], [1, 2])),
    (C, (slice(None), 1, [1, 2])),
    (C, ([1], ..., None, 2)),
    (C, (..., [[1, 2]])),
    (M, MASK),
    (M, MASK[:, 0]),
    (M, (slice(None), MASK[0])),
    (M, (..., MASK[0])),
    (M, (MASK[:, 0], 1)),
    (M, (MASK[:, 0], [0, 2])),
    (C, (1, MASK)),
    (C, (MASK[:2, :3], slice(1, 3))),
    (M, True),
    (M, False),
    (M, (np.True_, 0)),
    (M, (np.array(True), slice(1))),
    (M, np.array(1)),
    (M, (np.array(1), slice(2))),
    (M, np.zeros((3, 4), bool)),
]


@pytest.mark.parametrize(("x", "index"), INDICES)
def test_value_is_numpys_and_derivative_exact(x, index):
    read = lambda v: v[index]
    got, pull = fad.vjp(read, x)
    np.testing.assert_array_equal(got, x[index])
    assert type(got) is type(x[index])
    ct = np.cos(np.arange(np.size(got))).reshape(np.shape(got))[()]
    want = np.zeros(x.shape)
    np.add.at(want, index, ct)
    np.testing.assert_allclose(pull(ct)[0], want, atol=1e-15)
    np.testing.assert_array_equal(fad.jvp(read, (x,), (x * x,))[1], (x * x)[index])


@pytest.mark.parametrize(("x", "index"), INDICES)
def test_staged_and_batched_reads_agree(x, index):
    read = lambda v: v[index]
    np.testing.assert_array_equal(
        fad.eval_jaxpr(fad.make_jaxpr(read)(x), x)[0], x[index]
    )
    stack = np.stack([x, -x], axis=-1)
    want = np.stack([x[index], -x[index]])
    np.testing.assert_array_equal(fad.vmap(read, in_axes=-1)(stack), want)
    twice = fad.vmap(fad.vmap(read))(np.stack([[x, -x]]))
    np.testing.assert_array_equal(twice[0], want)


@pytest.mark.parametrize(("x", "index"), INDICES)
def test_written_values_are_numpys(x, index):
    value = -1.0 - np.arange(np.size(x[index])).reshape(np.shape(x[index]))
    want = x.copy()
    want[index] = value
    for transform in (lambda f: fad.vjp(f, x)[0], lambda f: fad.vmap(f)(x[None])[0]):
        got = transform(lambda v: fnp.at(v)[index].set(value))
        np.testing.assert_array_equal(got, want)
    check_derivatives(
        lambda v, w: fnp.at(v)[index].set(w), x, value, order=1, batch=False
    )


ERRORS = [
    (V, 6),
    (V, (0, 0)),
    (V, [6]),
    (V, -7),
    (V, 1.0),
    (V, [1.0]),
    (V, "a"),
    (V, np.zeros(3)),
    (V, [True, False]),
    (M, (MASK, 0)),
    (M, ([0, 1], [0, 1, 2])),
    (M, (..., ...)),
]


@pytest.mark.parametrize(("x", "index"), ERRORS)
@pytest.mark.parametrize("way", ["vjp", "vmap", "make_jaxpr"])
def test_errors_are_numpys(x, index, way):
    transforms = {
        "vjp": lambda f: fad.vjp(f, x),
        "vmap": lambda f: fad.vmap(f)(x[None]),
        "make_jaxpr": lambda f: fad.make_jaxpr(f)(x),
    }
    if way == "make_jaxpr" and isinstance(index, list) and index == [6]:
        return  # values of index arrays are not looked at before the program runs
    with pytest.raises((IndexError, ValueError)) as expected:
        x[index]
    with pytest.raises(expected.type):
        transforms[way](lambda v: v[index])


def indices(shape):
    return hnp.basic_indices(shape, allow_newaxis=True) | hnp.integer_array_indices(
        shape, result_shape=hnp.array_shapes(min_dims=0, max_dims=2, max_side=3)
    )


@st.composite
def mixed_indices(draw):
    """An array and an index with integers, slices, arrays, None and an ellipsis."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=4, max_side=3))
    block = draw(hnp.array_shapes(min_dims=0, max_dims=2, max_side=3))
    entries = []
    for n in shape[: draw(st.integers(0, len(shape)))]:
        kind = draw(st.sampled_from(["int", "slice", "array", "new"]))
        if kind == "new":
            entries.append(None)
        if kind in ("int", "new"):
            entries.append(draw(st.integers(-n, n - 1)))
        elif kind == "slice":
            entries.append(draw(st.slices(n)))
        else:
            part = block[draw(st.integers(0, len(block))) :]
            entries.append(
                draw(hnp.arrays(np.intp, part, elements=st.integers(-n, n - 1)))
            )
    if draw(st.booleans()):
        entries.insert(draw(st.integers(0, len(entries))), Ellipsis)
    return np.arange(1.0, np.prod(shape) + 1).reshape(shape), tuple(entries)


def parts(entries):
    ids = [e for e in entries if isinstance(e, np.ndarray)]
    return tuple(ARRAY if isinstance(e, np.ndarray) else e for e in entries), ids


@given(mixed_indices())
def test_layout_tells_the_shape(case):
    x, entries = case
    index, ids = parts(entries)
    try:
        want = x[entries].shape
    except IndexError:  # an ellipsis moved integers to other axes
        return
    assert layout(x.shape, index, [i.shape for i in ids]).shape == want


@given(mixed_indices(), st.sampled_from(["x", "ids", "both"]))
def test_batched_index_is_a_loop(case, batched):
    x, entries = case
    index, ids = parts(entries)
    try:
        y = x[entries] * 0.5
    except IndexError:
        return
    if batched != "x" and not ids:
        return
    xs = np.stack([x, -x]) if batched != "ids" else x
    all_ids = [np.stack([i, -1 - i]) if batched != "x" else i for i in ids]
    axes = (
        0 if batched != "ids" else None,
        *[0 if batched != "x" else None] * len(ids),
    )

    def read_and_write(x, *ids):
        return getitem(x, *ids, index=index), scatter_add(x, y, *ids, index=index)

    got = fad.vmap(read_and_write, in_axes=axes)(xs, *all_ids)
    for k in range(2):
        one = [
            a if d is None else a[k] for a, d in zip((xs, *all_ids), axes, strict=True)
        ]
        for g, w in zip(got, read_and_write(*one), strict=True):
            np.testing.assert_array_equal(g[k], w)


@pytest.mark.parametrize(
    "dtype", [np.float64, np.float32, np.complex128, np.int64, "g"]
)
@pytest.mark.parametrize("shape", [(40,), (40, 3), (8, 5, 3), (5, 40)])
@pytest.mark.parametrize("repeats", [False, True])
def test_sums_at_repeated_positions(dtype, shape, repeats):
    rng = np.random.default_rng(3)
    axis = int(np.argmax(shape))
    n = shape[axis]
    at = rng.integers(-n, n, 3 * n) if repeats else rng.permutation(n)
    entries = (slice(None),) * axis + (at,)
    index = (slice(None),) * axis + (ARRAY,)
    y = rng.standard_normal(np.zeros(shape)[entries].shape) * 8
    y = y.astype(dtype) if dtype != np.complex128 else y + 1j * y[::-1]
    want = np.zeros(shape, y.dtype)
    np.add.at(want, entries, y)
    got = sum_at(shape, y, index, entries)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=1e-4 if dtype == np.float32 else 1e-12)


def test_sums_into_a_few_elements_of_many():
    at = np.array([5, 5, 999_999])
    got = sum_at((1_000_000,), np.ones(3), (ARRAY,), (at,))
    assert got[5] == 2 and got[-1] == 1 and got.sum() == 3


def test_sums_of_pairs_of_index_arrays():
    rng = np.random.default_rng(4)
    i, j = rng.integers(0, 5, (2, 200))
    y = rng.standard_normal(200)
    want = np.zeros((5, 5))
    np.add.at(want, (i, j), y)
    np.testing.assert_allclose(
        sum_at((5, 5), y, (ARRAY, ARRAY), (i, j)), want, atol=1e-12
    )


def test_scatter_refuses_positions_out_of_range():
    for count in (3, 300):
        with pytest.raises(IndexError):
            scatter(np.ones(count), np.full(count, 7), index=(ARRAY,), shape=(7,))


def test_an_index_keeps_its_arrays_and_not_the_array_indexed():
    big = np.ones(100_000)
    tape_holds = []

    def f(x):
        y = x[np.arange(50)]
        tape_holds.append([r.nbytes for r in y.payload.residuals])
        return fnp.sum(y)

    fad.grad(f)(big)
    assert sum(tape_holds[0]) == 400


@pytest.mark.parametrize("size", [3, 3000])
def test_a_changed_index_array_does_not_change_the_gradient(size):
    where = np.zeros(size, int)
    out, pull = fad.vjp(lambda v: v[where], V)
    try:
        where[:] = 3
    except ValueError as error:  # a large array is locked for as long as it is needed
        assert "read-only" in str(error)
    np.testing.assert_array_equal(pull(np.ones(size))[0], [size, 0, 0, 0, 0, 0])


def test_traced_positions_index_plain_arrays():
    table = np.array([5.0, 7.0, 9.0])
    f = lambda i: fnp.take(table, i)
    np.testing.assert_array_equal(fad.vmap(f)(np.array([2, 0])), [9.0, 5.0])


@pytest.mark.parametrize("transform", [fad.vmap, lambda f: fad.make_jaxpr(f)])
def test_an_unknown_mask_says_what_to_write_instead(transform):
    with pytest.raises(NonConcreteBooleanIndexError, match="fnp.where"):
        transform(lambda v: v[v > 1])(M)


def test_a_mask_cuts_off_infinite_slopes():
    x = np.array([0.0, 1.0, 4.0])
    for mask in (lambda v: v > 0, lambda v: v[:2].size * (v > 0) > 0):
        g = fad.grad(lambda v, m=mask: fnp.sum(fnp.sqrt(v)[m(v)]))(x)
        np.testing.assert_array_equal(g, [0.0, 0.5, 0.25])
    with np.errstate(divide="ignore", invalid="ignore"):
        h = fad.hessian(lambda v: fnp.sum(fnp.sqrt(v)[v > 0]))(x)
    np.testing.assert_array_equal(h, np.diag([0.0, -0.25, -0.03125]))


def test_cut_off_elements_stay_cut_off_through_an_index():
    x = np.array([0.0, 1.0, 4.0])
    f = lambda v: fnp.sum(fnp.where(v > 0, fnp.sqrt(v)[[0, 1, 2]], 0.0)[::-1])
    np.testing.assert_array_equal(fad.grad(f)(x), [0.0, 0.5, 0.25])


def test_assembled_index_is_numpys():
    ids = [np.array([0]), np.array([1])]
    assert assemble((ARRAY, 2, ARRAY), ids) == (ids[0], 2, ids[1])
