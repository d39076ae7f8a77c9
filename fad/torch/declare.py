"""How functions of torch are declared: once, as a function, a method and in place.

    @function("sum")                     torch.sum and Tensor.sum
    @function("add", inplace=True)       torch.add, Tensor.add, Tensor.add_, and out=
    @function(methods=False)             torch.cat only

The decorated function takes tensors and returns tensors; the decorator adds what all
functions have in common. `unary`, `binary` and `composite` make such functions:

    unary("sin", elementary.sin)                     torch.sin: one primitive
    unary("ceil", flat(piecewise.ceil))              one node of several primitives
    binary("atan2", elementary.arctan2)              with broadcasting and promotion
    composite("MseLossBackward0", mse)(x, y)         inside any function

In place means: compute out of place, write, and hand the history over
(`fad.torch.inplace`), so no function is written twice.

Public names: `function`, `method`, `unary`, `binary`, `composite`, `functions`, `flat`,
`camel`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.primitive import Primitive
from ..core.trace import Tracer
from ..ops.comparison import where
from .compiled import Memo
from .composite import CompositeNode, record_composite
from .dtypes import combined, default_float
from .inplace import write_into, write_out
from .misuse import restated
from .node import node_type
from .tape import record
from .tensor import Tensor, tensor_of

__all__ = [
    "as_operand",
    "binary",
    "camel",
    "composite",
    "flat",
    "function",
    "functions",
    "method",
    "promoted",
    "unary",
]

functions: dict[str, Callable[..., Any]] = {}
"""What the namespace `torch` holds besides classes and modules."""

_ndarray = np.ndarray
_NUMBERS = (bool, int, float, complex)


def function(
    name: str | None = None,
    *aliases: str,
    methods: bool = True,
    namespace: bool = True,
    inplace: bool = False,
    out: bool = True,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a function of the namespace and a method of tensors.

    Args:
        name: its name, by default that of the Python function.
        aliases: other names.
        methods: it is a method, on its first argument.
        namespace: it is in the namespace `torch`.
        inplace: there is a method ``name_`` that writes the result into the tensor.
        out: it takes ``out=``.
    """

    def declare(python: Callable[..., Any]) -> Callable[..., Any]:
        first = name or python.__name__
        if "dim" in inspect.signature(python).parameters:
            python = _with_numpy_names(python)
        python.__qualname__ = first  # what Python's own errors show
        public = _with_out(python, first) if out else python
        public.__name__ = public.__qualname__ = first
        for n in (first, *aliases):
            if namespace:
                functions[n] = public
            if methods:
                setattr(Tensor, n, python)
            if inplace:
                _declare_inplace(n, python)
        return public

    return declare


def _with_numpy_names(python: Callable[..., Any]) -> Callable[..., Any]:
    """Take NumPy's names for ``dim`` and ``keepdim`` too, as PyTorch does."""

    @functools.wraps(python)
    def renamed(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            for given, known in (("axis", "dim"), ("keepdims", "keepdim")):
                if given in kwargs:
                    kwargs[known] = kwargs.pop(given)
        return python(*args, **kwargs)

    return renamed


def _declare_inplace(name: str, python: Callable[..., Any]) -> None:
    """Make ``Tensor.name_`` and, where it is a function too, ``torch.name_``."""

    @functools.wraps(python)
    def in_place(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return write_into(self, python, args, kwargs)

    in_place.__name__ = in_place.__qualname__ = f"{name}_"
    setattr(Tensor, f"{name}_", in_place)
    functions[f"{name}_"] = in_place


def _with_out(python: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return the function of the namespace: it takes `out`, and says what is wrong."""

    @functools.wraps(python)
    def public(*args: Any, **kwargs: Any) -> Any:
        try:
            target = kwargs.pop("out", None) if kwargs else None
            if target is None:
                return python(*args, **kwargs)
            return write_out(target, python, args, kwargs)
        except (TypeError, AttributeError) as error:
            known = restated(name, python, args, error)
            if known is None:
                raise
            raise known from error

    return public


def method(
    name: str | None = None, *aliases: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a method of tensors that is no function of the namespace."""
    return function(name, *aliases, namespace=False, out=False)


def camel(name: str) -> str:
    """Return the name PyTorch gives the node of a function: log1p -> Log1PBackward0."""
    return name.strip("_").title().replace("_", "") + "Backward0"


def unary(
    name: str,
    fun: Primitive | Callable[..., Any],
    *aliases: str,
    node: str | None = None,
    floating: bool = False,
    methods: bool = True,
    inplace: bool = True,
) -> Callable[..., Any]:
    """Declare a function of one tensor.

    Args:
        fun: a primitive of fad, or a function over fad's operations.
        node: the node's name, by default after `name`.
        floating: integers and booleans are converted to the default dtype first.
    """
    apply = operation(node or camel(name), fun)

    def call(input: Tensor) -> Any:
        dtype = None
        if floating and input.value.dtype.kind in "biu":
            dtype = default_float()
        return apply((input,), dtype)

    call.__doc__ = f"Return {name} of every element of a tensor."
    return function(name, *aliases, methods=methods, inplace=inplace)(call)


def operation(
    node: str, fun: Primitive | Callable[..., Any], cls: type | None = None
) -> Callable[..., Tensor]:
    """Return `apply(boxes, dtype)` that records a primitive or composite as `node`.

    The node of a composite may be of a class of its own, `cls`.
    """
    if isinstance(fun, Primitive):
        cls = node_type(node)
        return lambda boxes, dtype=None: record(fun, cls, boxes, {}, dtype)
    several = node_type(node, CompositeNode) if cls is None else cls
    memo = Memo() if cls is None else None

    def apply(boxes: Sequence[Any], dtype: Any = None) -> Tensor:
        run = fun if dtype is None else _casting(fun, dtype)
        result: Tensor = record_composite(several, run, boxes, memo, {"dtype": dtype})
        return result

    return apply


def _casting(fun: Callable[..., Any], dtype: np.dtype[Any]) -> Callable[..., Any]:
    from ..ops.arithmetic import convert

    def run(*args: Any) -> Any:
        return fun(
            *[
                convert(a, dtype=dtype)
                if isinstance(a, (np.ndarray, Tracer)) and a.dtype != dtype
                else a
                for a in args
            ]
        )

    return run


def composite(node: str, fun: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of tensors that is one node, from one over fad's operations.

    Keyword arguments are parameters: they are passed on as they are.

    >>> from fad import torch
    >>> x = torch.tensor(2., requires_grad=True)
    >>> composite("CubeBackward0", lambda x, *, n: x * x * n)(x, n=3)
    tensor(12., grad_fn=<CubeBackward0>)
    """
    cls, memo = node_type(node, CompositeNode), Memo()

    def call(*boxes: Any, **params: Any) -> Any:
        run = functools.partial(fun, **params) if params else fun
        return record_composite(cls, run, boxes, memo, params)

    return call


def flat(fun: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function with the gradient zero, where PyTorch gives it a node."""
    return lambda x: where(False, x, fun(x))


def binary(
    name: str,
    fun: Primitive | Callable[..., Any],
    *aliases: str,
    node: str | None = None,
    floating: bool = False,
    inplace: bool = True,
    methods: bool = True,
    cls: type | None = None,
) -> Callable[..., Any]:
    """Declare a function of two operands, broadcast and promoted.

    Args:
        fun: a primitive of fad, or a function over fad's operations.
        node: the node's name, by default after `name`.
        floating: integers and booleans are converted to the default dtype.
        cls: the class of the node, if it is one of its own.
    """
    apply = operation(node or camel(name), fun, cls)

    def call(input: Any, other: Any) -> Any:
        x, y = input, other
        if x.__class__ is not Tensor or y.__class__ is not Tensor:
            x, y = as_operand(x), as_operand(y)
        return with_sizes(apply, x, y, promoted(x, y, floating))

    call.__doc__ = f"Return {name} of two tensors, element by element."
    return function(name, *aliases, methods=methods, inplace=inplace)(call)


def with_sizes(apply: Callable[..., Any], x: Any, y: Any, dtype: Any) -> Any:
    """Apply an operation; say it as PyTorch does if the shapes do not broadcast."""
    try:
        return apply((x, y), dtype)
    except ValueError as error:
        mismatch = size_mismatch(x, y)
        if mismatch is None:
            raise
        raise RuntimeError(mismatch) from error


def size_mismatch(x: Any, y: Any) -> str | None:
    """Say where two shapes do not broadcast, None if they do."""
    a, b = (getattr(t, "shape", ()) for t in (x, y))
    rank = max(len(a), len(b))
    for i in range(1, rank + 1):
        m = a[-i] if i <= len(a) else 1
        n = b[-i] if i <= len(b) else 1
        if m != n and m != 1 and n != 1:
            return (
                f"The size of tensor a ({m}) must match the size of tensor b ({n}) at "
                f"non-singleton dimension {rank - i}"
            )
    return None


def as_operand(x: Any) -> Any:
    """Return an operand as a tensor or a Python number.

    Raises:
        TypeError: it is neither, nor an array.
    """
    if isinstance(x, Tensor) or x.__class__ in _NUMBERS:
        return x
    if isinstance(x, (Tracer, np.ndarray)):
        return tensor_of(x)
    if isinstance(x, np.generic):
        return x.item()
    if isinstance(x, _NUMBERS):
        return x
    raise TypeError(
        f"an operand must be a Tensor or a number, but found {type(x).__name__}"
    )


def promoted(x: Any, y: Any, floating: bool = False) -> np.dtype[Any] | None:
    """Return the dtype to cast two operands to, None if they need no cast."""
    if isinstance(x, Tensor):
        a = x.value.dtype
        if isinstance(y, Tensor):
            if a is y.value.dtype and (not floating or a.kind in "fc"):
                return None
        elif y.__class__ in _NUMBERS and a.kind in _ABSORBS[y.__class__]:
            return None
    dtype = combined([_category(v) for v in (x, y)])
    return default_float() if floating and dtype.kind in "biu" else dtype


_ABSORBS = {bool: "fc", int: "fc", float: "fc", complex: "c"}
"""The kinds of arrays whose dtype a Python number does not change."""


def _category(x: Any) -> tuple[int, Any]:
    return (x.ndim, x.aval.dtype) if isinstance(x, Tensor) else (-1, x)
