"""Views: tensors that share the memory of a base, and its gradients.

NumPy's views share memory, so values need no care. The graph does: after a write to the
base or to any of its views, the history of every view is another one. A `ViewOf` holds
the base and the operations from the base to the view. When the tensor's atom is next
read and the storage has been written to, the view gets a new node, AsStridedBackward0,
that replays these operations on the base as it is now.

A write through a view rewrites the history of the base: `CopySlices` sends a gradient
of the base to the view's operation where the view lies, and past it elsewhere.

Public names: `ViewOf`, `Origin`, `view_by`, `as_view`, `CopySlices`.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any

from ..core.avals import Aval
from ..core.ir import next_serial
from ..core.trace import Tracer
from ..ops import algebra as _laws  # noqa: F401  (declares them)
from .modes import changed, current
from .node import Node, node_type
from .saving import short_name, succeed
from .tape import record
from .view_steps import Steps, erase, pulled, replay, view_name

if TYPE_CHECKING:
    from .tensor import Tensor

__all__ = ["CopySlices", "Origin", "ViewOf", "as_view", "view_by"]

_new = object.__new__


class Origin(Enum):
    """How a view was made, as far as a later write through it is concerned."""

    PLAIN = 0
    NO_GRAD = 1
    SEVERAL = 2  # by a function that returns several views
    FUNCTION = 3  # inside an autograd.Function


_PLAIN = Origin.PLAIN  # looked up at once: an Enum's attributes are slow


class ViewOf:
    """That a tensor is a view.

    Attributes:
        base: the tensor that owns the memory; never itself a view.
        steps: from the base to the view (`fad.torch.view_steps`).
        version: of the storage when the view's history was last taken from the base.
        origin: how it was made.
    """

    __slots__ = ("base", "steps", "version", "origin")

    def __init__(
        self, base: Tensor, steps: Steps, origin: Origin = Origin.PLAIN
    ) -> None:
        self.base = base
        self.steps = steps
        self.version = (base._storage or base.storage).version
        self.origin = origin

    def refresh(self, view: Tensor) -> None:
        """Take the history of a view from its base anew, if there was a write."""
        version = self.base.storage.version
        if version == self.version:
            return
        if view.payload is None and not self.base.requires_grad:
            return
        self.check_origin(view.payload, "its base or another view of its base has been")
        old = view.payload
        view.payload = self.replayed()
        self.version = version
        succeed(old, view.payload)
        if view._retained:
            from .grad_attributes import move_retained

            move_retained(view, old)

    def check_origin(self, atom: Any, what: str) -> None:
        """Raise if a write is not to be followed by gradients, by how it was made.

        Args:
            atom: what made the view.
            what: that "is being", or "has been", written to.
        """
        if self.origin is Origin.PLAIN:
            return
        if self.origin is not Origin.NO_GRAD and atom is not None:
            start = (
                f"Output {atom.index} of {short_name(atom.eqn)} is a view and {what}"
            )
            raise RuntimeError(f"{start} modified inplace. {_ENDINGS[self.origin]}")
        start = "A view was created in"
        if atom is not None:
            start = (
                f"Output {atom.index} of {short_name(atom.eqn)} is a view of a view "
                "which was created in"
            )
        raise RuntimeError(
            f"{start} no_grad mode and {what} modified inplace with grad mode enabled. "
            f"{_ENDINGS[self.origin]}"
        )

    def replayed(self) -> Any:
        """Return a new node for the view as a function of the base."""
        from .composite import CompositeNode, record_composite

        steps = self.steps
        cls = node_type(view_name(steps), CompositeNode)
        with changed(grad=True):
            again = record_composite(cls, lambda x: replay(steps, x), [self.base])
        return again.payload


_ENDINGS = {
    Origin.NO_GRAD: (
        "Given that this use case is ambiguous and error-prone, it is forbidden. You "
        "can clarify your code by moving both the view and the inplace either both "
        "inside the no_grad block (if you don't want the inplace to be tracked) or "
        "both outside (if you want the inplace to be tracked)."
    ),
    Origin.SEVERAL: (
        "This view is the output of a function that returns multiple views. Such "
        "functions do not allow the output views to be modified inplace. You should "
        "replace the inplace operation by an out-of-place one."
    ),
    Origin.FUNCTION: (
        "This view was created inside a custom Function (or because an input was "
        "returned as-is) and the autograd logic to handle view+inplace would override "
        "the custom backward associated with the custom Function, leading to incorrect "
        "gradients. This behavior is forbidden. You can fix this by cloning the output "
        "of the custom Function."
    ),
}


def view_by(
    prim: Any,
    cls: type,
    x: Tensor,
    params: dict[str, Any],
    origin: Origin = Origin.PLAIN,
) -> Tensor:
    """Apply a primitive of which NumPy returns a view."""
    out = record(prim, cls, (x,), params)
    if isinstance(x.value, Tracer):
        return out
    return as_view(out, x, ((prim, params),), origin)


def as_view(
    out: Tensor, x: Tensor, steps: Steps, origin: Origin = Origin.PLAIN
) -> Tensor:
    """Declare a result to be a view of a tensor, by these steps."""
    if origin is _PLAIN and not current().grad:
        origin = Origin.NO_GRAD
    known = x._view
    if known is not None:
        steps = _joined(known.steps, steps)
        if origin is _PLAIN:
            origin = known.origin
        x = known.base
    out._storage = x._storage or x.storage
    if out._inference is not x._inference:
        out._inference = x._inference
    out._view = ViewOf(x, steps, origin)
    return out


def _joined(first: Steps, then: Steps) -> Steps:
    """Return steps after steps; two of one kind that make one become one.

    So a long chain of reshapes does not remember them all.
    """
    prim, params = then[0]
    algebra = getattr(prim, "algebra", None)  # a step may be a plain function
    if first[-1][0] is prim and algebra is not None and algebra.fuse is not None:
        return (*first[:-1], (prim, algebra.fuse(first[-1][1], params)), *then[1:])
    return (*first, *then)


class CopySlices(Node):
    """The history of a base after a write through one of its views.

    Attributes:
        written: the node of the operation that wrote, or None for constants.
        steps: from the base to the view.
    """

    __slots__ = ("written", "output", "steps")
    written: Node | None
    output: int
    steps: Steps

    @classmethod
    def of(cls, base: Tensor, steps: Steps, atom: Any, aval: Aval) -> CopySlices:
        """Return the node for a write of what `atom` computed."""
        node: CopySlices = _new(cls)
        node.written = None if atom is None else atom.eqn
        node.output = 0 if atom is None else atom.index
        node.steps, node.aval = steps, aval
        others = () if node.written is None else node.written.inputs
        node.inputs = (base.atom, *others)
        node.residuals = node.saved = ()
        node.hooks = node.extra = None
        node.serial = next_serial()
        return node

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    def pull(self, ct: Any, create: bool) -> Sequence[Any]:
        rest = None if self.inputs[0] is None else erase(ct, self.steps)
        if self.written is None:
            return [rest]
        part = pulled(self.steps, ct)
        if isinstance(self.written.aval, list):
            several: list[Any] = [None] * len(self.written.aval)
            several[self.output] = part
            part = several
        return [rest, *self.written.pull(part, create)]

    def release(self) -> None:
        if self.written is not None:
            self.written.release()
