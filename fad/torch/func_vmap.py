"""`torch.vmap`: a function of one example becomes one of a stack of them.

Public names: `vmap`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..api import vmap as fad_vmap
from ..core.errors import TracerBoolConversionError
from ..core.pytree import (
    PytreeMismatchError,
    broadcast_prefix,
    tree_flatten,
    tree_unflatten,
)
from ..ops.shape import move_axis
from .modes import changed, current
from .random import default_generator
from .tape import functional
from .tensor import Tensor, tensor_of

__all__ = ["vmap"]

Function = Callable[..., Any]
_CONTROL_FLOW = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent "
    "control flow. We don't support that yet, please file an issue at "
    "https://github.com/pytorch/pytorch/issues ."
)


def ordered(tree: Any, like: Any) -> Any:
    """Give the dictionaries of a tree the order of those of another.

    fad sorts keys; PyTorch keeps their order.
    """
    if isinstance(like, dict) and isinstance(tree, dict):
        return type(tree)({k: ordered(tree[k], v) for k, v in like.items()})
    if type(like) in (tuple, list) and type(tree) is type(like):
        return type(like)([ordered(t, v) for t, v in zip(tree, like, strict=True)])
    return tree


def _is_leaf(x: Any) -> bool:
    return x is None or isinstance(x, Tensor)


def _name(func: Any) -> str:
    if hasattr(func, "__name__"):
        return str(func.__name__)
    if isinstance(func, functools.partial):
        return f"functools.partial({_name(func.func)}, ...)"
    return repr(func)


def vmap(
    func: Function,
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Function:
    """Return a function that maps `func` over a dimension of tensors, all at once.

    Args:
        in_dims: which dimension of each argument is mapped; None for arguments that
            are the same for all.
        out_dims: where the mapped dimension is in the outputs.
        randomness: what random numbers are: an "error", the "same" for all examples,
            or "different".
        chunk_size: how many examples to do at a time.

    Raises:
        ValueError: dimensions do not fit the arguments, or sizes differ.

    >>> from fad import torch
    >>> torch.vmap(torch.dot)(torch.eye(2), torch.tensor([[1., 2.], [3., 4.]]))
    tensor([1., 4.])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            "Only allowed values for randomness are 'error', 'different', or 'same'. "
            f"Got {randomness}"
        )
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(
            f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})"
        )

    @functools.wraps(func, updated=())
    def mapped(*args: Any, **kwargs: Any) -> Any:
        _check_out_dims(func, out_dims)
        leaves, tree, dims = _arguments(func, in_dims, args)
        _check_sizes(leaves, dims)
        places = [i for i, d in enumerate(dims) if d is not None]

        shown: dict[str, Any] = {}

        repeated = chunk_size is not None and randomness == "same"
        start = default_generator.get_state() if repeated else None

        def one(*examples: Any) -> list[Any]:
            full = list(leaves)
            for i, v in zip(places, examples, strict=True):
                full[i] = v
            if start is not None:  # every chunk draws the same numbers
                default_generator.set_state(start)
            mode = (functional(examples[0]).owner, randomness)
            with changed(mapped=(*current().mapped, mode)):
                out = func(*tree_unflatten(tree, full), **kwargs)
            outs, shown["tree"], shown["dims"] = _outputs(func, out_dims, out)
            pairs = list(zip(outs, shown["dims"], strict=True))
            shown["like"] = out
            shown["plain"] = [o for o, d in pairs if d is None]
            return [o for o, d in pairs if d is not None]

        axes = tuple([dims[i] for i in places])
        run = fad_vmap(one, axes, 0, chunk_size=chunk_size)
        try:
            found = iter(run(*[leaves[i] for i in places]))
        except TracerBoolConversionError as error:
            raise RuntimeError(_CONTROL_FLOW) from error
        plain = iter(shown["plain"])
        results = [
            next(plain) if d is None else _placed(next(found), d) for d in shown["dims"]
        ]
        return ordered(tree_unflatten(shown["tree"], results), shown["like"])

    return mapped


def _placed(stacked: Tensor, dim: int) -> Tensor:
    """Move the mapped dimension from the front to where it is wanted."""
    if dim == 0:
        return stacked
    if not -stacked.ndim <= dim < stacked.ndim:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-stacked.ndim}, "
            f"{stacked.ndim - 1}], but got {dim})"
        )
    return tensor_of(move_axis(functional(stacked), 0, dim % stacked.ndim))


def _arguments(
    func: Function, in_dims: Any, args: tuple[Any, ...]
) -> tuple[list[Any], Any, list[Any]]:
    """Return the leaves of the arguments, their structure, and the mapped dimensions."""
    start = f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"{start}expected `in_dims` to be int or a (potentially nested) tuple "
            f"matching the structure of inputs, got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({_name(func)})(<inputs>): got no inputs. Maybe you forgot to add "
            "inputs, or you are trying to vmap over a function with no inputs. The "
            "latter is unsupported."
        )
    leaves, tree = tree_flatten(args, is_leaf=_is_leaf)
    marks = tree_unflatten(tree, [object() for _ in leaves])
    try:
        dims = broadcast_prefix(in_dims, marks, is_leaf=lambda x: x is None)
    except PytreeMismatchError:
        raise ValueError(
            f"{start}in_dims is not compatible with the structure of `inputs`. in_dims "
            f"has structure {tree_flatten(in_dims, is_leaf=_is_leaf)[1]} but inputs "
            f"has structure {tree}."
        ) from None
    return leaves, tree, [_dim(start, v, d) for v, d in zip(leaves, dims, strict=True)]


def _dim(start: str, value: Any, dim: Any) -> int | None:
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise ValueError(
            f"{start}Got in_dim={dim} for an input but in_dim must be either an "
            "integer dimension or None."
        )
    if not isinstance(value, Tensor):
        raise ValueError(
            f"{start}Got in_dim={dim} for an input but the input is of type "
            f"{type(value)}. We cannot vmap over non-Tensor arguments, please use None "
            "as the respective in_dim"
        )
    rank = value.ndim
    if not -rank <= dim < rank:
        raise ValueError(
            f"{start}Got in_dim={dim} for some input, but that input is a Tensor of "
            f"dimensionality {rank} so expected in_dim to satisfy -{rank} <= in_dim < "
            f"{rank}."
        )
    return dim % rank


def _check_sizes(leaves: Sequence[Any], dims: Sequence[int | None]) -> None:
    sizes = [v.shape[d] for v, d in zip(leaves, dims, strict=True) if d is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(n != sizes[0] for n in sizes):
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, "
            f"got sizes {sizes} for the mapped dimension"
        )


def _check_out_dims(func: Function, out_dims: Any) -> None:
    for d in tree_flatten(out_dims, is_leaf=_is_leaf)[0]:
        if d is not None and not isinstance(d, int):
            raise ValueError(
                f"vmap({_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an "
                "int, None or a python collection of ints representing where in the "
                "outputs the vmapped dimension should appear."
            )


def _outputs(
    func: Function, out_dims: Any, out: Any
) -> tuple[list[Any], Any, list[Any]]:
    """Return the leaves of the outputs, their structure and their dimensions."""
    name = _name(func)
    outs, tree = tree_flatten(out, is_leaf=_is_leaf)
    if isinstance(out, Tensor) and isinstance(out_dims, tuple) and len(out_dims) == 1:
        (out_dims,) = out_dims
    marks = tree_unflatten(tree, [object() for _ in outs])
    try:
        dims = broadcast_prefix(out_dims, marks, is_leaf=lambda x: x is None)
    except PytreeMismatchError:
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not "
            "compatible with the structure of `outputs`. out_dims has structure "
            f"{tree_flatten(out_dims, is_leaf=_is_leaf)[1]} but outputs has structure "
            f"{tree}."
        ) from None
    for o, d in zip(outs, dims, strict=True):
        if d is not None and not isinstance(o, Tensor):
            raise ValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type "
                f"{type(o)}. Did you mean to set out_dims= to None for output?"
            )
    return outs, tree, dims
