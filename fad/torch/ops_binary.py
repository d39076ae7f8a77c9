"""Functions of two or three tensors, element by element.

Where PyTorch differs from fad at an edge, these are variants over fad's operations:

    hypot(0, 0)         gradient nan
    atan2(0, 0)         gradient 0
    maximum(nan, y)     gradient 1 to both
    fmax(x, x)          gradient to the first only
    copysign(x, y)      gradient 0, and not None, to y

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.trace import aval_of
from ..ops import comparison, elementary, piecewise, special
from ..ops.arithmetic import convert, stop_gradient, sub
from ..ops.comparison import where
from .composite import without_derivative
from .conversion import cast
from .declare import as_operand, binary, function, functions, operation, promoted
from .declare import with_sizes as broadcasting
from .dtypes import combined, of_numpy
from .filling import c_name
from .ops_pointwise import fused, refuse_zero
from .tensor import Tensor

__all__ = ["tied"]


def tied(out: Any, *inputs: Any) -> Any:
    """Return `out`, which then depends on the inputs too, with gradient zero."""
    for x in inputs:
        out = where(False, x, out)
    return out


def _is_floating(x: Any) -> bool:
    return aval_of(x).dtype.kind in "fc"


def _atan2(x: Any, y: Any) -> Any:
    """Move the origin to (0, 1), where the gradient is finite, and make it 0."""
    origin = comparison.logical_and(x == 0, y == 0)
    one = convert(origin, dtype=np.result_type(aval_of(x).dtype, aval_of(y).dtype))
    angle = elementary.arctan2(x * (1 - one), y + one)
    true = elementary.arctan2(stop_gradient(x), stop_gradient(y))
    return angle + where(origin, true - stop_gradient(angle), -0.0)


def _hypot(x: Any, y: Any) -> Any:
    size = elementary.hypot(x, y)
    origin = elementary.sqrt(x * x + y * y)
    return where(size == 0, origin, size)


def _extremum(fun: Any) -> Callable[..., Any]:
    def chosen(x: Any, y: Any) -> Any:
        if not _is_floating(x):
            return fun(x, y)
        unknown = comparison.logical_or(comparison.isnan(x), comparison.isnan(y))
        return where(unknown, x + y, fun(x, y))

    return chosen


def _number_extremum(wins: Any) -> Callable[..., Any]:
    def chosen(x: Any, y: Any) -> Any:
        first = wins(x, y)
        if _is_floating(x):
            first = comparison.logical_or(first, comparison.isnan(y))
        return where(first, x, y)

    return chosen


def _declare_extremum(name: str, prim: Any) -> None:
    """Declare one that is a single primitive as long as there is no nan."""
    node = f"{name.capitalize()}Backward0"
    quick, careful = operation(node, prim), operation(node, _extremum(prim))

    def call(input: Tensor, other: Tensor) -> Tensor:
        x, y = as_operand(input), as_operand(other)
        dtype = promoted(x, y)
        out: Tensor = broadcasting(quick, x, y, dtype)
        value = out.value
        if isinstance(value, np.ndarray) and not np.isnan(value).any():
            return out
        return careful((x, y), dtype)

    call.__doc__ = f"Return the {name} of two tensors, element by element."
    function(name)(call)


_declare_extremum("maximum", piecewise.maximum)
_declare_extremum("minimum", piecewise.minimum)
binary("atan2", _atan2, "arctan2", floating=True)
binary("hypot", _hypot)
binary("fmax", _number_extremum(comparison.ge), inplace=False)
binary("fmin", _number_extremum(comparison.le), inplace=False)
binary("logaddexp", special.logaddexp, inplace=False)
binary("logaddexp2", special.logaddexp2, inplace=False)
binary("nextafter", lambda x, y: tied(piecewise.nextafter(x, y), x, y))
binary(
    "heaviside",
    lambda x, y: tied(piecewise.heaviside(x, y), x, y),
    cls=without_derivative("heaviside"),
)
binary("gcd", comparison.gcd)
binary("lcm", comparison.lcm)


def _by_kind(name: str, fun: Any, nodes: tuple[str, str], floating: bool) -> None:
    """Declare a function whose node tells a number from a tensor as second operand."""
    with_number, with_tensor = (operation(node, fun) for node in nodes)

    def call(input: Any, other: Any) -> Tensor:
        x, y = as_operand(input), as_operand(other)
        apply = with_tensor if isinstance(y, Tensor) else with_number
        return broadcasting(apply, x, y, promoted(x, y, floating))  # type: ignore[no-any-return]

    call.__doc__ = f"Return {name} of two tensors, element by element."
    function(name, inplace=True)(call)


def _copysign(x: Any, y: Any) -> Any:
    out = piecewise.copysign(x, y)
    return tied(where(x == 0, stop_gradient(out), out), y)


def _remainder(x: Any, y: Any) -> Any:
    refuse_zero(x, y)
    rest = piecewise.mod(x, y)
    if not _is_floating(x):
        return rest
    return where(rest == 0, piecewise.fmod(x, y), rest)  # zeros have the sign of x


def _fmod(x: Any, y: Any) -> Any:
    refuse_zero(x, y)
    return piecewise.fmod(x, y)


_by_kind("remainder", _remainder, ("RemainderBackward0", "RemainderBackward1"), False)
_by_kind("fmod", _fmod, ("FmodBackward0", "FmodBackward1"), False)
_by_kind("copysign", _copysign, ("CopysignBackward1", "CopysignBackward0"), True)


def _xlogy(x: Any, y: Any) -> Any:
    """Return x log(y), and 0 where x is 0 and log(y) infinite or undefined."""
    nothing = comparison.logical_and(x == 0, comparison.le(y, 0))
    product = x * elementary.log(where(nothing, 1, y))
    return where(nothing, 0, product + 0.0)  # no negative zeros


_XLOGY = [operation(f"XlogyBackward{i}", _xlogy) for i in range(3)]


@function("xlogy", inplace=True)
def xlogy(input: Any, other: Any) -> Tensor:
    """Return x log(y), and 0 where x is 0."""
    x, y = as_operand(input), as_operand(other)
    kind = 0 if isinstance(x, Tensor) and isinstance(y, Tensor) else 1
    kind = kind if isinstance(y, Tensor) else 2
    return broadcasting(_XLOGY[kind], x, y, promoted(x, y, True))  # type: ignore[no-any-return]


_LDEXP = operation("LdexpBackward0", lambda x, y: x * elementary.exp2(y))


@function("ldexp", inplace=True)
def ldexp(input: Tensor, other: Any) -> Tensor:
    """Return the tensor times 2 to the power of another."""
    x, y = as_operand(input), as_operand(other)
    return broadcasting(_LDEXP, x, y, promoted(x, y, True))  # type: ignore[no-any-return]


@function("float_power", inplace=True)
def float_power(input: Any, exponent: Any) -> Tensor:
    """Return the power, in double precision."""
    x, y = as_operand(input), as_operand(exponent)
    kind = combined([_category(v) for v in (x, y)]).kind
    d = np.dtype(np.complex128 if kind == "c" else np.float64)
    x, y = (cast(v, d) if isinstance(v, Tensor) else v for v in (x, y))
    return functions["pow"](x, y)  # type: ignore[no-any-return]


_rsub = operation("RsubBackward1", sub)
_rsub_tensor = operation("RsubBackward0", sub)


@function("rsub", methods=False, out=False)
def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """Return other - alpha * input."""
    other = as_operand(other)
    if alpha != 1:
        return functions["sub"](other, input, alpha=alpha)  # type: ignore[no-any-return]
    if input.aval.dtype.kind == "b" or isinstance(other, bool):
        raise RuntimeError(_NO_BOOL)
    apply = _rsub_tensor if isinstance(other, Tensor) else _rsub
    return broadcasting(apply, other, input, promoted(input, other))  # type: ignore[no-any-return]


_NO_BOOL = (
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
    "trying to invert a mask, use the `~` or `logical_not()` operator instead."
)


def _lerp(x: Any, y: Any, w: Any) -> Any:
    """Return x + w (y - x), taken from the nearer end."""
    if isinstance(w, (int, float)):
        return fused(x, y - x, w) if abs(w) < 0.5 else fused(y, x - y, 1 - w)
    near = piecewise.abs_(w) < 0.5
    return where(near, fused(x, y - x, w), fused(y, x - y, 1 - w))


_lerp_number = operation("LerpBackward0", _lerp)
_lerp_tensor = operation("LerpBackward1", _lerp)


@function("lerp", inplace=True)
def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """Return the point a part `weight` of the way from one tensor to another."""
    if input.dtype is not end.dtype:
        raise RuntimeError(
            f"expected dtype {c_name(input.aval.dtype)} for `end` but got dtype "
            f"{c_name(end.aval.dtype)}"
        )
    if isinstance(weight, Tensor):
        if weight.dtype is not input.dtype and weight.ndim:
            raise RuntimeError(
                f"expected dtype {c_name(input.aval.dtype)} for `weight` but got dtype "
                f"{c_name(weight.aval.dtype)}"
            )
        dtype = input.aval.dtype
        by_tensor = lambda two, d: _lerp_tensor((*two, weight), d)
        return broadcasting(by_tensor, input, end, dtype)  # type: ignore[no-any-return]
    by_number = lambda two, d: _lerp_number((*two, weight))
    return broadcasting(by_number, input, end, None)  # type: ignore[no-any-return]


def _with_value(node: str, combine: Any) -> Callable[..., Tensor]:
    def call(
        input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1
    ) -> Tensor:
        def run(x: Any, y: Any, z: Any) -> Any:
            return combine(x, y, z, value)

        dtype = combined([(t.ndim, t.aval.dtype) for t in (input, tensor1, tensor2)])
        if node == "AddcdivBackward0" and all(
            t.aval.dtype.kind in "iub" for t in (tensor1, tensor2)
        ):
            raise RuntimeError(_WHOLE_ADDCDIV)
        try:
            return operation(node, run)((input, tensor1, tensor2), dtype)
        except ValueError as error:
            from .declare import size_mismatch

            found = size_mismatch(tensor1, tensor2) or size_mismatch(input, tensor1)
            raise RuntimeError(found or str(error)) from error

    return call


_WHOLE_ADDCDIV = (
    "Integer division with addcdiv is no longer supported, and in a future  release "
    "addcdiv will perform a true division of tensor1 and tensor2. The historic addcdiv "
    "behavior can be implemented as (input + value * torch.trunc(tensor1 / "
    "tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / "
    "tensor2) for float inputs. The future addcdiv behavior is just the latter "
    "implementation: (input + value * tensor1 / tensor2), for all dtypes."
)

_addcmul = _with_value("AddcmulBackward0", lambda x, y, z, v: fused(x, v * y, z))
_addcdiv = _with_value("AddcdivBackward0", lambda x, y, z, v: x + v * y / z)


@function("addcmul", inplace=True)
def addcmul(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1
) -> Tensor:
    """Return input + value * tensor1 * tensor2."""
    return _addcmul(input, tensor1, tensor2, value=value)


@function("addcdiv", inplace=True)
def addcdiv(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1
) -> Tensor:
    """Return input + value * tensor1 / tensor2."""
    return _addcdiv(input, tensor1, tensor2, value=value)


@function("result_type", methods=False, out=False)
def result_type(tensor1: Any, tensor2: Any) -> Any:
    """Return the dtype of an operation on two operands."""
    return of_numpy(combined([_category(as_operand(t)) for t in (tensor1, tensor2)]))


def _category(v: Any) -> tuple[int, Any]:
    return (v.ndim, v.aval.dtype) if isinstance(v, Tensor) else (-1, v)
