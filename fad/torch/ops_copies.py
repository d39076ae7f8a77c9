"""The views' twins that return copies: `view_copy`, `transpose_copy` and the like.

Each runs the view's own operations (`fad.torch.view_steps`) as one node and copies.

Public names: none; the functions are declared into `fad.torch`.
"""

from __future__ import annotations

from typing import Any

from ..core.trace import Tracer
from ..ops.arithmetic import copy
from .composite import CompositeNode, record_composite
from .declare import function, functions
from .node import node_type
from .tensor import Tensor
from .view_steps import replay

__all__: list[str] = []

_VIEWS = """
    as_strided diagonal expand permute select split split_with_sizes squeeze t transpose
    unbind unfold unsqueeze view
""".split()


def _copied(node: str, view: Any, x: Tensor, args: Any, options: Any) -> Any:
    """Return what a view of `x` shows, copied, as one node; or each of several."""
    if isinstance(x.value, Tracer):
        seen = view(x, *args, **options)
        several = isinstance(seen, (tuple, list))
        parts = [functions["clone"](v) for v in (seen if several else [seen])]
        return tuple(parts) if several else parts[0]
    seen = view(x.detach(), *args, **options)  # type: ignore[attr-defined]
    several = isinstance(seen, (tuple, list))
    steps = [_steps(v) for v in (seen if several else [seen])]

    def run(x: Any) -> Any:
        outs = tuple(copy(replay(s, x)) for s in steps)
        return outs if several else outs[0]

    return record_composite(node_type(f"{node}_copy", CompositeNode), run, [x])


def _steps(view: Tensor) -> Any:
    return () if view._view is None else view._view.steps


def _declare(name: str, view: Any) -> None:
    camel = "".join(part.capitalize() for part in name.split("_"))

    def call(input: Tensor, *args: Any, **options: Any) -> Any:
        return _copied(f"{camel}Backward0", view, input, args, options)

    call.__doc__ = f"Return a copy of what `{name}` shows."
    function(f"{name}_copy", methods=False, out=False)(call)


def _named(name: str) -> Any:
    """Return a view by name; it may be declared later."""

    def view(x: Tensor, *args: Any, **options: Any) -> Any:
        return getattr(x, name)(*args, **options)

    return view


_OF_FUNCTIONS = ("view_as_complex", "view_as_real")
for _name in _VIEWS:
    _declare(_name, _named(_name))
for _name in _OF_FUNCTIONS:
    _declare(_name, lambda x, name=_name: functions[name](x))
_declare("alias", lambda x: x)
_declare("detach", lambda x: x.detach())


def _slice(
    input: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Any:
    key = [slice(None)] * input.ndim
    key[dim] = slice(start, end, step)
    return input[tuple(key)]  # type: ignore[index]


_declare("slice", _slice)
