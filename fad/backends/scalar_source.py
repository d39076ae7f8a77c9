"""Programs of scalars: Python's own floats and `math`, not NumPy's ufuncs.

A ufunc on a scalar costs about a microsecond, `math.sin` some 40 nanoseconds. A program
in which every value is a float64 or boolean scalar is written with Python's operators
and `math`. Where `math` raises, at a pole, a domain error or an overflow, NumPy's
program runs instead, which gives nan and infinities.

Public names: `is_scalar_program`, `scalar_program`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.ir import Eqn, Jaxpr, Lit, key_of

__all__ = ["is_scalar_program", "scalar_program"]

TABLE = {
    "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "div": "{} / {}",
    "neg": "-{}", "positive": "{}", "square": "{0} * {0}", "reciprocal": "1.0 / {}",
    "abs": "abs({})", "fabs": "abs({})", "power": "pow_({}, {})",
    "exp": "exp({})", "expm1": "expm1({})", "log": "log({})", "log1p": "log1p({})",
    "log2": "log2({})", "log10": "log10({})", "sqrt": "sqrt({})",
    "sin": "sin({})", "cos": "cos({})", "tan": "tan({})", "arcsin": "asin({})",
    "arccos": "acos({})", "arctan": "atan({})", "arctan2": "atan2({}, {})",
    "sinh": "sinh({})", "cosh": "cosh({})", "tanh": "tanh({})",
    "arcsinh": "asinh({})", "arccosh": "acosh({})", "arctanh": "atanh({})",
    "hypot": "hypot({}, {})", "copysign": "copysign({}, {})",
    "eq": "{} == {}", "ne": "{} != {}", "lt": "{} < {}", "le": "{} <= {}",
    "gt": "{} > {}", "ge": "{} >= {}", "logical_not": "not {}",
    "isnan": "isnan({})", "isinf": "isinf({})", "isfinite": "isfinite({})",
}  # fmt: skip
"""Python expressions by the scalar names that primitives are declared with."""

_MATH = {
    name: getattr(math, name)
    for name in (
        "exp expm1 log log1p log2 log10 sqrt sin cos tan asin acos atan atan2 sinh "
        "cosh tanh asinh acosh atanh hypot copysign isnan isinf isfinite"
    ).split()
}


def scalar_program(
    jaxpr: Jaxpr, fallback: Callable[..., list[Any]]
) -> Callable[..., list[Any]] | None:
    """Return a program on Python's numbers, or None where it would not be the same.

    Args:
        jaxpr: the program.
        fallback: the same by NumPy, for values at which `math` raises.
    """
    if not is_scalar_program(jaxpr):
        return None
    source = _source(jaxpr)
    names: dict[str, Any] = {
        **_MATH,
        "pow_": math.pow,
        "float64": np.float64,
        "bool_": np.bool_,
        "fallback": fallback,
    }
    exec(compile(source, "<fad scalar program>", "exec"), names)
    program: Callable[..., list[Any]] = names["program"]
    return program


def is_scalar_program(jaxpr: Jaxpr) -> bool:
    """Tell whether a program can run on Python's numbers."""
    if len(jaxpr.eqns) < 2 or jaxpr.effects or jaxpr.const_vars:
        return False
    if not all(_is_scalar(v) for v in (*jaxpr.inputs, *jaxpr.outputs)):
        return False
    if any(v.aval.weak for v in jaxpr.inputs):
        return False
    return all(_is_known(e) for e in jaxpr.eqns)


def _is_scalar(atom: Any) -> bool:
    aval = atom.aval
    if aval.shape:
        return False
    if isinstance(atom, Lit):
        return aval.dtype == np.float64 or (aval.weak and aval.dtype.kind in "ifb")
    return aval.dtype == np.float64 or aval.dtype == np.bool_


def _is_known(eqn: Eqn) -> bool:
    prim = eqn.prim
    if prim.multiple_results or not _is_scalar(eqn):
        return False
    known = prim.scalar in TABLE or prim.masking is not None and prim.pointwise
    if not known or eqn.params or not all(_is_scalar(v) for v in eqn.inputs):
        return False
    if prim.masking is not None:  # where(mask, x, y)
        return len(eqn.inputs) == 3 and all(
            v.aval.dtype == eqn.aval.dtype or isinstance(v, Lit) for v in eqn.inputs[1:]
        )
    boolean = [v.aval.dtype == np.bool_ for v in eqn.inputs]
    return not any(boolean) or prim.scalar == "logical_not"


def _source(jaxpr: Jaxpr) -> str:
    names = {key_of(v): f"v{i}" for i, v in enumerate(jaxpr.inputs)}
    arguments = ", ".join(f"x{i}" for i in range(len(jaxpr.inputs)))

    def read(atom: Any) -> str:
        if isinstance(atom, Lit):
            return _number(atom.value)
        return names[key_of(atom)]

    lines = []
    for i, v in enumerate(jaxpr.inputs):
        kind = "bool" if v.aval.dtype == np.bool_ else "float"
        lines.append(f"v{i} = {kind}(x{i})")
    for eqn in jaxpr.eqns:
        args = [read(v) for v in eqn.inputs]
        name = names[eqn] = f"v{len(names)}"
        if eqn.prim.masking is not None:
            mask, x, y = args
            lines.append(f"{name} = {x} if {mask} else {y}")
        else:
            lines.append(f"{name} = {TABLE[eqn.prim.scalar].format(*args)}")
    outs = ", ".join(
        f"{'bool_' if v.aval.dtype == np.bool_ else 'float64'}({read(v)})"
        for v in jaxpr.outputs
    )
    body = "\n        ".join([*lines, f"return [{outs}]"])
    return (
        f"def program({arguments}):\n"
        f"    try:\n        {body}\n"
        f"    except (ValueError, OverflowError, ZeroDivisionError):\n"
        f"        return fallback({arguments})\n"
    )


def _number(value: Any) -> str:
    number = float(value)
    if math.isnan(number) or math.isinf(number):
        return f"float({str(number)!r})"
    return f"({number!r})"
