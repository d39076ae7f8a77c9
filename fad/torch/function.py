"""autograd.Function: operations with a backward that the user writes.

`Function.apply` runs `forward` without recording and makes one node, which calls
`backward` with tensors. With `create_graph` that call is recorded, so a backward made
of differentiable operations has derivatives of its own.

Public names: `Function`, `once_differentiable`, `call_forward`, `context_of`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..core.ir import next_serial
from ..core.trace import Tracer, aval_of
from .function_context import Context, SavedTensor
from .function_node import FunctionNode
from .inplace import check_inplace, rebase
from .modes import current, no_grad
from .node import Node, node_type
from .tensor import Tensor, wrap
from .views import Origin

__all__ = ["Function", "call_forward", "context_of", "once_differentiable"]

_new = object.__new__


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
            "You must implement the jvp function for custom autograd.Function to use "
            "it with forward mode AD."
        )

    @classmethod
    def backward_rule(cls) -> Callable[..., Any]:
        """Return what the class defines: `backward` or `vjp`."""
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not "
                "allowed. You should only implement one of them."
            )
        return cls.vjp

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
        ctx._saved = [SavedTensor(t, None) for t in ctx._to_save]
    final = [_output(o, node, i, ctx, args, recording) for i, o in enumerate(results)]
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
    out: Any,
    node: FunctionNode,
    i: int,
    ctx: Context,
    args: Sequence[Any],
    recording: bool,
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
    if (
        not recording
        or not out.is_differentiable()
        or any(out is c for c in ctx._constant)
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
