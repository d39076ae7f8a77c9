"""torch.autograd.forward_ad: tangents that travel with tensors.

A dual tensor's value is a tracer of fad's forward mode, on a level below the tape: so
the tape records dual values, and backward on them gives gradients with tangents,
forward over reverse. Tangents themselves are not recorded; to differentiate one, use
`torch.func.jvp` inside `torch.func.grad`.

>>> from fad import torch
>>> forward = torch.autograd.forward_ad
>>> with forward.dual_level():
...     x = forward.make_dual(torch.tensor(3.), torch.tensor(1.))
...     forward.unpack_dual(x * x).tangent
tensor(6.)

Public names: `dual_level`, `make_dual`, `unpack_dual`, `enter_dual_level`,
`exit_dual_level`, `UnpackedDualTensor`.
"""

from __future__ import annotations

import contextlib
import contextvars
from typing import NamedTuple

from ...core.trace import Tracer
from ...ops.shape import reshape
from ...transforms.forward import Stream
from ..modes import changed
from ..node import node_type
from ..tape import DUAL_LEVEL, functional, record
from ..tensor import Tensor, tensor_of, wrap

__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]

_VIEW = node_type("ViewBackward0")
_streams: contextvars.ContextVar[Stream | None] = contextvars.ContextVar(
    "fad_torch_dual_level", default=None
)


class UnpackedDualTensor(NamedTuple):
    """A tensor without its tangent, and the tangent, None if it has none."""

    primal: Tensor
    tangent: Tensor | None


def enter_dual_level() -> int:
    """Open the level on which dual tensors live; there is only one, 0."""
    if _streams.get() is not None:
        raise RuntimeError(
            "Nested forward mode AD is not supported at the moment. If you are trying "
            "to use forward mode AD inside a function transform, use torch.func.jvp."
        )
    stream = Stream()
    stream.level = DUAL_LEVEL
    _streams.set(stream)
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level; its dual tensors are plain ones from now on."""
    stream = _streams.get()
    current = -1 if stream is None else 0
    if stream is None or (level is not None and level != current):
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was "
            "created. This is not supported."
        )
    stream.close()
    _streams.set(None)


class dual_level(contextlib.ContextDecorator):
    """Open the level inside a ``with`` block, or a decorated function."""

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *error: object) -> None:
        exit_dual_level()


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """Return the tensor with a tangent.

    Raises:
        RuntimeError: no level is open, or the sizes differ.
        ValueError: one of the two is not floating or complex.
    """
    stream = _streams.get()
    if stream is None or (level is not None and level < 0):
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make "
            "sure to enter_dual_level() first."
        )
    for what, t in (("primal", tensor), ("tangent", tangent)):
        if not t.is_differentiable():
            raise ValueError(
                f"Expected {what} to be floating point or complex, but got: {t.dtype}"
            )
    if tensor.shape != tangent.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of "
            "the original Tensor, this is not supported. Tensor is of size "
            f"{list(tensor.shape)} while the given forward gradient is of size "
            f"{list(tangent.shape)}."
        )
    if _is_dual(tensor, stream):
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward "
            "gradient at the same level 0 is not supported."
        )
    dual = stream.input(tensor.value, functional(tangent))
    if not tensor.requires_grad:
        return wrap(dual)
    with changed(grad=True):
        shape = {"shape": tuple(tensor.shape)}
        return record(reshape, _VIEW, (wrap(dual, tensor.atom),), shape)


def _is_dual(tensor: Tensor, stream: Stream) -> bool:
    return isinstance(tensor.value, Tracer) and tensor.value.owner is stream


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """Return a tensor without its tangent, and the tangent."""
    stream = _streams.get()
    if stream is None or not _is_dual(tensor, stream):
        return UnpackedDualTensor(tensor, None)
    dual = tensor.value
    return UnpackedDualTensor(wrap(dual.value, tensor.atom), tensor_of(dual.payload))
