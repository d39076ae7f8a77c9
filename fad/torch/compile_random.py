"""Random numbers in compiled functions: drawn at every call, in the same order.

While a function is traced, each array of random numbers is an input of the program, and
how to draw it is noted. The generators are left as they were.

Public names: `Draws`, `state_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of, staging_trace
from .tensor import Tensor

__all__ = ["Draws", "state_of"]


def state_of(generator: Any) -> Any:
    """Return the state of a generator as an array of bytes."""
    state = generator.get_state()
    return state.value if isinstance(state, Tensor) else state


class Draws:
    """The random numbers that a function draws.

    Attributes:
        variables: what stands for them in the program.
        makers: what draws them.
    """

    def __init__(self, generators: Sequence[Any]) -> None:
        self.generators = generators
        self.variables: list[Any] = []
        self.makers: list[Callable[[], np.ndarray]] = []
        self._before = [g.get_state() for g in generators]

    def note(self, make: Callable[[], np.ndarray]) -> Tracer:
        """Return what stands for random numbers, given what draws them."""
        before = [g.get_state() for g in self.generators]
        sample = make()
        for g, state in zip(self.generators, before, strict=True):
            g.set_state(state)
        trace: Any = staging_trace()
        box: Tracer = trace.input(aval_of(sample))
        self.variables.append(box.payload)
        self.makers.append(make)
        return box

    def drawn(self) -> list[np.ndarray]:
        """Draw the numbers of one call."""
        return [make() for make in self.makers]

    def put_back(self) -> bool:
        """Restore the generators; tell whether one was changed in another way."""
        changed = False
        for g, state in zip(self.generators, self._before, strict=True):
            old = state.value if isinstance(state, Tensor) else state
            if not np.array_equal(state_of(g), old):
                g.set_state(state)
                changed = True
        return changed
