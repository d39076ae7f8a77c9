"""gradcheck: gradients against central differences.

For a complex input z = x + iy the gradient of a real number L is dL/dx + i dL/dy; an
output that is complex is checked as two, its real and its imaginary part.

Public names: `gradcheck`, `gradgradcheck`, `GradcheckError`.

>>> from fad import torch
>>> x = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)
>>> torch.autograd.gradcheck(torch.sin, (x,))
True
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..backprop import grad
from ..modes import no_grad
from ..tape import quietly
from ..tensor import Tensor, wrap
from .gradcheck_modes import check_batched, check_forward
from .gradcheck_numeric import as_tuple, differentiable, moved, numerical
from .gradcheck_text import UNDEFINED, GradcheckError, mismatch

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

Function = Callable[..., Any]


def _wanted(inputs: Sequence[Any]) -> list[int]:
    """Return the positions of the inputs that require gradients."""
    return [
        i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad
    ]


def _check_inputs(inputs: Sequence[Any]) -> None:
    for i in _wanted(inputs):
        x = inputs[i]
        if x.aval.dtype not in (np.float64, np.complex128):
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating "
                "point or complex. This check will likely fail if all the inputs are "
                "not of double precision floating point or complex. ",
                stacklevel=4,
            )
        if not all(
            s > 0 or n <= 1 for s, n in zip(x.value.strides, x.shape, strict=True)
        ):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only "
                "supports inputs that are non-overlapping to be able to compute the "
                "numerical gradients correctly. You should call .contiguous on the "
                "input before passing it to gradcheck."
            )
    if not _wanted(inputs):
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none "
            "of them have requires_grad=True."
        )


def _part(func: Function, take: Any) -> Function:
    """Return a function of which complex outputs are replaced by a part of them."""

    def run(*inputs: Any) -> tuple[Any, ...]:
        return tuple(
            [
                take(o) if o.aval.dtype.kind == "c" else o
                for o in as_tuple(func(*inputs))
            ]
        )

    return run


def analytical(output: Tensor, inputs: Sequence[Tensor], dtypes: bool) -> list[Any]:
    """Return the Jacobians (input, output) by backward, one per input."""
    n = output.aval.size
    found = [np.zeros((x.aval.size, n), x.aval.dtype) for x in inputs]
    for k in range(n):
        ct = np.zeros(output.shape, output.aval.dtype)
        ct.reshape(-1)[k] = 1
        pulled = grad(output, inputs, wrap(ct), retain_graph=True, allow_unused=True)
        for x, jac, g in zip(inputs, found, pulled, strict=True):
            if g is None:
                continue
            if dtypes and g.dtype != x.dtype:
                raise GradcheckError("Gradient has dtype mismatch")
            if g.shape != x.shape:
                raise GradcheckError("Analytical gradient has incorrect size")
            jac[:, k] = g.value.reshape(-1)
    return found


class _Options:
    """The tolerances of a check, and which part of complex outputs it is about."""

    def __init__(self, **options: Any) -> None:
        self.__dict__.update(options)

    def __getattr__(self, name: str) -> Any:
        return None


def _check_part(
    func: Function, inputs: Sequence[Any], options: Any, part: str = ""
) -> None:
    """Check the gradients of all real outputs of a function."""
    outputs = differentiable(func(*inputs))
    places = _wanted(inputs)
    numeric = [
        quietly(numerical, func, inputs, i, outputs, options.eps) for i in places
    ]
    chosen = [inputs[i] for i in places]
    for k, output in enumerate(outputs):
        exact = analytical(output, chosen, options.check_grad_dtypes)
        again = analytical(output, chosen, False)
        for i, (place, a, b) in enumerate(zip(places, exact, again, strict=True)):
            n = numeric[i][k]
            if not np.allclose(a, n, options.rtol, options.atol):
                raise GradcheckError(mismatch(wrap(a), wrap(n), k, place, part))
            if a.size and np.abs(a - b).max() > options.nondet_tol:
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input "
                    "and grad_output multiple times gives different values, although "
                    "analytical gradient matches numerical gradient.The tolerance for "
                    f"nondeterminism was {options.nondet_tol}."
                )


def _check_scaled(func: Function, inputs: Sequence[Any], undefined: bool) -> None:
    """Check that gradients of zero are zero, and that undefined ones are allowed."""
    outputs = differentiable(func(*inputs))
    chosen = [inputs[i] for i in _wanted(inputs)]
    zeros = [wrap(np.zeros(o.shape, o.aval.dtype)) for o in outputs]
    found = grad(outputs, chosen, zeros, retain_graph=True, allow_unused=True)
    for g, x in zip(found, chosen, strict=True):
        if g is None:
            continue
        if np.any(g.value != 0):
            raise GradcheckError("backward not multiplied by grad_output")
        if g.shape != x.shape:
            raise GradcheckError("grad is incorrect size")
    for k, output in enumerate(outputs if undefined and len(outputs) > 1 else ()):
        try:
            grad(output, chosen, zeros[k], retain_graph=True, allow_unused=True)
        except RuntimeError as error:
            raise GradcheckError(UNDEFINED) from error


def _run(func: Function, inputs: tuple[Any, ...], options: Any) -> None:
    _check_inputs(inputs)
    outputs = differentiable(func(*inputs))
    if not outputs:
        with no_grad():
            _check_constant(func, inputs, options.eps)
        return
    if options.check_backward_ad:
        if any(o.aval.dtype.kind == "c" for o in outputs):
            for part in ("imag", "real"):
                taken = _part(func, lambda o, part=part: getattr(o, part))
                _check_part(taken, inputs, options, part)
        else:
            _check_part(func, inputs, options)
        if options.check_batched_grad:
            check_batched(outputs, [inputs[i] for i in _wanted(inputs)])
        _check_scaled(func, inputs, options.check_undefined_grad)
    if options.check_forward_ad:
        check_forward(func, inputs, _wanted(inputs), outputs, options, numerical)


def _check_constant(func: Function, inputs: Sequence[Any], eps: float) -> None:
    for i in _wanted(inputs):
        for place in range(inputs[i].aval.size):
            pair = [as_tuple(func(*moved(inputs, i, place, s))) for s in (eps, -eps)]
            for a, b in zip(*pair, strict=True):
                if isinstance(a, Tensor) and np.any(a.value != b.value):
                    raise GradcheckError(
                        "Numerical gradient for function expected to be zero"
                    )


def gradcheck(
    func: Function,
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Compare gradients with central differences.

    Args:
        func: takes tensors, returns a tensor or a tuple of them.
        inputs: those which require gradients are checked; they should be float64.
        eps: the step of the differences.
        atol, rtol: how far the two may be apart.
        raise_exception: if they are too far apart raise, else return False.
        nondet_tol: how far two equal backward passes may be apart.
        check_forward_ad, check_backward_ad: which modes to check.
        check_batched_grad: check backward under vmap too.

    Raises:
        GradcheckError: a gradient is wrong.
        ValueError: no input requires a gradient.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError(
            "Expected at least one of check_forward_ad or check_backward_ad to be True"
        )
    options = _Options(
        eps=eps,
        atol=atol,
        rtol=rtol,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_forward_ad,
        check_backward_ad=check_backward_ad,
    )
    try:
        _run(func, as_tuple(inputs), options)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Function,
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Compare gradients of gradients with central differences.

    The arguments are those of `gradcheck`; `grad_outputs` are the cotangents to take
    gradients with, by default random ones.
    """
    inputs = as_tuple(inputs)
    outputs = differentiable(func(*inputs))
    if grad_outputs is None:
        rng = np.random.default_rng(0)
        grad_outputs = tuple([_random(o, rng) for o in outputs])
    else:
        grad_outputs = as_tuple(grad_outputs)

    def first(*args: Any) -> tuple[Any, ...]:
        xs, cts = args[: len(inputs)], args[len(inputs) :]
        found = differentiable(func(*xs))
        wanted = [xs[i] for i in _wanted(inputs)]
        pulled = grad(found, wanted, cts, create_graph=True, allow_unused=True)
        return tuple([g for g in pulled if isinstance(g, Tensor)])

    return gradcheck(
        first,
        (*inputs, *grad_outputs),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
    )


def _random(output: Tensor, rng: np.random.Generator) -> Tensor:
    value = rng.uniform(-1, 1, output.shape)
    if output.aval.dtype.kind == "c":
        value = value + 1j * rng.uniform(-1, 1, output.shape)
    return wrap(np.asarray(value, output.aval.dtype)).requires_grad_()
