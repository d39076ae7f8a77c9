"""Complex numbers: their parts, conjugates, and views as pairs of real numbers.

The views share memory, but for `conj`, which is computed at once.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from ..ops import arithmetic, comparison, elementary, special
from .declare import composite, flat, function, operation
from .node import node_type
from .ops_axes import sharing
from .tape import record
from .tensor import Tensor
from .view_steps import as_pairs, from_pairs
from .views import view_by

__all__: list[str] = []

_SELECT = node_type("SelectBackward0")


def _is_complex(x: Tensor) -> bool:
    return bool(x.value.dtype.kind == "c")


@function("real", out=False)
def real(input: Tensor) -> Tensor:
    """Return a view of the real parts; of a real tensor itself."""
    return view_by(arithmetic.real, _SELECT, input, {}) if _is_complex(input) else input


@function("imag", out=False)
def imag(input: Tensor) -> Tensor:
    """Return a view of the imaginary parts."""
    if not _is_complex(input):
        raise RuntimeError(
            "imag is not implemented for tensors with non-complex dtypes."
        )
    return view_by(arithmetic.imag, _SELECT, input, {})


def _set_part(part: Any) -> Any:
    def assign(self: Tensor, value: Any) -> None:
        target = part(self)
        target.copy_(value) if isinstance(value, Tensor) else target.fill_(value)

    return assign


_cls: Any = Tensor
_cls.real = property(real, _set_part(real))
_cls.imag = property(imag, _set_part(imag))

_CONJ = node_type("ConjBackward0")
_CONJ_PHYSICAL = node_type("ConjPhysicalBackward0")


@function("conj", out=False)
def conj(input: Tensor) -> Tensor:
    """Return the complex conjugate; a real tensor itself."""
    return record(arithmetic.conj, _CONJ, (input,), {}) if _is_complex(input) else input


@function("conj_physical", inplace=True)
def conj_physical(input: Tensor) -> Tensor:
    """Return the complex conjugate; a real tensor itself."""
    if not _is_complex(input):
        return input
    return record(arithmetic.conj, _CONJ_PHYSICAL, (input,), {})


@function("resolve_conj", "resolve_neg", out=False)
def resolve_conj(input: Tensor) -> Tensor:
    """Return the tensor itself: conjugates are computed at once."""
    return input


@function("is_conj", "is_neg", out=False)
def is_conj(input: Tensor) -> bool:
    """Tell whether a conjugation is still to be done: never."""
    return False


def _angle(x: Any) -> Any:
    if aval_of(x).dtype.kind == "c":
        return special.angle(x)
    if aval_of(x).dtype.kind != "f":
        return comparison.where(x < 0, np.pi, 0.0)
    turned = comparison.where(x < 0, np.asarray(np.pi, aval_of(x).dtype), x * 0)
    return comparison.where(comparison.isnan(x), x, flat(lambda _: turned)(x))


_angle_of = composite("AngleBackward0", _angle)


@function("angle")
def angle(input: Tensor) -> Tensor:
    """Return the argument; of real numbers 0 or pi."""
    if input.aval.dtype.kind in "biu":
        from .ops_elementary import as_floating

        input = as_floating(input)
    out: Tensor = _angle_of(input)
    return out


def _check_pair(name: str, x: Tensor, y: Tensor, what: tuple[str, str]) -> None:
    if x.aval.dtype.kind != "f":
        raise RuntimeError(
            f"Expected both inputs to be Half, Float or Double tensors but got "
            f"{x.dtype.title} and {y.dtype.title}"
        )
    if x.dtype is not y.dtype:
        raise RuntimeError(
            f"Expected object of scalar type {x.dtype.title} but got scalar type "
            f"{y.dtype.title} for second argument"
        )


_complex = operation("ComplexBackward0", arithmetic.complex_)


@function("complex", methods=False)
def complex_(real: Tensor, imag: Tensor) -> Tensor:
    """Return the complex numbers of these parts."""
    _check_pair("complex", real, imag, ("real", "imag"))
    return _complex((real, imag))


def _polar(size: Any, angle: Any) -> Any:
    return arithmetic.complex_(
        size * elementary.cos(angle), size * elementary.sin(angle)
    )


_polar_of = operation("PolarBackward0", _polar)


@function("polar", methods=False)
def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """Return the complex numbers of this modulus and argument."""
    _check_pair("polar", abs, angle, ("abs", "angle"))
    return _polar_of((abs, angle))


_pairs = composite("ViewAsRealBackward0", as_pairs)


@function("view_as_real", out=False)
def view_as_real(input: Tensor) -> Tensor:
    """Return a view as pairs (real, imaginary) in a last dimension."""
    if not _is_complex(input):
        raise RuntimeError("view_as_real is only supported for complex tensors")
    out: Tensor = _pairs(input)
    if isinstance(input.value, Tracer):
        return out
    part = input.value.real.dtype
    return sharing(out, input, input.value[..., None].view(part), ((as_pairs, {}),))


_numbers = composite("ViewAsComplexBackward0", from_pairs)


@function("view_as_complex", out=False)
def view_as_complex(input: Tensor) -> Tensor:
    """Return a view of pairs in the last dimension as complex numbers."""
    if input.aval.dtype.kind != "f":
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but "
            f"got a tensor of scalar type: {input.dtype.title}"
        )
    if not input.ndim:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if input.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    out: Tensor = _numbers(input)
    if (
        isinstance(input.value, Tracer)
        or input.value.strides[-1] != input.value.itemsize
    ):
        return out
    whole = np.result_type(input.value.dtype, np.complex64)
    if any(s % whole.itemsize for s in input.value.strides[:-1]):
        raise RuntimeError(
            "Tensor must have a stride divisible by 2 for all but last dimension"
        )
    return sharing(out, input, input.value.view(whole)[..., 0], ((from_pairs, {}),))
