"""autograd.Function inside functional transforms: a rule of one's own for fad.

`fad.grad` and its kin differentiate such a call by the user's backward, by way of
`fad.custom_vjp`. What forward saves are the residuals of the rule.

Public names: `apply_in_transform`.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..control import custom_vjp
from ..core.trace import aval_of
from .engine import as_grad, conjugated
from .function import call_forward, context_of
from .function_context import Context
from .modes import no_grad
from .tape import functional
from .tensor import Tensor, tensor_of

__all__ = ["apply_in_transform"]


class _Call:
    """One call of a `Function` on values of a transform.

    Attributes:
        ctx: the context of the last run of forward.
        shown: the outputs as the user returned them, with None for tensors.
        single: forward returned one output and no tuple.
    """

    def __init__(self, function: Any, args: Sequence[Any]) -> None:
        self.function = function
        self.args = args
        self.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        self.ctx: Any = None
        self.shown: list[Any] = []
        self.single = True

    def run(self, *values: Any) -> tuple[Any, ...]:
        """Run forward; return the values of its tensor outputs."""
        args = list(self.args)
        for i, v in zip(self.places, values, strict=True):
            args[i] = tensor_of(v)
        needs = tuple(i in self.places for i in range(len(args)))
        self.ctx = context_of(self.function, needs)
        with no_grad():
            outputs = call_forward(self.function, self.ctx, tuple(args), {})
        self.single = not isinstance(outputs, tuple)
        results = [outputs] if self.single else list(outputs)
        self.shown = [None if isinstance(o, Tensor) else o for o in results]
        return tuple([functional(o) for o in results if isinstance(o, Tensor)])

    def forward(self, *values: Any) -> tuple[Any, Any]:
        outs = self.run(*values)
        saved = [None if t is None else functional(t) for t in self.ctx._to_save]
        return outs, (saved, values)

    def backward(self, residuals: Any, cts: Sequence[Any]) -> tuple[Any, ...]:
        saved, values = residuals
        ctx: Context = copy.copy(self.ctx)
        ctx._saved = [_Value(v) for v in saved]
        given = iter(conjugated(cts))
        grads = [
            tensor_of(next(given)) if shown is None else None for shown in self.shown
        ]
        found = self.function.backward_rule()(ctx, *grads)
        found = found if isinstance(found, tuple) else (found,)
        pairs = zip(self.places, values, strict=True)
        return tuple(conjugated([_cotangent(found[i], v) for i, v in pairs]))


class _Value:
    """A saved value, read as a tensor."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def read(self, node: Any) -> Any:
        return None if self.value is None else tensor_of(self.value)


class _Target:
    """Of what a gradient has to have the shape and dtype."""

    __slots__ = ("aval",)

    def __init__(self, value: Any) -> None:
        self.aval = aval_of(value)


def _cotangent(grad: Any, value: Any) -> Any:
    target = _Target(value)
    if grad is None:
        return np.zeros(target.aval.shape, target.aval.dtype)
    return as_grad(grad, target)


def apply_in_transform(function: Any, args: Sequence[Any]) -> Any:
    """Call a `Function` on tensors whose values belong to a functional transform."""
    call = _Call(function, args)
    rule = custom_vjp(call.run)
    rule.defvjp(call.forward, call.backward)
    values = iter(rule(*[functional(args[i]) for i in call.places]))
    outs = [tensor_of(next(values)) if s is None else s for s in call.shown]
    return outs[0] if call.single else tuple(outs)
