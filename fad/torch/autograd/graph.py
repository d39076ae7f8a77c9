"""torch.autograd.graph: nodes, edges of gradients, saved tensors.

Public names: `Node`, `GradientEdge`, `get_gradient_edge`, `saved_tensors_hooks`,
`save_on_cpu`, `allow_mutation_on_saved_tensors`, `disable_saved_tensors_hooks`,
`register_multi_grad_hook`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..backprop import GradientEdge
from ..hooks import RemovableHandle
from ..modes import current, set_modes
from ..node import Node
from ..tensor import Tensor

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Return where the gradient of a tensor passes."""
    if not tensor.requires_grad:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not "
            "require gradients"
        )
    atom = tensor.atom
    return GradientEdge(atom.eqn, atom.index)


class saved_tensors_hooks:
    """Give what nodes save to `pack_hook`, and get it back by `unpack_hook`."""

    def __init__(
        self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
    ) -> None:
        self.hooks = (pack_hook, unpack_hook)

    def __enter__(self) -> None:
        if current().hooks_refused is not None:
            raise RuntimeError(current().hooks_refused)
        set_modes(saved_hooks=(*current().saved_hooks, self.hooks))

    def __exit__(self, *error: object) -> None:
        set_modes(saved_hooks=current().saved_hooks[:-1])


class save_on_cpu(saved_tensors_hooks):
    """Keep copies of saved tensors, as PyTorch does on the CPU."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cpu") -> None:
        super().__init__(lambda x: x.clone(), lambda x: x)


class allow_mutation_on_saved_tensors(saved_tensors_hooks):
    """Save copies, so that in-place writes do not spoil what backward needs."""

    def __init__(self) -> None:
        super().__init__(lambda x: x.clone(), lambda x: x)


class disable_saved_tensors_hooks:
    """Refuse `saved_tensors_hooks` inside a ``with`` block, with a message."""

    def __init__(self, error_message: str) -> None:
        self.message = error_message
        self.before: list[str | None] = []

    def __enter__(self) -> None:
        self.before.append(set_modes(hooks_refused=self.message).hooks_refused)

    def __exit__(self, *error: object) -> None:
        set_modes(hooks_refused=self.before.pop())


class _Handles:
    """Several handles as one."""

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        """Remove all the hooks."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> _Handles:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[..., None], *, mode: str = "all"
) -> _Handles:
    """Call a hook when the gradients of all tensors, or of any, are there.

    Args:
        tensors: which require grad.
        fn: takes the list of gradients, or with mode "any" the first gradient.
        mode: "all" or "any".
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    seen: dict[int, Any] = {}
    called: list[bool] = []

    def hook_of(i: int) -> Callable[[Any], None]:
        def hook(grad: Any) -> None:
            seen[i] = grad
            if mode == "any":
                if not called:
                    called.append(True)
                    fn(grad)
            elif len(seen) == len(tensors):
                grads = [seen[j] for j in range(len(tensors))]
                seen.clear()
                fn(grads)

        return hook

    return _Handles([t.register_hook(hook_of(i)) for i, t in enumerate(tensors)])  # type: ignore[attr-defined]
