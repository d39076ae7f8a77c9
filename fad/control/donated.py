"""Donated arguments: arrays whose memory a program may write its results to.

Public names: `Donated`, `exclusive`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.pytree import tree_flatten
from .static import Static

__all__ = ["Donated", "exclusive"]


class Donated(Static):
    """Which arguments of a function are donated, by position and by name."""

    option = "donate"

    def leaves(
        self, static: Static, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[int, ...]:
        """Return the positions of donated leaves among all that are not static."""
        (dynamic, named), _ = static.split(tuple(enumerate(args)), kwargs)
        nums = self._normal(len(args))
        flags: list[bool] = []
        for i, value in dynamic:
            flags += [i in nums] * len(tree_flatten(value)[0])
        for name in sorted(named):
            flags += [name in self.names] * len(tree_flatten(named[name])[0])
        return tuple(i for i, donated in enumerate(flags) if donated)


def exclusive(leaves: Sequence[Any], donated: Sequence[int]) -> list[Any]:
    """Return leaves, copied where a write to a donated one would be seen elsewhere.

    An array may be written to if it is the only one on its memory, as far as the other
    leaves and its own flags tell.
    """
    out = list(leaves)
    for i in donated:
        x = leaves[i]
        if not isinstance(x, np.ndarray):
            continue
        others = (v for j, v in enumerate(leaves) if j != i)
        shared = any(
            isinstance(v, np.ndarray) and np.may_share_memory(x, v) for v in others
        )
        if shared or x.base is not None or not x.flags.writeable:
            out[i] = x.copy()
    return out
