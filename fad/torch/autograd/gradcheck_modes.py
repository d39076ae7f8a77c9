"""The further checks of gradcheck: forward mode, and backward under vmap.

Public names: `check_forward`, `check_batched`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..backprop import grad
from ..tensor import Tensor, wrap
from .gradcheck_text import GradcheckError, mismatch

__all__ = ["check_batched", "check_forward"]


def check_forward(
    func: Callable[..., Any],
    inputs: Sequence[Any],
    places: Sequence[int],
    outputs: Sequence[Tensor],
    options: Any,
    numerical: Callable[..., Any],
) -> None:
    """Compare tangents with differences, for real inputs and outputs.

    A complex input is checked along the real and the imaginary axis.
    """
    for i in places:
        x = inputs[i]
        kinds = ("real", "imag") if x.aval.dtype.kind == "c" else ("",)
        for part in kinds:
            step = 1j if part == "imag" else 1
            numeric = _differences(func, inputs, i, options.eps * step, options.eps)
            exact = _tangents(func, inputs, i, step, len(outputs))
            for k, (a, n) in enumerate(zip(exact, numeric, strict=True)):
                if not np.allclose(a, n, options.rtol, options.atol):
                    text = mismatch(wrap(a), wrap(n), k, i, part, forward=True)
                    raise GradcheckError(text)


def _outputs(found: Any) -> list[Any]:
    values = found if isinstance(found, (tuple, list)) else (found,)
    return [v for v in values if isinstance(v, Tensor) and v.is_differentiable()]


def _differences(
    func: Callable[..., Any], inputs: Sequence[Any], which: int, step: Any, eps: float
) -> list[Any]:
    rows = []
    for place in range(inputs[which].aval.size):
        pair = []
        for s in (step, -step):
            value = np.array(inputs[which].value)
            value.reshape(-1)[place] += s
            changed = [*inputs[:which], wrap(value), *inputs[which + 1 :]]
            changed[which].requires_grad_()
            pair.append([np.asarray(o.value) for o in _outputs(func(*changed))])
        rows.append(
            [(a - b).reshape(-1) / (2 * eps) for a, b in zip(*pair, strict=True)]
        )
    return [np.array(column) for column in zip(*rows, strict=True)]


def _tangents(
    func: Callable[..., Any], inputs: Sequence[Any], which: int, step: Any, count: int
) -> list[Any]:
    from ..func import jvp

    def of_one(x: Any) -> tuple[Any, ...]:
        return tuple(_outputs(func(*inputs[:which], x, *inputs[which + 1 :])))

    x = inputs[which].detach()
    rows = []
    for place in range(x.aval.size):
        value = np.zeros(x.shape, x.aval.dtype)
        value.reshape(-1)[place] = step
        _, tangents = jvp(of_one, (x,), (wrap(value),))
        rows.append([np.asarray(t.detach().value).reshape(-1) for t in tangents])
    return [np.array(column) for column in zip(*rows, strict=True)]


def check_batched(outputs: Sequence[Tensor], inputs: Sequence[Tensor]) -> None:
    """Compare backward on a stack of gradients with backward on each."""
    rng = np.random.default_rng(0)
    for k, output in enumerate(outputs):
        stack = rng.normal(size=(2, *output.shape)).astype(output.aval.dtype)
        options = {"retain_graph": True, "allow_unused": True}
        at_once = grad(output, inputs, wrap(stack), is_grads_batched=True, **options)
        for i, ct in enumerate(stack):
            found = grad(output, inputs, wrap(ct), **options)
            for j, (a, b) in enumerate(zip(at_once, found, strict=True)):
                if b is not None and not np.allclose(a.value[i], b.value):
                    raise GradcheckError(
                        f"For output {k} and input {j}:\n\ngradcheck or gradgradcheck "
                        "failed while testing batched gradient computation."
                    )
