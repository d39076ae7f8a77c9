"""The older `weight_norm` and `spectral_norm`: hooks that compute a weight.

Before each `forward` the hook sets the attribute of the weight's name, from parameters
beside it: ``weight_g`` and ``weight_v``, or ``weight_orig``.

Public names: `weight_norm`, `remove_weight_norm`, `spectral_norm`,
`remove_spectral_norm`.
"""

from __future__ import annotations

import warnings
from typing import Any

from ...declare import functions
from ...modes import no_grad
from .. import functional as F
from ..parameter import Parameter
from .parametrizations import _TRANSPOSED
from .reparametrized import as_matrix, norm_except_dim, weight_normed

__all__ = [
    "remove_spectral_norm",
    "remove_weight_norm",
    "spectral_norm",
    "weight_norm",
]


class _WeightNorm:
    """The hook of `weight_norm`."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name, self.dim = name, -1 if dim is None else dim

    def compute_weight(self, module: Any) -> Any:
        g = getattr(module, f"{self.name}_g")
        return weight_normed(getattr(module, f"{self.name}_v"), g, self.dim)

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Let a weight be norms times directions; the older way.

    Raises:
        RuntimeError: it is done already.
    """
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of "
        "`torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    _check_new(module, name, _WeightNorm, "weight_norm")
    hook = _WeightNorm(name, dim)
    weight = module._parameters.pop(name)
    norms = norm_except_dim(weight, 2, hook.dim).detach()
    module.register_parameter(f"{name}_g", Parameter(norms))
    module.register_parameter(f"{name}_v", Parameter(weight.detach()))
    setattr(module, name, hook.compute_weight(module))
    module.register_forward_pre_hook(hook)
    return module


def _check_new(module: Any, name: str, kind: type, what: str) -> None:
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, kind) and hook.name == name:  # type: ignore[attr-defined]
            raise RuntimeError(
                f"Cannot register two {what} hooks on the same parameter {name}"
            )


def _taken(module: Any, name: str, kind: type) -> Any:
    """Remove a hook and return it, None if there is none."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, kind) and hook.name == name:  # type: ignore[attr-defined]
            del module._forward_pre_hooks[key]
            return hook
    return None


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Make the weight an ordinary parameter again."""
    hook = _taken(module, name, _WeightNorm)
    if hook is None:
        raise ValueError(f"weight_norm of '{name}' not found in {module}")
    weight = hook.compute_weight(module).detach()
    delattr(module, name)
    del module._parameters[f"{name}_g"], module._parameters[f"{name}_v"]
    setattr(module, name, Parameter(weight))
    return module


class _SpectralNorm:
    """The hook of `spectral_norm`."""

    def __init__(self, name: str, steps: int, dim: int, eps: float) -> None:
        self.name, self.dim, self.eps = name, dim, eps
        if steps <= 0:
            raise ValueError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={steps}"
            )
        self.n_power_iterations = steps

    def compute_weight(self, module: Any, do_power_iteration: bool) -> Any:
        weight = getattr(module, f"{self.name}_orig")
        u, v = (getattr(module, f"{self.name}_{k}") for k in "uv")
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(F.normalize(matrix.T.mv(u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(matrix.mv(v), dim=0, eps=self.eps))
                u, v = u.clone(), v.clone()
        return weight / functions["dot"](u, matrix.mv(v))

    def __call__(self, module: Any, inputs: Any) -> None:
        weight = self.compute_weight(module, do_power_iteration=module.training)
        setattr(module, self.name, weight)


def spectral_norm(
    module: Any,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Any:
    """Let a weight be divided by its greatest singular value; the older way.

    Raises:
        RuntimeError: it is done already.
    """
    if dim is None:
        dim = 1 if isinstance(module, _TRANSPOSED) else 0
    _check_new(module, name, _SpectralNorm, "spectral_norm")
    hook = _SpectralNorm(name, n_power_iterations, dim, eps)
    weight = module._parameters.pop(name)
    matrix = as_matrix(weight, dim).detach()
    u = F.normalize(matrix.new_empty(matrix.shape[0]).normal_(0, 1), dim=0, eps=eps)
    v = F.normalize(matrix.new_empty(matrix.shape[1]).normal_(0, 1), dim=0, eps=eps)
    module.register_parameter(f"{name}_orig", weight)
    setattr(module, name, weight.detach())
    module.register_buffer(f"{name}_u", u)
    module.register_buffer(f"{name}_v", v)
    module.register_forward_pre_hook(hook)
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """Make the weight an ordinary parameter again."""
    hook = _taken(module, name, _SpectralNorm)
    if hook is None:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    with no_grad():
        weight = hook.compute_weight(module, do_power_iteration=False)
    delattr(module, name)
    del module._buffers[f"{name}_u"], module._buffers[f"{name}_v"]
    del module._parameters[f"{name}_orig"]
    module.register_parameter(name, Parameter(weight.detach()))
    return module
