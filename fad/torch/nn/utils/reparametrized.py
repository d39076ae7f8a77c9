"""Weights with a norm of their own, a bounded one, or orthogonal rows.

    weight_norm     weight = g v / |v|                   (Salimans & Kingma 2016)
    spectral_norm   weight = W / sigma(W), by power iteration (Miyato et al. 2018)
    orthogonal      the weight is an orthogonal matrix

`torch.nn.utils.parametrizations` has them as parametrizations; `weight_norm` and
`spectral_norm` of `torch.nn.utils` are the older ones, by hooks before `forward`.

Public names: `norm_except_dim`, `weight_normed`, `_WeightNorm`, `_SpectralNorm`,
`_Orthogonal`.
"""

from __future__ import annotations

from typing import Any

from .... import numpy as fnp
from ....core.trace import aval_of
from ... import linalg
from ...declare import composite, functions
from ...modes import no_grad
from .. import functional as F
from ..module import Module

__all__ = [
    "_Orthogonal",
    "_SpectralNorm",
    "_WeightNorm",
    "as_matrix",
    "iterated",
    "norm_except_dim",
    "weight_normed",
]


def norm_except_dim(v: Any, pow: int = 2, dim: int = 0) -> Any:
    """Return the norms over all dimensions but one; over all if it is -1."""
    if dim == -1:
        return linalg.vector_norm(v, pow)
    axes = [i for i in range(v.ndim) if i != dim % v.ndim]
    if not axes:
        return v.abs()
    return linalg.vector_norm(v, pow, axes, keepdim=True)


def weight_normed(v: Any, g: Any, dim: int = 0) -> Any:
    """Return the direction v with the norms g."""
    if dim in (0, v.ndim - 1):
        return _weight_norm(v, g, dim=dim)
    return v * (g / norm_except_dim(v, 2, dim))


def _normed(v: Any, g: Any, *, dim: int) -> Any:
    axes = tuple(i for i in range(aval_of(v).ndim) if i != dim)
    return v * (g / fnp.sqrt(fnp.sum(v * v, axis=axes, keepdims=True)))


_weight_norm = composite("WeightNormInterfaceBackward0", _normed)


class _WeightNorm(Module):
    """The parametrization by norm and direction."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        return weight_normed(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Any) -> Any:
        """Return the norms and directions of a weight."""
        return norm_except_dim(weight, 2, self.dim), weight


def as_matrix(weight: Any, dim: int) -> Any:
    """Return a weight as a matrix, a dimension as its rows."""
    if dim != 0:
        rest = [d for d in range(weight.ndim) if d != dim]
        weight = weight.permute(dim, *rest)
    return weight.reshape(weight.shape[0], -1)


def iterated(matrix: Any, u: Any, v: Any, steps: int, eps: float) -> tuple[Any, Any]:
    """Return better singular vectors of the greatest singular value."""
    for _ in range(steps):
        u = F.normalize(functions["mv"](matrix, v), dim=0, eps=eps)
        v = F.normalize(functions["mv"](matrix.T, u), dim=0, eps=eps)
    return u, v


class _SpectralNorm(Module):
    """The parametrization that divides by the greatest singular value."""

    def __init__(
        self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        super().__init__()
        n = weight.ndim
        if dim >= n or dim < -n:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{n}, {n - 1}] "
                f"but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.dim = dim if dim >= 0 else dim + n
        self.eps = eps
        if n <= 1:
            return
        self.n_power_iterations = n_power_iterations
        matrix = as_matrix(weight, self.dim).detach()
        u = matrix.new_empty(matrix.shape[0]).normal_(0, 1)
        v = matrix.new_empty(matrix.shape[1]).normal_(0, 1)
        self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
        self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
        self._iterate(matrix, 15)

    def _iterate(self, matrix: Any, steps: int) -> None:
        with no_grad():
            u, v = iterated(matrix, self._u, self._v, steps, self.eps)
            self._u.copy_(u)
            self._v.copy_(v)

    def forward(self, weight: Any) -> Any:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()
        return weight / functions["vdot"](u, functions["mv"](matrix, v))

    def right_inverse(self, value: Any) -> Any:
        """Return the value: its norm is not known any more."""
        return value


class _Orthogonal(Module):
    """The parametrization by an orthogonal matrix.

    Attributes:
        orthogonal_map: how a matrix becomes orthogonal: the "matrix_exp" or "cayley"
            map of a skew one, or "householder" reflections.
    """

    def __init__(
        self, weight: Any, orthogonal_map: str, use_trivialization: bool = True
    ) -> None:
        super().__init__()
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def _base(self) -> Any:
        return self._buffers.get("base")

    def forward(self, X: Any) -> Any:
        n, k = X.shape[-2], X.shape[-1]
        wide = n < k
        if wide:
            X, n, k = X.mT, k, n
        if self.orthogonal_map == "householder":
            A = X.tril(diagonal=-1)
            tau = 2.0 / (1.0 + (A * A).sum(dim=-2))
            Q = linalg.householder_product(A, tau)
            Q = Q * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            Q = self._of_skew(X, n, k)
        base = self._base()
        if base is not None:
            Q = base @ Q
        return Q.mT if wide else Q

    def _of_skew(self, X: Any, n: int, k: int) -> Any:
        X = X.tril()
        if n != k:
            X = functions["cat"](
                [X, X.new_zeros(n, n - k).expand(*X.shape[:-2], -1, -1)], -1
            )
        A = X - X.mT
        if self.orthogonal_map == "matrix_exp":
            Q = linalg.matrix_exp(A)
        else:
            eye = functions["eye"](n, dtype=A.dtype)
            Q = linalg.solve(eye + A * -0.5, eye + A * 0.5)
        return Q[..., :k] if n != k else Q

    def right_inverse(self, Q: Any) -> Any:
        """Return what gives a matrix, made orthogonal first."""
        if Q.shape[-1] > Q.shape[-2] and self.orthogonal_map == "householder":
            return self.right_inverse(Q.mT).mT
        wide = Q.shape[-2] < Q.shape[-1]
        if wide:
            Q = Q.mT
        n, k = Q.shape[-2], Q.shape[-1]
        if "base" not in self._buffers:
            return self._without_base(Q, wide)
        if n == k:
            Q = _with_rows(Q)
        else:
            N = functions["randn"]((*Q.shape[:-2], n, n - k), dtype=Q.dtype)
            Q = functions["cat"]([Q, N], -1)
            Q = _with_rows(Q)
        self.base = Q
        eye = functions["zeros"]((n, k), dtype=Q.dtype)
        eye.fill_diagonal_(-1.0 if self.orthogonal_map == "householder" else 0.0)
        found = eye.expand(*Q.shape[:-2], n, k).clone()
        return found.mT if wide else found

    def _without_base(self, Q: Any, wide: bool) -> Any:
        if self.orthogonal_map != "householder":
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley "
                "parametrizations when use_trivialization=False."
            )
        A, tau = functions["geqrf"](Q)
        signs = A.diagonal(dim1=-2, dim2=-1)
        signs.sign_()
        signs[tau == 0.0] *= -1  # there was no reflection
        return A.mT if wide else A


def _with_rows(A: Any) -> Any:
    """Return the orthogonal matrix nearest to QR's, with the signs of R."""
    Q, R = linalg.qr(A)
    return Q * R.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)
