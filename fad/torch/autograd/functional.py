"""torch.autograd.functional: Jacobians and Hessians, and products with them.

Public names: `vjp`, `jvp`, `jacobian`, `hessian`, `hvp`, `vhp`.

>>> from fad import torch
>>> torch.autograd.functional.hessian(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]))
tensor([[ 6.,  0.],
        [ 0., 12.]])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..declare import functions
from ..modes import changed, current, enable_grad
from ..tensor import Tensor, wrap
from .functional_checks import (
    as_given,
    as_tuple,
    check_outputs,
    check_v,
    filled,
    finished,
    gradients,
    needs_v,
    prepare,
    zeros_like,
)

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Function = Callable[..., Any]
_OUTPUTS = "outputs of the user-provided function"


def _recording(create_graph: bool) -> Any:
    return changed(grad=create_graph or current().grad)


def vjp(
    func: Function,
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the outputs of a function and a vector times its Jacobian.

    Args:
        func: takes tensors, returns a tensor or a tuple of them.
        inputs: a tensor or a tuple of them.
        v: of the shapes of the outputs; it may be missing for a single number.
        create_graph: results can be differentiated.
        strict: raise if an output is independent of an input.
    """
    with enable_grad():
        several, inputs = as_tuple(inputs, "inputs", "vjp")
        inputs = prepare(inputs, create_graph, True)
        several_out, outputs = as_tuple(func(*inputs), _OUTPUTS, "vjp")
        check_outputs(outputs, "outputs", strict)
        if v is not None:
            _, v = as_tuple(v, "v", "vjp")
            v = prepare(v, create_graph, False)
            check_v(v, outputs, several_out)
        else:
            missing = len(outputs) != 1 or outputs[0].numel() != 1
            needs_v("the user-provided function returns", missing)
    with _recording(create_graph):
        found = gradients(outputs, inputs, v, create=create_graph)
        products = filled(found, inputs, strict, create_graph, "back")
    return (
        as_given(finished(outputs, create_graph), several_out),
        as_given(finished(products, create_graph), several),
    )


def _given_v(
    v: Any, inputs: tuple[Any, ...], several: bool, create: bool, name: str
) -> Any:
    """Return the vector that goes with the inputs."""
    if v is None:
        missing = len(inputs) != 1 or inputs[0].numel() != 1
        needs_v("the input to the user-provided function is", missing)
        return None
    _, v = as_tuple(v, "v", name)
    v = prepare(v, create, False)
    check_v(v, inputs, several)
    return v


def jvp(
    func: Function,
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the outputs of a function and its Jacobian times a vector.

    The arguments are those of `vjp`; `v` has the shapes of the inputs. It is the
    gradient of the pullback, which is linear in its cotangent.
    """
    with enable_grad():
        several, inputs = as_tuple(inputs, "inputs", "jvp")
        inputs = prepare(inputs, create_graph, True)
        v = _given_v(v, inputs, several, create_graph, "jvp")
        several_out, outputs = as_tuple(func(*inputs), _OUTPUTS, "jvp")
        check_outputs(outputs, "outputs", strict)
        cts = tuple([zeros_like(o, o.is_differentiable()) for o in outputs])
        pulled = gradients(outputs, inputs, cts, create=True)
        check_outputs(pulled, "grad_inputs", strict)
    with _recording(create_graph):
        found = gradients(pulled, cts, v, create=create_graph)
        products = filled(found, outputs, strict, create_graph, "back_trick")
    return (
        as_given(finished(outputs, create_graph), several_out),
        as_given(finished(products, create_graph), several_out),
    )


def jacobian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """Return the Jacobian of a function: one tensor for each output and input.

    Args:
        func, inputs, create_graph, strict: as for `vjp`.
        vectorize: compute all rows at once, by vmap.
        strategy: "reverse-mode", or "forward-mode" together with `vectorize`.
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If '
            'your function has more outputs than inputs, "forward-mode" tends to be '
            'more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        return _forward(func, inputs, create_graph, strict, vectorize)
    with enable_grad():
        several, inputs = as_tuple(inputs, "inputs", "jacobian")
        inputs = prepare(inputs, create_graph, True)
        several_out, outputs = as_tuple(func(*inputs), _OUTPUTS, "jacobian")
        check_outputs(outputs, "outputs", strict)
        if vectorize and strict:
            raise RuntimeError(
                "torch.autograd.functional.jacobian: `strict=True` and "
                "`vectorized=True` are not supported together. Please either set "
                "`strict=False` or `vectorize=False`."
            )
        rows = _rows_at_once if vectorize else _rows_in_turn
        found = tuple(
            [rows(i, o, inputs, create_graph, strict) for i, o in enumerate(outputs)]
        )
    found = finished(found, create_graph)
    return as_given(tuple([as_given(r, several) for r in found]), several_out)


def _rows_in_turn(
    which: int, output: Tensor, inputs: tuple[Any, ...], create: bool, strict: bool
) -> tuple[Any, ...]:
    """Return the Jacobians of one output, a row for each backward."""
    rows: list[Any] = []
    numbers: Any = output.reshape(-1).unbind() if output.numel() else ()
    for number in numbers:
        found = gradients((number,), inputs, create=create, retain=True)
        for i, g in enumerate(found):
            if strict and g is not None and create and not g.requires_grad:
                raise RuntimeError(
                    "The jacobian of the user-provided function is independent of "
                    f"input {which}. This is not allowed in strict mode when "
                    "create_graph=True."
                )
            if strict and g is None:
                raise RuntimeError(
                    f"Output {which} of the user-provided function is independent of "
                    f"input {i}. This is not allowed in strict mode."
                )
        rows.append(filled(found, inputs, False, create, "back"))
    if not rows:
        return tuple([wrap(_empty(output, x)) for x in inputs])
    return tuple(
        [
            functions["stack"](list(column), 0).reshape((*output.shape, *x.shape))
            for column, x in zip(zip(*rows, strict=True), inputs, strict=True)
        ]
    )


def _empty(output: Tensor, x: Tensor) -> Any:
    return np.zeros((*output.shape, *x.shape), x.aval.dtype)


def _rows_at_once(
    which: int, output: Tensor, inputs: tuple[Any, ...], create: bool, strict: bool
) -> tuple[Any, ...]:
    n = output.aval.size
    basis = np.eye(n, dtype=output.aval.dtype).reshape(n, *output.shape)
    found = gradients(
        (output,), inputs, (wrap(basis),), create=create, retain=True, batched=True
    )
    return tuple(
        [
            wrap(_empty(output, x))
            if g is None
            else g.reshape((*output.shape, *x.shape))
            for g, x in zip(found, inputs, strict=True)
        ]
    )


def _forward(
    func: Function, inputs: Any, create: bool, strict: bool, vectorize: bool
) -> Any:
    from ..func import jacfwd

    if strict:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and "
            '`strategy="forward-mode"` are not supported together (yet). Please either '
            'set `strict=False` or `strategy="reverse-mode"`.'
        )
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian "
            "isonly implemented for `vectorize=True`."
        )
    several, inputs = as_tuple(inputs, "inputs", "jacobian")
    found = jacfwd(func, tuple(range(len(inputs))))(*inputs)
    if isinstance(found[0], tuple) and several:
        return finished(found, create)
    if isinstance(found[0], tuple):
        return finished(tuple([row[0] for row in found]), create)
    return finished(as_given(found, several), create)


def _single(func: Function, name: str, strict: bool) -> Function:
    """Return a function that is checked to give one number."""

    def checked(*inputs: Any) -> Tensor:
        several, outputs = as_tuple(func(*inputs), _OUTPUTS, name)
        check_outputs(outputs, "outputs", strict)
        if several:
            raise RuntimeError(
                f"The function given to {name} should return a single Tensor"
            )
        if outputs[0].numel() != 1:
            raise RuntimeError(
                f"The Tensor returned by the function given to {name} should contain a "
                "single element"
            )
        return outputs[0]  # type: ignore[no-any-return]

    return checked


def hessian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Return the Hessian of a function that returns one number.

    The arguments are those of `jacobian`.
    """
    several, inputs = as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode".'
        )
    single = _single(func, "hessian", strict)

    if outer_jacobian_strategy == "forward-mode":
        from ..func import jacrev

        every = tuple(range(len(inputs)))
        slope = jacrev(lambda *xs: single(*xs).reshape(()), every)
        found = _forward(slope, inputs, create_graph, strict, vectorize)
    else:

        def slope(*xs: Any) -> Any:
            jac = jacobian(lambda *ys: single(*ys).reshape(()), xs, create_graph=True)
            check_outputs(jac, "jacobian", strict)
            return jac

        found = jacobian(slope, inputs, create_graph, strict, vectorize)
    rows = found if isinstance(found, tuple) else (found,)
    return as_given(tuple([as_given(r, several) for r in rows]), several)


def vhp(
    func: Function,
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return a number and a vector times the Hessian: backward through the gradient."""
    with enable_grad():
        several, inputs = as_tuple(inputs, "inputs", "vhp")
        inputs = prepare(inputs, create_graph, True)
        v = _given_v(v, inputs, several, create_graph, "vhp")
        output = _single(func, "vhp", strict)(*inputs)
        jac = gradients((output,), inputs, create=True)
        check_outputs(jac, "jacobian", strict)
    with _recording(create_graph):
        found = gradients(jac, inputs, v, create=create_graph)
        products = filled(found, inputs, strict, create_graph, "double_back")
    return (
        finished(output, create_graph),
        as_given(finished(products, create_graph), several),
    )


def hvp(
    func: Function,
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return a number and the Hessian times a vector."""
    with enable_grad():
        several, inputs = as_tuple(inputs, "inputs", "hvp")
        inputs = prepare(inputs, create_graph, True)
        v = _given_v(v, inputs, several, create_graph, "hvp")
        output = _single(func, "hvp", strict)(*inputs)
        jac = gradients((output,), inputs, create=True)
        check_outputs(jac, "jacobian", strict)
        cts = tuple([zeros_like(x, True) for x in inputs])
        double = gradients(jac, inputs, cts, create=True)
        check_outputs(jac, "hessian", strict)
    with _recording(create_graph):
        found = gradients(double, cts, v, create=create_graph)
        products = filled(found, inputs, strict, create_graph, "double_back_trick")
    return (
        finished(output, create_graph),
        as_given(finished(products, create_graph), several),
    )
