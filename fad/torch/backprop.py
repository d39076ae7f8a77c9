"""`backward` and `grad`: the checks around the engine.

Public names: `backward`, `grad`, `Tensor.backward`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.trace import aval_of
from .engine import as_grad, run
from .grad_attributes import retain_grad
from .modes import not_compiled
from .size import Size
from .tape import functional
from .tensor import Tensor, tensor_of, wrap

__all__ = ["GradientEdge", "backward", "grad"]


class GradientEdge(NamedTuple):
    """Where the gradient of a tensor passes: an output of a node."""

    node: Any
    output_nr: int

    @property
    def atom(self) -> Any:
        from ..core.ir import Out

        if isinstance(self.node.aval, list):
            return Out(self.node, self.output_nr, self.node.aval[self.output_nr])
        return self.node


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Compute the gradients of leaves and add them to their ``.grad``.

    Args:
        tensors: one or a sequence of tensors to differentiate.
        grad_tensors: a gradient for each; None for scalars stands for 1.
        retain_graph: keep the graph for another backward; by default as `create_graph`.
        create_graph: record the computation, so that it can be differentiated.
        grad_variables: the old name of `grad_tensors`.
        inputs: fill ``.grad`` of these only.

    Raises:
        RuntimeError: a tensor has no graph, is no scalar and has no gradient, or the
            graph has been freed or its saved values overwritten.

    >>> from fad import torch
    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> torch.autograd.backward((x * x).sum())
    >>> x.grad
    tensor([2., 4.])
    """
    if grad_variables is not None:
        grad_tensors = _old_name(grad_tensors, grad_variables)
    roots = _as_tuple(tensors)
    if inputs is not None:
        inputs = _as_tuple(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    grads = _given(grad_tensors, len(roots))
    atoms, cts = _starts(roots, grads)
    _accumulate_into(inputs)
    wanted = None if inputs is None else [_input_atom(v) for v in inputs]
    keep = create_graph if retain_graph is None else retain_graph
    if create_graph:
        _warn_of_cycles()
    run(atoms, cts, wanted, keep, create_graph, accumulating=True)


def _accumulate_into(inputs: Any) -> None:
    for v in inputs or ():
        if isinstance(v, Tensor):
            retain_grad(v)


def _old_name(grad_tensors: Any, grad_variables: Any) -> Any:
    import warnings

    warnings.warn(
        "`grad_variables` is deprecated. Use `grad_tensors` instead.",
        FutureWarning,
        stacklevel=3,
    )
    if grad_tensors is not None:
        raise RuntimeError(
            "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
            "`backward()`. Please only use `grad_tensors`."
        )
    return grad_variables


def _warn_of_cycles() -> None:
    import warnings

    warnings.warn(
        "Using backward() with create_graph=True will create a reference cycle "
        "between the parameter and its gradient which can cause a memory leak. We "
        "recommend using autograd.grad when creating the graph to avoid this. If you "
        "have to use this function, make sure to reset the .grad fields of your "
        "parameters to None after use to break the cycle and avoid the leak.",
        UserWarning,
        stacklevel=4,
    )


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """Return the gradients of `outputs` with respect to `inputs`.

    Args:
        outputs, inputs: one or a sequence of tensors (or gradient edges).
        grad_outputs: a gradient for each output; None for scalars stands for 1.
        retain_graph: keep the graph for another backward; by default as `create_graph`.
        create_graph: record the computation, so that it can be differentiated.
        allow_unused: return None for inputs that outputs do not depend on.
        is_grads_batched: the first axis of `grad_outputs` numbers several gradients.
        materialize_grads: zeros instead of None.

    Raises:
        RuntimeError: as for `backward`, or an input was not used.

    >>> from fad import torch
    >>> x = torch.tensor(3., requires_grad=True)
    >>> torch.autograd.grad(x ** 2, x)
    (tensor(6.),)
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when "
            "materialize_grads=True, but got: allow_unused=False."
        )
    roots, wanted = _as_tuple(outputs), _as_tuple(inputs)
    if not wanted:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    grads = _given(grad_outputs, len(roots))
    keep = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        found = _grad_batched(roots, grads, wanted, keep, create_graph)
    else:
        atoms, cts = _starts(roots, grads)
        targets = [_input_atom(v) for v in wanted]
        found = run(atoms, cts, targets, keep, create_graph, accumulating=False)
    if materialize_grads:
        found = [
            _zeros(v, create_graph) if g is None else g
            for g, v in zip(found, wanted, strict=True)
        ]
    elif not allow_unused:
        _check_used(found)
    return tuple(found)


def _grad_batched(
    roots: Sequence[Any],
    grads: Sequence[Any],
    wanted: Sequence[Any],
    keep: bool,
    create: bool,
) -> list[Any]:
    """Run backward once on a stack of gradients, by fad's vmap."""
    from ..api import vmap

    stacks = [functional(g) for g in grads]
    for i, (root, stack) in enumerate(zip(roots, stacks, strict=True)):
        if aval_of(stack).shape[1:] != root.shape:
            raise RuntimeError(
                _BATCHED.format(i, Size(aval_of(stack).shape), root.shape)
            )
    targets = [_input_atom(v) for v in wanted]
    reached: list[bool] = []

    def one(*cts: Any) -> list[Any]:
        found = run([r.atom for r in roots], cts, targets, keep, create, False)
        reached[:] = [g is not None for g in found]
        return [functional(g) for g in found if g is not None]

    stacked = iter(vmap(one)(*stacks))
    return [tensor_of(next(stacked)) if r else None for r in reached]


_BATCHED = (
    "If `is_grads_batched=True`, we interpret the first dimension of each grad_output "
    "as the batch dimension. The sizes of the remaining dimensions are expected to "
    "match the shape of corresponding output, but a mismatch was detected: "
    "grad_output[{0}] has a shape of {1} and output[{0}] has a shape of {2}. If you "
    "only want some tensors in `grad_output` to be considered batched, consider using "
    "vmap."
)


def _zeros(v: Any, create: bool) -> Tensor:
    aval = v.atom.aval
    zeros = wrap(np.zeros(aval.shape, aval.dtype))
    zeros._leaf_requires = create
    return zeros


def _check_used(found: Sequence[Any]) -> None:
    for i, g in enumerate(found):
        if g is None:
            raise RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used "
                "in the graph. Set allow_unused=True if this is the desired behavior."
            )


def _as_tuple(tensors: Any) -> tuple[Any, ...]:
    one = isinstance(tensors, (Tensor, GradientEdge))
    return (tensors,) if one else tuple(tensors)


def _given(grads: Any, count: int) -> tuple[Any, ...]:
    if grads is None:
        return (None,) * count
    given = (grads,) if isinstance(grads, Tensor) else tuple(grads)
    for g in given:
        if g is not None and not isinstance(g, Tensor):
            raise TypeError(
                "gradients can be either Tensors or None, but got " + type(g).__name__
            )
    if len(given) != count:
        raise RuntimeError(
            f"got {count} tensors and {len(given)} gradients: their numbers must agree"
        )
    return given


def _starts(roots: Sequence[Any], grads: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return the atoms to start from and their gradients."""
    not_compiled("Unsupported backward: it computes gradients")
    atoms, cts = [], []
    given = [
        _first_grad(i, r, g) for i, (r, g) in enumerate(zip(roots, grads, strict=True))
    ]
    for i, root in enumerate(roots):
        if isinstance(root, Tensor) and not root.requires_grad:
            raise RuntimeError(
                f"element {i} of tensors does not require grad and does not have a "
                "grad_fn"
            )
        atoms.append(root.atom)
        cts.append(given[i])
    return atoms, [as_grad(ct, atom) for ct, atom in zip(cts, atoms, strict=True)]


def _first_grad(i: int, root: Any, grad: Any) -> Any:
    aval = root.atom.aval if isinstance(root, GradientEdge) else aval_of(root.value)
    if grad is None:
        if isinstance(root, Tensor) and not root.requires_grad:
            return None
        if aval.size != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if aval.dtype.kind == "c":
            raise RuntimeError(
                "grad can be implicitly created only for real scalar outputs but got "
                f"torch.{aval.dtype.name}"
            )
        return np.ones(aval.shape, aval.dtype)
    if grad.shape != aval.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{i}] has a shape of {grad.shape!r} and "
            f"output[{i}] has a shape of {Size(aval.shape)!r}."
        )
    if (grad.value.dtype.kind == "c") != (aval.dtype.kind == "c"):
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have "
            f"the same dtype. Mismatch in dtype: grad_output[{i}] has a dtype of "
            f"{grad.dtype} and output[{i}] has a dtype of torch.{aval.dtype.name}."
        )
    return grad


def _input_atom(v: Any) -> Any:
    if isinstance(v, GradientEdge):
        return v.atom
    if not v.requires_grad:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return v.atom


def _tensor_backward(
    self: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Compute the gradients of the leaves behind this tensor, into their ``.grad``."""
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


_tensor_backward.__name__ = "backward"
_tensor_backward.__qualname__ = "Tensor.backward"  # what Python's own errors say
Tensor.backward = _tensor_backward  # type: ignore[attr-defined]
