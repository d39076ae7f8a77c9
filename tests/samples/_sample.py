"""One sample of a primitive: inputs on which all of its rules are tried."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Sample:
    """Inputs of one call, `prim(*args, **params)`.

    Attributes:
        args: arrays and numbers, float64 or complex128 where differentiable, at points
            where the function is smooth.
        params: static parameters.
        diff: positions of the inputs to differentiate; None for every inexact one.
        order: derivatives are checked up to this order.
        tol: relative tolerance of the difference checks, if the default is too tight.
        name: told apart in the test's id.
        hermitian: the inputs are Hermitian matrices, of which the primitive reads one
            triangle; they are differentiated along Hermitian directions.
        typed: the parameters hold programs for the dtypes of `args` and for no others.
    """

    args: tuple[Any, ...]
    params: dict[str, Any] = field(default_factory=dict)
    diff: tuple[int, ...] | None = None
    order: int = 2
    tol: float = 1e-6
    name: str = ""
    hermitian: bool = False
    typed: bool = False


def rng(seed: int = 0) -> np.random.Generator:
    """Return the generator that sample files draw their inputs from."""
    return np.random.default_rng(seed)
