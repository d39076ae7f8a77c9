"""Signatures of functions over axes, as "(m,n),(n)->(m)" (`numpy.vectorize`).

Each argument ends in *core* axes, which belong to one call; the axes before them are
*outer* and are broadcast against those of the other arguments.

Public names: `Signature`, `OutputCountError`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

__all__ = ["OutputCountError", "Signature"]

_ARGUMENT = re.compile(r"\(([^()]*)\)")
_NAME = r"\w+"
_CORE = rf"\((?:{_NAME}(?:,{_NAME})*,?)?\)"
_LIST = rf"{_CORE}(?:,{_CORE})*"
_SIGNATURE = re.compile(rf"^{_LIST}->{_LIST}$")

Shape = tuple[int, ...]


class OutputCountError(ValueError, TypeError):
    """A vectorized function returns more or fewer arrays than its signature has.

    Fails: `fnp.vectorize(lambda x: (x, x), signature="()->()")(x)`. Works: with the
    signature `"()->(),()"`.
    """


class Signature:
    """Names of the core axes of every input and output.

    >>> Signature("(m,n),(n)->(m)").match([(5, 2, 3), (3,)])
    ((5,), {'m': 2, 'n': 3})
    """

    __slots__ = ("text", "inputs", "outputs")

    def __init__(self, text: str) -> None:
        squeezed = re.sub(r"\s+", "", text)
        if not _SIGNATURE.match(squeezed):
            raise ValueError(f"not a valid gufunc signature: {text}")
        before, after = squeezed.split("->")
        self.text: str | None = text
        self.inputs = [_names(core) for core in _ARGUMENT.findall(before)]
        self.outputs: list[tuple[str, ...]] | None = [
            _names(core) for core in _ARGUMENT.findall(after)
        ]

    @classmethod
    def elementwise(cls, inputs: int) -> Signature:
        """Return the signature of a function of scalars with any number of outputs."""
        signature = cls.__new__(cls)
        signature.text, signature.outputs = None, None
        signature.inputs = [()] * inputs
        return signature

    def match(self, shapes: Sequence[Shape]) -> tuple[Shape, dict[str, int]]:
        """Return the broadcast outer shape and the sizes of the core axes.

        Raises:
            TypeError: the number of arguments is wrong.
            ValueError: shapes disagree.
        """
        if len(shapes) != len(self.inputs):
            raise TypeError(
                f"wrong number of positional arguments: expected {len(self.inputs)}, "
                f"got {len(shapes)}"
            )
        sizes: dict[str, int] = {}
        outer = []
        for shape, core in zip(shapes, self.inputs, strict=True):
            if len(shape) < len(core):
                raise ValueError(
                    f"{len(shape)}-dimensional argument does not have enough "
                    f"dimensions for all core dimensions {core}"
                )
            split = len(shape) - len(core)
            outer.append(shape[:split])
            _fix(sizes, core, shape[split:])
        return np.broadcast_shapes(*outer), sizes

    def check(self, results: Sequence[Sequence[Shape]], sizes: dict[str, int]) -> None:
        """Check the shapes of what each call returned.

        Raises:
            ValueError: the number of outputs or the shape of one is wrong.
        """
        first = results[0]
        for row in results:
            if len(row) != len(first):
                raise ValueError(
                    f"wrong number of outputs: a call returned {len(row)}, the first "
                    f"one {len(first)}"
                )
            if self.outputs is None:
                _check_scalars(row)
            elif len(row) != len(self.outputs):
                raise OutputCountError(
                    f"wrong number of outputs from pyfunc: expected "
                    f"{len(self.outputs)}, got {len(row)}"
                )
            else:
                for shape, core in zip(row, self.outputs, strict=True):
                    _check_core(sizes, core, shape)


def _names(core: str) -> tuple[str, ...]:
    return tuple(name for name in core.split(",") if name)


def _fix(sizes: dict[str, int], core: tuple[str, ...], shape: Shape) -> None:
    """Give core axes their sizes, or check the sizes that they have."""
    for name, n in zip(core, shape, strict=True):
        if sizes.setdefault(name, n) != n:
            raise ValueError(
                f"inconsistent size for core dimension {name!r}: {n} vs {sizes[name]}"
            )


def _check_core(sizes: dict[str, int], core: tuple[str, ...], shape: Shape) -> None:
    if len(shape) != len(core):
        raise ValueError(
            f"an output of shape {shape} does not have the core dimensions {core}"
        )
    _fix(sizes, core, shape)


def _check_scalars(row: Sequence[Shape]) -> None:
    for shape in row:
        if shape:
            raise ValueError(
                f"the function returned an array of shape {shape} for one element; "
                "say which axes it keeps with signature=, as in '()->(n)'"
            )
