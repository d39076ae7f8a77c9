"""Dimensions in another order, and windows: views, most of them.

`flip`, `roll` and `rot90` are copies, as in PyTorch.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .. import numpy as fnp
from ..core.trace import Tracer
from ..ops import shape as shapes
from ..ops.arithmetic import copy
from .declare import composite, function, method
from .dims import axes_of, axis_of
from .node import node_type
from .ops_reduce import noted
from .ops_shape import reshape
from .tensor import Tensor
from .view_steps import Steps, windows
from .views import as_view, view_by

__all__ = ["sharing"]

_PERMUTE = node_type("PermuteBackward0")
_TRANSPOSE = node_type("TransposeBackward0")


@function("t", out=False)
def t(input: Tensor) -> Tensor:
    """Return a view of a matrix with rows as columns."""
    if input.ndim > 2:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D"
        )
    axes = tuple(range(input.ndim))[::-1]
    return view_by(shapes.transpose, node_type("TBackward0"), input, {"axes": axes})


@function("transpose", "swapaxes", "swapdims", out=False)
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Return a view with two dimensions exchanged."""
    axes = list(range(input.ndim))
    i, j = axis_of(dim0, input.ndim), axis_of(dim1, input.ndim)
    if axes:
        axes[i], axes[j] = axes[j], axes[i]
    out = view_by(shapes.transpose, _TRANSPOSE, input, {"axes": tuple(axes)})
    return noted(out, dim0=dim0, dim1=dim1)


def _permuted(x: Tensor, axes: Any) -> Tensor:
    return view_by(shapes.transpose, _PERMUTE, x, {"axes": tuple(axes)})


@function("permute", out=False)
def permute(input: Tensor, *dims: Any) -> Tensor:
    """Return a view with the dimensions in another order."""
    if len(dims) == 1 and isinstance(dims[0], (tuple, list)):
        dims = tuple(dims[0])
    if len(dims) != input.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not "
            "match the length of the desired ordering of dimensions i.e. input.dim() = "
            f"{input.ndim} is not equal to len(dims) = {len(dims)}"
        )
    axes = [axis_of(d, input.ndim) for d in dims]
    if len(set(axes)) != len(axes):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return _permuted(input, axes)


@function("movedim", "moveaxis", out=False)
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Return a view with dimensions moved, the others in their order."""
    pair = [[d] if isinstance(d, int) else list(d) for d in (source, destination)]
    if len(pair[0]) != len(pair[1]):
        raise RuntimeError(
            "movedim: Invalid source or destination dims: source "
            f"({pair[0]} dims) should contain the same number of dims as destination "
            f"({pair[1]} dims)"
        )
    src, dst = ([axis_of(d, input.ndim) for d in dims] for dims in pair)
    for dims, name, given in ((src, "source", pair[0]), (dst, "destination", pair[1])):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({given})")
    order = [a for a in range(input.ndim) if a not in src]
    for to, axis in sorted(zip(dst, src, strict=True)):
        order.insert(to, axis)
    return _permuted(input, order)


def _reversed(x: Tensor) -> Tensor:
    if x.ndim != 2:
        warnings.warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their "
            "shape is deprecated and it will throw an error in a future release. "
            "Consider"
            " `x.mT` to transpose batches of matrices or "
            "`x.permute(*torch.arange(x.ndim "
            "- 1, -1, -1))` to reverse the dimensions of a tensor.",
            UserWarning,
            stacklevel=3,
        )
    return _permuted(x, range(x.ndim)[::-1])


def _matrix_transposed(name: str, x: Tensor) -> Tensor:
    if x.ndim < 2:
        raise RuntimeError(
            f"tensor.{name} is only supported on matrices or batches of matrices. Got "
            f"{x.ndim}-D tensor."
        )
    out = transpose(x, -2, -1)
    return out.conj() if name[-1] == "H" and x.aval.dtype.kind == "c" else out  # type: ignore[attr-defined,no-any-return]


def _hermitian(x: Tensor) -> Tensor:
    if x.ndim not in (0, 2):
        raise RuntimeError(
            "tensor.H is only supported on matrices (2-D tensors). Got "
            f"{x.ndim}-D tensor."
            + (
                " For batches of matrices, consider using tensor.mH"
                if x.ndim > 2
                else ""
            )
        )
    return _matrix_transposed("H", x) if x.ndim else x


_cls: Any = Tensor
_cls.T = property(_reversed)
_cls.mT = property(lambda self: _matrix_transposed("mT", self))
_cls.H = property(_hermitian)
_cls.mH = property(lambda self: _matrix_transposed("mH", self))


@function("adjoint", out=False)
def adjoint(input: Tensor) -> Tensor:
    """Return the conjugated transpose of matrices."""
    return _matrix_transposed("mH", input)


_flip = composite("FlipBackward0", lambda x, *, axis: copy(shapes.flip(x, axis=axis)))


@function("flip", out=False)
def flip(input: Tensor, *dims: Any) -> Tensor:
    """Return a copy with dimensions in reversed order."""
    if len(dims) == 1 and isinstance(dims[0], (tuple, list)):
        dims = tuple(dims[0])
    axes = axes_of(dims, input.ndim) if dims else ()
    out: Tensor = _flip(input, axis=axes)
    return out


@function("fliplr", out=False)
def fliplr(input: Tensor) -> Tensor:
    """Return a copy with the columns in reversed order."""
    if input.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, 1)


@function("flipud", out=False)
def flipud(input: Tensor) -> Tensor:
    """Return a copy with the rows in reversed order."""
    if input.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, 0)


_roll = composite(
    "RollBackward0", lambda x, *, shift, axis: copy(fnp.roll(x, shift, axis))
)


@function("roll", out=False)
def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """Return a copy with elements moved along dimensions, round the end."""
    shift = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    if dims is None or (isinstance(dims, (tuple, list)) and not dims):
        if len(shift) != 1:
            raise RuntimeError(
                f"shifts and dimensions must align. shifts: {len(shift)}, dims:0"
            )
        out: Tensor = _roll(input, shift=shift[0], axis=None)
        return out
    axes = (dims,) if isinstance(dims, int) else tuple(dims)
    if len(axes) != len(shift):
        raise RuntimeError(
            f"shifts and dimensions must align. shifts: {len(shift)}, dims:{len(axes)}"
        )
    where = tuple(axis_of(d, input.ndim) for d in axes)
    out = _roll(input, shift=shift, axis=where)
    return out


_rot90 = composite("Rot90Backward0", lambda x, *, k, axes: copy(fnp.rot90(x, k, axes)))


@function("rot90", out=False)
def rot90(input: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """Return a copy turned by k quarters in the plane of two dimensions."""
    if len(dims) != 2:
        raise RuntimeError(
            f"expected total rotation dims == 2, but got dims = {len(dims)}"
        )
    out: Tensor = _rot90(input, k=k, axes=axes_of(tuple(dims), input.ndim))
    return out


def sharing(out: Tensor, x: Tensor, array: Any, steps: Steps) -> Tensor:
    """Let a copy be a view of a tensor, where no primitive of NumPy makes it.

    Args:
        array: the view of the memory.
        steps: the operations on `x` that made the copy.
    """
    out.value = array
    return as_view(out, x, steps)


_unfold = composite("UnfoldBackward0", windows)


@method()
def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Return a view of windows along a dimension, their elements last."""
    axis = axis_of(dimension, self.ndim)
    longest = self.shape[axis] if self.ndim else 1
    if size > longest:
        raise RuntimeError(
            f"maximum size for tensor at dimension {axis} is {longest} but size is "
            f"{size}"
        )
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    x = self if self.ndim else reshape(self, 1)
    out: Tensor = _unfold(x, axis=axis, size=size, step=step)
    if not self.ndim:
        return out
    if isinstance(self.value, Tracer):
        return out
    array = np.lib.stride_tricks.sliding_window_view(
        self.value, size, axis, writeable=self.value.flags.writeable
    )
    array = array[(slice(None),) * axis + (slice(None, None, step),)]
    params = {"axis": axis, "size": size, "step": step}
    return sharing(out, self, array, ((windows, params),))
