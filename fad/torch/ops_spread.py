"""Variance, norms, sums of exponentials, softmax.

Where PyTorch differs from fad at an edge: the standard deviation of equal elements has
the gradient 0; a softmax of nothing but -inf is nan.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.primitive import Primitive
from ..core.trace import aval_of
from ..ops import activations, comparison, piecewise, reductions
from ..ops.arithmetic import conj, convert, real
from ..ops.elementary import sqrt
from ..ops.logsumexp import reduce_logsumexp
from ..ops.norms import norm as p_norm
from ..ops.shape import reshape
from .conversion import cast
from .declare import composite, function
from .dims import axes_of, axis_of, kept_shape
from .dtypes import dtype, to_numpy
from .node import node_type
from .ops_elementary import as_floating
from .ops_reduce import as_dims, noted
from .tape import record
from .tensor import Tensor

__all__ = ["vector_norm"]


def _moments(x: Any, axis: Any, correction: float) -> tuple[Any, Any]:
    """Return the variance and the mean, with dimensions kept."""
    shape = aval_of(x).shape
    kept = kept_shape(shape, axis)
    count = math.prod(shape[a] for a in axis)
    mean = reshape(reductions.reduce_sum(x, axis=axis), shape=kept) / float(count)
    off = x - mean
    squares = real(off * conj(off)) if aval_of(x).dtype.kind == "c" else off * off
    total = reshape(reductions.reduce_sum(squares, axis=axis), shape=kept)
    return total / max(0.0, float(count - correction)), mean


def _root(v: Any) -> Any:
    zero = comparison.eq(v, 0)
    return comparison.where(zero, 0, sqrt(comparison.where(zero, 1, v)))


def _shaped(x: Any, shape: tuple[int, ...], axis: Any, keepdim: bool) -> Any:
    if keepdim:
        return x
    return reshape(x, shape=tuple(n for i, n in enumerate(shape) if i not in axis))


_FAMILY = ("std and var", "std_mean and var_mean")


def _spread(name: str, root: bool, with_mean: bool) -> None:
    def run(x: Any, *, axis: Any, correction: float, keepdim: bool) -> Any:
        variance, mean = _moments(x, axis, correction)
        first = _root(variance) if root else variance
        shape = aval_of(x).shape
        first = _shaped(first, shape, axis, keepdim)
        return (first, _shaped(mean, shape, axis, keepdim)) if with_mean else first

    node = "".join(p.capitalize() for p in name.split("_")) + "Backward0"
    apply = composite(node, run)

    def call(
        input: Tensor,
        dim: Any = None,
        unbiased: Any = None,
        keepdim: bool = False,
        *,
        correction: float | None = None,
    ) -> Any:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if correction is None:
            correction = 1 if unbiased is None or unbiased else 0
        if input.aval.dtype.kind not in "fc":
            raise RuntimeError(
                f"{_FAMILY[with_mean]} only support floating point and complex dtypes"
            )
        axes = tuple(sorted(axes_of(dim, input.ndim)))
        count = math.prod(input.shape[a] for a in axes)
        if count - correction <= 0:
            warnings.warn(
                f"{name}(): degrees of freedom is <= 0. Correction should be strictly "
                "less than the reduction factor (input numel divided by output numel).",
                UserWarning,
                stacklevel=2,
            )
        return apply(input, axis=axes, correction=correction, keepdim=keepdim)

    call.__doc__ = f"Return {name} of all elements, or along dimensions."
    function(name, methods=not with_mean)(call)


_spread("var", False, False)
_spread("std", True, False)
_spread("var_mean", False, True)
_spread("std_mean", True, True)


def _vector_norm(x: Any, *, ord: float, axis: Any, keepdim: bool) -> Any:
    shape = aval_of(x).shape
    if ord == 0:
        out = reductions.reduce_sum(
            convert(
                comparison.ne(x, 0), dtype=np.empty(0, aval_of(x).dtype).real.dtype
            ),
            axis=axis,
        )
        out = comparison.where(False, reductions.reduce_sum(real(x), axis=axis), out)
    elif math.isinf(ord):
        prim = reductions.reduce_max if ord > 0 else reductions.reduce_min
        out = prim(piecewise.abs_(x), axis=axis)
    elif ord == 1:
        out = reductions.reduce_sum(piecewise.abs_(x), axis=axis)
    elif not axis:
        out = piecewise.abs_(x)
    else:
        out = p_norm(x, ord=ord, axis=axis)
    return reshape(out, shape=kept_shape(shape, axis)) if keepdim else out


_norm = composite("LinalgVectorNormBackward0", _vector_norm)
_NORM = node_type("LinalgVectorNormBackward0")


def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: Any = None,
    keepdim: bool = False,
    dtype: dtype | None = None,
) -> Tensor:
    """Return the p-norm of all elements, or along dimensions, as one node."""
    if dtype is not None:
        x = cast(x, to_numpy(dtype))
    if x.aval.dtype.kind not in "fc":
        raise RuntimeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. "
            f"Got {x.dtype.title}"
        )
    axes = tuple(sorted(axes_of(dim, x.ndim)))
    if axes and not keepdim and ord not in (0, 1) and math.isfinite(ord):
        return record(p_norm, _NORM, (x,), {"ord": float(ord), "axis": axes})
    out: Tensor = _norm(x, ord=float(ord), axis=axes, keepdim=keepdim)
    return out


@function("norm")
def norm(
    input: Tensor,
    p: Any = "fro",
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
) -> Tensor:
    """Return the p-norm of all elements, or along dimensions."""
    if p == "nuc":
        from . import linalg

        dims = (0, 1) if dim is None else dim
        return linalg.matrix_norm(input, "nuc", dims, keepdim)  # type: ignore[no-any-return]
    order = 2 if p is None or p == "fro" else p
    if isinstance(order, Tensor):
        order = order.item()  # type: ignore[attr-defined]
    return vector_norm(input, order, dim, keepdim, dtype)


@function("dist", out=False)
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """Return the p-norm of the difference."""
    x, y = as_floating(input), as_floating(other)
    out: Tensor = _dist(x, y, p=float(p))
    return out


def _distance(x: Any, y: Any, *, p: float) -> Any:
    off = x - y
    axes = tuple(range(aval_of(off).ndim))
    return _vector_norm(off, ord=p, axis=axes, keepdim=False)


_dist = composite("DistBackward0", _distance)


def _renormed(x: Any, *, p: float, axis: int, maxnorm: float) -> Any:
    axes = tuple(i for i in range(aval_of(x).ndim) if i != axis)
    size = _vector_norm(x, ord=p, axis=axes, keepdim=True)
    factor = comparison.where(size > maxnorm, maxnorm / (size + 1e-7), 1)
    return x * factor


_renorm = composite("RenormBackward0", _renormed)


@function("renorm", inplace=True)
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Return the tensor with each slice along a dimension at most of a norm."""
    axis = axis_of(dim, input.ndim)
    out: Tensor = _renorm(input, p=float(p), axis=axis, maxnorm=float(maxnorm))
    return out


def _logsumexp(x: Any, *, axis: Any, keepdim: bool) -> Any:
    from ..numpy.logistic import logsumexp as over

    return over(x, axis=axis, keepdims=keepdim) if axis else x


_log_sum = composite("LogsumexpBackward0", _logsumexp)
_LOGSUMEXP = node_type("LogsumexpBackward0")


@function("logsumexp")
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """Return log(sum(exp(x))) along dimensions."""
    axes = tuple(sorted(axes_of(dim, input.ndim)))
    input = as_floating(input)
    if axes and not keepdim and input.aval.dtype.kind == "f":
        out = record(reduce_logsumexp, _LOGSUMEXP, (input,), {"axis": axes})
    else:
        out = _log_sum(input, axis=axes, keepdim=keepdim)
    return noted(out, dim=as_dims(dim), keepdim=keepdim)


def _normalized(name: str, node: str, prim: Primitive) -> Callable[..., Any]:
    cls = node_type(node)
    scalar = composite(
        node,
        lambda x: reshape(prim(reshape(x, shape=(1,)), axis=0), shape=()),
    )

    def call(input: Tensor, dim: int, dtype: dtype | None = None) -> Tensor:
        if dtype is not None:
            input = cast(input, to_numpy(dtype))
        if input.aval.dtype.kind in "biu":
            raise NotImplementedError(
                f'"{name}_lastdim_kernel_impl" not implemented for '
                f"'{input.dtype.title}'"
            )
        axis = axis_of(dim, input.ndim)
        if not input.ndim:
            return scalar(input)  # type: ignore[no-any-return]
        return noted(record(prim, cls, (input,), {"axis": axis}), dim=dim)

    call.__doc__ = f"Return {name} along a dimension."
    return function(name)(call)


_normalized("softmax", "SoftmaxBackward0", activations.softmax)
_normalized("log_softmax", "LogSoftmaxBackward0", activations.log_softmax)
