"""The Array API standard, version 2024.12, on traced arrays.

`STANDARD` lists its functions with the number of positional arguments and the keyword
arguments of each. What NumPy itself lacks is left out: `descending` of the sorts and
`dtype` of `fft.fftfreq`.
"""

import inspect

import numpy as np
import pytest

import fad
import fad.numpy as fnp

X = np.array([[0.25, 0.5, 0.75], [0.5, 0.125, 1.0]])
S = np.array([[2.0, 0.5], [0.5, 1.0]])

UNARY = """abs acos acosh asin asinh atan atanh ceil conj cos cosh exp expm1 floor
imag isfinite isinf isnan log log10 log1p log2 logical_not negative positive real
reciprocal round sign signbit sin sinh sqrt square tan tanh trunc""".split()
BINARY = """add atan2 copysign divide equal floor_divide greater greater_equal hypot
less less_equal logaddexp logical_and logical_or logical_xor maximum minimum multiply
nextafter not_equal pow remainder subtract""".split()
INTEGER = """bitwise_and bitwise_or bitwise_xor bitwise_left_shift
bitwise_right_shift""".split()
BOOLEAN = """isfinite isinf isnan logical_not signbit equal greater greater_equal less
less_equal logical_and logical_or logical_xor not_equal""".split()

STANDARD = {
    **dict.fromkeys(UNARY + ["bitwise_invert"], (1, "")),
    **dict.fromkeys(BINARY + INTEGER, (2, "")),
    **dict.fromkeys(["all", "any"], (1, "axis keepdims")),
    **dict.fromkeys(["argmax", "argmin", "max", "min", "mean"], (1, "axis keepdims")),
    **dict.fromkeys(["prod", "sum"], (1, "axis dtype keepdims")),
    **dict.fromkeys(["std", "var"], (1, "axis correction keepdims")),
    **dict.fromkeys(["argsort", "sort"], (1, "axis stable")),
    **dict.fromkeys(["unique_all", "unique_counts", "unique_inverse"], (1, "")),
    **dict.fromkeys(["ones", "zeros", "empty"], (1, "dtype device")),
    **dict.fromkeys(["ones_like", "zeros_like", "empty_like"], (1, "dtype device")),
    **dict.fromkeys(["cumulative_sum", "cumulative_prod"],
                    (1, "axis dtype include_initial")),
    **dict.fromkeys(["concat", "stack"], (1, "axis")),
    **dict.fromkeys(["tril", "triu"], (1, "k")),
    "arange": (3, "dtype device"),
    "asarray": (1, "dtype device copy"),
    "astype": (2, "copy device"),
    "broadcast_arrays": (3, ""),
    "broadcast_shapes": (2, ""),
    "broadcast_to": (2, ""),
    "can_cast": (2, ""),
    "clip": (1, "min max"),
    "count_nonzero": (1, "axis keepdims"),
    "diff": (1, "axis n prepend append"),
    "expand_dims": (1, "axis"),
    "eye": (2, "k dtype device"),
    "finfo": (1, ""),
    "flip": (1, "axis"),
    "from_dlpack": (1, "device copy"),
    "full": (2, "dtype device"),
    "full_like": (2, "dtype device"),
    "iinfo": (1, ""),
    "isdtype": (2, ""),
    "isin": (2, "invert"),
    "linspace": (3, "dtype device endpoint"),
    "matmul": (2, ""),
    "matrix_transpose": (1, ""),
    "meshgrid": (2, "indexing"),
    "moveaxis": (3, ""),
    "nonzero": (1, ""),
    "permute_dims": (2, ""),
    "repeat": (2, "axis"),
    "reshape": (2, "copy"),
    "result_type": (3, ""),
    "roll": (2, "axis"),
    "searchsorted": (2, "side sorter"),
    "squeeze": (2, ""),
    "take": (2, "axis"),
    "take_along_axis": (2, "axis"),
    "tensordot": (2, "axes"),
    "tile": (2, ""),
    "unique_values": (1, ""),
    "unstack": (1, "axis"),
    "vecdot": (2, "axis"),
    "where": (3, ""),
    "linalg.cholesky": (1, "upper"),
    "linalg.cross": (2, "axis"),
    "linalg.det": (1, ""),
    "linalg.diagonal": (1, "offset"),
    "linalg.eigh": (1, ""),
    "linalg.eigvalsh": (1, ""),
    "linalg.inv": (1, ""),
    "linalg.matmul": (2, ""),
    "linalg.matrix_norm": (1, "keepdims ord"),
    "linalg.matrix_power": (2, ""),
    "linalg.matrix_rank": (1, "rtol"),
    "linalg.matrix_transpose": (1, ""),
    "linalg.outer": (2, ""),
    "linalg.pinv": (1, "rtol"),
    "linalg.qr": (1, "mode"),
    "linalg.slogdet": (1, ""),
    "linalg.solve": (2, ""),
    "linalg.svd": (1, "full_matrices"),
    "linalg.svdvals": (1, ""),
    "linalg.tensordot": (2, "axes"),
    "linalg.trace": (1, "offset dtype"),
    "linalg.vecdot": (2, "axis"),
    "linalg.vector_norm": (1, "axis keepdims ord"),
    **{f"fft.{name}": (1, "n axis norm")
       for name in "fft ifft rfft irfft hfft ihfft".split()},
    **{f"fft.{name}": (1, "s axes norm")
       for name in "fftn ifftn rfftn irfftn".split()},
    "fft.fftfreq": (1, "d device"),
    "fft.rfftfreq": (1, "d device"),
    "fft.fftshift": (1, "axes"),
    "fft.ifftshift": (1, "axes"),
}  # fmt: skip

METHODS = """T mT device dtype ndim shape size __abs__ __add__ __and__
__array_namespace__ __bool__ __complex__ __eq__ __float__ __floordiv__ __ge__
__getitem__ __gt__ __index__ __int__ __invert__ __le__ __lshift__ __lt__ __matmul__
__mod__ __mul__ __ne__ __neg__ __or__ __pos__ __pow__ __rshift__ __setitem__ __sub__
__truediv__ __xor__ __radd__ __rand__ __rfloordiv__ __rlshift__ __rmatmul__ __rmod__
__rmul__ __ror__ __rpow__ __rrshift__ __rsub__ __rtruediv__ __rxor__
to_device""".split()


def find(name, namespace=fnp):
    for part in name.split("."):
        namespace = getattr(namespace, part)
    return namespace


def available(names):
    """Drop what the version of NumPy at hand does not have yet."""
    return [n for n in names if _has(n)]


def _has(name):
    try:
        find(name, np)
    except AttributeError:
        return False
    return True


@pytest.mark.parametrize("name", available(STANDARD))
def test_signature_takes_the_arguments_of_the_standard(name):
    count, keywords = STANDARD[name]
    try:
        signature = inspect.signature(find(name))
    except ValueError:
        return  # a function of NumPy's that does not tell
    signature.bind(*range(count), **dict.fromkeys(keywords.split()))


@pytest.mark.parametrize("name", METHODS)
def test_tracers_have_the_methods_of_the_standard(name):
    fad.make_jaxpr(lambda x: [x, getattr(x, name)][0])(X)


def dtypes_of(f, dtypes, *args):
    """The dtypes of what `f` returns when it is staged, for each dtype of the input."""
    return [fad.eval_shape(f, *[a.astype(d) for a in args]).dtype for d in dtypes]


FLOATS = [np.float32, np.float64]


@pytest.mark.parametrize("name", UNARY)
def test_unary_functions_keep_floating_dtypes(name):
    expected = [bool, bool] if name in BOOLEAN else FLOATS
    assert dtypes_of(lambda x: find(name)(x), FLOATS, X) == expected


@pytest.mark.parametrize("name", BINARY)
def test_binary_functions_keep_floating_dtypes(name):
    expected = [bool, bool] if name in BOOLEAN else FLOATS
    assert dtypes_of(lambda x, y: find(name)(x, y), FLOATS, X, X) == expected


@pytest.mark.parametrize("name", INTEGER)
def test_integer_functions_keep_integer_dtypes(name):
    dtypes = [np.int8, np.uint16, np.int64]
    assert dtypes_of(lambda x, y: find(name)(x, y), dtypes, X, X) == dtypes


@pytest.mark.parametrize("name", ["sum", "prod"])
def test_sums_of_small_integers_are_wide(name):
    dtypes = [np.int8, np.uint16, np.float32, np.complex64]
    expected = [np.int64, np.uint64, np.float32, np.complex64]
    assert dtypes_of(lambda x: find(name)(x), dtypes, X) == expected


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("mean", ()), ("std", ()), ("var", ()), ("max", ()), ("sort", ()), ("tril", ()),
        ("cumulative_sum", ("axis",)), ("diff", ()), ("flip", ()), ("linalg.inv", ()),
        ("linalg.cholesky", ()), ("linalg.det", ()), ("linalg.svdvals", ()),
        ("linalg.eigvalsh", ()), ("linalg.pinv", ()), ("linalg.vector_norm", ()),
        ("linalg.matrix_norm", ()),
    ],
)  # fmt: skip
def test_functions_of_matrices_keep_floating_dtypes(name, args):
    if name not in available([name]):
        return
    options = dict.fromkeys(args, 0)
    assert dtypes_of(lambda x: find(name)(x, **options), FLOATS, S) == FLOATS


@pytest.mark.parametrize("constant", ["e", "inf", "nan", "newaxis", "pi"])
def test_constants(constant):
    assert getattr(fnp, constant) is getattr(np, constant)


@pytest.mark.parametrize(
    "dtype",
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 "
    "complex64 complex128".split(),
)
def test_dtypes(dtype):
    assert getattr(fnp, dtype) is getattr(np, dtype)


def test_namespace_describes_itself():
    assert fnp.__array_api_version__ >= "2022.12"
    if "__array_namespace_info__" in np.__all__:
        info = fnp.__array_namespace_info__()
        assert info.default_device() == "cpu"
        assert info.default_dtypes()["real floating"] == np.float64


def test_code_written_for_the_standard_is_differentiable():
    def standardised(x):
        xp = x.__array_namespace__()
        centred = x - xp.mean(x, axis=-1, keepdims=True)
        return xp.linalg.vector_norm(centred / xp.std(x, axis=-1, keepdims=True))

    np.testing.assert_allclose(fad.grad(standardised)(X), np.zeros((2, 3)), atol=1e-14)
