"""The tape that never closes: evaluate operations on tensors and record their nodes.

A `Tensor` is a tracer of `TAPE`, whose level is below every other, so functional
transforms see through tensors: inside them a tensor's value is their tracer, and the
operation is theirs. An operation becomes one node, made in one of two ways:

- `record`: it is one primitive of fad. Its plan says what to keep.
- `record_composite`: it is a function over fad's operations. It runs on an inner tape,
  and the inner program is what the node keeps; its gradient is fad's `backward` of
  that program.

No derivative is written here or anywhere in `fad.torch`.

Public names: `TAPE`, `TensorTape`, `class_of`, `record`, `functional`, `operand`, `quietly`,
`name_nodes`.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.avals import Aval
from ..core.ir import next_serial
from ..core.primitive import ANS, ARGS, mask_key
from ..core.trace import Trace, Tracer, aval_of, bind, staging_trace
from .modes import current
from .node import VOLATILE, PrimitiveNode, node_type
from .packing import packed
from .saving import Saved, Storage

if TYPE_CHECKING:
    from ..core.primitive import Plan, Primitive
    from .tensor import Tensor

__all__ = [
    "DUAL_LEVEL",
    "TAPE",
    "TensorTape",
    "class_of",
    "functional",
    "name_nodes",
    "operand",
    "quietly",
    "record",
]

_ndarray = np.ndarray
_new = object.__new__

_QUIET = contextvars.Context()
_QUIET.run(np.seterr, all="ignore")


def quietly(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a NumPy function without floating-point warnings: PyTorch gives none.

    It runs in a copy of a prepared context, at a tenth of the cost of `np.errstate`.
    """
    return _QUIET.copy().run(function, *args, **kwargs)


class TensorTape(Trace):
    """The trace of all tensors."""

    __slots__ = ()
    name = "torch"

    def __init__(self) -> None:
        super().__init__()
        self.level = -1

    def process(
        self, prim: Primitive, args: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        """Do an operation that fad's own functions ask for."""
        out = _apply(prim, args, params)
        if any(isinstance(a, Tracer) and a.__class__ not in _PLAIN for a in args):
            return out
        return [_plain(o) for o in out] if isinstance(out, list) else _plain(out)


def _apply(prim: Primitive, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    cls = class_of(prim)
    if prim.augmented is None and not prim.multiple_results:
        return record(prim, cls, args, params)
    from .composite import CompositeNode, record_composite

    cls = node_type(cls.__name__, CompositeNode)
    found = record_composite(cls, lambda *args: bind(prim, *args, **params), args)
    return list(found) if prim.multiple_results else found


def _plain(tensor: Tensor) -> Any:
    """Return a result of formulas as they are: a tracer, or a constant array."""
    atom = tensor.payload
    return tensor.value if atom is None else Tracer(TAPE, tensor.value, atom)


TAPE = TensorTape()
DUAL_LEVEL = -2
"""The level of tangents (`fad.torch.autograd.forward_ad`): the tape records them."""
_classes: dict[Primitive, type] = {}
_names: dict[str, str] = {}


def name_nodes(**names: str) -> None:
    """Give the nodes of primitives the names by which PyTorch knows them."""
    _names.update(names)


def class_of(prim: Primitive) -> type:
    """Return the class of the nodes of a primitive."""
    cls = _classes.get(prim)
    if cls is None:
        camel = "".join(part.capitalize() for part in prim.name.split("_"))
        cls = node_type(_names.get(prim.name, f"{camel}Backward0"))
        _classes[prim] = cls
    return cls


def record(
    prim: Primitive,
    cls: type,
    boxes: Sequence[Any],
    params: dict[str, Any],
    dtype: np.dtype[Any] | None = None,
) -> Tensor:
    """Apply a primitive to tensors and record it as one node.

    Args:
        prim: the primitive.
        cls: the class of the node, from `node_type`.
        boxes: tensors, tracers of the tape, arrays and Python numbers.
        params: the primitive's parameters.
        dtype: cast the tensors and arrays to it first; their gradients come back in
            their own dtypes.
    """
    mode = current()
    tracking = mode.grad
    nested = staging_trace() is not None
    key, bit = 0, 1
    values, atoms = [], []
    for b in boxes:
        atom = None
        if b.__class__ is _Tensor or isinstance(b, Tracer):
            if b.owner is not TAPE:
                nested = True
            elif tracking:
                atom = b.payload
                if b.__class__ in _PLAIN:
                    pass
                elif b._view is not None:  # type: ignore[attr-defined]
                    atom = b.atom  # type: ignore[attr-defined]
                elif atom is None and b._leaf_requires:  # type: ignore[attr-defined]
                    atom = b.accumulator()  # type: ignore[attr-defined]
                if atom is not None:
                    key |= bit
            b = b.value
            if b.__class__ is not _ndarray:
                nested = True
        if dtype is not None and b.__class__ is _ndarray and b.dtype is not dtype:
            b = b.astype(dtype)
        values.append(b)
        atoms.append(atom)
        bit += bit
    if nested:
        return _record_nested(prim, cls, boxes, params, dtype)
    ans = _QUIET.copy().run(prim.impl, *values, **params)
    if ans.__class__ is not _ndarray:
        ans = np.asarray(ans)
    out: Tensor = _new(_Tensor)
    out.value = ans
    out.payload = None
    if key and VOLATILE in atoms:
        out.payload = VOLATILE
    elif key and not prim.constant and ans.dtype.kind in "fc":
        plan = prim.plans.get(key + bit) or prim.plan(key + bit)
        if not plan.constant:
            _attach_node(out, cls, prim, params, plan, atoms, values, boxes)
            if mode.anomaly or mode.saved_hooks:
                _mark(out.payload, mode)
    elif mode.inference:
        out._inference = True
    return out


def _attach_node(
    out: Tensor,
    cls: type,
    prim: Primitive,
    params: dict[str, Any],
    plan: Plan,
    atoms: list[Any],
    values: list[Any],
    boxes: Sequence[Any],
) -> None:
    """Make the node of an operation: what it keeps, and whose writes would spoil it."""
    ans = out.value
    node: PrimitiveNode = _new(cls)
    node.prim = prim
    node.inputs = atoms
    node.params = params
    node.plan = plan
    aval = atoms[plan.first].aval
    if aval.dtype is not ans.dtype or aval.shape != ans.shape:
        aval = Aval(ans.shape, ans.dtype)
    node.aval = aval
    node.serial = next_serial()
    node.hooks = node.extra = None
    out.payload = node
    if not plan.picks:
        node.residuals = node.saved = ()
        return
    residuals, saved = [], []
    for what in plan.picks:
        if what >= 0:
            kept, box = values[what], boxes[what]
            if isinstance(box, _Tensor):
                if kept is box.value:
                    storage = box._storage or box.storage
                    saved.append((what, storage, storage.version))
            elif box.__class__ is Saved:
                saved.append((what, box.storage, box.storage.version))
        elif what == ANS:
            kept = ans
            out._storage = storage = Storage()
            saved.append((what, storage, 0))
        else:
            kept = _many(what, values)
        residuals.append(kept)
    node.residuals = tuple(residuals)
    node.saved = saved


def _many(what: int, values: list[Any]) -> tuple[Any, ...]:
    """Return all values, or their avals, as a plan asks."""
    return tuple(values) if what == ARGS else tuple([aval_of(v) for v in values])


def storage_of(box: Any) -> Storage | None:
    """Return the storage of a tensor or of a saved value, None of other tracers."""
    if isinstance(box, _Tensor):
        return box.storage
    return getattr(box, "storage", None)


def _mark(node: Any, mode: Any) -> None:
    if mode.saved_hooks:
        node.residuals = packed(node.residuals, mode.saved_hooks[-1])
        node.saved = ()
    if mode.anomaly:
        from .anomaly import remember_place

        remember_place(node)


def _record_nested(
    prim: Primitive,
    cls: type,
    boxes: Sequence[Any],
    params: dict[str, Any],
    dtype: np.dtype[Any] | None,
) -> Tensor:
    """Do an operation inside functional transforms: it is theirs."""
    args = [functional(b) if prim.view else operand(b) for b in boxes]
    if dtype is not None:
        args = [_cast(a, dtype) for a in args]
    owners = [a.owner for a in args if isinstance(a, Tracer)]
    if staging_trace() is not None or any(o.level > TAPE.level for o in owners):
        return _tensor_of(bind(prim, *args, **params))
    return _record_dual(prim, cls, args, params)


def operand(box: Any) -> Any:
    """Return an operand as functional transforms take it, cut off under `no_grad`.

    That is so for the transforms that were at work when gradients were switched off.
    Tangents of forward mode pass, as PyTorch's do.
    """
    value, cut = functional(box), current().cut
    if cut and isinstance(value, Tracer):
        from .cutting import without_gradients

        return without_gradients(value, cut)
    return value


def _record_dual(
    prim: Primitive, cls: type, args: Sequence[Any], params: dict[str, Any]
) -> Tensor:
    """Record an operation on values with tangents, whose level is below the tape."""
    values, atoms = [], []
    for a in args:
        own = isinstance(a, Tracer) and a.owner is TAPE
        atoms.append(a.payload if own and current().grad else None)
        values.append(a.value if own else a)
    ans = quietly(bind, prim, *values, **params)
    out: Tensor = _new(_Tensor)
    out.value = ans if isinstance(ans, Tracer) else np.asarray(ans)
    out.payload = None
    key = mask_key(atoms)
    if any(a is not None for a in atoms) and out.value.dtype.kind in "fc":
        plan = prim.plan(key)
        if not prim.constant and not plan.constant:
            _attach_node(out, cls, prim, params, plan, atoms, values, args)
    return out


def _cast(value: Any, dtype: np.dtype[Any]) -> Any:
    from ..ops.arithmetic import convert

    weak = not isinstance(value, (Tracer, np.ndarray))
    return (
        value if weak or aval_of(value).dtype == dtype else convert(value, dtype=dtype)
    )


def functional(box: Any) -> Any:
    """Return an operand as functional transforms take it: without the `Tensor`."""
    if not isinstance(box, _Tensor):
        return box
    value = box.value
    if isinstance(value, Tracer):
        if value.owner.level > TAPE.level:
            return value
        if not value.owner.open:  # the level of its tangent is closed
            value = box.value = value.value
    atom = box.atom if current().grad else None
    return value if atom is None else Tracer(TAPE, value, atom)


_Tensor: Any = None
_tensor_of: Any = None
_PLAIN = frozenset({Tracer, Saved})


def complete(tensor_class: type, tensor_of: Callable[[Any], Any]) -> None:
    """Enter the class of tensors, which is defined on top of this module."""
    global _Tensor, _tensor_of
    _Tensor, _tensor_of = tensor_class, tensor_of
