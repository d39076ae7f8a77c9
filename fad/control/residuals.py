"""`print_saved_residuals`: what the reverse pass of a function will keep.

Public names: `print_saved_residuals`, `saved_residuals`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.avals import Aval
from ..core.ir import Jaxpr, Lit, Var
from ..core.pytree import tree_flatten, tree_unflatten
from ..core.pytree_paths import keystr
from ..core.pytree_with_path import tree_flatten_with_path
from ..transforms.partial import split
from ..transforms.staging import stage
from .static import check_leaf

__all__ = ["print_saved_residuals", "saved_residuals"]


def saved_residuals(
    fun: Callable[..., Any], *args: Any, **kwargs: Any
) -> list[tuple[Aval, str]]:
    """Return the aval and the origin of every value kept for the reverse pass.

    Args:
        fun: a function of pytrees of arrays.
        args, kwargs: its arguments; it is traced, not run.
    """
    leaves, tree = tree_flatten((args, kwargs))
    avals = [check_leaf(v, "saved_residuals: arguments") for v in leaves]

    def flat(*boxes: Any) -> list[Any]:
        new_args, new_kwargs = tree_unflatten(tree, boxes)
        return tree_flatten(fun(*new_args, **new_kwargs))[0]

    jaxpr = stage(flat, avals)
    parts = split(jaxpr, [a.dtype.kind in "fc" for a in avals])
    paths = [path for path, _ in tree_flatten_with_path((args, kwargs))[0]]
    names = {
        v: f"from the argument {_argument(p)}"
        for v, p in zip(parts.fwd.inputs, paths, strict=True)
    }
    holes = parts.fwd.outputs[parts.num_outs :]
    return [(h.aval, _origin(h, names)) for h in holes]


def _argument(path: Any) -> str:
    group, where, *rest = path
    first = getattr(where, "idx", getattr(where, "key", where))
    name = first if isinstance(first, str) else f"args[{first}]"
    return f"{name}{keystr(tuple(rest))}"


def _origin(atom: Any, names: dict[Any, str]) -> str:
    if isinstance(atom, Lit):
        return "a number in the program"
    if isinstance(atom, Var):
        return names.get(atom, "from a constant")
    eqn = atom.eqn
    inner = eqn.params.get("jaxpr")
    if isinstance(inner, Jaxpr) and eqn.prim.kind == "higher-order":
        inside = dict(
            zip(inner.inputs, (_origin(v, names) for v in eqn.inputs), strict=False)
        )
        origin = _origin(inner.outputs[atom.index], inside)
        return f"{origin}, inside {eqn.prim.name}"
    what = (
        f"named {eqn.params['name']!r}"
        if eqn.prim.name == "name"
        else (f"output of {eqn.prim.name}")
    )
    return f"{what} from {eqn.source}" if eqn.source else what


def print_saved_residuals(fun: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Print what a function's reverse pass keeps: aval and origin, one a line.

    >>> import fad, numpy as np
    >>> fad.print_saved_residuals(lambda x: np.exp(x), np.zeros(3))
    f64[3] output of exp from <doctest ...>:1 ...
    """
    for aval, origin in saved_residuals(fun, *args, **kwargs):
        print(aval, origin)
