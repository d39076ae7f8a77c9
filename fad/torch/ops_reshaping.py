"""Views in place: ``x.t_()``, ``x.squeeze_()`` and the like give x another shape.

The tensor becomes the view that the function of the same name returns.

Public names: none; the methods are declared on `Tensor`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .declare import functions, method
from .inplace import check_inplace
from .node import node_type
from .tensor import Tensor

__all__: list[str] = []


def _become(x: Tensor, view: Tensor) -> Tensor:
    x.value, x.payload = view.value, view.payload
    x.storage.version += 1
    if x._view is not None and view._view is not None:
        x._view = view._view
        x._view.version = x.storage.version
    return x


def _in_place_node(cls: type) -> type:
    """Return the class of the node in place: its number follows all others."""
    name, number = cls.__name__[:-1], int(cls.__name__[-1])
    return node_type(f"{name}{number + (3 if name.startswith('Squeeze') else 1)}")


def _in_place(name: str) -> None:
    function: Callable[..., Any] = functions[name]

    def run(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        check_inplace(self, self.requires_grad)
        view = function(self, *args, **kwargs)
        if view.grad_fn is not None:
            view.payload.__class__ = _in_place_node(type(view.payload))
        return _become(self, view)

    run.__doc__ = f"Give the tensor the shape that `{name}` gives."
    method(f"{name}_")(run)


for _name in "t transpose swapaxes swapdims squeeze unsqueeze".split():
    _in_place(_name)
