"""The named tuples that functions with several results return: ``torch.return_types``.

    values, indices = x.max(dim=0)
    x.max(dim=0).values

Public names: `returned`, and one class for each function.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

__all__ = ["returned"]

_FIELDS = {
    "max min median nanmedian mode sort topk kthvalue cummax cummin": "values indices",
    "aminmax": "min max",
    "histogram histogramdd": "hist bin_edges",
    "linalg_qr qr": "Q R",
    "linalg_svd": "U S Vh",
    "svd": "U S V",
    "linalg_eigh linalg_eig": "eigenvalues eigenvectors",
    "linalg_slogdet": "sign logabsdet",
    "slogdet": "sign logabsdet",
    "linalg_lu lu_unpack": "P L U",
    "linalg_lu_factor": "LU pivots",
    "linalg_lu_factor_ex": "LU pivots info",
    "linalg_ldl_factor": "LD pivots",
    "linalg_ldl_factor_ex": "LD pivots info",
    "linalg_lstsq": "solution residuals rank singular_values",
    "linalg_cholesky_ex": "L info",
    "linalg_inv_ex": "inverse info",
    "linalg_solve_ex": "result info",
    "frexp": "mantissa exponent",
    "triangular_solve": "solution cloned_coefficient",
    "geqrf": "a tau",
}


def _shown(self: Any) -> str:
    parts = (f"{n}={v!r}" for n, v in zip(self._fields, self, strict=True))
    joined = ",\n".join(parts)
    return f"torch.return_types.{type(self).__name__}(\n{joined})"


def _named(name: str, fields: str) -> type:
    plain = namedtuple(name, fields)  # type: ignore[misc]
    body = {"__slots__": (), "__repr__": _shown, "__module__": __name__}
    return type(name, (plain,), body)


def returned(name: str, *values: Any) -> Any:
    """Return the results of a function as its named tuple."""
    return globals()[name](*values)


for _names, _fields in _FIELDS.items():
    for _name in _names.split():
        globals()[_name] = _named(_name, _fields)
