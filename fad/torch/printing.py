"""The text of a tensor, as PyTorch prints it, from a NumPy array.

A tensor prints as ``tensor(`` + nested brackets + suffixes + ``)``. All numbers of
one tensor share one *style*, chosen from the values that will be shown and that are
finite and not zero (call their absolute values ``a``):

- *plain*: integers and booleans, by their Python text;
- *scientific*: ``max(a) / min(a) > 1000``, ``max(a) > 1e8`` or ``min(a) < 1e-4``;
- *whole*: otherwise, when every such value is an integer: ``12.``;
- *fixed*: otherwise, with ``precision`` digits after the point.

The style also has one width, that of its longest such value: zeros, ``nan`` and
``inf`` do not widen it. Complex tensors have one style for the real and one for the
imaginary parts.

Above ``threshold`` elements every dimension longer than ``2 * edgeitems`` keeps its
two ends around ``...``. A row breaks where ``linewidth`` is full; a suffix moves to
a line of its own when it no longer fits.

Options belong to the current context (``contextvars``), hence to the thread or task.

Public names: `format_tensor`, `format_size`, `PrintOptions`, `set_printoptions`,
`get_printoptions`, `printoptions`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = [
    "PrintOptions",
    "format_size",
    "format_tensor",
    "get_printoptions",
    "printoptions",
    "set_printoptions",
]


def format_tensor(
    array: np.ndarray,
    *,
    dtype: str | None = None,
    default_dtype: str = "float32",
    requires_grad: bool = False,
    grad_fn: str | None = None,
    tangent: str | None = None,
    prefix: str = "tensor(",
) -> str:
    """Return what ``repr`` of a tensor holding `array` says.

    Args:
        array: The values, of any shape. An extension dtype that NumPy can cast to
            float64 (bfloat16 and the like) prints by its values.
        dtype: The tensor's dtype as PyTorch names it, without ``torch.``; None
            takes the array's. Pass it where NumPy has no such dtype: a bfloat16
            tensor kept in a float32 array says ``dtype="bfloat16"``.
        default_dtype: The default floating dtype, which prints no ``dtype=``.
        requires_grad: Whether a tensor without a `grad_fn` says
            ``requires_grad=True``.
        grad_fn: The node's name, printed as ``grad_fn=<...>``.
        tangent: The text of the forward-mode tangent of a dual tensor.
        prefix: The opening text; a subclass prints its own name here.

    Returns:
        The text, of one or more lines.

    >>> print(format_tensor(np.array([[1.5, 200.0], [-3.0, 4.0]], np.float32)))
    tensor([[  1.5000, 200.0000],
            [ -3.0000,   4.0000]])
    >>> print(format_tensor(np.float64(2), grad_fn="SumBackward0"))
    tensor(2., dtype=torch.float64, grad_fn=<SumBackward0>)
    """
    array = np.asarray(array)
    options = _options.get()
    name = dtype or array.dtype.name
    suffixes = _layout_suffixes(array, name, default_dtype, options)
    if grad_fn is not None:
        suffixes.append(f"grad_fn=<{grad_fn}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    if tangent is not None:
        suffixes.append(f"tangent={tangent}")
    text = prefix + _values_text(_printable(array), len(prefix), options)
    return _append_suffixes(text, suffixes, len(prefix), options.linewidth)


def format_size(shape: Sequence[int]) -> str:
    """Return the text of a ``torch.Size``.

    >>> format_size((2, 3))
    'torch.Size([2, 3])'
    """
    return f"torch.Size([{', '.join(map(str, shape))}])"


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """How tensors print; `set_printoptions` describes the fields.

    >>> PrintOptions().precision
    4
    """

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES: dict[str, dict[str, Any]] = {
    "default": dict(precision=4, threshold=1000, edgeitems=3, linewidth=80),
    "short": dict(precision=2, threshold=1000, edgeitems=2, linewidth=80),
    "full": dict(precision=4, threshold=math.inf, edgeitems=3, linewidth=80),
}

_DEFAULTS = PrintOptions()
_options = ContextVar("fad_torch_print_options", default=_DEFAULTS)


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors print from now on in this context.

    An option that is None stays as it is, except `sci_mode`, which goes back to the
    automatic choice. An unknown profile is ignored, as PyTorch does.

    Args:
        precision: Digits after the decimal point.
        threshold: The number of elements above which a tensor is summarised.
        edgeitems: Items shown at each end of a summarised dimension.
        linewidth: Columns available to a line.
        profile: ``"default"``, ``"short"`` or ``"full"``: values for the four
            options above, set before those given here.
        sci_mode: Force scientific notation on or off.

    >>> with printoptions(precision=2):
    ...     print(format_tensor(np.array([3.14159, 2.0], np.float32)))
    tensor([3.14, 2.00])
    """
    given = dict(
        precision=precision,
        threshold=threshold,
        edgeitems=edgeitems,
        linewidth=linewidth,
    )
    changes = dict(_PROFILES.get(profile or "", {}))
    changes |= {name: value for name, value in given.items() if value is not None}
    _options.set(dataclasses.replace(_options.get(), **changes, sci_mode=sci_mode))


def get_printoptions() -> dict[str, Any]:
    """Return the options in force, as keywords for `set_printoptions`.

    >>> get_printoptions()["linewidth"]
    80
    """
    return dataclasses.asdict(_options.get())


@contextlib.contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """Apply `set_printoptions` inside a ``with`` block.

    >>> with printoptions(sci_mode=True):
    ...     print(format_tensor(np.array([20.5], np.float32)))
    tensor([2.0500e+01])
    """
    token = _options.set(_options.get())
    try:
        set_printoptions(**options)
        yield
    finally:
        _options.reset(token)


def _layout_suffixes(
    array: np.ndarray, name: str, default: str, options: PrintOptions
) -> list[str]:
    """List ``size=`` and ``dtype=``, where the values do not tell them."""
    quiet = {default, "complex128" if default == "float64" else "complex64"}
    quiet |= {"int64", "bool"}
    if array.size == 0:
        quiet = {default}
    no_values = array.ndim != 1 if array.size == 0 else not options.edgeitems
    suffixes = [f"size={array.shape}"] if no_values else []
    return suffixes if name in quiet else [*suffixes, f"dtype=torch.{name}"]


def _append_suffixes(text: str, suffixes: list[str], indent: int, width: int) -> str:
    """Append the suffixes, each on a new line when the last one is full."""
    # PyTorch counts one column more than the last line has: the rule, not a slip.
    used = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if used + len(suffix) + 2 > width:
            text += ",\n" + " " * indent + suffix
            used = indent + len(suffix)
        else:
            text += ", " + suffix
            used += len(suffix) + 2
    return text + ")"


def _printable(array: np.ndarray) -> np.ndarray:
    """Return `array` with a dtype NumPy can order and turn into Python numbers."""
    return array if array.dtype.kind in "biufc" else array.astype(np.float64)


def _values_text(array: np.ndarray, indent: int, options: PrintOptions) -> str:
    """Return the bracketed values, which start at column `indent`."""
    if array.size == 0:
        return "[]"
    edge = options.edgeitems if array.size > options.threshold else None
    shown = _without_middle(array, edge)
    cell: _Style | _ComplexStyle
    if array.dtype.kind == "c":
        real, imag = (_choose_style(part, options) for part in (shown.real, shown.imag))
        cell = _ComplexStyle(real, imag, real.width + imag.width + 1)
    else:
        cell = _choose_style(shown, options)
    if array.ndim == 0:
        return cell.text(array.item())
    per_line = max(1, (options.linewidth - indent - array.ndim + 1) // (cell.width + 2))
    return _nested_text(array, indent, edge, per_line, cell.text)


@dataclass(frozen=True, slots=True)
class _Style:
    """How every number of one tensor is written; `spec` None means plain text."""

    width: int
    spec: str | None
    whole: bool

    def text(self, value: Any) -> str:
        body = str(value) if self.spec is None else format(value, self.spec)
        if self.whole and math.isfinite(value):
            body += "."
        return body.rjust(self.width)


@dataclass(frozen=True, slots=True)
class _ComplexStyle:
    real: _Style
    imag: _Style
    width: int

    def text(self, value: complex) -> str:
        imag = self.imag.text(value.imag).lstrip()
        sign = "" if imag[0] in "+-" else "+"
        return f"{self.real.text(value.real)}{sign}{imag}j"


def _choose_style(shown: np.ndarray, options: PrintOptions) -> _Style:
    """Choose the style for the values that will be shown."""
    if shown.dtype.kind != "f":
        plain = _Style(1, None, False)
        return dataclasses.replace(plain, width=_widest(plain, shown))
    counted = shown[np.isfinite(shown) & (shown != 0)]
    if counted.size == 0:
        return _Style(1, ".0f", True)
    whole = bool((counted == np.ceil(counted)).all())
    if _is_scientific(counted, options):
        style = _Style(1, f".{options.precision}e", False)
    else:
        style = _Style(1, ".0f" if whole else f".{options.precision}f", whole)
    return dataclasses.replace(style, width=_widest(style, counted))


def _is_scientific(counted: np.ndarray, options: PrintOptions) -> bool:
    if options.sci_mode is not None:
        return options.sci_mode
    sizes = np.abs(counted)
    smallest, largest = float(sizes.min()), float(sizes.max())
    return largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4


def _widest(style: _Style, values: np.ndarray) -> int:
    return max((len(style.text(value)) for value in values.ravel().tolist()), default=1)


def _without_middle(array: np.ndarray, edge: int | None) -> np.ndarray:
    """Return the part of `array` that a summary with `edge` items shows."""
    if edge is None:
        return array
    for axis, length in enumerate(array.shape):
        if length > 2 * edge:
            ends = [*range(edge), *range(length - edge, length)]
            array = np.take(array, np.array(ends, dtype=np.intp), axis)
    return array


def _nested_text(
    array: np.ndarray,
    indent: int,
    edge: int | None,
    per_line: int,
    cell: Callable[[Any], str],
) -> str:
    """Write `array` in brackets; rows hold `per_line` cells a line."""

    def write(part: np.ndarray) -> list[str]:
        if part.ndim == 1:
            return [cell(value) for value in part.tolist()]
        return [_nested_text(row, indent + 1, edge, per_line, cell) for row in part]

    row = array.ndim == 1
    if edge is None or len(array) <= 2 * edge:
        items = write(array)
    elif edge == 0:
        items = ["..."]
    else:
        gap = [" ..." if row else "..."]
        items = write(array[:edge]) + gap + write(array[len(array) - edge :])
    margin = " " * (indent + 1)
    if not row:
        return "[" + ("," + "\n" * (array.ndim - 1) + margin).join(items) + "]"
    lines = (items[i : i + per_line] for i in range(0, len(items), per_line))
    return "[" + (",\n" + margin).join(", ".join(line) for line in lines) + "]"
