"""torch.nn.utils.prune: weights with some of their elements held at zero.

A pruned parameter `w` is kept as ``w_orig``, beside a buffer ``w_mask`` of zeros and
ones; before each `forward` the attribute `w` becomes their product. Pruning again works
on what is left (`PruningContainer`).

Public names: `BasePruningMethod`, `PruningContainer`, `Identity`,
`RandomUnstructured`, `L1Unstructured`, `RandomStructured`, `LnStructured`,
`CustomFromMask`, and the functions that `__all__` lists.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...declare import functions
from .prune_methods import (
    BasePruningMethod,
    CustomFromMask,
    Identity,
    L1Unstructured,
    LnStructured,
    PruningContainer,
    RandomStructured,
    RandomUnstructured,
    mask_so_far,
    taken_hook,
)

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]


def identity(module: Any, name: str) -> Any:
    """Prepare a parameter for pruning, and prune nothing; return the module."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: float) -> Any:
    """Prune so many elements, or such a share of them, at random."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(
    module: Any, name: str, amount: float, importance_scores: Any = None
) -> Any:
    """Prune the elements of least absolute value; return the module.

    >>> from fad import torch
    >>> layer = torch.nn.Linear(3, 2)
    >>> layer = l1_unstructured(layer, "weight", amount=2)
    >>> int((layer.weight == 0).sum())
    2
    """
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: float, dim: int) -> Any:
    """Prune channels along a dimension at random; return the module."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Any,
    name: str,
    amount: float,
    n: Any,
    dim: int,
    importance_scores: Any = None,
) -> Any:
    """Prune the channels of least norm along a dimension; return the module."""
    LnStructured.apply(
        module, name, amount, n, dim, importance_scores=importance_scores
    )
    return module


def custom_from_mask(module: Any, name: str, mask: Any) -> Any:
    """Prune by a mask; return the module."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any
) -> None:
    """Prune several parameters, pairs (module, name), as if they were one."""
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    pairs, scores = list(parameters), importance_scores or {}
    tensors = [scores.get(p, getattr(*p)).detach() for p in pairs]
    masks = [mask_so_far(m, n, t) for (m, n), t in zip(pairs, tensors, strict=True)]
    whole, mask = (
        functions["cat"]([t.reshape(-1) for t in ts]) for ts in (tensors, masks)
    )
    container = PruningContainer()
    method = pruning_method(**kwargs)
    container._tensor_name = method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the '
            f"`pruning_method`. Found method {pruning_method} of type "
            f"{method.PRUNING_TYPE}"
        )
    container.add_pruning_method(method)
    final = container.compute_mask(whole, mask)
    ends = np.cumsum([t.aval.size for t in tensors])[:-1].tolist()
    for (module, name), t, part in zip(
        pairs, tensors, final.tensor_split(ends), strict=True
    ):
        custom_from_mask(module, name, part.view(t.shape))


def remove(module: Any, name: str) -> Any:
    """Make a pruned parameter an ordinary one, its zeros in it; return the module."""
    hook = taken_hook(module, name)
    if hook is None:
        raise ValueError(
            f"Parameter '{name}' of module {module} has to be pruned before pruning can "
            "be removed"
        )
    hook.remove(module)
    return module


def is_pruned(module: Any) -> bool:
    """Tell whether a module, or one inside it, has a pruned parameter."""
    return any(
        isinstance(hook, BasePruningMethod)
        for _, part in module.named_modules()
        for hook in part._forward_pre_hooks.values()
    )
