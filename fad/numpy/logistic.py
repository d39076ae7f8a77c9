"""Sums of exponentials and the logistic family, which NumPy leaves to its users.

    logsumexp(a)   log sum b exp(a)       its gradient is the softmax weights
    logistic(x)    1 / (1 + exp(-x))      also called expit
    softplus(x)    log(1 + exp(x))        its slope is logistic(x)
    logit(p)       log(p / (1 - p))       the inverse of logistic
    relu(x)        max(x, 0)              its slope at 0 is 0

None overflows, and the derivatives keep their digits in the tails and at infinities.

Public names: `logsumexp logistic expit softplus logit relu`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.trace import aval_of
from ..ops import activations, comparison, special
from ..ops.arithmetic import real, stop_gradient
from ..ops.elementary import exp, log
from ..ops.infer_rules import normalize_axes
from ..ops.logsumexp import reduce_logsumexp
from ..ops.reductions import keep_axes, reduce_max, reduce_sum
from ..ops.shape import reshape
from .convert import cast, operand, result_dtype

__all__ = ["expit", "logistic", "logit", "logsumexp", "relu", "softplus"]


def logsumexp(
    a: Any, axis: Any = None, b: Any = None, keepdims: bool = False, where: Any = None
) -> Any:
    """Return log(sum(b * exp(a))) over `axis`.

    Elements of -inf, and those left out by `where`, have the weight 0; infinite maxima
    share the weight evenly. With only elements of -inf all weights are 0.

    Args:
        a: exponents.
        axis: None for all, an int or a tuple of ints.
        b: factors, broadcast against `a`; they may be 0.
        keepdims: keep the reduced axes with size 1.
        where: a mask of the elements to include.

    >>> import fad, fad.numpy as fnp
    >>> fad.grad(fnp.logsumexp)(np.array([0.0, -np.inf, 0.0]))
    array([0.5, 0. , 0.5])
    """
    x = operand(a)
    if aval_of(x).dtype.kind not in "fc":
        x = cast(x, result_dtype(x, 1.0))
    if where is not None and where is not True:
        x = comparison.where(operand(where), x, -np.inf)
    if b is not None:
        b = operand(b)
    return _logsumexp(x, b, axis, keepdims)


def _logsumexp(x: Any, b: Any, axis: Any, keepdims: bool) -> Any:
    if b is not None:
        x = x + cast(np.zeros(aval_of(b).shape), aval_of(x).dtype)
    shape = aval_of(x).shape
    axes = normalize_axes(axis, len(shape))
    kept = keep_axes(shape, axes)
    if b is None and aval_of(x).dtype.kind == "f":
        out = reduce_logsumexp(x, axis=axes)
        return reshape(out, shape=kept) if keepdims else out
    top = _largest(x, b, axes, kept)
    exponents = special.gap(x, top)
    if b is None:
        terms = exp(exponents)
    else:
        terms = exp(_limit(exponents, b)) * b
    total = reduce_sum(terms, axis=axes)
    empty = total == 0
    shift = comparison.where(empty, -np.inf, reshape(top, shape=aval_of(total).shape))
    out = log(comparison.where(empty, 1, total)) + shift
    return reshape(out, shape=kept) if keepdims else out


def _limit(exponents: Any, b: Any) -> Any:
    """Keep exponents whose factor is 0 from overflow: inf * 0 would be nan."""
    highest = float(np.log(np.finfo(aval_of(exponents).dtype).max)) - 1
    unused = comparison.logical_and(b == 0, exponents > highest)
    return comparison.where(unused, highest, exponents)


def _largest(x: Any, b: Any, axes: tuple[int, ...], kept: tuple[int, ...]) -> Any:
    """Return the largest exponent, a constant: -inf where there is none."""
    x = stop_gradient(x)
    if aval_of(x).dtype.kind == "c":
        x = real(x)
    if b is not None:
        x = comparison.where(stop_gradient(b) == 0, -np.inf, x)
    if aval_of(x).size == 0:
        return cast(np.full(kept, -np.inf), aval_of(x).dtype)
    top = reshape(reduce_max(x, axis=axes), shape=kept)
    return top if b is None else comparison.where(top == -np.inf, 0, top)


def logistic(x: Any) -> Any:
    """Return 1 / (1 + exp(-x)), elementwise.

    >>> import fad, fad.numpy as fnp
    >>> float(fad.grad(fnp.logistic)(-1000.0))
    0.0
    """
    return special.logistic(operand(x))


expit = logistic


def softplus(x: Any) -> Any:
    """Return log(1 + exp(x)), elementwise; its slope is `logistic(x)`."""
    return special.softplus(operand(x))


def logit(x: Any) -> Any:
    """Return log(x / (1 - x)), elementwise."""
    return special.logit(operand(x))


def relu(x: Any) -> Any:
    """Return max(x, 0), elementwise, with slope 0 at 0; nan stays nan."""
    return activations.relu(operand(x))
