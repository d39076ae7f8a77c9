"""The gradient of a tensor: `.grad` and its accumulation, hooks, `detach`, `data`.

A gradient is added in place into the same `.grad` object, and out of place when the
graph of the gradient is wanted. The first one is a copy, so gradients alias nothing.

Public names: `accumulate`, `add_grad`, `move_retained`; the rest are methods.
"""

from __future__ import annotations

import warnings
import weakref
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from ..ops.arithmetic import add, copy, stop_gradient
from .dtypes import of_numpy
from .hooks import HookDict, RemovableHandle
from .modes import current, not_compiled
from .node import VOLATILE, AccumulateGrad, node_type
from .tape import record
from .tensor import Tensor, tensor_of, wrap

__all__ = ["accumulate", "add_grad", "move_retained"]

_COPY = node_type("CopyBackwards")
_ADD = node_type("AddBackward0")


def accumulate(node: AccumulateGrad, grad: Any, create: bool) -> None:
    """Add a gradient to a leaf's, and call the hooks that follow."""
    leaf = node.variable
    first = leaf._grad is None
    if leaf._leaf_requires:
        add_grad(leaf, grad, create)
    stored = leaf._grad if first else None
    outer = tensor_of(grad) if stored is None else stored.detach()  # type: ignore[attr-defined]
    for hook in list((leaf._post_hooks or {}).values()):
        if hook(leaf) is not None:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
    if node.hooks is not None:
        for hook in list(node.hooks.post.values()):
            hook((), (outer,))


def add_grad(tensor: Tensor, grad: Any, create: bool | None = None) -> None:
    """Add to a tensor's gradient, in place unless the computation is recorded."""
    old = tensor._grad
    if current().grad if create is None else create:
        new = tensor_of(grad)
        if old is None:
            tensor._grad = record(copy, _COPY, (new,), {})
        else:
            tensor._grad = record(add, _ADD, (old, new), {})
    elif isinstance(grad, Tracer):
        tensor._grad = tensor_of(grad if old is None else old.value + grad)
    elif old is None:
        tensor._grad = wrap(np.array(grad))
    else:
        np.add(old.value, grad, out=old.value, casting="unsafe")
        old.storage.version += 1


def _get_grad(self: Tensor) -> Tensor | None:
    not_compiled("it reads the .grad of a tensor")
    if self._grad is None and not self._retained and self.grad_fn is not None:
        warnings.warn(_NOT_LEAF_WARNING, UserWarning, stacklevel=2)
    return self._grad


_NOT_LEAF_WARNING = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its "
    ".grad attribute won't be populated during autograd.backward(). If you indeed want "
    "the .grad field to be populated for a non-leaf Tensor, use .retain_grad() on the "
    "non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you "
    "access the leaf Tensor instead."
)


def _set_grad(self: Tensor, grad: Any) -> None:
    if grad is not None:
        _check_assigned(self, grad)
    self._grad = grad


def _check_assigned(tensor: Tensor, grad: Any) -> None:
    if grad is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    if not isinstance(grad, Tensor):
        raise TypeError(
            f"assigned grad expected to be a Tensor or None but got grad of type "
            f"{type(grad).__name__}"
        )
    mine, given = aval_of(tensor.value), aval_of(grad.value)
    if given.dtype != mine.dtype:
        raise RuntimeError(
            _WRONG_DTYPE.format(_scalar(given.dtype), tensor_title(mine))
        )
    if given.shape != mine.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(given.shape)}' to a "
            f"tensor of size '{list(mine.shape)}'. Please ensure that the gradient and "
            "the tensor are the same size"
        )


def tensor_title(aval: Any) -> str:
    return of_numpy(aval.dtype).title


def _scalar(dtype: Any) -> str:
    return {"float64": "double", "float32": "float", "float16": "c10::Half"}.get(
        dtype.name, dtype.name
    )


_WRONG_DTYPE = (
    "attempting to assign a gradient with dtype '{}' to a tensor with grad_dtype '{}'. "
    "The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). "
    "You can set the tensor's grad_dtype attribute with a specific dtype, or None to "
    "allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor "
    "and its gradient may break downstream systems that assume they match."
)


def _del_grad(self: Tensor) -> None:
    self._grad = None


def retain_grad(self: Tensor) -> None:
    """Keep the gradient of a tensor that is no leaf in ``.grad``."""
    if not self.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    atom = self.atom
    if isinstance(atom, AccumulateGrad) or self._retained:
        return
    self._retained = True
    move_retained(self)


def move_retained(tensor: Tensor, old: Any = None) -> None:
    """Let the tensor's present node fill its ``.grad``, and not the old one."""
    if old is not None and old.eqn.hooks is not None:
        old.eqn.hooks.retained.pop(old.index, None)
    atom = tensor.payload
    if atom is not None:
        atom.eqn.all_hooks().retained[atom.index] = weakref.ref(tensor)


def register_hook(self: Tensor, hook: Any) -> RemovableHandle:
    """Call ``hook(grad)`` when the gradient is computed; it may return another one."""
    if not self.requires_grad:
        raise RuntimeError(
            "cannot register a hook on a tensor that doesn't require gradient"
        )
    atom = self.atom
    if isinstance(atom, AccumulateGrad):
        if self._leaf_hooks is None:
            self._leaf_hooks = HookDict()
        return RemovableHandle.add(self._leaf_hooks, hook)
    return RemovableHandle.add(atom.eqn.all_hooks().of_output(atom.index), hook)


def register_post_accumulate_grad_hook(self: Tensor, hook: Any) -> RemovableHandle:
    """Call ``hook(tensor)`` after a leaf's gradient has been added up."""
    if not self.requires_grad:
        raise RuntimeError(
            "cannot register a hook on a tensor that doesn't require gradient"
        )
    if self.grad_fn is not None:
        raise RuntimeError(
            "post accumulate grad hooks cannot be registered on non-leaf tensors"
        )
    if self._post_hooks is None:
        self._post_hooks = HookDict()
    return RemovableHandle.add(self._post_hooks, hook)


def detach(self: Tensor) -> Tensor:
    """Return a tensor that shares the memory and has no history."""
    value = self.value
    if isinstance(value, Tracer):  # of a functional transform: cut its derivative too
        value = stop_gradient(value)
    out = wrap(value if isinstance(value, Tracer) else np.asarray(value))
    out._storage = self.storage
    out._inference = self._inference
    return out


def detach_(self: Tensor) -> Tensor:
    """Cut the tensor's own history off, making it a leaf that needs no gradient."""
    if self._view is not None:
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using "
            "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view "
            "is set as True, gradients are views of DDP buckets, and hence detach_() "
            "cannot be called on these gradients. To fix this error, please refer to "
            "the Optimizer.zero_grad() function in torch/optim/optimizer.py as a "
            "solution."
        )
    self.payload = None
    self._leaf_requires = self._retained = False
    return self


def _get_data(self: Tensor) -> Tensor:
    return wrap(self.value)


def _set_data(self: Tensor, new: Any) -> None:
    if not isinstance(new, Tensor):
        raise TypeError(
            f"Variable data has to be a tensor, but got {type(new).__name__}"
        )
    self.value = new.value
    self._storage = None
    self._accumulator = None


def volatile(self: Tensor) -> bool:
    """Return False, with a warning: the flag is gone, but from `fad.torch.legacy`."""
    if self.payload is VOLATILE:
        return True
    warnings.warn(
        "volatile was removed (Variable.volatile is always False)",
        UserWarning,
        stacklevel=2,
    )
    return False


def grad_dtype(self: Tensor) -> Any:
    return self.dtype


def _install() -> None:
    cls: Any = Tensor
    cls.grad = property(_get_grad, _set_grad, _del_grad, "The gradient, or None.")
    cls.data = property(
        _get_data, _set_data, None, "The values alone, without history."
    )
    cls.retains_grad = property(lambda self: self._retained)
    cls.volatile = property(volatile)
    cls.grad_dtype = property(grad_dtype)
    for method in (
        retain_grad,
        register_hook,
        register_post_accumulate_grad_hook,
        detach,
        detach_,
    ):
        setattr(cls, method.__name__, method)


_install()
