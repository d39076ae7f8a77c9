"""Softmax and its relatives.

Public names: `softmax`, `softmin`, `log_softmax`, `gumbel_softmax`.
"""

from __future__ import annotations

import warnings

import numpy as np

from ..declare import functions
from ..dims import axis_of
from ..dtypes import dtype as dtype_type
from ..mapped_random import drawn
from ..sampling import exponential_
from ..tensor import Tensor, tensor_of, wrap
from .checks import source

__all__ = ["gumbel_softmax", "log_softmax", "softmax", "softmin"]


def _implied_dim(name: str, rank: int, stacklevel: int) -> int:
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to "
        "include dim=X as an argument.",
        UserWarning,
        stacklevel=stacklevel,
    )
    return 0 if rank in (0, 1, 3) else 1


def softmax(
    input: Tensor,
    dim: int | None = None,
    _stacklevel: int = 3,
    dtype: dtype_type | None = None,
) -> Tensor:
    """Return exp(x) normalised to sum 1 along a dimension."""
    if dim is None:
        dim = _implied_dim("softmax", input.ndim, _stacklevel)
    found: Tensor = functions["softmax"](input, dim, dtype=dtype)
    return found


def softmin(
    input: Tensor,
    dim: int | None = None,
    _stacklevel: int = 3,
    dtype: dtype_type | None = None,
) -> Tensor:
    """Return softmax(-x)."""
    if dim is None:
        dim = _implied_dim("softmin", input.ndim, _stacklevel)
    found: Tensor = functions["softmax"](-input, dim, dtype=dtype)
    return found


def log_softmax(
    input: Tensor,
    dim: int | None = None,
    _stacklevel: int = 3,
    dtype: dtype_type | None = None,
) -> Tensor:
    """Return the logarithm of the softmax along a dimension."""
    if dim is None:
        dim = _implied_dim("log_softmax", input.ndim, _stacklevel)
    found: Tensor = functions["log_softmax"](input, dim, dtype=dtype)
    return found


def gumbel_softmax(
    logits: Tensor,
    tau: float = 1,
    hard: bool = False,
    eps: float = 1e-10,
    dim: int = -1,
) -> Tensor:
    """Return samples of the Gumbel-softmax distribution, one-hot ones if `hard`."""
    dtype = logits.aval.dtype
    gumbels = tensor_of(
        drawn(
            logits.shape,
            lambda shape: -np.log(exponential_(source(), np.empty(shape, dtype))),
        )
    )
    soft: Tensor = functions["softmax"]((logits + gumbels) / tau, dim)
    if not hard:
        return soft
    axis = axis_of(dim, soft.ndim)
    best = soft.value.argmax(axis)
    places = np.arange(soft.shape[axis]).reshape(
        [-1 if i == axis else 1 for i in range(soft.ndim)]
    )
    one_hot = (np.expand_dims(best, axis) == places).astype(soft.value.dtype)
    return wrap(one_hot) - soft.detach() + soft  # type: ignore[attr-defined]
