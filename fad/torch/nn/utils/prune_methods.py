"""The ways to choose what is pruned; see `fad.torch.nn.utils.prune`.

Public names: `BasePruningMethod`, `PruningContainer`, `Identity`,
`RandomUnstructured`, `L1Unstructured`, `RandomStructured`, `LnStructured`,
`CustomFromMask`, `mask_so_far`, `taken_hook`.
"""

from __future__ import annotations

from typing import Any

from ...declare import functions
from ...tensor import Tensor

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "mask_so_far",
    "taken_hook",
]


class BasePruningMethod:
    """A way to choose what is pruned, as a hook before `forward`.

    Attributes:
        PRUNING_TYPE: "unstructured", "structured" or "global".
    """

    PRUNING_TYPE = "unstructured"
    _tensor_name: str

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """Return the mask for a tensor, within one that is there already."""
        raise NotImplementedError

    def apply_mask(self, module: Any) -> Any:
        """Return the pruned tensor of a module."""
        name = self._tensor_name
        mask, original = (getattr(module, f"{name}_{k}") for k in ("mask", "orig"))
        return mask.to(dtype=original.dtype) * original

    def prune(
        self, t: Any, default_mask: Any = None, importance_scores: Any = None
    ) -> Any:
        """Return a tensor pruned."""
        scores = t if importance_scores is None else importance_scores
        mask = functions["ones_like"](t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, mask)

    @classmethod
    def apply(
        cls,
        module: Any,
        name: str,
        *args: Any,
        importance_scores: Any = None,
        **kw: Any,
    ) -> Any:
        """Prune a parameter of a module; return the method, which is its hook."""
        method = cls(*args, **kw)
        method._tensor_name = name
        old = taken_hook(module, name)
        if old is not None:
            method = PruningContainer.of(old, method, name)
        elif not isinstance(importance_scores, (Tensor, type(None))):
            raise TypeError("importance_scores should be a Tensor")
        original = getattr(module, f"{name}_orig", None)
        fresh = original is None
        original = getattr(module, name) if fresh else original
        scores = original if importance_scores is None else importance_scores
        mask = mask_so_far(module, name, original)
        if fresh:
            module.register_parameter(f"{name}_orig", module._parameters.pop(name))
        chosen = method.compute_mask(scores.detach(), mask)
        module.register_buffer(f"{name}_mask", chosen)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def remove(self, module: Any) -> None:
        """Make the pruned parameter an ordinary one."""
        name = self._tensor_name
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters.pop(f"{name}_orig")
        original.data = weight.data
        del module._buffers[f"{name}_mask"]
        setattr(module, name, original)


def mask_so_far(module: Any, name: str, original: Any) -> Any:
    known = getattr(module, f"{name}_mask", None)
    if known is None:
        return functions["ones_like"](original.detach())
    return known.detach().clone()


def taken_hook(module: Any, name: str) -> Any:
    """Take the pruning hook of a parameter off a module."""
    for key, hook in list(module._forward_pre_hooks.items()):
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            del module._forward_pre_hooks[key]
            return hook
    return None


class PruningContainer(BasePruningMethod):
    """Methods of pruning one after another."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods = tuple(args)

    @classmethod
    def of(cls, old: Any, new: Any, name: str) -> PruningContainer:
        """Return the container of what pruned a parameter and what prunes it now."""
        made = old if isinstance(old, PruningContainer) else cls(old)
        made._tensor_name = name
        made.add_pruning_method(new)
        return made

    def add_pruning_method(self, method: Any) -> None:
        """Add a method that works on what is left."""
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Any:
        return iter(self._pruning_methods)

    def __getitem__(self, index: int) -> Any:
        return self._pruning_methods[index]

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """Let the last method choose among what is left."""
        method = self._pruning_methods[-1]
        mask = default_mask.clone().to(dtype=t.dtype)
        if method.PRUNING_TYPE == "unstructured":
            left = mask == 1
            part = method.compute_mask(t[left], functions["ones_like"](mask[left]))
            mask[left] = part.to(mask.dtype)
            return mask
        if method.PRUNING_TYPE == "structured":
            dim = method.dim % t.ndim
            others = [i for i in range(t.ndim) if i != dim]
            left = (mask.sum(others) != 0).nonzero().squeeze(-1)
            part = method.compute_mask(
                t.index_select(dim, left),
                functions["ones_like"](mask).index_select(dim, left),
            )
            kept = mask.index_select(dim, left) * part
            return mask.index_copy(dim, left, kept)
        return mask * method.compute_mask(t, functions["ones_like"](mask))


class Identity(BasePruningMethod):
    """Prune nothing."""

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return default_mask


class _ByAmount(BasePruningMethod):
    def __init__(self, amount: float) -> None:
        if not isinstance(amount, (int, float)):
            raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
        if (isinstance(amount, int) and amount < 0) or (
            isinstance(amount, float) and not 0.0 <= amount <= 1.0
        ):
            raise ValueError(
                f"amount={amount} should either be a float in the range [0, 1] or a "
                "non-negative integer"
            )
        self.amount = amount

    def _count(self, size: int) -> int:
        """Return how many of so many are pruned."""
        if isinstance(self.amount, int):
            if self.amount > size:
                raise ValueError(
                    f"amount={self.amount} should be smaller than the number of "
                    f"parameters to prune={size}"
                )
            return self.amount
        return round(self.amount * size)


class RandomUnstructured(_ByAmount):
    """Prune elements at random."""

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        count, mask = self._count(t.aval.size), default_mask.clone()
        if count:
            places = functions["rand_like"](t).view(-1).topk(count).indices
            mask.view(-1)[places] = 0
        return mask


class L1Unstructured(_ByAmount):
    """Prune the elements of least absolute value."""

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        count, mask = self._count(t.aval.size), default_mask.clone()
        if count:
            places = t.abs().view(-1).topk(count, largest=False).indices
            mask.view(-1)[places] = 0
        return mask


class _Structured(_ByAmount):
    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def _kept(self, t: Any, scores: Any, default_mask: Any) -> Any:
        """Return the mask that keeps the channels of the greatest scores."""
        size = t.shape[self.dim]
        count = self._count(size)
        if not count:
            return default_mask
        places = scores.topk(size - count).indices
        mask = functions["zeros_like"](t)
        key = [slice(None)] * t.ndim
        key[self.dim] = places
        mask[tuple(key)] = 1
        return mask * default_mask.to(dtype=mask.dtype)


class RandomStructured(_Structured):
    """Prune channels at random."""

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return self._kept(t, functions["rand"](t.shape[self.dim]), default_mask)


class LnStructured(_Structured):
    """Prune the channels of least norm."""

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        others = [i for i in range(t.ndim) if i != self.dim % t.ndim]
        scores = functions["norm"](t, p=self.n, dim=others)
        return self._kept(t, scores, default_mask)


class CustomFromMask(BasePruningMethod):
    """Prune by a mask that is given."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return default_mask * self.mask.to(dtype=default_mask.dtype)
