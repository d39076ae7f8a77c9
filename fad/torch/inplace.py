"""Writing into tensors: in-place operations and ``out=``.

An in-place operation is the operation out of place, then a write of its result, then
the history: the tensor (or, through a view, its base) gets the node of the operation.
What that node saved of the old values is copied before the write; what it saved of the
result is from then on the tensor's own memory, at its new version.

Public names: `write_into`, `write_out`, `check_inplace`, `rebase`.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.primitive import ANS
from ..core.trace import Tracer, aval_of
from .dtypes import castable, of_numpy
from .grad_attributes import move_retained
from .modes import current
from .node import PrimitiveNode
from .saving import short_name
from .tape import quietly
from .tensor import Tensor
from .views import CopySlices, Origin

__all__ = ["check_inplace", "rebase", "write_into", "write_out"]


def write_into(
    x: Tensor, fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Tensor:
    """Replace the values of `x` by ``fun(x, *args, **kwargs)``; return `x`."""
    check_inplace(x, _any_requires_grad(x, args, kwargs))
    result = fun(x, *args, **kwargs)
    _check_fits(x, result)
    store(x, result)
    return x


def _any_requires_grad(x: Tensor, args: Any, kwargs: Any) -> bool:
    if not current().grad:
        return False
    return any(
        isinstance(a, Tensor) and a.requires_grad for a in (x, *args, *kwargs.values())
    )


def check_inplace(x: Tensor, requires_grad: bool) -> None:
    """Raise if an in-place write to `x` has no meaning for gradients.

    Raises:
        RuntimeError: it is a leaf, a view of one, or one of several views.
    """
    if x._inference and not current().inference:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed."
            "You can make a clone to get a normal tensor before doing inplace update."
            "See https://github.com/pytorch/rfcs/pull/17 for more details."
        )
    if not requires_grad or not current().grad:
        return
    if x._view is not None:
        _check_origin(x)
        if x.requires_grad and x._view.base.is_leaf:
            raise RuntimeError(
                "a view of a leaf Variable that requires grad is being used in an "
                "in-place operation."
            )
    if x.requires_grad and x.is_leaf:
        raise RuntimeError(
            "a leaf Variable that requires grad is being used in an in-place operation."
        )


def _check_origin(x: Tensor) -> None:
    view = x._view
    assert view is not None
    if view.origin is Origin.PLAIN:
        return
    node = x.grad_fn
    if node is None:
        start = (
            "A view was created in no_grad mode and is being modified inplace with grad "
            "mode enabled."
        )
    else:
        start = (
            f"Output {x.output_nr} of {short_name(node)} is a view and is being modified "
            "inplace."
        )
    raise RuntimeError(f"{start} {_ENDINGS[view.origin]}")


_ENDINGS = {
    Origin.NO_GRAD: (
        "Given that this use case is ambiguous and error-prone, it is forbidden. You can "
        "clarify your code by moving both the view and the inplace either both inside the "
        "no_grad block (if you don't want the inplace to be tracked) or both outside (if "
        "you want the inplace to be tracked)."
    ),
    Origin.SEVERAL: (
        "This view is the output of a function that returns multiple views. Such "
        "functions do not allow the output views to be modified inplace. You should "
        "replace the inplace operation by an out-of-place one."
    ),
    Origin.FUNCTION: (
        "This view was created inside a custom Function (or because an input was returned "
        "as-is) and the autograd logic to handle view+inplace would override the custom "
        "backward associated with the custom Function, leading to incorrect gradients. "
        "This behavior is forbidden. You can fix this by cloning the output of the custom "
        "Function."
    ),
}


def _check_fits(x: Tensor, result: Any) -> None:
    new, old = aval_of(result.value), aval_of(x.value)
    if new.shape != old.shape:
        raise RuntimeError(
            f"output with shape {list(old.shape)} doesn't match the broadcast shape "
            f"{list(new.shape)}"
        )
    _check_cast(new.dtype, old.dtype)


def _check_cast(new: Any, old: Any) -> None:
    if not castable(new, old):
        raise RuntimeError(
            f"result type {of_numpy(new).title} can't be cast to the desired output type "
            f"{of_numpy(old).title}"
        )


def store(x: Tensor, result: Tensor) -> None:
    """Write the values of a result into `x`, and give `x` its history."""
    atom = result.payload
    if isinstance(x.value, Tracer) or isinstance(result.value, Tracer):
        _store_traced(x, result.value)
    else:
        if atom is not None and isinstance(atom, PrimitiveNode):
            _protect_residuals(atom, x)
        quietly(np.copyto, x.value, result.value, casting="unsafe")
    x.storage.version += 1
    if atom is not None and isinstance(atom, PrimitiveNode):
        _watch_result(atom, x)
    if current().grad:
        rebase(x, atom)


def _store_traced(x: Tensor, value: Any) -> None:
    """Write inside a functional transform, where values are its tracers."""
    from ..ops.arithmetic import convert
    from ..ops.inplace import overwrite

    dtype = aval_of(x.value).dtype
    if aval_of(value).dtype != dtype:
        value = convert(value, dtype=dtype)
    if isinstance(x.value, Tracer):
        overwrite(x.value, value)
    else:
        x.value = value


def _protect_residuals(node: PrimitiveNode, x: Tensor) -> None:
    """Copy what a node saved of the old values, which are to be overwritten."""
    if node.residuals and any(r is x.value for r in node.residuals):
        node.residuals = tuple(
            r.copy() if r is x.value else r for r in node.residuals
        )
        node.saved = [entry for entry in node.saved if entry[1] is not x.storage]


def _watch_result(node: PrimitiveNode, x: Tensor) -> None:
    """Let a node that saved its result save what is now in the tensor."""
    picks = node.plan.picks
    if ANS not in picks or node.aval.dtype != x.value.dtype:
        return
    node.residuals = tuple(
        x.value if what == ANS else r
        for what, r in zip(picks, node.residuals, strict=True)
    )
    kept = [entry for entry in node.saved if entry[0] != ANS]
    node.saved = [*kept, (ANS, x.storage, x.storage.version)]


def rebase(x: Tensor, atom: Any) -> None:
    """Give `x` the history `atom` after an in-place write."""
    if atom is not None:
        x.storage.writer = weakref.ref(atom.eqn)
    view = x._view
    if view is None:
        if atom is not None or x.payload is not None:
            _give_history(x, atom)
    elif atom is not None or view.base.requires_grad:
        base = view.base
        _give_history(base, CopySlices.of(base, view.steps, atom, aval_of(base.value)))


def _give_history(x: Tensor, atom: Any) -> None:
    old = x.payload
    x.payload = atom
    x._leaf_requires = False
    if x._retained:
        move_retained(x, old)


def write_out(
    target: Any, fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Write the result of ``fun`` into ``out=``, resized if its shape differs."""
    operands = [*args, *kwargs.values(), target]
    if current().grad and any(
        isinstance(a, Tensor) and a.requires_grad for a in operands
    ):
        raise RuntimeError(
            "functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad."
        )
    result = fun(*args, **kwargs)
    if isinstance(target, (tuple, list)):
        for t, r in zip(target, result, strict=True):
            _fill(t, r)
        return type(result)(*target) if hasattr(result, "_fields") else tuple(target)
    _fill(target, result)
    return target


def _fill(target: Tensor, result: Tensor) -> None:
    _check_cast(result.value.dtype, target.value.dtype)
    if target.shape != result.shape:
        target.value = np.empty(result.shape, target.value.dtype)
    np.copyto(target.value, result.value, casting="unsafe")
    target.storage.version += 1
