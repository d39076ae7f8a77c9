"""Shapes, joining, splitting and rearranging: values as NumPy's, derivatives exact."""

import numpy as np
import pytest
from derivative_checks import check_derivatives
from numpy_agreement import KNOWN_VALUES, check_agrees

import fad
import fad.numpy as fnp

_r = np.random.default_rng(5)
V = _r.standard_normal(6)
M = _r.standard_normal((3, 4))
C = _r.standard_normal((2, 3, 4))
Z = M + 1j * M[::-1]
COLUMN = M[:, :1]

CALLS = [
    ("reshape", M, (2, 6)),
    ("reshape", M, -1),
    ("reshape", C, (4, -1), "F"),
    ("reshape", M, (2, 5)),
    ("reshape", M, (-1, -1)),
    ("reshape", V[0], (1, 1)),
    ("ravel", C),
    ("ravel", M, "F"),
    ("transpose", C),
    ("transpose", C, (1, 2, 0)),
    ("transpose", C, (1, -1, 0)),
    ("transpose", C, (1, 2)),
    ("transpose", C, (1, 1, 0)),
    ("permute_dims", C, (1, 2, 0)),
    ("matrix_transpose", C),
    ("matrix_transpose", V),
    ("swapaxes", C, 0, -1),
    ("swapaxes", C, 0, 3),
    ("moveaxis", C, 0, -1),
    ("moveaxis", C, (0, 2), (1, 0)),
    ("moveaxis", C, (0, 2), (1,)),
    ("rollaxis", C, 2),
    ("rollaxis", C, 0, 3),
    ("rollaxis", C, 0, 5),
    ("squeeze", COLUMN),
    ("squeeze", COLUMN, 1),
    ("squeeze", COLUMN, 0),
    ("squeeze", V[:1]),
    ("expand_dims", M, 1),
    ("expand_dims", M, (0, -1)),
    ("expand_dims", M, (0, 0)),
    ("expand_dims", M, 4),
    ("broadcast_to", V, (2, 6)),
    ("broadcast_to", V[0], 3),
    ("broadcast_to", M, (4,)),
    ("broadcast_to", M, (3, 5)),
    ("atleast_1d", V[0]),
    ("atleast_2d", V),
    ("atleast_3d", V),
    ("atleast_3d", M),
    ("atleast_3d", V[0]),
    ("flip", C),
    ("flip", C, (0, -1)),
    ("flip", C, 3),
    ("fliplr", C),
    ("fliplr", V),
    ("flipud", V),
    ("rot90", M),
    ("rot90", M, 2),
    ("rot90", C, -1, (2, 0)),
    ("rot90", M, 4),
    ("rot90", M, 1, (0, 0)),
    ("copy", M),
    ("tile", M, 2),
    ("tile", V, (2, 1)),
    ("tile", C, (2, 1, 3)),
    ("tile", M, (3, 1, 1, 1)),
    ("tile", V, 0),
    ("repeat", M, 2),
    ("repeat", M, 2, 1),
    ("repeat", M, [1, 0, 2], 0),
    ("repeat", V[0], 3),
    ("repeat", M, -1),
    ("roll", M, 2),
    ("roll", M, -1, 1),
    ("roll", C, (1, -3), (0, 2)),
    ("roll", C, (1, 2), 2),
    ("roll", M, 4, 1),
    ("resize", V, (2, 2)),
    ("resize", V, (3, 5)),
    ("resize", np.zeros(0), (2,)),
    ("delete", V, 1),
    ("delete", M, [0, 2], 1),
    ("delete", M, slice(None, None, 2), 0),
    ("delete", V, [True, False] * 3),
    ("delete", V, 6),
    ("insert", V, 1, 5.0),
    ("insert", V, [1, 1, 3], [7.0, 8.0, 9.0]),
    ("insert", M, 1, [7.0, 8.0, 9.0], 1),
    ("insert", M, [1], [[7.0], [8.0], [9.0]], 1),
    ("insert", M, 0, M[:2], 0),
    ("insert", M, slice(0, 2), 5.0, 0),
    ("insert", V, 8, 5.0),
    ("insert", M, -1, [[7.0], [8.0], [9.0]], 1),
    ("append", M, V),
    ("append", M, M[:1], 0),
    ("concatenate", M, 1),
    ("concatenate", M, None),
    ("concatenate", V),
    ("stack", M),
    ("stack", M, -1),
    ("stack", M, 2),
    ("vstack", M),
    ("hstack", M),
    ("hstack", C),
    ("dstack", M),
    ("dstack", C),
    ("column_stack", M),
    ("column_stack", C),
    ("block", M),
    ("split", V, 3),
    ("split", V, 4),
    ("split", V, [1, 4]),
    ("split", M, [1, -1], 1),
    ("array_split", V, 4),
    ("array_split", V, 0),
    ("array_split", V, [2, 9]),
    ("hsplit", M, 2),
    ("hsplit", V, 2),
    ("vsplit", M, 3),
    ("vsplit", V, 3),
    ("dsplit", C, 2),
    ("dsplit", M, 2),
    ("diag", V),
    ("diag", V, -2),
    ("diag", M),
    ("diag", M, 1),
    ("diag", C),
    ("diagflat", M, 1),
    ("diagonal", M),
    ("diagonal", C, 1, 2, 0),
    ("diagonal", M, 9),
    ("diagonal", C, 0, 1, 1),
    ("diagonal", V),
    ("tril", M),
    ("tril", C, 1),
    ("tril", V),
    ("triu", M, -1),
    ("triu", C),
    ("pad", V, 2),
    ("pad", M, ((1, 0), (0, 2))),
    ("pad", V, -1),
    ("pad", V, 1.5),
    ("pad", V, 0),
    ("pad", V, 1, "nonsense"),
]


PARTS = ("split", "array_split", "hsplit", "vsplit", "dsplit")


def name_of(call):
    return f"{call[0]}-{np.shape(call[1])}-{call[2:]}".replace(" ", "")[:60]


@pytest.mark.parametrize("call", CALLS, ids=name_of)
def test_values_and_errors_are_numpys(call):
    check_agrees(*call)


@pytest.mark.parametrize("call", CALLS, ids=name_of)
def test_derivatives_are_exact(call):
    name, x, *args = call
    try:
        getattr(np, name)(x, *args)
    except (ValueError, IndexError, TypeError, OverflowError):
        return  # an error, which the test of values is about

    def f(v):
        out = getattr(fnp, name)(v, *args)
        return out if name not in PARTS else fnp.hstack([fnp.ravel(o) for o in out])

    check_derivatives(f, x, order=1)


PADS = [
    {"constant_values": 3.0},
    {"constant_values": ((1.0, 2.0), (3.0, 4.0))},
    {"constant_values": (1.0, 2.0)},
    {"mode": "edge"},
    {"mode": "wrap"},
    {"mode": "reflect"},
    {"mode": "symmetric"},
    {"mode": "reflect", "reflect_type": "odd"},
    {"mode": "symmetric", "reflect_type": "odd"},
    {"mode": "linear_ramp"},
    {"mode": "linear_ramp", "end_values": ((1.0, 2.0), (3.0, 4.0))},
    {"mode": "mean"},
    {"mode": "mean", "stat_length": 2},
    {"mode": "maximum", "stat_length": (1, 2)},
    {"mode": "minimum"},
    {"mode": "median"},
    {"mode": "maximum", "stat_length": 0},
    {"mode": "edge", "constant_values": 1.0},
]


@pytest.mark.parametrize("widths", [3, ((0, 7), (9, 1))], ids=str)
@pytest.mark.parametrize("options", PADS, ids=str)
def test_every_mode_of_pad(options, widths):
    check_agrees("pad", M, widths, rtol=1e-13, **options)
    if options.get("stat_length") != 0 and options != PADS[-1]:
        check_derivatives(lambda v: fnp.pad(v, widths, **options), M, order=1)


def test_pad_by_a_function_that_writes_in_place():
    def fill(vector, width, axis, kwargs):
        vector[: width[0]] = kwargs["times"] * vector[width[0]]
        vector[-width[1] :] = -1.0

    call = lambda np_, v: np_.pad(v, 2, fill, times=3.0)
    np.testing.assert_array_equal(fad.vjp(lambda v: call(fnp, v), M)[0], call(np, M))
    check_derivatives(lambda v: call(fnp, v), M, order=1, batch=False)


def test_pad_takes_traced_constants():
    f = lambda v, c: fnp.pad(v, 1, constant_values=[(c, 2 * c)])
    check_derivatives(f, V, np.float64(0.3), order=1)


def test_pad_with_a_dict_of_widths():
    check_agrees("pad", M, {-1: (1, 2)}) if _knows_dicts() else None
    got = fad.vjp(lambda v: fnp.pad(v, {1: (1, 2)}), M)[0]
    np.testing.assert_array_equal(got, np.pad(M, ((0, 0), (1, 2))))


def _knows_dicts():
    return np.lib.NumpyVersion(np.__version__) >= "2.2.0"


@pytest.mark.parametrize("trim", ["fb", "f", "b"])
def test_trim_zeros_uses_known_values(trim):
    x = np.array([0.0, 0.0, 1.0, 0.0, 2.0, 0.0])
    check_agrees("trim_zeros", x, trim, ways=KNOWN_VALUES)
    with pytest.raises(TypeError, match="not known while tracing"):
        fad.make_jaxpr(lambda v: fnp.trim_zeros(v))(x)


JOINS = [
    lambda np_, a, b: np_.concatenate([a, b], axis=-1),
    lambda np_, a, b: np_.concat((a, b)),
    lambda np_, a, b: np_.concatenate([a, 1.0, b], axis=None),
    lambda np_, a, b: np_.stack([a, b], axis=1),
    lambda np_, a, b: np_.vstack([a, b[0]]),
    lambda np_, a, b: np_.hstack([a[0], b[1]]),
    lambda np_, a, b: np_.dstack([a, b]),
    lambda np_, a, b: np_.column_stack([a[:, 0], b]),
    lambda np_, a, b: np_.append(a, b),
    lambda np_, a, b: np_.block([[a, b], [b[:1], a[:1]]]),
    lambda np_, a, b: np_.block([1.0, a[0], b[0, 0]]),
    lambda np_, a, b: np_.insert(a, [1, 2], b[:2], axis=0),
    lambda np_, a, b: np_.broadcast_arrays(a[:1], b[:, :1])[0],
    lambda np_, a, b: np_.r_[a[0], 1:4, b[0, 0], 7.0],
    lambda np_, a, b: np_.r_["1", a, b],
    lambda np_, a, b: np_.r_["0,2", a, b[0]],
    lambda np_, a, b: np_.r_["0,3,-1", a[0], b[0]],
    lambda np_, a, b: np_.c_[a, b[:, 0]],
    lambda np_, a, b: np_.c_[a[0], b[0]],
]


@pytest.mark.parametrize("join", JOINS)
def test_joins_of_several_arrays(join):
    a, b = M, 2.0 * M[::-1] + 1.0
    got = fad.vjp(lambda a, b: join(fnp, a, b), a, b)[0]
    np.testing.assert_array_equal(got, join(np, a, b))
    check_derivatives(lambda a, b: join(fnp, a, b), a, b, order=1)


@pytest.mark.parametrize(
    ("options", "dtype"),
    [
        ({}, np.float64),
        ({"dtype": np.float32}, np.float32),
        ({"dtype": complex}, complex),
    ],
)
def test_concatenate_casts_to_dtype(options, dtype):
    f = lambda v: fnp.concatenate([v, np.arange(3)], **options)
    out, pull = fad.vjp(f, V)
    assert out.dtype == dtype
    assert pull(np.ones(9, dtype))[0].dtype == np.float64


def test_concatenate_refuses_unsafe_casts():
    with pytest.raises(TypeError, match="Cannot cast"):
        fad.grad(lambda v: fnp.concatenate([v, v], dtype=int)[0])(V)


@pytest.mark.parametrize(
    "bad", [[[M], M], [], [[M], []], (M, M)], ids=["depths", "empty", "inner", "tuple"]
)
def test_block_refuses_what_numpy_refuses(bad):
    expected = TypeError if isinstance(bad, tuple) else ValueError
    with pytest.raises(expected):
        fad.grad(lambda v: fnp.block([bad, [v]] if bad != [] else bad).sum())(M)


def test_unstack_takes_an_axis_apart():
    parts = fad.vjp(lambda v: fnp.unstack(v, axis=1), M)[0]
    np.testing.assert_array_equal(np.stack(parts, axis=1), M)
    with pytest.raises(ValueError, match="at least 1-d"):
        fad.grad(lambda v: fnp.unstack(v)[0])(1.0)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
@pytest.mark.parametrize("name", ["tile", "pad", "roll", "repeat", "resize"])
def test_dtypes_stay(name, dtype):
    f = lambda v: getattr(fnp, name)(v, 2)
    out, pull = fad.vjp(f, V.astype(dtype))
    assert out.dtype == dtype
    assert pull(np.ones_like(out))[0].dtype == dtype


def test_triangles_leak_no_nan_from_the_other_side():
    f = lambda v: fnp.sum(fnp.tril(fnp.sqrt(v)))
    x = np.array([[1.0, 0.0], [1.0, 4.0]])
    np.testing.assert_array_equal(fad.grad(f)(x), [[0.5, 0.0], [0.5, 0.25]])


METHODS = [
    lambda x: x.reshape(2, 6),
    lambda x: x.reshape((2, -1)),
    lambda x: x.reshape(-1, order="F"),
    lambda x: x.ravel(),
    lambda x: x.ravel("F"),
    lambda x: x.flatten(),
    lambda x: x.flatten("F"),
    lambda x: x.T,
    lambda x: x.mT,
    lambda x: x.transpose(),
    lambda x: x.transpose(1, 0),
    lambda x: x.transpose((1, 0)),
    lambda x: x.transpose(None),
    lambda x: x.swapaxes(0, 1),
    lambda x: x[:, :1].squeeze(),
    lambda x: x[:, :1].squeeze(1),
    lambda x: x.repeat(2, axis=0),
    lambda x: x.take([3, 0, 0]),
    lambda x: x.take([1, 0], axis=1),
    lambda x: x.diagonal(),
    lambda x: x.diagonal(1),
    lambda x: x.compress([True, False, True], axis=0),
    lambda x: x.copy(),
    lambda x: x.flat[3:7],
    lambda x: x.flat[5],
    lambda x: x.flat.copy(),
    lambda x: sum(x.flat),
    lambda x: sum(row for row in x),
    lambda x: x.real,
    lambda x: x.imag,
]


@pytest.mark.parametrize("method", METHODS)
def test_methods_are_those_of_arrays(method):
    x = Z if "imag" in method.__code__.co_names else M
    got, pull = fad.vjp(method, x)
    np.testing.assert_array_equal(got, method(x))
    ct = np.cos(np.arange(np.size(got))).reshape(np.shape(got))[()]
    want = np.vdot(ct, method(x)).real  # the methods are linear maps
    np.testing.assert_allclose(np.sum(pull(ct)[0] * x).real, want)


def test_order_a_follows_the_memory():
    check_agrees("reshape", np.asfortranarray(M), (2, 6), "A", ways=KNOWN_VALUES)
    check_agrees("reshape", M, (2, 6), "A")
    check_agrees(
        "ravel", np.asfortranarray(C).transpose(1, 0, 2), "K", ways=KNOWN_VALUES
    )


def test_reshape_with_copy_false_raises_where_numpy_has_to_copy():
    f = lambda v: fnp.sum(fnp.reshape(v.T, (12,), copy=False))
    with pytest.raises(ValueError, match="Unable to avoid creating a copy"):
        fad.grad(f)(M)
    g = lambda v: fnp.sum(fnp.reshape(v, (12,), copy=False))
    np.testing.assert_array_equal(fad.grad(g)(M), np.ones_like(M))
