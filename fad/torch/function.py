"""autograd.Function: operations with a backward that the user writes.

`Function.apply` runs `forward` without recording and makes one node, which calls
`backward` with tensors. With `create_graph` that call is recorded, so a backward written
with differentiable operations has derivatives of its own.

Public names: `Function`, `FunctionNode`, `once_differentiable`, `Context`.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.ir import Out, next_serial
from ..core.trace import Tracer, aval_of
from .engine import as_grad
from .inplace import check_inplace, rebase
from .modes import changed, current, no_grad
from .node import Node, node_type
from .saving import FREED, modified
from .tensor import Tensor, tensor_of, wrap
from .views import Origin

__all__ = ["Context", "Function", "FunctionNode", "once_differentiable"]

_new = object.__new__


class Context:
    """What `forward` and `backward` share: ``ctx``.

    Attributes:
        needs_input_grad: for each argument, whether its gradient will be used.
    """

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self._to_save: tuple[Any, ...] = ()
        self._saved: list[Any] | None = []
        self._dirty: tuple[Any, ...] = ()
        self._constant: tuple[Any, ...] = ()
        self._materialize = True
        self._node: Any = None

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for backward; they are checked for in-place writes."""
        for i, t in enumerate(tensors):
            if t is not None and not isinstance(t, Tensor):
                raise TypeError(
                    "save_for_backward can only save variables, but argument "
                    f"{i} is of type {type(t).__name__}"
                )
        self._to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors for `jvp`."""
        self._for_forward = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Declare arguments that `forward` has written to in place."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Declare outputs that have no gradient."""
        self._constant = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Choose whether backward gets zeros, or None, for unused outputs."""
        self._materialize = value

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors given to `save_for_backward`.

        Raises:
            RuntimeError: they have been freed, or written to in place.
        """
        if self._saved is None:
            raise RuntimeError(FREED)
        return tuple([s.read(self._node) for s in self._saved])

    saved_variables = saved_tensors

    def _settle(self, node: FunctionNode, outputs: Sequence[Any]) -> None:
        """Bind what was saved to the node, without a cycle through its outputs."""
        self._node = weakref.ref(node)
        positions = {id(o): i for i, o in enumerate(outputs) if isinstance(o, Tensor)}
        self._saved = [_SavedTensor(t, positions.get(id(t))) for t in self._to_save]
        self._to_save = ()


class _SavedTensor:
    """A tensor kept for backward; an output is kept without its node."""

    __slots__ = ("tensor", "value", "output", "storage", "version", "unpack")

    def __init__(self, tensor: Tensor | None, output: int | None) -> None:
        self.output = output
        self.tensor: Any = None if output is not None else tensor
        self.value = None if tensor is None else tensor.value
        self.storage = None if tensor is None else tensor.storage
        self.version = 0 if self.storage is None else self.storage.version
        self.unpack: Any = None
        hooks = current().saved_hooks
        if hooks and tensor is not None and output is None:
            pack, self.unpack = hooks[-1]
            self.tensor = pack(tensor)

    def read(self, node: Any) -> Any:
        if self.storage is None:
            return None
        if self.unpack is not None:
            return self.unpack(self.tensor)
        if self.storage.version != self.version:
            atom = node() if self.output is not None else self.tensor.payload
            raise RuntimeError(
                modified(self.value, atom, self.storage, self.version)
            )
        if self.output is None:
            return self.tensor
        owner = node()
        out = wrap(self.value, owner.output(self.output))
        out._storage = self.storage
        return out


class FunctionNode(Node):
    """A call of a `Function`.

    Attributes:
        function: the class.
        ctx: its context.
        positions: the argument that each input is.
    """

    __slots__ = ("function", "ctx", "positions", "arguments")
    function: Any
    ctx: Context
    positions: Sequence[int]
    arguments: int

    def output(self, i: int) -> Any:
        """Return the atom of an output."""
        if not isinstance(self.aval, list):
            return self
        return None if self.aval[i] is None else Out(self, i, self.aval[i])

    def pull(self, ct: Any, create: bool) -> Sequence[Any]:
        cts = list(ct) if isinstance(self.aval, list) else [ct]
        avals = self.aval if isinstance(self.aval, list) else [self.aval]
        if self.ctx._materialize:
            cts = [
                np.zeros(a.shape, a.dtype) if c is None and a is not None else c
                for c, a in zip(cts, avals, strict=True)
            ]
        grads = [None if c is None else tensor_of(c) for c in cts]
        with changed(grad=create):
            found = self.backward_of(self.function)(self.ctx, *grads)
        return self._checked(found if isinstance(found, tuple) else (found,))

    @staticmethod
    def backward_of(function: Any) -> Callable[..., Any]:
        """Return the backward of a `Function` class: `backward` or `vjp`."""
        backward, vjp = function.backward, function.vjp
        if backward is not Function.backward and vjp is not Function.vjp:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not "
                "allowed. You should only implement one of them."
            )
        chosen: Callable[..., Any] = vjp if vjp is not Function.vjp else backward
        return chosen

    def _checked(self, found: tuple[Any, ...]) -> Sequence[Any]:
        """Check what backward returned; return the gradients of the inputs."""
        extra = found[self.arguments :]
        if len(found) < self.arguments or any(g is not None for g in extra):
            raise RuntimeError(
                f"function {type(self).__name__} returned an incorrect number of "
                f"gradients (expected {self.arguments}, got {len(found)})"
            )
        for i, g in enumerate(found[: self.arguments]):
            if g is not None and not isinstance(g, Tensor):
                raise RuntimeError(
                    f"expected Variable or None (got {type(g).__name__})"
                )
            if g is not None and i not in self.positions:
                raise RuntimeError(
                    f"function {type(self).__name__} returned a gradient different from "
                    f"None at position {i + 1}, but the corresponding forward input was "
                    "not a Variable"
                )
        return [
            self._fitted(n, found[i], atom)
            for n, (i, atom) in enumerate(zip(self.positions, self.inputs, strict=True))
        ]

    def _fitted(self, n: int, grad: Tensor | None, atom: Any) -> Any:
        if grad is None or atom is None:
            return None
        given, wanted = list(grad.shape), list(atom.aval.shape)
        if given != wanted and not _reducible(given, wanted):
            raise RuntimeError(
                f"Function {type(self).__name__} returned an invalid gradient at index "
                f"{n} - got {given} but expected shape compatible with {wanted}"
            )
        return as_grad(grad, atom)

    def release(self) -> None:
        if self.ctx._saved:
            self.ctx._saved = None

    def __getattr__(self, name: str) -> Any:
        if name in ("ctx", "function"):
            raise AttributeError(name)
        return getattr(self.ctx, name)


def _reducible(given: list[int], wanted: list[int]) -> bool:
    """Tell whether a gradient can be summed to the wanted shape."""
    if len(given) < len(wanted):
        return False
    tail = given[len(given) - len(wanted) :]
    return all(w in (1, g) for g, w in zip(tail, wanted, strict=True))


class Function:
    """Base class of operations with a backward of their own.

    >>> from fad import torch
    >>> class Double(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         return grad * 2
    >>> Double.apply(torch.tensor([1.], requires_grad=True))
    tensor([2.], grad_fn=<DoubleBackward>)
    """

    generate_vmap_rule = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(
            f"{type(self).__name__} is not meant to be instantiated: call its apply()"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs; the subclass defines it."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Save what backward needs, if `forward` takes no ctx."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Compute the gradients of the inputs; the subclass defines it."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Compute the tangents of the outputs; the subclass defines it."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it "
            "with forward mode AD."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Call the operation and record it as one node."""
        tensors = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        if any(isinstance(args[i].value, Tracer) for i in tensors):
            from .function_transforms import apply_in_transform

            return apply_in_transform(cls, args)
        needs = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        ctx = context_of(cls, needs)
        with no_grad():
            outputs = call_forward(cls, ctx, args, kwargs)
        recording = current().grad and any(needs)
        return _finished(cls, ctx, args, tensors, outputs, recording)


def call_forward(cls: Any, ctx: Context, args: Any, kwargs: Any) -> Any:
    """Run forward, in the style that the class uses."""
    if cls.setup_context is Function.setup_context:
        return cls.forward(ctx, *args, **kwargs)
    outputs = cls.forward(*args, **kwargs)
    cls.setup_context(ctx, args, outputs)
    return outputs


@functools.cache
def _context_type(name: str) -> type:
    return type(name, (Context,), {"__module__": "fad.torch"})


def context_of(cls: Any, needs: tuple[bool, ...]) -> Context:
    """Return a new context, of a class with PyTorch's name."""
    made: Context = _context_type(f"{cls.__name__}Backward")(needs)
    return made


def _finished(
    cls: Any,
    ctx: Context,
    args: Sequence[Any],
    tensors: Sequence[int],
    outputs: Any,
    recording: bool,
) -> Any:
    """Make the node, and give it to the outputs."""
    single = not isinstance(outputs, tuple)
    results = [outputs] if single else list(outputs)
    node = _node_of(cls, ctx, args, tensors, recording)
    avals = [_aval_of(o, ctx) for o in results]
    node.aval = avals[0] if single else avals
    if recording:
        ctx._settle(node, results)
    else:
        ctx._saved = [_SavedTensor(t, None) for t in ctx._to_save]
    final = [
        _output(o, node, i, ctx, args, recording) for i, o in enumerate(results)
    ]
    return final[0] if single else tuple(final)


def _aval_of(out: Any, ctx: Context) -> Any:
    return aval_of(out.value) if isinstance(out, Tensor) else None


def _node_of(
    cls: Any, ctx: Context, args: Sequence[Any], tensors: Sequence[int], recording: bool
) -> FunctionNode:
    node: FunctionNode = _new(node_type(f"{cls.__name__}Backward", FunctionNode))
    node.function, node.ctx = cls, ctx
    node.positions, node.arguments = tensors, len(args)
    node.inputs = [args[i].atom if recording else None for i in tensors]
    node.residuals = node.saved = ()
    node.hooks = node.extra = None
    node.serial = next_serial()
    return node


def _output(
    out: Any, node: FunctionNode, i: int, ctx: Context, args: Sequence[Any], recording: bool
) -> Any:
    if not isinstance(out, Tensor):
        return out
    dirty = any(out is d for d in ctx._dirty)
    if dirty:
        if recording and out.requires_grad and out.is_leaf:
            raise RuntimeError(
                "a leaf Variable that requires grad has been used in an in-place "
                "operation."
            )
        check_inplace(out, recording and out.requires_grad)
    elif any(out is a for a in args) or out._leaf_requires or out.payload is not None:
        out = _alias(out)
    if not recording or not out.is_differentiable() or any(
        out is c for c in ctx._constant
    ):
        return out
    if dirty:
        rebase(out, node.output(i))
    else:
        if out._view is not None:
            out._view.origin = Origin.FUNCTION
        out.payload = node.output(i)
    return out


def _alias(tensor: Tensor) -> Tensor:
    out = wrap(tensor.value)
    out._storage = tensor.storage
    return out


class _RefusingNode(Node):
    """The node of a gradient that cannot be differentiated again."""

    __slots__ = ()

    def pull(self, ct: Any, create: bool) -> Sequence[Any]:
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with "
            "@once_differentiable"
        )


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Declare that a backward has no derivative of its own."""

    @functools.wraps(backward)
    def wrapper(ctx: Any, *args: Any) -> Any:
        with no_grad():
            outputs = backward(ctx, *args)
        atoms = [a.atom for a in args if isinstance(a, Tensor) and a.requires_grad]
        if not current().grad or not atoms:
            return outputs
        several = isinstance(outputs, tuple)
        found = outputs if several else (outputs,)
        refused = tuple([_refusing(o, atoms) for o in found])
        return refused if several else refused[0]

    return wrapper


def _refusing(out: Any, atoms: Sequence[Any]) -> Any:
    if not isinstance(out, Tensor):
        return out
    node: Node = _new(node_type("DelayedErrorBackward", _RefusingNode))
    node.inputs, node.aval, node.serial = list(atoms), aval_of(out.value), next_serial()
    node.residuals = node.saved = ()
    node.hooks = node.extra = None
    return wrap(out.value, node)


