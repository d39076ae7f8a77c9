"""Ufuncs of `fad.numpy`: calls, keywords, methods, and NumPy's protocol."""

import pickle

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad.core.errors import TracerArrayConversionError
from fad.core.trace import Tracer

UFUNCS = {n: f for n, f in vars(np).items() if isinstance(f, np.ufunc)}
INTEGERS = {"bitwise_count", "gcd", "lcm"} | {n for n in UFUNCS if "bitwise" in n}
INTEGERS |= {"invert", "left_shift", "right_shift"}
PRODUCTS = {"matmul", "vecdot", "matvec", "vecmat"}
ELEMENTWISE = sorted(UFUNCS.keys() - PRODUCTS - {"isnat"})
X = np.array([1.25, 1.75])


def value(x):
    return value(x.value) if isinstance(x, Tracer) else x


def inside(f, *args):
    """Return what `f` returns under jvp, without the boxes."""
    seen = []

    def run(*args):
        seen.append(f(*args))
        return args[0] * 1.0

    fad.jvp(run, args, tuple(np.ones_like(a) for a in args))
    out = seen[0]
    return tuple(map(value, out)) if isinstance(out, tuple) else value(out)


def arguments(name):
    """Two arguments that the ufunc takes, the second an integer for some."""
    if name in INTEGERS:
        return [np.array([6, 3]), np.array([2, 1])]
    return [X - (name in ("arctanh", "atanh")), np.array([2, 1])]


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_every_ufunc_stages_to_what_numpy_computes(name):
    ufunc = UFUNCS[name]
    args = arguments(name)[: ufunc.nin]
    if name.startswith(("arc", "a")) and name[-3:] in ("sin", "cos", "anh"):
        args = [a - 1 for a in args]
    with np.errstate(invalid="ignore"):
        expected = ufunc(*args)
        jaxpr = fad.make_jaxpr(getattr(fnp, name))(*args)
        got = fad.eval_jaxpr(jaxpr, *args)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for g, e in zip(got, expected, strict=True):
        np.testing.assert_array_equal(g, e)
        assert g.dtype == e.dtype


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_numpy_ufunc_finds_fad_through_the_protocol(name):
    if name in INTEGERS:
        pytest.raises(TypeError, inside, UFUNCS[name], X, *[X] * (UFUNCS[name].nin - 1))
        return
    args = [X / 2, np.array([2, 1])][: UFUNCS[name].nin]
    with np.errstate(invalid="ignore"):
        expected = UFUNCS[name](*args)
        got = inside(lambda x: UFUNCS[name](x, *args[1:]), args[0])
    np.testing.assert_array_equal(got, expected)


def test_plain_calls_are_numpys():
    assert type(fnp.sin(X)) is np.ndarray
    out = np.empty(2)
    assert fnp.add(X, 1, out=out) is out
    assert fnp.add(X, 1, where=[True, False], out=out)[0] == 2.25
    assert fnp.add([1, 2], [3, 4]).tolist() == [4, 6]
    assert fnp.add("a", "b") == "ab"


def test_attributes_are_numpys():
    assert (fnp.add.nin, fnp.add.nout, fnp.add.nargs) == (2, 1, 3)
    assert fnp.multiply.identity == 1 and fnp.modf.nout == 2
    assert fnp.sin.__name__ == "sin" and fnp.sin.types == np.sin.types
    assert pickle.loads(pickle.dumps(fnp.sin)) is fnp.sin


def test_wrong_calls_are_type_errors():
    with pytest.raises(TypeError, match="positional"):
        fad.grad(lambda x: fnp.add(x, x, x, x, x))(1.0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'axis'"):
        fad.grad(lambda x: fnp.add(x, x, axis=0))(1.0)


def test_isnat_refuses_numbers():
    with pytest.raises(TypeError, match="isnat"):
        fad.grad(lambda x: fnp.isnat(x) * x)(1.0)


def test_dtype_casts_the_inputs_as_numpys_loop_does():
    x = np.array([0.5], np.float32)
    y, t = fad.jvp(lambda x: fnp.multiply(x, 2, dtype=np.float64), (x,), (x,))
    assert y.dtype == t.dtype == np.float64
    assert fad.grad(lambda x: fnp.sum(fnp.exp(x, dtype="f8")))(x).dtype == np.float32
    with pytest.raises(TypeError, match="[Cc]annot cast|No loop"):
        fad.grad(lambda x: fnp.add(x, 1, dtype=np.int64))(1.5)


def test_casting_is_checked():
    with pytest.raises(TypeError, match="cast"):
        fad.grad(lambda x: fnp.add(x, 1j, dtype=float, casting="same_kind"))(1.0)


def test_where_needs_out():
    mask = np.array([True, False])
    with pytest.raises(ValueError, match=r"fnp\.where"):
        fad.grad(lambda x: fnp.sum(fnp.sin(x, where=mask)))(X)


def test_out_of_a_traced_array_is_written_in_place():
    def f(x):
        y = x * 3.0
        z = fnp.multiply(x, x, out=y)
        assert z is y
        return fnp.sum(y)

    np.testing.assert_array_equal(fad.grad(f)(X), 2 * X)


def test_where_keeps_the_other_elements_of_out():
    def f(x):
        y = x * 3.0
        fnp.square(x, out=y, where=np.array([True, False]))
        return fnp.sum(y)

    np.testing.assert_array_equal(fad.grad(f)(X), [2.5, 3.0])


def test_plain_out_is_refused():
    for call in (
        lambda x: fnp.add(x, 1, out=np.empty(2)),
        lambda x: np.add(x, 1, out=np.empty(2)),
        lambda x: fnp.add(x, 1, np.empty(2)),
        lambda x: fnp.add.reduce(x, out=np.empty(())),
        lambda x: np.add.at(np.empty(2), 0, x[0]),
    ):
        with pytest.raises(TracerArrayConversionError, match="Two ways out"):
            fad.grad(lambda x, call=call: fnp.sum(call(x)))(X)


def test_outputs_in_pairs():
    x = np.array([2.75, -1.5])
    fraction, whole = inside(fnp.modf, x)
    np.testing.assert_array_equal(fraction, [0.75, -0.5])
    np.testing.assert_array_equal(whole, [2.0, -1.0])
    quotient, remainder = inside(lambda x: fnp.divmod(x, 2.0), x)
    np.testing.assert_array_equal(quotient, [1.0, -1.0])
    np.testing.assert_array_equal(remainder, [0.75, 0.5])


MATRIX = np.arange(1.0, 7.0).reshape(2, 3) / 3


@pytest.mark.parametrize(
    "name",
    ["add", "multiply", "maximum", "minimum", "logaddexp", "subtract", "hypot", "fmax"],
)
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reduce(name, axis, keepdims):
    reduce = getattr(np, name).reduce
    got = inside(
        lambda x: getattr(fnp, name).reduce(x, axis, keepdims=keepdims), MATRIX
    )
    expected = reduce(MATRIX, axis, keepdims=keepdims)
    np.testing.assert_allclose(got, expected, rtol=1e-15)


def test_reduce_of_logic_is_plain():
    assert inside(lambda x: np.logical_and.reduce(x > 0, axis=None), MATRIX)
    assert inside(lambda x: fnp.logical_or.reduce(x), MATRIX).tolist() == [True] * 3


def test_reduce_takes_initial_and_where():
    mask = MATRIX > 0.5
    f = lambda x: fnp.sum(fnp.add.reduce(x, initial=5.0, where=mask))
    assert inside(f, MATRIX) == np.sum(np.add.reduce(MATRIX, initial=5.0, where=mask))
    np.testing.assert_array_equal(fad.grad(f)(MATRIX), mask)
    assert inside(lambda x: np.hypot.reduce(x, initial=2.0), X) == np.hypot.reduce(
        X, initial=2.0
    )


def test_gradient_of_reductions():
    product = lambda x: fnp.multiply.reduce(x, axis=None)
    np.testing.assert_allclose(fad.grad(product)(X), X[::-1])
    length = lambda x: np.hypot.reduce(x)
    np.testing.assert_allclose(fad.grad(length)(X), X / np.hypot(*X), rtol=1e-15)


def test_fold_over_two_axes_needs_an_identity():
    with pytest.raises(ValueError, match="not reorderable"):
        inside(lambda x: fnp.subtract.reduce(x, axis=(0, 1)), MATRIX)
    with pytest.raises(ValueError, match="no identity"):
        inside(lambda x: fnp.subtract.reduce(x), MATRIX[:0])


def test_reduce_of_a_unary_ufunc_is_an_error():
    with pytest.raises(ValueError, match="binary"):
        inside(lambda x: fnp.sin.reduce(x), X)
    with pytest.raises(ValueError, match="binary"):
        inside(lambda x: fnp.sin.accumulate(x), X)


@pytest.mark.parametrize(
    "name", ["add", "multiply", "maximum", "subtract", "logaddexp"]
)
@pytest.mark.parametrize("axis", [0, 1])
def test_accumulate(name, axis):
    got = inside(lambda x: getattr(np, name).accumulate(x, axis), MATRIX)
    expected = getattr(np, name).accumulate(MATRIX, axis)
    np.testing.assert_allclose(got, expected, rtol=1e-15)


def test_reduceat_reduces_slices():
    got = inside(lambda x: fnp.add.reduceat(x, [0, 2, 1], axis=1), MATRIX)
    np.testing.assert_allclose(got, np.add.reduceat(MATRIX, [0, 2, 1], axis=1))
    with pytest.raises(IndexError, match="out-of-bounds"):
        inside(lambda x: fnp.add.reduceat(x, [5], axis=1), MATRIX)


def test_outer_takes_all_pairs():
    got = inside(lambda x: np.multiply.outer(x, MATRIX), X)
    np.testing.assert_array_equal(got, np.multiply.outer(X, MATRIX))
    f = lambda x: fnp.sum(fnp.power.outer(x, np.array([1.0, 2.0])))
    np.testing.assert_allclose(fad.grad(f)(X), 1 + 2 * X)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "negative"])
def test_at_is_unbuffered(name):
    index = [0, 0, 2, 1]
    operand = [] if name == "negative" else [np.array([1.5, 2.0, -1.0, 0.5])]
    expected = np.array([1.0, 2.0, 3.0])
    getattr(np, name).at(expected, index, *operand)

    def f(x):
        y = x * 1.0
        getattr(np, name).at(y, index, *operand)
        return y

    np.testing.assert_array_equal(inside(f, np.array([1.0, 2.0, 3.0])), expected)


def test_gradient_through_at():
    def f(x):
        y = fnp.zeros_like(x)
        fnp.add.at(y, [0, 0, 1], x * x)
        return fnp.sum(y * np.array([1.0, 10.0, 100.0]))

    x = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(fad.grad(f)(x), [2.0, 4.0, 60.0])


def test_unknown_ufunc_is_refused_with_advice():
    double = np.frompyfunc(lambda x: 2 * x, 1, 1)
    with pytest.raises(TypeError, match=r"fad\.custom_jvp"):
        fad.grad(lambda x: double(x))(1.0)


class Container:
    __array_ufunc__ = None

    def __radd__(self, other):
        return "mine"


class Wrapper:
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return "wrapped"


def test_other_containers_may_answer_the_protocol():
    assert inside(lambda x: x + Container(), 1.0) == "mine"
    assert inside(lambda x: np.add(x, Wrapper()), 1.0) == "wrapped"
