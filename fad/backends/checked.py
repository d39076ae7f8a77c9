"""Run a program operation by operation and check every result (`debug_nans`).

Public names: `run_checked`.
"""

from __future__ import annotations

from typing import Any

from ..core.checks import check_results
from ..core.ir import Jaxpr, Lit, key_of
from ..core.trace import ambient

__all__ = ["run_checked"]


def run_checked(jaxpr: Jaxpr, *args: Any) -> list[Any]:
    """Evaluate a program on NumPy values.

    Raises:
        FloatingPointError: naming the operation and the line that it was written at.
    """
    env: dict[Any, Any] = dict(zip(jaxpr.inputs, args, strict=True))
    env.update(zip(jaxpr.const_vars, jaxpr.consts, strict=True))

    def read(atom: Any) -> Any:
        return atom.value if isinstance(atom, Lit) else env[key_of(atom)]

    with ambient(None):
        for eqn in jaxpr.eqns:
            outs = eqn.prim.impl(*map(read, eqn.inputs), **eqn.params)
            if not eqn.prim.multiple_results:
                outs = [outs]
            check_results(eqn.prim.name, outs, eqn.source)
            for atom, out in zip(eqn.outputs, outs, strict=True):
                env[key_of(atom)] = out
    return [
        v.aval.dtype.type(read(v)) if v.aval.weak else read(v) for v in jaxpr.outputs
    ]
