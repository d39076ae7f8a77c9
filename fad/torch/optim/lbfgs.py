"""LBFGS (Liu & Nocedal 1989): Newton's method with curvature from the last steps.

All parameters are one vector. The state belongs to the first of them.

Public names: `LBFGS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..inplace import store
from ..modes import changed, enable_grad
from ..tensor import Tensor, wrap
from .line_search import Point, strong_wolfe
from .optimizer import Optimizer, check_rate

__all__ = ["LBFGS"]


class LBFGS(Optimizer):
    """Minimise with an approximate Hessian; `step` needs a closure.

    >>> from fad import torch
    >>> w = torch.tensor([4., -3.], requires_grad=True)
    >>> optimizer = torch.optim.LBFGS([w], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((w - 1) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure)
    tensor(25., grad_fn=<SumBackward0>)
    >>> w
    tensor([1., 1.], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_rate(lr)
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError(
                "LBFGS doesn't support per-parameter options (parameter groups)"
            )

    @property
    def _params(self) -> list[Tensor]:
        params: list[Tensor] = self.param_groups[0]["params"]
        return params

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Take up to `max_iter` steps; return the loss before them."""
        with changed(grad=False):
            return self._step(closure)

    def _step(self, closure: Callable[[], Any]) -> Any:
        options = self.param_groups[0]
        memory = _Memory(self.state[self._params[0]], options["history_size"])
        first = self._evaluated(closure)
        loss, g, evaluations = float(first), self._gradient(), 1
        memory.state["func_evals"] += 1
        if np.abs(g).max() <= options["tolerance_grad"]:
            return first
        for i in range(options["max_iter"]):
            d = memory.direction(g)
            lr = float(options["lr"])
            is_first = memory.state["n_iter"] == 1
            t = min(1.0, 1.0 / np.abs(g).sum()) * lr if is_first else lr
            memory.remember(d, t, g, loss)
            slope = g @ d
            if slope > -options["tolerance_change"]:
                break
            before, last = loss, i + 1 == options["max_iter"]
            start = Point(0, loss, g, slope)
            t, loss, g, used = self._move(closure, start, t, d, evaluations, last)
            memory.state["t"] = t
            evaluations += used
            memory.state["func_evals"] += used
            if last or evaluations >= options["max_eval"]:
                break
            if np.abs(g).max() <= options["tolerance_grad"]:
                break
            if np.abs(d * t).max() <= options["tolerance_change"]:
                break
            if abs(loss - before) < options["tolerance_change"]:
                break
        return first

    def _move(
        self,
        closure: Callable[[], Any],
        start: Point,
        t: Any,
        d: Any,
        evaluations: int,
        last: bool,
    ) -> tuple[Any, float, Any, int]:
        """Move the parameters; return step length, loss, gradient and evaluations."""
        options = self.param_groups[0]
        search, x = options["line_search_fn"], [p.value.copy() for p in self._params]
        if search is None:
            self._set(x, d * t)
            if last:  # nobody will look at the new gradient
                return t, start.f, start.g, 0
            return t, float(self._evaluated(closure)), self._gradient(), 1
        if search != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")

        def evaluate(t: Any) -> tuple[float, Any]:
            self._set(x, d * t)
            return float(self._evaluated(closure)), self._gradient()

        limit = options["max_eval"] - evaluations
        found, used = strong_wolfe(evaluate, d, start, t, limit=limit)
        self._set(x, d * found.t)
        return found.t, found.f, found.g, used

    def _evaluated(self, closure: Callable[[], Any]) -> Any:
        with enable_grad():
            return closure()

    def _gradient(self) -> Any:
        """Return the gradients of all parameters as one vector."""
        parts = []
        for p in self._params:
            g = np.zeros_like(p.value) if p.grad is None else p.grad.value
            parts.append(_flat(g))
        return np.concatenate(parts)

    def _set(self, origin: list[Any], move: Any) -> None:
        """Put the parameters at a distance from where they were."""
        start = 0
        for p, x in zip(self._params, origin, strict=True):
            size = _flat(x).size
            part = move[start : start + size].astype(_flat(x).dtype, copy=False)
            start += size
            store(p, wrap(x + part.view(x.dtype).reshape(x.shape)))


def _flat(x: Any) -> Any:
    """Return an array as a real vector."""
    x = np.ascontiguousarray(x).reshape(-1)
    return x.view(x.real.dtype)


class _Memory:
    """The last changes of position and gradient, as the state of the optimiser."""

    def __init__(self, state: dict[str, Any], size: int) -> None:
        self.state = state
        self.size = size
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)

    def direction(self, g: Any) -> Any:
        """Return where to go from a point with gradient `g`: the two-loop recursion."""
        state = self.state
        state["n_iter"] += 1
        if state["n_iter"] == 1:
            state |= {"old_dirs": [], "old_stps": [], "ro": [], "H_diag": 1}
            return -g
        self._learn(g)
        ys, steps = _values(state["old_dirs"]), _values(state["old_stps"])
        inverses = _values(state["ro"])
        scale = state["H_diag"]
        pairs = list(zip(ys, steps, inverses, strict=True))
        weights, q = [], -g
        for y, s, rho in reversed(pairs):
            weights.append((s @ q) * rho)
            q = q - y * weights[-1]
        r = q * (scale.value if isinstance(scale, Tensor) else scale)
        for (y, s, rho), weight in zip(pairs, reversed(weights), strict=True):
            r = r + s * (weight - (y @ r) * rho)
        return r

    def _learn(self, g: Any) -> None:
        """Take in how the gradient changed over the last step."""
        state = self.state
        y = g - state["prev_flat_grad"].value
        s = state["d"].value * np.asarray(_value(state["t"]), y.dtype)
        curvature = y @ s
        if curvature <= 1e-10:
            return
        lists = [state["old_dirs"], state["old_stps"], state["ro"]]
        if len(lists[0]) == self.size:
            for kept in lists:
                kept.pop(0)
        for kept, new in zip(lists, (y, s, 1.0 / curvature), strict=True):
            kept.append(wrap(np.asarray(new, y.dtype)))
        state["H_diag"] = wrap(np.asarray(curvature / (y @ y)))

    def remember(self, d: Any, t: Any, g: Any, loss: float) -> None:
        """Keep what the next direction is made from."""
        new = {"d": wrap(d), "t": t, "prev_flat_grad": wrap(g), "prev_loss": loss}
        self.state.update(new)


def _value(x: Any) -> Any:
    return x.value if isinstance(x, Tensor) else x


def _values(tensors: list[Any]) -> list[Any]:
    return [t.value for t in tensors]
