"""Adam (Kingma & Ba 2015) and its variants: means of gradients over means of squares.

Public names: `Adam`, `AdamW`, `Adamax`, `NAdam`, `RAdam`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import default_float
from .optimizer import (
    Optimizer,
    check_betas,
    check_not_negative,
    check_rate,
    count,
    next_step,
)
from .scaled import add_scaled

__all__ = ["Adam", "AdamW", "Adamax", "NAdam", "RAdam"]


def _check(lr: Any, betas: Any, eps: float, weight_decay: float) -> None:
    check_rate(lr)
    check_not_negative("epsilon value", eps)
    check_betas(betas)
    check_not_negative("weight_decay value", weight_decay)


def _decayed(x: Any, g: Any, options: dict[str, Any], decoupled: bool) -> Any:
    """Return value and gradient after weight decay, of one or the other."""
    decay = options["weight_decay"]
    if isinstance(decay, (int, float)) and decay == 0:
        return x, g
    if decoupled:
        return x * (1 - options["lr"] * decay), g
    return x, add_scaled(g, x, decay)


def _moments(g: Any, s: dict[str, Any], betas: Any) -> tuple[Any, Any]:
    """Update the running means of the gradient and of its square."""
    b1, b2 = betas
    s["exp_avg"] = mean = s["exp_avg"] + (g - s["exp_avg"]) * (1 - b1)
    s["exp_avg_sq"] = square = s["exp_avg_sq"] * b2 + g * (1 - b2) * g
    return mean, square


class Adam(Optimizer):
    """Divide a running mean of the gradient by the root of that of its square.

    >>> from fad import torch
    >>> w = torch.tensor([1.], requires_grad=True)
    >>> optimizer = torch.optim.Adam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        _check(lr, betas, eps, weight_decay)
        if fused and foreach:
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def begin(self, x: Any, options: dict[str, Any]) -> dict[str, Any]:
        names = ["exp_avg", "exp_avg_sq"]
        names += ["max_exp_avg_sq"] if options["amsgrad"] else []
        return {"step": count()} | {name: np.zeros_like(x) for name in names}

    def rule(self, x: Any, g: Any, s: dict[str, Any], options: dict[str, Any]) -> Any:
        t, (b1, b2) = next_step(s), options["betas"]
        x, g = _decayed(x, g, options, options["decoupled_weight_decay"])
        mean, square = _moments(g, s, (b1, b2))
        if options["amsgrad"]:
            s["max_exp_avg_sq"] = square = np.maximum(s["max_exp_avg_sq"], square)
        scale = np.sqrt(square) / (1 - b2**t) ** 0.5 + options["eps"]
        return x - mean * (options["lr"] / (1 - b1**t)) / scale


class AdamW(Adam):
    """Adam with weight decay apart from the gradient (Loshchilov & Hutter 2019)."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        **options: Any,
    ) -> None:
        options["decoupled_weight_decay"] = True
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **options)


class Adamax(Optimizer):
    """Adam with a decaying maximum in place of the mean of squares."""

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        _check(lr, betas, eps, weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def begin(self, x: Any, options: dict[str, Any]) -> dict[str, Any]:
        zeros = np.zeros_like(x)
        return {"step": count(), "exp_avg": zeros, "exp_inf": zeros.copy()}

    def rule(self, x: Any, g: Any, s: dict[str, Any], options: dict[str, Any]) -> Any:
        t, (b1, b2) = next_step(s), options["betas"]
        x, g = _decayed(x, g, options, False)
        s["exp_avg"] = mean = s["exp_avg"] + (g - s["exp_avg"]) * (1 - b1)
        s["exp_inf"] = most = np.maximum(s["exp_inf"] * b2, abs(g) + options["eps"])
        return x - mean * (options["lr"] / (1 - b1**t)) / most


class NAdam(Optimizer):
    """Adam with Nesterov's momentum (Dozat 2016)."""

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        _check(lr, betas, eps, weight_decay)
        check_not_negative("momentum_decay value", momentum_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def begin(self, x: Any, options: dict[str, Any]) -> dict[str, Any]:
        return {
            "step": count(),
            "mu_product": np.ones((), default_float()),
            "exp_avg": np.zeros_like(x),
            "exp_avg_sq": np.zeros_like(x),
        }

    def rule(self, x: Any, g: Any, s: dict[str, Any], options: dict[str, Any]) -> Any:
        t, (b1, b2), lr = next_step(s), options["betas"], options["lr"]
        x, g = _decayed(x, g, options, options["decoupled_weight_decay"])
        decay = options["momentum_decay"]
        mu = b1 * (1 - 0.5 * 0.96 ** (t * decay))
        following = b1 * (1 - 0.5 * 0.96 ** ((t + 1) * decay))
        before = s["mu_product"]
        s["mu_product"] = np.asarray(float(before) * mu, before.dtype)
        product = float(s["mu_product"])
        mean, square = _moments(g, s, (b1, b2))
        scale = np.sqrt(square / (1 - b2**t)) + options["eps"]
        x = x - g * (lr * (1 - mu) / (1 - product)) / scale
        return x - mean * (lr * following / (1 - product * following)) / scale


class RAdam(Optimizer):
    """Adam that adapts only once its scale is reliable (Liu et al. 2020)."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        _check(lr, betas, eps, weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def begin(self, x: Any, options: dict[str, Any]) -> dict[str, Any]:
        zeros = np.zeros_like(x)
        return {"step": count(), "exp_avg": zeros, "exp_avg_sq": zeros.copy()}

    def rule(self, x: Any, g: Any, s: dict[str, Any], options: dict[str, Any]) -> Any:
        t, (b1, b2) = next_step(s), options["betas"]
        x, g = _decayed(x, g, options, options["decoupled_weight_decay"])
        mean, square = _moments(g, s, (b1, b2))
        move = mean / (1 - b1**t) * options["lr"]
        most = 2 / (1 - b2) - 1
        rho = most - 2 * t * b2**t / (1 - b2**t)
        if rho > 5.0:
            top = (rho - 4) * (rho - 2) * most
            rectified = (top / ((most - 4) * (most - 2) * rho)) ** 0.5
            scale = (1 - b2**t) ** 0.5 / (np.sqrt(square) + options["eps"])
            move = move * scale * rectified
        return x - move
