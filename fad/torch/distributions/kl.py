"""Divergences: how far one distribution is from another.

    KL(p || q) = E_p [log p - log q]

The rules for two of a kind are in `kl_alike`, the others in `kl_unlike`.

Public names: `kl_divergence`, `register_kl`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .distribution import Distribution

__all__ = ["kl_divergence", "register_kl"]

Rule = Callable[[Any, Any], Any]
_rules: dict[tuple[type, type], Rule] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Rule], Rule]:
    """Declare the divergence of two classes of distributions.

    Raises:
        TypeError: one is no distribution.
    """
    for cls, name in ((type_p, "type_p"), (type_q, "type_q")):
        if not (isinstance(cls, type) and issubclass(cls, Distribution)):
            raise TypeError(
                f"Expected {name} to be a Distribution subclass but got {cls}"
            )

    def declare(rule: Rule) -> Rule:
        _rules[type_p, type_q] = rule
        return rule

    return declare


def kl_divergence(p: Distribution, q: Distribution) -> Any:
    """Return KL(p || q), shape ``batch_shape``.

    Raises:
        NotImplementedError: no rule is known for the two classes.

    >>> from fad import torch
    >>> d = torch.distributions
    >>> d.kl_divergence(d.Normal(0., 1.), d.Normal(1., 1.))
    tensor(0.5000)
    """
    for a in type(p).__mro__:
        for b in type(q).__mro__:
            if (a, b) in _rules:
                return _rules[a, b](p, q)
    raise NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type "
        f"{type(q).__name__}"
    )
