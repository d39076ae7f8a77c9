"""torch.nn.utils.parametrizations: ready-made parametrizations of weights.

Public names: `weight_norm`, `spectral_norm`, `orthogonal`.
"""

from __future__ import annotations

from typing import Any

from ..modules_conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from . import parametrize
from .reparametrized import _Orthogonal, _SpectralNorm, _WeightNorm

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]

_TRANSPOSED = (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)


def _tensor(module: Any, name: str) -> Any:
    weight = getattr(module, name, None)
    if weight is None:
        raise ValueError(
            f"Module '{module}' has no parameter or buffer with name '{name}'"
        )
    return weight


def weight_norm(module: Any, name: str = "weight", dim: int = 0) -> Any:
    """Let a weight be its norms, `original0`, times its directions, `original1`."""
    return parametrize.register_parametrization(
        module, name, _WeightNorm(dim), unsafe=True
    )


def spectral_norm(
    module: Any,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Any:
    """Let a weight be divided by its greatest singular value."""
    weight = _tensor(module, name)
    if dim is None:
        dim = 1 if isinstance(module, _TRANSPOSED) else 0
    made = _SpectralNorm(weight, n_power_iterations, dim, eps)
    return parametrize.register_parametrization(module, name, made)


def orthogonal(
    module: Any,
    name: str = "weight",
    orthogonal_map: str | None = None,
    *,
    use_trivialization: bool = True,
) -> Any:
    """Let a weight be an orthogonal matrix, or have orthonormal rows or columns."""
    weight = _tensor(module, name)
    if weight.ndim < 2:
        raise ValueError(
            "Expected a matrix or batch of matrices. Got a tensor of "
            f"{weight.ndim} dimensions."
        )
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = (
            "matrix_exp" if square or weight.is_complex() else "householder"
        )
    if orthogonal_map not in ("matrix_exp", "cayley", "householder"):
        raise ValueError(
            'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". '
            f"Got: {orthogonal_map}"
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization)
    return parametrize.register_parametrization(module, name, made, unsafe=True)
