"""How random values reach an array: order, rounding, and the names of dtypes.

Public names: `empty_as`, `lay_down`, `narrow`, `real_parts`, `require_kind`,
`scalar_name`, `c_name`.
"""

from __future__ import annotations

import numpy as np

__all__ = [
    "c_name",
    "empty_as",
    "lay_down",
    "narrow",
    "real_parts",
    "require_kind",
    "scalar_name",
]


def real_parts(out: np.ndarray, kernel: str) -> np.ndarray:
    """View complex `out` as real, with a last axis of length 2.

    >>> real_parts(np.array([1 + 2j]), "kernel")
    array([[1., 2.]])
    """
    require_kind(out, "fc", kernel)
    if out.dtype.kind != "c":
        return out
    return out[..., np.newaxis].view(f"f{out.itemsize // 2}")


def empty_as(like: np.ndarray) -> np.ndarray:
    """Return an array of a shape and layout, in rows where memory is repeated.

    PyTorch lays out what is made after an expanded tensor as if it were contiguous.

    >>> empty_as(np.broadcast_to(np.zeros(3), (2, 3))).strides
    (24, 8)
    """
    repeats = any(
        s == 0 for s, n in zip(like.strides, like.shape, strict=True) if n > 1
    )
    return np.empty(like.shape, like.dtype) if repeats else np.empty_like(like)


def lay_down(out: np.ndarray, values: np.ndarray) -> None:
    """Assign `values`, shape ``(out.size,)``, in the order of `out`'s memory.

    >>> out = np.zeros((2, 2), order="F")
    >>> lay_down(out, np.arange(4.0))
    >>> out
    array([[0., 2.],
           [1., 3.]])
    """
    if not out.flags.c_contiguous:
        last_first = range(out.ndim - 1, -1, -1)
        order = sorted(last_first, key=lambda axis: out.strides[axis])
        out = out.transpose(order[::-1])
    out[...] = values.reshape(out.shape)


def narrow(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Convert as C++ does: to float16 by way of float32.

    >>> narrow(np.array([0.1]), np.dtype(np.float16))
    array([0.1], dtype=float16)
    """
    with np.errstate(over="ignore"):
        if dtype == np.float16:
            values = values.astype(np.float32)
        return values.astype(dtype)


def scalar_name(dtype: np.dtype) -> str:
    """Return PyTorch's name of `dtype` in its own messages.

    >>> scalar_name(np.dtype(np.int64))
    'Long'
    """
    return _SCALAR_NAMES[dtype.name][0]


def c_name(dtype: np.dtype) -> str:
    """Return the C++ name of `dtype`, which other messages use.

    >>> c_name(np.dtype(np.int64))
    'long int'
    """
    return _SCALAR_NAMES[dtype.name][1]


def require_kind(array: np.ndarray, kinds: str, kernel: str) -> None:
    """Raise as PyTorch's `kernel` does, unless the dtype's kind is one of `kinds`.

    >>> require_kind(np.zeros(2, np.int64), "f", "normal_kernel_cpu")
    Traceback (most recent call last):
    NotImplementedError: "normal_kernel_cpu" not implemented for 'Long'
    """
    if array.dtype.kind not in kinds:
        name = scalar_name(array.dtype)
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{name}'")


_SCALAR_NAMES = {
    "bool": ("Bool", "bool"),
    "uint8": ("Byte", "unsigned char"),
    "int8": ("Char", "signed char"),
    "int16": ("Short", "short int"),
    "int32": ("Int", "int"),
    "int64": ("Long", "long int"),
    "uint16": ("UInt16", "short unsigned int"),
    "uint32": ("UInt32", "unsigned int"),
    "uint64": ("UInt64", "long unsigned int"),
    "float16": ("Half", "c10::Half"),
    "float32": ("Float", "float"),
    "float64": ("Double", "double"),
    "complex64": ("ComplexFloat", "c10::complex<float>"),
    "complex128": ("ComplexDouble", "c10::complex<double>"),
}
