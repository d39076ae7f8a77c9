"""One call of a function with custom rules: from pytrees to flat leaves and back.

A `Site` knows the function, the arguments that are not differentiated, and the trees.
With `JvpRule` and `VjpRule` it makes the flat functions of a `Call`, and checks what
the user's rules return.

Public names: `Site`, `SymbolicZero`, `is_zero`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval, is_array_like, zeros
from ..core.pytree import PytreeMismatchError, TreeDef, tree_flatten, tree_leaves
from ..core.trace import Tracer, aval_of

__all__ = ["Site", "SymbolicZero", "is_zero"]


class SymbolicZero:
    """A tangent or cotangent that is zero and was never made into an array.

    Rules defined with `symbolic_zeros=True` get one in place of an array of zeros, and
    any rule may return one.

    Attributes:
        aval: the shape and dtype of the value whose tangent it is.
    """

    __slots__ = ("aval",)

    def __init__(self, aval: Aval) -> None:
        self.aval = aval

    @property
    def shape(self) -> tuple[int, ...]:
        return self.aval.shape

    @property
    def dtype(self) -> Any:
        return self.aval.tangent().dtype

    @property
    def ndim(self) -> int:
        return self.aval.ndim

    @property
    def size(self) -> int:
        return self.aval.size

    def instantiate(self) -> Any:
        """Return the array of zeros that it stands for."""
        return zeros(self.aval.tangent())

    def __repr__(self) -> str:
        return f"SymbolicZero({self.aval!r})"


def is_zero(value: Any) -> bool:
    """Tell whether a rule gave a zero: None or a `SymbolicZero`."""
    return value is None or isinstance(value, SymbolicZero)


class Site:
    """The arguments of one call: which are differentiated, and their tree.

    Attributes:
        name: of the function.
        fun: the function.
        nondiff: positions and values of the arguments that are not differentiated.
        count: the number of arguments.
        tree: of the tuple of the others.
        out_tree: of the function's output, once it is known.
    """

    def __init__(
        self, name: str, fun: Any, args: Sequence[Any], nondiff: Sequence[int]
    ) -> None:
        self.name = name
        self.fun = fun
        self.count = len(args)
        self.nondiff = [(i, args[i]) for i in nondiff]
        positions = set(nondiff)
        self.positions = [i for i in range(len(args)) if i not in positions]
        self.leaves, self.tree = tree_flatten(tuple(args[i] for i in self.positions))
        self.out_tree: TreeDef | None = None

    @property
    def static(self) -> list[Any]:
        """The arguments that are not differentiated, in order."""
        return [value for _, value in self.nondiff]

    def check_leaves(self) -> None:
        """Refuse arguments that are not arrays.

        Raises:
            TypeError: naming `nondiff_argnums`.
        """
        for leaf in self.leaves:
            if not (isinstance(leaf, Tracer) or is_array_like(leaf)):
                raise TypeError(
                    f"{self.name} has a custom derivative rule and got an argument of "
                    f"type {type(leaf).__name__}: {leaf!r:.60}. Arguments are arrays, "
                    "numbers or pytrees of them; name others in nondiff_argnums"
                )

    def arguments(self, leaves: Sequence[Any]) -> list[Any]:
        """Return all positional arguments with new leaves."""
        args: list[Any] = [None] * self.count
        for i, value in self.nondiff:
            args[i] = value
        for i, value in zip(self.positions, self.tree.unflatten(leaves), strict=True):
            args[i] = value
        return args

    def run(self, *leaves: Any) -> list[Any]:
        """Call the function on flat leaves; return the output's leaves."""
        return self.flat_output(self.fun(*self.arguments(leaves)), "its output")

    def flat_output(self, out: Any, what: str) -> list[Any]:
        """Return the leaves of an output, after a check of tree and leaves."""
        leaves, tree = tree_flatten(out)
        if self.out_tree is None:
            self.out_tree = tree
        elif tree != self.out_tree:
            raise TypeError(
                f"the rule of {self.name} must return the output of {self.name} as its "
                f"first element, with the structure {self.out_tree}, got {tree}"
            )
        for leaf in leaves:
            if not (isinstance(leaf, Tracer) or is_array_like(leaf)):
                raise TypeError(
                    f"{what} of {self.name} must be arrays, numbers or pytrees of "
                    f"them, got {leaf!r:.60} of type {type(leaf).__name__}"
                )
        return leaves


def match_up_to(value: Any, full: Any) -> list[Any]:
    """Return one leaf of `value` per leaf of `full`; None answers for a whole subtree.

    Raises:
        PytreeMismatchError: the structures differ.
    """
    leaves, tree = tree_flatten(value, is_leaf=is_zero)
    matched: list[Any] = []
    for leaf, subtree in zip(leaves, tree.flatten_up_to(full), strict=True):
        places = tree_leaves(subtree)
        if not is_zero(leaf) and not (len(places) == 1 and places[0] is subtree):
            raise PytreeMismatchError(
                f"expected a {type(subtree).__name__}, found {type(leaf).__name__}"
            )
        matched += [None if is_zero(leaf) else leaf] * len(places)
    return matched


def as_array(value: Any, dtype: Any) -> Any:
    """Return a number as a NumPy scalar of `dtype`; arrays and tracers stay."""
    if isinstance(value, (Tracer, np.ndarray, np.generic)):
        return value
    return np.asarray(value, dtype)[()]


def check_leaf(what: str, value: Any, aval: Aval, dtype_matters: bool) -> Aval:
    """Return the aval of a tangent or cotangent leaf of a value with `aval`.

    Raises:
        TypeError: not an array, or of another dtype.
        ValueError: of another shape.
    """
    if not (isinstance(value, Tracer) or is_array_like(value)):
        raise TypeError(
            f"{what} must be arrays, or None for zero; got {value!r:.60} of type "
            f"{type(value).__name__}"
        )
    found = aval_of(value)
    if found.shape != aval.shape:
        raise ValueError(
            f"{what} must have the shape {aval.shape} of the value {aval!r} that it "
            f"belongs to, got {found!r} of shape {found.shape}"
        )
    wrong = found.dtype != aval.dtype and not found.weak
    if dtype_matters and (wrong or found.dtype.kind == "c" != aval.dtype.kind):
        raise TypeError(
            f"{what} must have the dtype {aval.dtype} of the value that it belongs to, "
            f"got {found!r}; convert it with .astype({aval.dtype.name!r})"
        )
    return found
