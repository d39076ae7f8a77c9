"""Steps scaled by past squares: `Adagrad`, `Adadelta`, `RMSprop`, `Adafactor`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .optimizer import Optimizer, check_not_negative, check_rate, count, next_step
from .scaled import add_scaled

__all__ = ["Adadelta", "Adafactor", "Adagrad", "RMSprop"]


class Adagrad(Optimizer):
    """Divide by the root of the sum of squares (Duchi, Hazan & Singer 2011)."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_rate(lr)
        check_not_negative("lr_decay value", lr_decay)
        check_not_negative("weight_decay value", weight_decay)
        check_not_negative("initial_accumulator_value value", initial_accumulator_value)
        check_not_negative("epsilon value", eps)
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)

    def begin(self, x: Any, options: dict[str, Any]) -> dict[str, Any]:
        start = np.full_like(x, options["initial_accumulator_value"])
        return {"step": count(), "sum": start}

    def rule(self, x: Any, g: Any, s: dict[str, Any], options: dict[str, Any]) -> Any:
        t = next_step(s)
        if options["weight_decay"] != 0:
            g = add_scaled(g, x, options["weight_decay"])
        s["sum"] = s["sum"] + g * g
        rate = options["lr"] / (1 + (t - 1) * options["lr_decay"])
        return x - g * rate / (np.sqrt(s["sum"]) + options["eps"])


class Adadelta(Optimizer):
    """Scale by the ratio of running means of steps and gradients (Zeiler 2012)."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_rate(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_not_negative("epsilon value", eps)
        check_not_negative("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def begin(self, x: Any, options: dict[str, Any]) -> dict[str, Any]:
        zeros = np.zeros_like(x)
        return {"step": count(), "square_avg": zeros, "acc_delta": zeros.copy()}

    def rule(self, x: Any, g: Any, s: dict[str, Any], options: dict[str, Any]) -> Any:
        next_step(s)
        rho, eps = options["rho"], options["eps"]
        if options["weight_decay"] != 0:
            g = add_scaled(g, x, options["weight_decay"])
        s["square_avg"] = squares = s["square_avg"] * rho + g * (1 - rho) * g
        delta = np.sqrt(s["acc_delta"] + eps) / np.sqrt(squares + eps) * g
        s["acc_delta"] = s["acc_delta"] * rho + delta * (1 - rho) * delta
        return add_scaled(x, delta, -options["lr"])


class RMSprop(Optimizer):
    """Divide by the root of a running mean of squares (Hinton 2012)."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_rate(lr)
        check_not_negative("epsilon value", eps)
        check_not_negative("momentum value", momentum)
        check_not_negative("weight_decay value", weight_decay)
        check_not_negative("alpha value", alpha)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def begin(self, x: Any, options: dict[str, Any]) -> dict[str, Any]:
        names = ["square_avg"]
        names += ["momentum_buffer"] if options["momentum"] > 0 else []
        names += ["grad_avg"] if options["centered"] else []
        return {"step": count()} | {name: np.zeros_like(x) for name in names}

    def rule(self, x: Any, g: Any, s: dict[str, Any], options: dict[str, Any]) -> Any:
        next_step(s)
        alpha = options["alpha"]
        if options["weight_decay"] != 0:
            g = add_scaled(g, x, options["weight_decay"])
        s["square_avg"] = spread = s["square_avg"] * alpha + g * (1 - alpha) * g
        if options["centered"]:
            s["grad_avg"] = mean = s["grad_avg"] + (g - s["grad_avg"]) * (1 - alpha)
            spread = spread - mean * mean
        scale = np.sqrt(spread) + options["eps"]
        if options["momentum"] > 0:
            move = s["momentum_buffer"] * options["momentum"] + g / scale
            s["momentum_buffer"] = move
            return add_scaled(x, move, -options["lr"])
        return x - g * options["lr"] / scale


class Adafactor(Optimizer):
    """Keep the squares of a matrix as a row and a column (Shazeer & Stern 2018)."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        check_rate(lr)
        if not beta2_decay <= 0.0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not eps[0] >= 0.0:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not eps[1] >= 0.0:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not d >= 1.0:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not weight_decay >= 0.0:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def begin(self, x: Any, options: dict[str, Any]) -> dict[str, Any]:
        if x.ndim < 2:
            return {"step": count(), "variance": np.zeros_like(x)}
        zero = np.zeros_like(x)
        row, column = zero[..., :1].copy(), zero[..., :1, :].copy()
        return {"step": count(), "row_var": row, "col_var": column}

    def rule(self, x: Any, g: Any, s: dict[str, Any], options: dict[str, Any]) -> Any:
        t, lr = next_step(s), options["lr"]
        eps1, eps2 = options["eps"]
        eps1 = float(np.finfo(x.dtype).eps) if eps1 is None else eps1
        size = max(eps2, _root_mean_square(x)) * min(lr, 1 / t**0.5)
        if options["weight_decay"] != 0:
            x = x * (1 - lr * options["weight_decay"])
        spread = _spread(g, s, t ** options["beta2_decay"], eps1)
        move = g / np.sqrt(np.maximum(spread, eps1 * eps1))
        return x - move * (size / max(1.0, _root_mean_square(move) / options["d"]))


def _root_mean_square(x: Any) -> float:
    return float(np.sqrt((x * x).sum())) / x.size**0.5


def _spread(g: Any, s: dict[str, Any], weight: float, eps: float) -> Any:
    """Update the running squares and return their estimate for each element."""
    squares = g * g
    if g.ndim < 2:
        s["variance"] = s["variance"] + (squares - s["variance"]) * weight
        return s["variance"]
    row, column = s["row_var"], s["col_var"]
    row = row + (squares.mean(-1, keepdims=True) - row) * weight
    column = column + (squares.mean(-2, keepdims=True) - column) * weight
    s["row_var"], s["col_var"] = row, column
    return row * column / np.maximum(row.mean(-2, keepdims=True), eps)
