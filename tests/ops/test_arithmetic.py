"""Arithmetic: complex parts, division, and dtypes that stay what they are."""

import numpy as np
import pytest

import fad
from fad.ops import arithmetic as ops


def test_division_by_zero_is_infinite_and_no_python_exception():
    with np.errstate(divide="ignore"):
        assert fad.grad(lambda x: ops.div(1.0, x) * 1.0)(1e-200) == -np.inf
        assert fad.grad(lambda x: x / 0.0)(1.0) == np.inf


def test_div0_is_zero_with_all_derivatives_where_the_divisor_is_zero():
    y = np.array([0.0, 2.0])
    assert ops.div0(3.0, y).tolist() == [0.0, 1.5]
    gradient = fad.grad(lambda y: ops.div0(3.0, y[0]) + ops.div0(3.0, y[1]))
    assert gradient(y).tolist() == [0.0, -0.75]
    assert fad.hessian(lambda y: ops.div0(3.0, y))(0.0) == 0.0


def test_div0_keeps_float32():
    y = np.array([0.0, 2.0], np.float32)
    assert ops.div0(1.0, y).dtype == ops.div0(1.0, y[1:]).dtype == np.float32


def test_gradient_of_real_function_of_complex_is_du_dx_minus_i_du_dy():
    z = np.complex128(3 + 4j)
    square = lambda z: ops.real(z * ops.conj(z))
    assert fad.grad(square)(z) == 6 - 8j
    assert fad.grad(ops.imag)(z) == -1j


@pytest.mark.parametrize("part", [ops.real, ops.imag, ops.conj])
def test_real_linear_parts_are_their_own_tangents(part):
    z, t = np.complex128(1 - 2j), np.complex128(0.5 + 3j)
    assert fad.jvp(part, (z,), (t,))[1] == part(t)


def test_imag_transposes_an_infinite_cotangent_without_nan():
    (d,) = fad.vjp(ops.imag, np.complex128(1j))[1](np.float64(np.inf))
    assert d.real == 0.0 and d.imag == -np.inf


def test_complex_from_parts_keeps_infinities():
    assert ops.complex_(1.0, np.inf).real == 1.0
    assert ops.complex_(np.float32(1.0), np.float32(2.0)).dtype == np.complex64
    assert ops.complex_(1.0, 2.0).dtype == np.complex128


def test_convert_takes_the_cotangent_back_to_the_input_dtype():
    x = np.ones(2, np.float32)
    (d,) = fad.vjp(lambda x: ops.convert(x, dtype=np.dtype("f8")), x)[1](np.ones(2))
    assert d.dtype == np.float32


def test_real_input_of_complex_product_gets_a_real_cotangent():
    (d,) = fad.vjp(lambda x: x * (2 + 3j), 1.5)[1](np.complex128(1 + 1j))
    assert d == -1.0 and isinstance(d, np.float64)


def test_chain_of_linear_operations_reads_nothing():
    from fad.core.primitive import mask_key

    for prim, n in ((ops.add, 2), (ops.sub, 2), (ops.neg, 1), (ops.conj, 1)):
        assert prim.plan(mask_key([1] * n)).picks == ()
    assert ops.mul.plan(mask_key([1, None])).picks == (1,)
