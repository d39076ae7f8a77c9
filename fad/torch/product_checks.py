"""What PyTorch says when matrices and vectors do not fit each other.

Public names: `check_tensors`, `check_matmul`, `check_matrices`, `check_matrix_vector`,
`check_vectors`, `check_batches`, `check_addends`, `check_square`, `check_stack`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .tensor import Tensor

__all__ = [
    "check_addends",
    "check_batches",
    "check_matmul",
    "check_matrices",
    "check_matrix_vector",
    "check_square",
    "check_stack",
    "check_tensors",
    "check_vectors",
    "title",
]

_C_NAMES = {
    "float16": "c10::Half",
    "float32": "float",
    "float64": "double",
    "int8": "signed char",
    "int16": "short int",
    "int32": "int",
    "int64": "long int",
    "uint8": "unsigned char",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}


def title(x: Tensor) -> str:
    """Return the name of a tensor's dtype as errors write it: Float, Long, ..."""
    return str(x.dtype.title)


def check_tensors(name: str, **arguments: Any) -> None:
    """Raise unless every argument of a function is a tensor."""
    for position, (key, value) in enumerate(arguments.items(), 1):
        if not isinstance(value, Tensor):
            raise TypeError(
                f"{name}(): argument '{key}' (position {position}) must be Tensor, not "
                f"{type(value).__name__}"
            )


def check_matmul(x: Any, y: Any) -> None:
    """Raise unless `x @ y` exists."""
    check_tensors("matmul", input=x, other=y)
    m, n = x.ndim, y.ndim
    if not m or not n:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {m}D and "
            f"{n}D"
        )
    if m == n == 1:
        check_vectors("dot", x, y)
    elif n == 1:
        _check_last(x, y)
    elif m > 2 and n > 2:
        _check_stacks(x, y)
    else:
        rows = (1, x.shape[0]) if m == 1 else _flat(x)
        _check_products(x, y, rows, (y.shape[-2], y.shape[-1]))


def _flat(x: Tensor) -> tuple[int, int]:
    rows = 1
    for n in x.shape[:-1]:
        rows *= n
    return rows, x.shape[-1]


def _check_last(x: Tensor, y: Tensor) -> None:
    if x.aval.dtype != y.aval.dtype:
        names = f"{title(y)}, {title(x)}, and {title(y)}"
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {names}"
        )
    rows, depth = _flat(x)
    if depth != y.shape[0]:
        raise RuntimeError(
            f"size mismatch, got input ({rows}), mat ({rows}x{depth}), vec "
            f"({y.shape[0]})"
        )


def _check_stacks(x: Tensor, y: Tensor) -> None:
    from .declare import size_mismatch

    class Stack:
        def __init__(self, of: Tensor) -> None:
            self.shape = of.shape[:-2]

    found = size_mismatch(Stack(x), Stack(y))
    if found:
        raise RuntimeError(found)
    if x.aval.dtype != y.aval.dtype:
        raise RuntimeError(f"expected scalar type {title(x)} but found {title(y)}")
    if x.shape[-1] != y.shape[-2]:
        batch = 1
        for i in range(1, max(x.ndim, y.ndim) - 1):
            sizes = [t.shape[-2 - i] for t in (x, y) if t.ndim >= 2 + i]
            batch *= max(sizes)
        raise RuntimeError(_second_stack((batch, x.shape[-1]), (batch, y.shape[-2])))


def _second_stack(expected: Sequence[int], got: Sequence[int]) -> str:
    return (
        "Expected size for first two dimensions of batch2 tensor to be: "
        f"{list(expected)} but got: {list(got)}."
    )


def _check_products(
    x: Tensor, y: Tensor, first: tuple[int, int], second: tuple[int, int]
) -> None:
    if first[1] != second[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({first[0]}x{first[1]} and "
            f"{second[0]}x{second[1]})"
        )
    if x.aval.dtype != y.aval.dtype:
        a, b = (_C_NAMES.get(t.aval.dtype.name, t.aval.dtype.name) for t in (x, y))
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {a} != {b}"
        )


def check_matrices(x: Tensor, y: Tensor, first: str, second: str) -> None:
    """Raise unless the product of two matrices exists."""
    for name, t in ((first, x), (second, y)):
        if t.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix")
    _check_products(x, y, tuple(x.shape), tuple(y.shape))


def check_matrix_vector(x: Tensor, y: Tensor, addend: Tensor | None = None) -> None:
    """Raise unless the product of a matrix and a vector exists."""
    rank = 1 if addend is None else addend.ndim
    if x.ndim != 2 or y.ndim != 1 or rank > 1:
        raise RuntimeError(
            f"vector + matrix @ vector expected, got {rank}, {x.ndim}, {y.ndim}"
        )
    rows = x.shape[0] if addend is None or not addend.ndim else addend.shape[0]
    if x.shape[1] != y.shape[0] or rows not in (1, x.shape[0]):
        raise RuntimeError(
            f"size mismatch, got input ({rows}), mat ({x.shape[0]}x{x.shape[1]}), vec "
            f"({y.shape[0]})"
        )
    _check_last(x, y)


def check_vectors(name: str, x: Tensor, y: Tensor) -> None:
    """Raise unless two vectors have one length and dtype."""
    if x.ndim != 1 or y.ndim != 1:
        raise RuntimeError(
            f"1D tensors expected, but got {x.ndim}D and {y.ndim}D tensors"
        )
    if x.aval.dtype != y.aval.dtype:
        raise RuntimeError(
            f"{name} : expected both vectors to have same dtype, but found {title(x)} "
            f"and {title(y)}"
        )
    m, n = x.shape[0], y.shape[0]
    if m != n:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{m}] and src [{n}] to have "
            f"the same number of elements, but got {m} and {n} elements respectively"
        )


def check_batches(x: Tensor, y: Tensor) -> None:
    """Raise unless two stacks of matrices can be multiplied one by one."""
    for name, t in (("batch1", x), ("batch2", y)):
        if t.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    if (x.shape[0], x.shape[2]) != tuple(y.shape[:2]):
        raise RuntimeError(_second_stack((x.shape[0], x.shape[2]), y.shape[:2]))
    if x.aval.dtype != y.aval.dtype:
        raise RuntimeError(f"expected scalar type {title(x)} but found {title(y)}")


def check_addends(x: Tensor, shape: Sequence[int]) -> None:
    """Raise unless a tensor broadcasts to the shape of what is added to it."""
    for i in range(1, x.ndim + 1):
        n, m = x.shape[-i], shape[-i] if i <= len(shape) else -1
        if n not in (1, m):
            raise RuntimeError(
                f"The expanded size of the tensor ({m}) must match the existing size "
                f"({n}) at non-singleton dimension {len(shape) - i}.  Target sizes: "
                f"{list(shape)}.  Tensor sizes: {list(x.shape)}"
            )


def check_stack(name: str, x: Any, argument: str = "A", floating: bool = True) -> None:
    """Raise unless a tensor is a stack of matrices of floating or complex numbers."""
    check_tensors(name.replace(".", "_"), **{argument: x})
    if x.ndim < 2:
        raise RuntimeError(
            f"{name}: The input tensor {argument} must have at least 2 dimensions."
        )
    if floating:
        check_floating(name, x)


def check_floating(name: str, x: Tensor) -> None:
    """Raise unless a tensor is of single or double precision."""
    if x.aval.dtype.kind not in "fc":
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got "
            f"{title(x)}"
        )
    if x.aval.dtype.name == "float16":
        raise RuntimeError(
            f"{name}: Low precision dtypes not supported. Got {title(x)}"
        )


def check_square(name: str, x: Any, floating: bool = True) -> None:
    """Raise unless a tensor is a stack of square matrices."""
    check_stack(name, x, floating=False)
    if x.shape[-1] != x.shape[-2]:
        raise RuntimeError(
            f"{name}: A must be batches of square matrices, but they are {x.shape[-2]} "
            f"by {x.shape[-1]} matrices"
        )
    if floating:
        check_floating(name, x)
