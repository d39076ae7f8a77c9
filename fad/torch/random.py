"""The random state: seeds of the default generator, ``torch.random``.

    torch.manual_seed(0)                  restarts the stream
    with torch.random.fork_rng(): ...     puts it back afterwards

Public names: `Generator default_generator manual_seed seed initial_seed get_rng_state
set_rng_state fork_rng`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from . import generator as streams
from .declare import functions
from .size import CPU, check_device, device
from .tensor import Tensor, wrap

__all__ = [
    "Generator",
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]


class Generator(streams.Generator):
    """A stream of random numbers whose state is a tensor of bytes.

    >>> from fad import torch
    >>> torch.rand(2, generator=torch.Generator().manual_seed(0))
    tensor([0.4963, 0.7682])
    """

    __slots__ = ()

    def __init__(self, device: Any = "cpu") -> None:
        check_device(device)
        super().__init__()

    @property
    def device(self) -> device:
        """Where the numbers are made: the CPU."""
        return CPU

    def get_state(self) -> Any:
        """Return the state, 5056 bytes."""
        return wrap(super().get_state())

    def set_state(self, new_state: Any) -> Generator:
        """Continue from a state; return the generator."""
        value = new_state.value if isinstance(new_state, Tensor) else new_state
        super().set_state(value)
        return self

    def clone_state(self) -> Generator:
        """Return a new generator that continues as this one does."""
        return Generator().set_state(self.get_state())


default_generator = Generator()
"""The stream that functions draw from unless they are given another."""


def manual_seed(seed: Any) -> Generator:
    """Restart the default stream from a seed; return its generator."""
    default_generator.manual_seed(int(seed))
    return default_generator


def seed() -> int:
    """Restart the default stream from the system's entropy; return the seed."""
    return default_generator.seed()


def initial_seed() -> int:
    """Return the seed the default stream was last started from."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Return the state of the default stream, as bytes."""
    state: Tensor = default_generator.get_state()
    return state


def set_rng_state(new_state: Tensor) -> None:
    """Continue the default stream from a state."""
    default_generator.set_state(new_state)


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
functions["default_generator"] = default_generator  # type: ignore[assignment]
