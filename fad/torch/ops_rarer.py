"""Rarer names: unsafe splits, norms by name, symbolic numbers, control flow.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .anomaly import set_detect_anomaly
from .declare import function, functions, method
from .inplace import write_into
from .tensor import Tensor, wrap

__all__: list[str] = []


def _networks() -> Any:
    from .nn import functional

    return functional


def _unsafe(name: str) -> None:
    """Declare a split whose parts may be written to; they are copies here."""

    def call(input: Tensor, *args: Any, **options: Any) -> Any:
        parts = getattr(input, name)(*args, **options)
        return tuple([functions["clone"](p) for p in parts])

    call.__doc__ = f"Return the parts of `{name}`, which may be written to."
    function(f"unsafe_{name}", out=False)(call)


for _name in ("chunk", "split", "split_with_sizes"):
    _unsafe(_name)


@function("fill_", methods=False, out=False)
def fill_(input: Tensor, value: Any) -> Tensor:
    """Write one value everywhere."""
    return input.fill_(value)  # type: ignore[attr-defined,no-any-return]


@function("frobenius_norm", methods=False, out=False)
def frobenius_norm(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """Return the root of the sum of squares."""
    from . import linalg

    return linalg.vector_norm(input, 2, tuple(dim) or None, keepdim)


@function("nuclear_norm", methods=False, out=False)
def nuclear_norm(input: Tensor, dim: Any = (-2, -1), keepdim: bool = False) -> Tensor:
    """Return the sum of the singular values."""
    from . import linalg

    return linalg.matrix_norm(input, "nuc", dim, keepdim)


@function("norm_except_dim", methods=False, out=False)
def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """Return the norms over all dimensions but one."""
    from .nn.utils.reparametrized import norm_except_dim

    found: Tensor = norm_except_dim(v, pow, dim)
    return found


@function("set_anomaly_enabled", methods=False, out=False)
def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Switch anomaly mode on or off."""
    set_detect_anomaly(enabled, check_nan)


@function("nonzero_static", out=False)
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """Return so many indices of elements that are not zero, filled up."""
    found = np.argwhere(input.value)[:size]
    rest = np.full((size - len(found), input.ndim), fill_value)
    return wrap(np.concatenate([found, rest]).astype(np.int64))


@function("cond", methods=False, out=False)
def cond(
    pred: Any,
    true_fn: Callable[..., Any],
    false_fn: Callable[..., Any],
    operands: Sequence[Any] = (),
) -> Any:
    """Return ``true_fn(*operands)`` or ``false_fn(*operands)``.

    Raises:
        RuntimeError: the condition is no boolean, or a tensor of several.
    """
    if not isinstance(pred, (bool, Tensor)):
        raise RuntimeError(f"Expected pred to be bool or tensor, but got {pred}.")
    if isinstance(pred, Tensor) and pred.aval.size != 1:
        raise RuntimeError(
            f"Expected pred to be bool or single-element tensor, but got {pred}."
        )
    return true_fn(*operands) if bool(pred) else false_fn(*operands)


@function("while_loop", methods=False, out=False)
def while_loop(
    cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Any
) -> Any:
    """Return what is left when `body_fn` has run as long as `cond_fn` holds."""
    carried = tuple(carried_inputs)
    while bool(cond_fn(*carried)):
        found = body_fn(*carried)
        carried = found if isinstance(found, tuple) else tuple(found)
    return carried


def _symbolic(name: str, run: Callable[..., Any]) -> None:
    """Declare a function of sizes, which are plain numbers here."""

    def call(*args: Any) -> Any:
        return run(*args)

    call.__doc__ = f"Return {name.removeprefix('sym_')} of plain numbers."
    function(name, methods=False, out=False)(call)


for _name, _run in {
    "sym_int": int,
    "sym_float": float,
    "sym_max": max,
    "sym_min": min,
    "sym_not": operator.not_,
    "sym_sqrt": math.sqrt,
    "sym_sum": sum,
    "sym_ite": lambda condition, a, b: a if condition else b,
}.items():
    _symbolic(_name, _run)


def _method_of(name: str) -> None:
    def call(self: Tensor, *args: Any, **options: Any) -> Tensor:
        found: Tensor = getattr(_networks(), name)(self, *args, **options)
        return found

    call.__doc__ = f"Return `torch.nn.functional.{name}` of the tensor."
    method(name)(call)


for _name in ("prelu", "hardshrink"):
    _method_of(_name)


@method("polygamma_")
def polygamma_(self: Tensor, n: int) -> Tensor:
    """Overwrite the tensor with its polygamma function of order n."""
    return write_into(self, lambda x: functions["polygamma"](n, x), (), {})
