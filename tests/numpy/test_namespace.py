"""`fad.numpy` has every name of NumPy: a walk over `numpy.__all__`.

Each name is implemented, passes through unchanged, or is listed as unsupported with the
reason. Of every implemented function the parameters are NumPy's, and calls, plain and
traced, return what NumPy returns. The arguments are the first of `CANDIDATES` that
NumPy's function takes, or those in `CALLS`.
"""

import importlib
import inspect
import warnings

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad.numpy.dispatch import implementations, ufuncs
from fad.numpy.passthrough import SAME, UNSUPPORTED

PRIVATE = {name for name in np.__all__ if name[0] == "_" and name[:2] != "__"}
NAMES = sorted(set(np.__all__) - PRIVATE - {"random"})
IMPLEMENTED = [name for name in NAMES if name not in SAME and name not in UNSUPPORTED]
UFUNCS = [name for name in IMPLEMENTED if isinstance(getattr(np, name), np.ufunc)]
FUNCTIONS = [
    name
    for name in sorted(set(IMPLEMENTED) - set(UFUNCS))
    if callable(getattr(np, name)) and not isinstance(getattr(np, name), type)
]

X = np.array([0.3, 0.6, 0.2, 0.9])
M = np.array([[2.0, 0.5, 0.25], [0.5, 1.5, 0.125], [0.25, 0.125, 1.0]])
INTS = np.array([3, 0, 2])
CANDIDATES = [
    (X,),
    (M,),
    (X, X[::-1]),
    (X, 2),
    (X, INTS),
    (M, M.T),
    (INTS, INTS + 1),
    (INTS,),
    (X > 0.5, X),
    (2.0, 5.0),
    ((2, 3),),
    (4,),
]
CALLS = {
    "apply_along_axis": (lambda v: v[0], 0, M),
    "apply_over_axes": (np.sum, M, [0]),
    "argpartition": (X, 2),
    "array_split": (X, 3),
    "astype": (X, np.float32),
    "average": (X, 0, X),
    "bincount": (INTS,),
    "block": ([[M, M], [M, M]],),
    "broadcast_to": (X, (2, 4)),
    "can_cast": (np.float32, np.float64),
    "choose": ([0, 1, 1, 0], [X, X + 1]),
    "clip": (X, 0.25, 0.5),
    "column_stack": ((X, X),),
    "compress": (X > 0.5, X),
    "concat": ((X, X),),
    "concatenate": ((X, X),),
    "cross": (M[0], M[1]),
    "delete": (X, 1),
    "diag_indices_from": (M,),
    "digitize": (X, np.array([0.0, 0.25, 0.5])),
    "dstack": ((X, X),),
    "einsum": ("ij,jk->ik", M, M),
    "einsum_path": ("ij,jk->ik", M, M),
    "expand_dims": (X, 0),
    "extract": (X > 0.5, X),
    "fromfunction": (lambda i, j: i + j, (2, 3)),
    "fromiter": ([1.0, 2.0], float),
    "full": ((2, 3), 1.5),
    "full_like": (X, 1.5),
    "geomspace": (2.0, 5.0),
    "gradient": (X,),
    "hstack": ((X, X),),
    "insert": (X, 1, 7.0),
    "interp": (X, np.array([0.0, 0.5, 1.0]), np.array([1.0, 3.0, 2.0])),
    "isnat": (np.array(["2020-01-01", "NaT"], "M8[D]"),),
    "ix_": (INTS, INTS),
    "kaiser": (4, 2.0),
    "lexsort": ((X, X),),
    "moveaxis": (M, 0, 1),
    "partition": (X, 2),
    "percentile": (X, 30.0),
    "nanpercentile": (X, 30.0),
    "nanquantile": (X, 0.3),
    "quantile": (X, 0.3),
    "piecewise": (X, [X > 0.5], [1.0, 2.0]),
    "polyfit": (X, X**2, 1),
    "ravel_multi_index": ((INTS, INTS), (4, 5)),
    "repeat": (X, 2),
    "reshape": (X, (2, 2)),
    "resize": (X, (2, 3)),
    "roll": (X, 2),
    "rollaxis": (M, 1),
    "row_stack": ((X, X),),
    "searchsorted": (np.array([0.0, 0.5, 1.0]), X),
    "select": ([X > 0.5], [X]),
    "may_share_memory": (X, M),
    "shares_memory": (X, M),
    "stack": ((X, X),),
    "swapaxes": (M, 0, 1),
    "take": (X, INTS),
    "take_along_axis": (M, np.array([[0, 1, 2]]), 0),
    "tensordot": (M, M),
    "tile": (X, 2),
    "trim_zeros": (np.array([0.0, 1.0, 0.0]),),
    "unravel_index": (INTS, (2, 2)),
    "vstack": ((X, X),),
    "where": (X > 0.5, X, 1.0),
    "hsplit": (X, 2),
    "vsplit": (np.stack([X, X]), 2),
    "dsplit": (X.reshape(1, 1, 4), 2),
    "split": (X, 2),
    "matvec": (M, M[0]),
    "vecmat": (M[0], M),
    "ldexp": (X, np.array([1, 2, 3, 4])),
}
IN_PLACE = {"copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"}
ARE_OBJECTS = {"frompyfunc", "empty_like"}  # results that cannot be compared
SAY_TRACER = {"array_repr"}


def arguments(name):
    if name in CALLS:
        return CALLS[name]
    for args in CANDIDATES:
        if _call(getattr(np, name), args)[0]:
            return args
    raise AssertionError(f"no arguments fit {name}: add some to CALLS")


def _call(f, args):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return True, f(*args)
        except (TypeError, ValueError, IndexError, np.linalg.LinAlgError):
            return False, None


def assert_same(found, want, **tolerance):
    if isinstance(want, (tuple, list)):
        assert len(found) == len(want)
        for a, b in zip(found, want, strict=True):
            assert_same(a, b, **tolerance)
    elif isinstance(want, (np.ndarray, np.generic)) and want.dtype.kind in "fciub":
        assert np.shape(found) == want.shape
        assert np.asarray(found).dtype == want.dtype
        np.testing.assert_allclose(found, want, **tolerance)
    else:
        assert found == want


def is_float(a):
    return isinstance(a, np.ndarray) and a.dtype.kind == "f"


def traced_call(f, args):
    """Call `f` with every float array of `args` traced; return the value."""
    arrays = []
    _map(lambda a: arrays.append(a) if is_float(a) else None, args)

    def g(arrays):
        rest = iter(arrays)
        out = f(*_map(lambda a: next(rest) if is_float(a) else a, args))
        return 0.0, tuple(out) if hasattr(out, "_fields") else out

    return fad.vjp(g, arrays, has_aux=True)[2]


def _map(f, args):
    if isinstance(args, (tuple, list)):
        return type(args)([_map(f, a) for a in args])
    return f(args)


@pytest.mark.parametrize("name", NAMES)
def test_name_is_here(name):
    value = getattr(fnp, name)
    if name in SAME:
        assert value is getattr(np, name)
    elif name in UNSUPPORTED:
        assert value.__wrapped__ is getattr(np, name)
    else:
        assert value is not getattr(np, name)


def test_lists_do_not_overlap():
    assert not SAME & set(UNSUPPORTED)
    assert not [name for name in {*SAME, *UNSUPPORTED} if name in DEFINED]


DEFINED = {
    name
    for name, value in vars(fnp).items()
    if name in np.__all__ and value is not getattr(np, name)
    and name not in UNSUPPORTED
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_are_numpys(name):
    try:
        want = inspect.signature(getattr(np, name)).parameters
    except ValueError:
        return  # this version of NumPy does not tell
    found = inspect.signature(getattr(fnp, name)).parameters
    # a function may spell out what NumPy takes as **kwargs
    want = [p.name for p in want.values() if p.kind != p.VAR_KEYWORD or p.name in found]
    shared = [p for p in want if p in found]
    assert [p for p in found if p in want] == shared
    if np.lib.NumpyVersion(np.__version__) >= "2.4.0":  # older ones had other names
        assert shared == want
        newer = [p for p in found.values() if p.name not in want]
        assert all(p.default is not p.empty for p in newer)


@pytest.mark.parametrize("name", sorted({*FUNCTIONS, *UFUNCS} - IN_PLACE - ARE_OBJECTS))
def test_calls_agree_with_numpy(name):
    args = arguments(name)
    done, want = _call(getattr(np, name), args)
    assert done
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_same(getattr(fnp, name)(*args), want, rtol=0)
        if name not in SAY_TRACER:
            found = traced_call(getattr(fnp, name), args)
            assert_same(found, want, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - {"fromiter", "frompyfunc"}))
def test_functions_are_in_the_table_of_the_protocol(name):
    assert getattr(np, name) in implementations


@pytest.mark.parametrize("name", UFUNCS)
def test_ufuncs_are_in_the_table_of_the_protocol(name):
    assert getattr(np, name) in ufuncs


@pytest.mark.parametrize("name", sorted(set(UNSUPPORTED) & set(NAMES)))
def test_unsupported_names_refuse_tracers_with_the_reason(name):
    with pytest.raises(TypeError, match="does not take traced values") as raised:
        fad.grad(lambda x: getattr(fnp, name)(x))(X)
    assert UNSUPPORTED[name] in str(raised.value)


def test_unsupported_names_work_on_plain_arrays():
    p = fnp.poly1d([1.0, 2.0])
    assert isinstance(p, fnp.poly1d) and issubclass(np.poly1d, fnp.poly1d)
    assert type(p) is np.poly1d and repr(fnp.poly1d) == repr(np.poly1d)
    assert fnp.packbits(np.array([1, 0, 1], bool)).tolist() == [160]
    assert fnp.format_float_positional(1.5) == "1.5"


def test_unsupported_classes_have_subclasses():
    class Cubic(fnp.poly1d):
        pass

    assert Cubic.__mro__[1] is np.poly1d


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'sine'"):
        fnp.sine  # noqa: B018


def test_all_is_sorted_and_is_what_dir_shows():
    assert sorted(fnp.__all__) == fnp.__all__ == dir(fnp)
    assert set(NAMES) <= set(fnp.__all__)


@pytest.mark.parametrize("name", ["linalg", "fft"])
def test_submodules_are_imported_by_their_own_name(name):
    assert importlib.import_module(f"fad.numpy.{name}") is getattr(fnp, name)


def test_random_is_left_out():
    assert not hasattr(fnp, "random")


def test_star_import_has_every_name():
    scope = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of submodules that NumPy is about to drop
        exec("from fad.numpy import *", scope)
    assert scope["sin"] is fnp.sin and scope["float32"] is np.float32
