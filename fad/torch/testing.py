"""torch.testing: tensors compared, with errors that say where they differ.

Public names: `assert_close`, `make_tensor`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .declare import functions
from .missing import no_name
from .tensor import Tensor

__all__ = ["assert_close", "make_tensor"]

_TOLERANCES = {"f2": (1e-3, 1e-5), "f4": (1.3e-6, 1e-5), "f8": (1e-7, 1e-7)}
_TOLERANCES |= {"c8": _TOLERANCES["f4"], "c16": _TOLERANCES["f8"]}
_SCALARS = (bool, int, float, complex)


class _Options:
    """How values are compared.

    Attributes:
        rtol, atol: tolerances; None stands for those of the dtype.
    """

    def __init__(self, rtol: Any, atol: Any, equal_nan: bool, **checks: bool) -> None:
        if (rtol is None) != (atol is None):
            missing = "atol" if atol is None else "rtol"
            raise ValueError(
                "Both 'rtol' and 'atol' must be either specified or omitted, but got "
                f"no {missing}."
            )
        self.rtol, self.atol, self.equal_nan = rtol, atol, equal_nan
        self.checks = checks

    def tolerances(self, *dtypes: np.dtype[Any]) -> tuple[float, float]:
        if self.rtol is not None:
            return self.rtol, self.atol
        known = [_TOLERANCES.get(d.str[1:], (0.0, 0.0)) for d in dtypes]
        return max(r for r, _ in known), max(a for _, a in known)


class _Mismatch(Exception):
    """Two values differ; the text says how."""


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise AssertionError unless two tensors, or trees of them, are close.

    That is |actual - expected| <= atol + rtol |expected| for every element, and the same
    shape and dtype. The tolerances are by dtype: 1.3e-6 and 1e-5 for float32.

    >>> from fad import torch
    >>> torch.testing.assert_close(torch.tensor(1.), torch.tensor(1.000001))
    """
    options = _Options(rtol, atol, equal_nan, dtype=check_dtype, stride=check_stride)
    try:
        _compare(actual, expected, options, ())
    except _Mismatch as error:
        text = str(error)
        shown = text if msg is None else msg(text) if callable(msg) else msg
        raise AssertionError(shown) from None


def _compare(actual: Any, expected: Any, options: _Options, path: Any) -> None:
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if set(actual) != set(expected):
            missing = sorted(set(expected) - set(actual))
            more = sorted(set(actual) - set(expected))
            raise _Mismatch(
                "The keys of the mappings do not match:\nMissing keys in the actual "
                f"mapping: {missing}\nAdditional keys in the actual mapping: {more}"
                + _at(path)
            )
        for key in actual:
            _compare(actual[key], expected[key], options, (*path, key))
    elif _is_sequence(actual) and _is_sequence(expected):
        if len(actual) != len(expected):
            raise _Mismatch(
                "The length of the sequences mismatch: "
                f"{len(actual)} != {len(expected)}" + _at(path)
            )
        for i, (a, b) in enumerate(zip(actual, expected, strict=True)):
            _compare(a, b, options, (*path, i))
    else:
        _compare_leaves(actual, expected, options, path)


def _is_sequence(x: Any) -> bool:
    return isinstance(x, Sequence) and not isinstance(x, str)


def _at(path: Any) -> str:
    if not path:
        return ""
    return "\n\nThe failure occurred for item " + "".join(f"[{p!r}]" for p in path)


def _compare_leaves(a: Any, b: Any, options: _Options, path: Any) -> None:
    if a is None and b is None:
        return
    if isinstance(a, _SCALARS) and isinstance(b, _SCALARS):
        _compare_scalars(a, b, options, path)
        return
    arrays = [v.detach() if isinstance(v, Tensor) else v for v in (a, b)]  # type: ignore[attr-defined]
    if not all(isinstance(v, (Tensor, np.ndarray, np.generic)) for v in arrays):
        raise TypeError(
            "No comparison pair was able to handle inputs of type "
            f"{type(a)} and {type(b)}."
        )
    x, y = (functions["as_tensor"](v) for v in arrays)
    if x.shape != y.shape:
        raise _Mismatch(_attribute("shape", x.shape, y.shape) + _at(path))
    if options.checks["dtype"] and x.dtype is not y.dtype:
        raise _Mismatch(_attribute("dtype", x.dtype, y.dtype) + _at(path))
    if options.checks["stride"] and x.stride() != y.stride():
        raise _Mismatch(_attribute("stride()", x.stride(), y.stride()) + _at(path))
    _compare_arrays(x.value, y.value, options, path)


def _attribute(name: str, a: Any, b: Any) -> str:
    return f"The values for attribute '{name}' do not match: {a} != {b}."


def _compare_arrays(a: Any, b: Any, options: _Options, path: Any) -> None:
    rtol, atol = options.tolerances(a.dtype, b.dtype)
    if a.dtype != b.dtype:
        a, b = (v.astype(np.result_type(a, b)) for v in (a, b))
    exact = rtol == atol == 0
    close = np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=options.equal_nan)
    if close.all():
        return
    if a.dtype.kind == "b":
        a, b = a.astype(int), b.astype(int)
    if a.ndim == 0:
        raise _Mismatch(_of_scalars(a.item(), b.item(), rtol, atol) + _at(path))
    with np.errstate(all="ignore"):
        gap = np.abs(a - b) if a.dtype.kind in "ifc" else np.abs(a.astype(int) - b)
        ratio = gap / np.abs(b)
    if a.dtype.kind in "iu":
        ratio = ratio.astype(np.float32)
    for found in (gap, ratio):
        found[close] = 0
    wrong = int((~close).sum())
    lines = [
        f"Tensor-likes are not {'equal' if exact else 'close'}!\n",
        f"Mismatched elements: {wrong} / {a.size} ({wrong / a.size:.1%})",
        _greatest("absolute", gap, None if exact else atol),
        _greatest("relative", ratio, None if exact else rtol),
    ]
    raise _Mismatch("\n".join(lines) + _at(path))


def _greatest(kind: str, gap: Any, allowed: float | None) -> str:
    place = np.unravel_index(int(gap.argmax()), gap.shape)
    limit = "" if allowed is None else f" (up to {allowed} allowed)"
    where = tuple(int(i) for i in place)
    return f"Greatest {kind} difference: {gap[place].item()} at index {where}{limit}"


def _compare_scalars(a: Any, b: Any, options: _Options, path: Any) -> None:
    dtypes = [np.asarray(v).dtype for v in (a, b)]
    rtol, atol = options.tolerances(*dtypes)
    equal = np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=options.equal_nan)
    if not equal:
        raise _Mismatch(_of_scalars(a, b, rtol, atol) + _at(path))


def _of_scalars(a: Any, b: Any, rtol: float, atol: float) -> str:
    exact = rtol == atol == 0
    if isinstance(a, bool) or isinstance(b, bool):
        return f"Booleans mismatch: {a} is not {b}"
    gap = abs(a - b)
    ratio = float("inf") if b == 0 else abs(gap / b)
    up = ("", "")
    if not exact:
        up = (f" (up to {atol} allowed)", f" (up to {rtol} allowed)")
    return (
        f"Scalars are not {'equal' if exact else 'close'}!\n\nExpected {b} but got {a}.\n"
        f"Absolute difference: {gap}{up[0]}\nRelative difference: {ratio}{up[1]}"
    )


def make_tensor(
    *shape: Any,
    dtype: Any,
    device: Any = "cpu",
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    **options: Any,
) -> Tensor:
    """Return random values between two bounds, by default -9 and 9.

    Args:
        shape: sizes, or one sequence of them.
        low, high: integers are drawn below `high`.
    """
    size = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
    kind = dtype.numpy.kind
    least = (0 if kind in "bu" else -9) if low is None else low
    most = (2 if kind == "b" else 10 if kind in "iu" else 9) if high is None else high
    if kind in "biu":
        made = functions["randint"](int(least), int(most), tuple(size)).to(dtype)
    else:
        made = functions["empty"](tuple(size), dtype=dtype).uniform_(least, most)
    return made.requires_grad_(requires_grad)  # type: ignore[no-any-return]


def __getattr__(name: str) -> Any:
    raise no_name(__name__, name, __all__)
