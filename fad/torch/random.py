"""The random state: seeds of the default generator, ``torch.random``.

    torch.manual_seed(0)                  restarts the stream
    with torch.random.fork_rng(): ...     puts it back afterwards

Public names: `default_generator manual_seed seed initial_seed get_rng_state
set_rng_state fork_rng`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .declare import functions
from .generator import Generator
from .tensor import Tensor, wrap

__all__ = [
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]

default_generator = Generator()
"""The stream that functions draw from unless they are given another."""


def manual_seed(seed: Any) -> Generator:
    """Restart the default stream from a seed; return its generator."""
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Restart the default stream from the system's entropy; return the seed."""
    return default_generator.seed()


def initial_seed() -> int:
    """Return the seed the default stream was last started from."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Return the state of the default stream, as bytes."""
    return wrap(default_generator.get_state())


def set_rng_state(new_state: Tensor) -> None:
    """Continue the default stream from a state."""
    default_generator.set_state(new_state.value)


@contextlib.contextmanager
def fork_rng(
    devices: Any = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str = "cuda",
) -> Iterator[None]:
    """Draw inside the block without consequence for what is drawn after it."""
    if not enabled:
        yield
        return
    state = default_generator.get_state()
    try:
        yield
    finally:
        default_generator.set_state(state)


for _function in (manual_seed, seed, initial_seed, get_rng_state, set_rng_state):
    functions[_function.__name__] = _function
