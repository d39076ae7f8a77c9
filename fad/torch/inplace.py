"""Writing into tensors: in-place operations and ``out=``.

An in-place operation is the operation out of place, then a write of its result, then
the history: the tensor (or, through a view, its base) gets the node of the operation.
What that node saved of the old values is copied before the write; what it saved of the
result is from then on the tensor's own memory, at its new version.

Public names: `write_into`, `write_out`, `check_inplace`, `check_repeats`, `rebase`.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.primitive import ANS
from ..core.tape import Tape
from ..core.trace import Tracer, aval_of
from ..core.views import root_of
from ..ops.arithmetic import div
from .dtypes import castable, of_numpy
from .grad_attributes import move_retained
from .modes import current
from .node import VOLATILE, PrimitiveNode
from .saving import succeed
from .tape import quietly
from .tensor import Tensor
from .views import CopySlices

__all__ = ["check_inplace", "check_repeats", "rebase", "write_into", "write_out"]


def write_into(
    x: Tensor,
    fun: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    repeats: bool = False,
) -> Tensor:
    """Replace the values of `x` by ``fun(x, *args, **kwargs)``; return `x`.

    Args:
        repeats: `x` may have elements that are one in memory, since they get one value.
    """
    check_inplace(x, _any_requires_grad(x, args, kwargs))
    _check_overlap(x, args, repeats)
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
        x._view.check_origin(x.payload, "is being")
        if x.requires_grad and x._view.base.is_leaf:
            raise RuntimeError(
                "a view of a leaf Variable that requires grad is being used in an "
                "in-place operation."
            )
    if x.requires_grad and x.is_leaf:
        raise RuntimeError(
            "a leaf Variable that requires grad is being used in an in-place operation."
        )


def _check_overlap(x: Tensor, args: tuple[Any, ...], repeats: bool) -> None:
    """Raise if what is read lies partly in the memory that is written to."""
    mine = x.value
    if not isinstance(mine, np.ndarray):
        return
    if not repeats:
        check_repeats(mine)
    for a in args:
        if isinstance(a, Tensor) and isinstance(a.value, np.ndarray):
            other = a.value
            if not np.may_share_memory(mine, other) or _same_place(mine, other):
                continue
            if _is_dense(mine) and _is_dense(other):
                raise RuntimeError(
                    "unsupported operation: some elements of the input tensor and the "
                    "written-to tensor refer to a single memory location. Please "
                    "clone() the tensor before performing the operation."
                )


def check_repeats(array: Any) -> None:
    """Raise if elements of an array to be written to are one in memory."""
    if not isinstance(array, np.ndarray) or 0 not in array.strides:
        return
    strides = zip(array.shape, array.strides, strict=True)
    if any(n > 1 and s == 0 for n, s in strides):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor "
            "refers to a single memory location. Please clone() the tensor before "
            "performing the operation."
        )


def _is_dense(array: Any) -> bool:
    """Tell whether an array fills its memory without gaps."""
    return bool(array.flags.c_contiguous or array.flags.f_contiguous)


def _same_place(a: Any, b: Any) -> bool:
    """Tell whether two arrays are the same memory in the same order."""
    start_a, start_b = (v.__array_interface__["data"][0] for v in (a, b))
    return start_a == start_b and a.shape == b.shape and a.strides == b.strides


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
            f"result type {of_numpy(new).title} can't be cast to the desired output "
            f"type {of_numpy(old).title}"
        )


def store(x: Tensor, result: Tensor) -> None:
    """Write the values of a result into `x`, and give `x` its history."""
    atom = result.payload
    if isinstance(x.value, Tracer) or isinstance(result.value, Tracer):
        _store_traced(x, result.value)
    else:
        _keep_quotient(x if x._view is None else x._view.base)
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
    if not isinstance(x.value, Tracer):
        x.value = value
        return
    root, _ = root_of(x.value)
    history = root.payload
    overwrite(x.value, value)
    if root.owner.level < current().cut and isinstance(root.owner, Tape):
        root.payload = history  # no_grad: the values are others, not the history


def _keep_quotient(x: Tensor) -> None:
    """Copy what a division saved of its result, which is to be overwritten.

    PyTorch's saves the operands, so that its result may be written to.
    """
    node = x.payload
    if isinstance(node, PrimitiveNode) and node.prim is div and node.residuals:
        node.residuals = tuple(
            r.copy() if what == ANS and r is x.value else r
            for what, r in zip(node.plan.picks, node.residuals, strict=True)
        )
        node.saved = [entry for entry in node.saved if entry[0] != ANS]


def _protect_residuals(node: PrimitiveNode, x: Tensor) -> None:
    """Copy what a node saved of the old values, which are to be overwritten.

    That is so for the operand that is written to. In ``x.mul_(x)`` the other one is the
    overwritten tensor, and backward refuses, as PyTorch's does.
    """
    picks = node.plan.picks
    if 0 in picks and node.residuals[picks.index(0)] is x.value:
        node.residuals = tuple(
            r.copy() if what == 0 else r
            for what, r in zip(picks, node.residuals, strict=True)
        )
        node.saved = [entry for entry in node.saved if entry[0] != 0]


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
    if VOLATILE in (old, atom):
        return
    if old is not None:
        succeed(old, atom)
    elif atom is not None:
        x.storage.writer = weakref.ref(atom.eqn)
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
    check_repeats(target.value)
    np.copyto(target.value, result.value, casting="unsafe")
    target.storage.version += 1
