"""The tensor: a NumPy array with a place in the graph.

    value      the array, always an ndarray (0-dim too), or a tracer inside functional
               transforms
    payload    what made it: a node, `Out(node, i)`, or None
    storage    counts in-place writes; shared by views and `detach()`, not by `.data`

A leaf that requires grad has no payload: its `AccumulateGrad` is made when it is first
used and lives as long as a graph does, referring to the leaf. `atom` is what gradients
flow to, whichever it is.

Operations are attached to the class by the modules that declare them (`fad.torch.
declare`). Attributes that most tensors never set are class attributes here.

Public names: `Tensor`, `tensor_of`, `wrap`.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..core.avals import Aval
from ..core.pytree_registry import register_pytree_node
from ..core.trace import Tracer, aval_of
from . import tape
from .dtypes import dtype, of_numpy
from .missing import no_attribute
from .modes import current
from .node import VOLATILE, AccumulateGrad, Node
from .saving import Storage
from .size import CPU, Size, device
from .tape import TAPE

if TYPE_CHECKING:
    from .hooks import HookDict
    from .views import ViewOf

__all__ = ["Tensor", "tensor_of", "wrap"]

_new = object.__new__


class Tensor(Tracer):
    """A multi-dimensional array of one dtype that can record its history.

    ``Tensor(2, 3)`` is uninitialised and ``Tensor([1, 2])`` holds float32 data; use
    `fad.torch.tensor` instead.

    Attributes:
        value: the NumPy array.
        payload: the node that made it, see the module's text.
    """

    owner = TAPE
    value: Any
    payload: Any
    _storage: Storage | None = None
    _view: ViewOf | None = None
    _leaf_requires: bool = False
    _inference: bool = False
    _accumulator: Any = None
    _grad: Tensor | None = None
    _retained: bool = False
    _leaf_hooks: HookDict | None = None
    _post_hooks: HookDict | None = None

    def __new__(cls, *args: Any, **kwargs: Any) -> Tensor:
        from .data import legacy_tensor

        made = legacy_tensor(*args, **kwargs)
        return made if cls is Tensor else made.as_subclass(cls)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: `__new__` has made it."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        register_pytree_node(cls, flatten, unflatten)

    @property
    def atom(self) -> Any:
        """What the gradient flows to: a node, an output of one, or None."""
        if self._view is not None:
            self._view.refresh(self)
        if self.payload is None and self.requires_grad:
            return self.accumulator()
        return self.payload

    def accumulator(self) -> AccumulateGrad:
        """Return the `AccumulateGrad` of a leaf, the same as long as it is in use."""
        node = None if self._accumulator is None else self._accumulator()
        if node is None:
            node = AccumulateGrad.of(self, aval_of(self.value))
            self._accumulator = weakref.ref(node)
        found: AccumulateGrad = node
        return found

    @property
    def storage(self) -> Storage:
        """The memory with its count of in-place writes."""
        if self._storage is None:
            self._storage = Storage()
        return self._storage

    @property
    def aval(self) -> Aval:
        value = self.value
        if value.__class__ is np.ndarray:
            return Aval(value.shape, value.dtype)
        return aval_of(value)

    @property
    def shape(self) -> Size:  # type: ignore[override]
        return tuple.__new__(Size, self.value.shape)

    @property
    def ndim(self) -> int:
        return len(self.value.shape)

    @property
    def dtype(self) -> dtype:
        return of_numpy(self.value.dtype)

    @property
    def device(self) -> device:
        return CPU

    @property
    def requires_grad(self) -> bool:
        """Whether gradients have to be computed for it."""
        if self.payload is not None or self._leaf_requires:
            return self.payload is not VOLATILE
        view = self._view
        return view is not None and view.base.requires_grad and self.is_differentiable()

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        if not isinstance(flag, bool):
            raise RuntimeError("requires_grad must be a bool")
        self._set_requires(flag, "floating point and complex dtype")

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set whether gradients are to be computed for it; return it."""
        self._set_requires(bool(requires_grad), "floating point dtype")
        return self

    def _set_requires(self, flag: bool, allowed: str) -> None:
        if self._inference and flag and not current().inference:
            raise RuntimeError(
                "Setting requires_grad=True on inference tensor outside InferenceMode "
                "is not allowed."
            )
        if self.payload is not None:
            if not flag:
                raise RuntimeError(_NOT_A_LEAF)
            return
        if flag and not self.is_differentiable():
            raise RuntimeError(f"only Tensors of {allowed} can require gradients")
        self._leaf_requires = flag

    def is_differentiable(self) -> bool:
        """Tell whether the dtype is floating or complex."""
        return self.value.dtype.kind in "fc"

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation made it."""
        return self.grad_fn is None

    @property
    def grad_fn(self) -> Node | None:
        """The node that made it, None for a leaf."""
        if self._view is not None:
            self._view.refresh(self)
        return None if self.payload is None else self.payload.eqn

    @property
    def output_nr(self) -> int:
        return 0 if self.payload is None else self.payload.index

    @property
    def _version(self) -> int:
        if self._inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        return self.storage.version

    @property
    def _base(self) -> Tensor | None:
        return None if self._view is None else self._view.base

    def _is_view(self) -> bool:
        return self._view is not None

    def is_inference(self) -> bool:
        """Tell whether it was made in inference mode."""
        return self._inference

    def __hash__(self) -> int:
        return id(self)

    def __len__(self) -> int:
        if not self.value.shape:
            raise TypeError("len() of a 0-d tensor")
        return int(self.value.shape[0])

    def __getattr__(self, name: str) -> NoReturn:
        raise no_attribute(self, name)


_NOT_A_LEAF = (
    "you can only change requires_grad flags of leaf variables. If you want to use a "
    "computed variable in a subgraph that doesn't require differentiation use "
    "var_no_grad = var.detach()."
)


def wrap(value: Any, atom: Any = None) -> Tensor:
    """Return a new tensor around an array, without a copy."""
    tensor: Tensor = _new(Tensor)
    tensor.value = value
    tensor.payload = atom
    if current().inference:
        tensor._inference = True
    return tensor


def tensor_of(value: Any) -> Tensor:
    """Return what an operation computed as a tensor: an array, a number or a tracer."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Tracer):
        if value.owner is TAPE:
            return wrap(value.value, value.payload)
        return wrap(value)
    return wrap(value if value.__class__ is np.ndarray else np.asarray(value))


def flatten(tensor: Tensor) -> tuple[Sequence[Any], None]:
    """Return what functional transforms see of a tensor."""
    return (tape.functional(tensor),), None


def unflatten(data: None, children: Sequence[Any]) -> Any:
    """Build a tensor around what a transform put in its place."""
    (child,) = children
    known = isinstance(child, (Tracer, np.ndarray, np.generic, float, int, complex))
    if known and not isinstance(child, bool):
        return tensor_of(child)
    return _placeholder(child)


def _placeholder(child: Any) -> Tensor:
    """Return a tensor that holds what is no value: an axis, None, a mark."""
    tensor: Tensor = _new(Tensor)
    tensor.value = child
    tensor.payload = None
    return tensor


register_pytree_node(Tensor, flatten, unflatten)
tape.complete(Tensor, tensor_of)


def hide_inherited() -> None:
    """Hide the NumPy methods of tracers that PyTorch's tensors do not have."""
    own = vars(Tensor)
    for name in dir(Tracer):
        if not name.startswith("_") and name not in own and name not in _SLOTS:
            setattr(Tensor, name, _Hidden(name))


_SLOTS = ("owner", "value", "payload")


class _Hidden:
    """An attribute that is not there."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, tensor: Any, cls: Any = None) -> NoReturn:
        raise no_attribute(Tensor if tensor is None else tensor, self.name)
