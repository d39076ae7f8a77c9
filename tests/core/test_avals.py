"""Avals: shapes and dtypes without values, and how they print."""

import enum

import numpy as np
import pytest

import fad
from fad.core.avals import Aval, concrete_aval, is_array_like, zeros
from fad.core.dtypes import float0, is_weak, short_name, tangent_dtype


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.zeros((3, 4)), "f64[3,4]"),
        (np.float32(1), "f32[]"),
        (np.zeros(2, np.int8), "i8[2]"),
        (np.zeros(0, np.uint16), "u16[0]"),
        (np.array(True), "bool[]"),
        (np.complex64(1), "c64[]"),
        (1.0, "~f64[]"),
        (1, "~i64[]"),
        (True, "~bool[]"),
        (1j, "~c128[]"),
    ],
)
def test_prints_as_the_ir_writes_it(value, text):
    assert repr(concrete_aval(value)) == text
    assert str(concrete_aval(value)) == text.removeprefix("~")


def test_subclasses_of_python_numbers_are_weak():
    class Colour(enum.IntEnum):
        RED = 1

    assert repr(concrete_aval(Colour.RED)) == "~i64[]"


@pytest.mark.parametrize("value", ["text", None, [1.0], {}, object()])
def test_other_values_are_refused_with_a_hint(value):
    with pytest.raises(TypeError, match="not an array or a number.*np.asarray"):
        concrete_aval(value)
    assert not is_array_like(value)


def test_equality_and_hash_are_those_of_shape_dtype_and_weakness():
    a, b = Aval((2,), np.dtype(float)), Aval((2,), np.dtype("float64"))
    assert a == b
    assert hash(a) == hash(b)
    assert a != Aval((2,), np.dtype(float), True)
    assert a != Aval((3,), np.dtype(float))
    assert a != "f64[2]"


def test_size_and_ndim():
    aval = Aval((2, 3), np.dtype(float))
    assert (aval.size, aval.ndim) == (6, 2)
    assert Aval((), np.dtype(float)).size == 1
    assert aval.with_shape((5,)).shape == (5,)


def test_tangents_are_strong_and_float0_for_integers():
    assert concrete_aval(1.0).tangent() == Aval((), np.dtype(float))
    assert concrete_aval(1).tangent().dtype == float0
    assert str(concrete_aval(np.zeros(2, int)).tangent()) == "float0[2]"
    assert tangent_dtype(np.dtype(np.complex64)) == np.complex64


def test_zeros_are_scalars_or_arrays():
    assert type(zeros(Aval((), np.dtype(np.float32)))) is np.float32
    assert zeros(Aval((2,), np.dtype(complex))).dtype == complex
    assert zeros(Aval((2,), float0)).dtype == float0


def test_weakness_belongs_to_pythons_own_scalars():
    assert is_weak(1.0)
    assert not is_weak(np.float64(1.0))


def test_short_names_of_odd_dtypes():
    assert short_name(np.dtype("longdouble")).startswith("f")
    assert short_name(float0) == "float0"


class TestShapeDtypeStruct:
    def test_stands_for_an_array(self):
        s = fad.ShapeDtypeStruct([2, 3], "float32")
        assert (s.shape, s.dtype, s.ndim, s.size) == ((2, 3), np.float32, 2, 6)
        assert concrete_aval(s) == Aval((2, 3), np.dtype(np.float32))

    def test_equality(self):
        a, b = fad.ShapeDtypeStruct((2,), float), fad.ShapeDtypeStruct((2,), "f8")
        assert a == b
        assert hash(a) == hash(b)
        assert a != fad.ShapeDtypeStruct((2,), np.float32)
        assert a != (2,)


def test_stand_ins_have_a_dtype_and_the_length_of_an_array():
    assert len(fad.ShapeDtypeStruct((2, 3), float)) == 2
    with pytest.raises(TypeError, match="no length"):
        len(fad.ShapeDtypeStruct((), float))
    with pytest.raises(ValueError, match="needs a dtype"):
        fad.ShapeDtypeStruct((2,), None)
