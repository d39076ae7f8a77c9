"""Gradient descent: `SGD`, its average `ASGD`, and `Rprop`, which uses signs only."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import default_float
from .optimizer import Optimizer, check_not_negative, check_rate, count, next_step
from .scaled import add_scaled

__all__ = ["ASGD", "SGD", "Rprop"]


class SGD(Optimizer):
    """Descend along the gradient, with momentum if asked.

    >>> from fad import torch
    >>> w = torch.tensor([1.], requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=0.5)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: Any = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_rate(lr)
        check_not_negative("momentum value", momentum)
        check_not_negative("weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        if fused and foreach:
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)

    def rule(self, x: Any, g: Any, s: dict[str, Any], options: dict[str, Any]) -> Any:
        momentum, decay = options["momentum"], options["weight_decay"]
        if not isinstance(decay, (int, float)) or decay != 0:
            g = add_scaled(g, x, decay)
        if momentum != 0:
            old = s.get("momentum_buffer")
            share = 1 - options["dampening"]
            new = g if old is None else add_scaled(old * momentum, g, share)
            s["momentum_buffer"] = new
            g = add_scaled(g, new, momentum) if options["nesterov"] else new
        lr = options["lr"]
        return add_scaled(x, g, -lr)


class ASGD(Optimizer):
    """Averaged gradient descent (Polyak & Juditsky 1992): `ax` is the average."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_rate(lr)
        check_not_negative("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def begin(self, x: Any, options: dict[str, Any]) -> dict[str, Any]:
        scalar = default_float()
        return {
            "step": count(),
            "eta": np.asarray(options["lr"], scalar),
            "mu": np.ones((), scalar),
            "ax": np.zeros_like(x),
        }

    def rule(self, x: Any, g: Any, s: dict[str, Any], options: dict[str, Any]) -> Any:
        t, eta, mu = next_step(s), float(s["eta"]), float(s["mu"])
        lr, lambd = options["lr"], options["lambd"]
        if options["weight_decay"] != 0:
            g = add_scaled(g, x, options["weight_decay"])
        x = add_scaled(x * (1 - lambd * eta), g, -eta)
        s["ax"] = x if mu == 1 else s["ax"] + (x - s["ax"]) * mu
        scalar = default_float()
        s["eta"] = np.asarray(lr / (1 + lambd * lr * t) ** options["alpha"], scalar)
        s["mu"] = np.asarray(1 / max(1, t - options["t0"]), scalar)
        return x


class Rprop(Optimizer):
    """Resilient descent (Riedmiller & Braun 1993): steps grow while signs agree."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_rate(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def begin(self, x: Any, options: dict[str, Any]) -> dict[str, Any]:
        return {
            "step": count(),
            "prev": np.zeros_like(x),
            "step_size": np.full_like(x, options["lr"]),
        }

    def rule(self, x: Any, g: Any, s: dict[str, Any], options: dict[str, Any]) -> Any:
        next_step(s)
        shrink, grow = options["etas"]
        agree = g * s["prev"]
        factor = np.where(agree > 0, grow, np.where(agree < 0, shrink, 1.0))
        sizes = s["step_size"] * factor.astype(g.dtype)
        s["step_size"] = sizes = np.clip(sizes, *options["step_sizes"])
        s["prev"] = g = np.where(agree < 0, np.zeros_like(g), g)
        return x - np.sign(g) * sizes
