"""Composite operations that are used again and again, compiled.

A composite runs its function on a tape of its own, which costs some microseconds for
each of fad's operations in it. When it is called for the `OFTEN`th time with the same
signature, the function is traced once more, abstractly, and split into a forward and a
backward program (`fad.transforms.partial`), both of which become straight-line NumPy
code (`fad.backends`). What the programs compute is what the function computed, operation
by operation; only Python's part is gone.

    signature   which inputs are differentiated; shapes and dtypes of arrays, values of
                numbers, the parameters, and the default dtype

A function is left as it is if it asks for values, has effects, or brings arrays of its
own that are other ones when it is asked again. Large arrays are left alone, too: there
the time goes into arithmetic, and formulas in blocks are better at that.

Public names: `Memo`, `Program`, `CompiledNode`, `NEED_VALUES`,
`same_array`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..backends.numpy_source import compile_numpy
from ..core.errors import (
    ConcretizationTypeError,
    NonConcreteBooleanIndexError,
    TracerArrayConversionError,
    TracerIntegerConversionError,
)
from ..core.ir import Jaxpr
from ..core.trace import aval_of
from ..transforms.partial import Split, split
from ..transforms.staging import eval_jaxpr, stage
from .composite import CompositeNode, node_of
from .dtypes import default_float
from .node import FREED, node_type
from .tape import quietly
from .tensor import tensor_of

__all__ = ["CompiledNode", "NEED_VALUES", "Memo", "Program", "same_array"]

_ndarray = np.ndarray
OFTEN = 20
"""How many calls of one signature make it worth compiling."""
_SMALL = 1 << 16
"""The elements of all inputs up to which overhead matters."""
_MOST = 256
"""How many signatures are remembered."""
NEED_VALUES = (
    ConcretizationTypeError,
    NonConcreteBooleanIndexError,
    TracerArrayConversionError,
    TracerIntegerConversionError,
)
"""What a function raises, when it is traced, that asks for values."""


class Memo:
    """The signatures of one composite: how often each was met, or its program.

    Attributes:
        known: by signature a count, a `Program`, or None if it cannot be compiled.
    """

    __slots__ = ("known",)

    def __init__(self) -> None:
        self.known: dict[Any, Any] = {}

    def program(
        self,
        function: Callable[..., Any],
        params: dict[str, Any],
        values: Sequence[Any],
        mask: int,
    ) -> Program | None:
        """Return the program for these inputs once they are met often.

        Args:
            function: what the composite runs on the inputs; `params` are inside it.
            values: the inputs, arrays and Python numbers.
            mask: which are differentiated: bit i stands for input i.
        """
        key = _signature(params, values, mask)
        if key is None:
            return None
        found = self.known.get(key, 0)
        if found.__class__ is int:
            if found < OFTEN:
                self._count(key, found + 1)
                return None
            found = self.known[key] = _compiled(function, values, mask)
        program: Program | None = found
        return program

    def _count(self, key: Any, times: int) -> None:
        if len(self.known) >= _MOST:
            self.known.clear()
        self.known[key] = times


def _signature(params: dict[str, Any], values: Sequence[Any], mask: int) -> Any:
    """Return what a program depends on besides the elements of arrays."""
    parts: list[Any] = [mask, default_float()]
    size = 0
    for v in values:
        if v.__class__ is _ndarray:
            parts.append(v.dtype)
            parts.append(v.shape)
            size += v.size
        elif v.__class__ in _NUMBERS:
            parts.append(v or str(v))  # -0.0 is another number than 0.0
            parts.append(v.__class__)
        elif v is None:
            parts.append(None)
        else:
            return None
    if size > _SMALL:
        return None
    for name, v in params.items():
        if v.__class__ not in _STATIC and not isinstance(v, np.dtype):
            return None
        parts += (name, v, v.__class__)
    key = tuple(parts)
    try:
        hash(key)
    except TypeError:  # a list among the parameters
        return None
    return key


_NUMBERS = frozenset({bool, int, float, complex})
_STATIC = _NUMBERS | {str, tuple, type(None)}


def _compiled(
    function: Callable[..., Any], values: Sequence[Any], mask: int
) -> Program | None:
    try:
        first, second = (_staged(function, values) for _ in range(2))
    except NEED_VALUES:
        return None
    jaxpr = first[0]
    if jaxpr.effects or not _equal(jaxpr.consts, second[0].consts):
        return None
    return Program(*first, values, mask)


def _staged(function: Callable[..., Any], values: Sequence[Any]) -> tuple[Jaxpr, bool]:
    """Trace a function of its arrays; return its jaxpr and if it returns a tuple."""
    arrays = [i for i, v in enumerate(values) if v.__class__ is _ndarray]
    several = False

    def on_arrays(*given: Any) -> list[Any]:
        nonlocal several
        full = list(values)
        for i, v in zip(arrays, given, strict=True):
            full[i] = v
        out = function(*full)
        several = isinstance(out, (tuple, list))
        return list(out) if several else [out]

    return stage(on_arrays, [aval_of(values[i]) for i in arrays]), several


def _equal(consts: Sequence[Any], others: Sequence[Any]) -> bool:
    """Tell whether two tracings brought the same arrays."""
    return len(consts) == len(others) and all(
        isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and same_array(a, b)
        for a, b in zip(consts, others, strict=True)
    )


def same_array(a: np.ndarray, b: np.ndarray) -> bool:
    """Tell whether two arrays have the same dtype, shape and bytes."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


class Program:
    """A composite for one signature.

    Attributes:
        several: the function returns a tuple.
        arrays: which inputs are arrays.
        traced: which inputs are differentiated.
        run: takes the arrays, returns the list of outputs and residuals.
        split: the parts of the program, None if nothing is differentiated.
        linked: which outputs depend on the differentiated inputs.
    """

    def __init__(
        self, jaxpr: Jaxpr, several: bool, values: Sequence[Any], mask: int
    ) -> None:
        self.several = several
        self.arrays = [i for i, v in enumerate(values) if v.__class__ is _ndarray]
        self.traced = [i for i in self.arrays if mask >> i & 1]
        self.num_outs = len(jaxpr.outputs)
        self.split: Split | None = None
        self.linked = [False] * self.num_outs
        self._pullbacks: dict[tuple[bool, ...], tuple[Any, Jaxpr, list[bool]]] = {}
        if self.traced:
            self.split = split(jaxpr, [i in self.traced for i in self.arrays])
            self.linked = self.split.linked
            jaxpr = self.split.fwd
        self.run = compile_numpy(jaxpr, scalars=False)

    def apply(
        self,
        cls: type,
        function: Callable[..., Any],
        boxes: Sequence[Any],
        values: Sequence[Any],
        atoms: list[Any],
    ) -> Any:
        """Do what `record_composite` does, for inputs of this signature."""
        outs = quietly(self.run, *[values[i] for i in self.arrays])
        n = self.num_outs
        tensors = [tensor_of(o) for o in outs[:n]]
        if any(self.linked):
            own = node_type(cls.__name__, CompiledNode)
            given = (function, boxes, values, atoms, tensors, self.linked, self.several)
            node: CompiledNode = node_of(own, *given)
            node.program, node.residuals = self, tuple(outs[n:])
        return tuple(tensors) if self.several else tensors[0]

    @functools.cached_property
    def is_linear(self) -> bool:
        """Whether no residual depends on the differentiated inputs."""
        return self.split is None or not any(self.split.dependent_residuals())

    def pullback(
        self, given: tuple[bool, ...]
    ) -> tuple[Callable[..., list[Any]], Jaxpr, list[bool]]:
        """Return the backward program for some outputs' gradients.

        Returns:
            A function of residuals and gradients, its jaxpr, and which of `traced` have
            a gradient.
        """
        found = self._pullbacks.get(given)
        if found is None:
            assert self.split is not None
            jaxpr, reached = self.split.bwd(given)
            run = compile_numpy(jaxpr, scalars=False)
            found = self._pullbacks[given] = run, jaxpr, reached
        return found


class CompiledNode(CompositeNode):
    """A composite operation that ran as a program.

    Attributes:
        program: the program; `residuals` are the values it kept.
    """

    __slots__ = ("program",)
    program: Program

    def pull(self, ct: Any, create: bool) -> Sequence[Any]:
        if self.residuals is None:
            raise RuntimeError(FREED)
        linear = create and self.program.is_linear
        for _, storage, version in self.saved:
            if storage.version != version:
                self._check_versions(create and not linear)
        cts = ct if isinstance(self.aval, list) else [ct]
        if create and not linear:
            return self._pull_recorded(cts)
        given = tuple([c is not None for c in cts])
        run, jaxpr, reached = self.program.pullback(given)
        known = [c for c in cts if c is not None]
        if all(isinstance(c, (np.ndarray, np.generic)) for c in known):
            found = iter(run(*self.residuals, *known))
        else:  # gradients that are traced themselves
            found = iter(eval_jaxpr(jaxpr, *self.residuals, *known))
        grads: list[Any] = [None] * len(self.inputs)
        for i, has_one in zip(self.program.traced, reached, strict=True):
            if has_one:
                grads[i] = next(found)
        return grads

    def release(self) -> None:
        """Free what is kept, if there is any."""
        if self.residuals:
            self.residuals = None  # type: ignore[assignment]
            self.kept = ()

    def kept_arrays(self) -> list[Any]:
        return [r for r in self.residuals if isinstance(r, np.ndarray)]
