"""What the functions of `torch.autograd.functional` share: arguments, and their errors.

Public names: `as_tuple`, `as_given`, `prepare`, `finished`, `check_v`, `check_outputs`,
`gradients`, `filled`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..backprop import grad
from ..tensor import Tensor, wrap

__all__ = [
    "as_given",
    "as_tuple",
    "check_outputs",
    "check_v",
    "filled",
    "finished",
    "gradients",
    "needs_v",
    "prepare",
    "zeros_like",
]

Tensors = tuple[Any, ...]


def as_tuple(value: Any, what: str, name: str) -> tuple[bool, Tensors]:
    """Return whether a value is a tuple, and it as one.

    Raises:
        TypeError: an element is no tensor.
    """
    several = isinstance(value, tuple)
    values = value if several else (value,)
    for i, v in enumerate(values):
        if not isinstance(v, Tensor):
            which = f"value at index {i}" if several else f"given {what}"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of "
                f"Tensors but the {which} has type {type(v)}."
            )
    return several, values


def as_given(values: Tensors, several: bool) -> Any:
    """Return results as the arguments were given: in a tuple, or the only one."""
    return values if several else values[0]


def prepare(tensors: Tensors, create_graph: bool, requires_grad: bool) -> Tensors:
    """Return new tensors, so that those which the function captures are others."""
    return tuple(
        [
            t.view_as(t)
            if create_graph and t.requires_grad
            else t.detach().requires_grad_(requires_grad)
            for t in tensors
        ]
    )


def finished(tensors: Any, create_graph: bool) -> Any:
    """Return results without history, unless it was asked for."""
    if create_graph:
        return tensors
    if isinstance(tensors, Tensor):
        return tensors.detach()
    return tuple([finished(t, create_graph) for t in tensors])


def needs_v(where: str, missing: bool) -> None:
    """Raise if there is no vector though one is needed."""
    if missing:
        raise RuntimeError(
            f"The vector v can only be None if {where} a single Tensor with a "
            "single element."
        )


def check_v(v: Tensors, like: Tensors, several: bool) -> None:
    """Raise unless a vector has the shapes it is multiplied with."""
    if len(like) != len(v):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}."
            if several
            else "The given v should contain a single Tensor."
        )
    for i, (a, b) in enumerate(zip(v, like, strict=True)):
        if a.shape != b.shape:
            entry = f"Entry {i} in " if several else ""
            raise RuntimeError(
                f"{entry}v has invalid size: should be {b.shape!r} but got {a.shape!r}."
            )


_CONSTANT = {
    "outputs": (
        "Output {0} of the user-provided function does not require gradients. The "
        "outputs must be computed in a differentiable manner from the input when "
        "running in strict mode."
    ),
    "grad_inputs": (
        "The gradient with respect to input {0} is independent of the inputs of the "
        "user-provided function. This is not allowed in strict mode."
    ),
    "jacobian": (
        "While computing the hessian, found that the jacobian of the user-provided "
        "function with respect to input {0} is independent of the input. This is not "
        "allowed in strict mode. You should ensure that your function is twice "
        "differentiable and that the jacobian depends on the inputs (this would be "
        "violated by a linear function for example)."
    ),
    "hessian": (
        "The hessian of the user-provided function with respect to input {0} is "
        "independent of the input. This is not allowed in strict mode. You should "
        "ensure that your function is thrice differentiable and that the hessian "
        "depends on the inputs."
    ),
}
_INDEPENDENT = (
    "The output of the user-provided function is independent of input {0}. This is not "
    "allowed in strict mode."
)


def check_outputs(tensors: Sequence[Any], what: str, strict: bool) -> None:
    """Raise in strict mode if one of the tensors does not depend on the inputs."""
    for i, t in enumerate(tensors if strict else ()):
        if t is None:
            raise RuntimeError(_INDEPENDENT.format(i))
        if not t.requires_grad:
            raise RuntimeError(_CONSTANT[what].format(i))


def gradients(
    outputs: Sequence[Any],
    inputs: Tensors,
    grads: Sequence[Any] | None = None,
    *,
    create: bool,
    retain: bool | None = None,
    batched: bool = False,
) -> Tensors:
    """Return `autograd.grad`, with None for what does not depend on an input."""
    grads = (None,) * len(outputs) if grads is None else grads
    pairs = [
        (o, g)
        for o, g in zip(outputs, grads, strict=True)
        if o is not None and o.requires_grad
    ]
    if not pairs:
        return (None,) * len(inputs)
    return grad(
        tuple([o for o, _ in pairs]),
        inputs,
        tuple([g for _, g in pairs]),
        allow_unused=True,
        create_graph=create,
        retain_graph=retain,
        is_grads_batched=batched,
    )


def zeros_like(t: Tensor, requires_grad: bool = False) -> Tensor:
    """Return zeros of the shape and dtype of a tensor."""
    zeros = wrap(np.zeros(t.shape, t.aval.dtype))
    return zeros.requires_grad_(requires_grad)


_UNUSED = {
    "back": _INDEPENDENT,
    "back_trick": (
        "The gradient with respect to the input is independent of entry {0} in the "
        "grad_outputs when using the double backward trick to compute forward mode "
        "gradients. This is not allowed in strict mode."
    ),
    "double_back": (
        "The jacobian of the user-provided function is independent of input {0}. This "
        "is not allowed in strict mode."
    ),
    "double_back_trick": (
        "The hessian of the user-provided function is independent of entry {0} in the "
        "grad_jacobian. This is not allowed in strict mode as it prevents from using "
        "the double backward trick to replace forward mode AD."
    ),
}


def filled(
    grads: Sequence[Any], like: Sequence[Any], strict: bool, create: bool, stage: str
) -> Tensors:
    """Return gradients with zeros for None, an error in strict mode."""
    found = []
    for i, (g, t) in enumerate(zip(grads, like, strict=True)):
        if g is None:
            if strict:
                raise RuntimeError(_UNUSED[stage].format(i))
            g = zeros_like(t)
        elif strict and create and not g.requires_grad:
            which = "hessian" if "double" in stage else "jacobian"
            raise RuntimeError(
                f"The {which} of the user-provided function is independent of input "
                f"{i}. This is not allowed in strict mode when create_graph=True."
            )
        found.append(g)
    return tuple(found)
