"""Sequences of several lengths: padded to one tensor, or packed time by time.

    padded    (time, batch, *), filled up behind the end of each sequence
    packed    the elements of time 0 of all sequences, then those of time 1, and so on;
              `batch_sizes` tells how many sequences are still running at each time

Packing needs the sequences sorted, the longest first; `sorted_indices` remembers where
each came from.

Public names: `PackedSequence`, `pack_padded_sequence`, `pad_packed_sequence`,
`pad_sequence`, `unpad_sequence`, `pack_sequence`, `unpack_sequence`,
`invert_permutation`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from ....ops.index_layout import ARRAY
from ....ops.indexing import getitem
from ...declare import composite, functions
from ...tensor import Tensor, wrap

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


class _Fields(NamedTuple):
    data: Any
    batch_sizes: Any
    sorted_indices: Any
    unsorted_indices: Any


_Fields.__name__ = "PackedSequence"


class PackedSequence(_Fields):
    """Packed sequences; made by `pack_sequence` and `pack_padded_sequence`."""

    __slots__ = ()

    def __new__(
        cls,
        data: Any,
        batch_sizes: Any = None,
        sorted_indices: Any = None,
        unsorted_indices: Any = None,
    ) -> Self:
        if batch_sizes is None:
            if not isinstance(data, (list, tuple)) or len(data) != 2:
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Return the sequences in another dtype, as `Tensor.to` does."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else PackedSequence(data, *self[1:])

    def cpu(self) -> PackedSequence:
        """Return the sequences themselves: all tensors are on the CPU."""
        return self

    def double(self) -> PackedSequence:
        """Return the sequences in float64."""
        return self.to(functions["zeros"](0).double().dtype)

    def float(self) -> PackedSequence:
        """Return the sequences in float32."""
        return self.to(functions["zeros"](0).float().dtype)

    @property
    def is_cuda(self) -> bool:
        return False

    def is_pinned(self) -> bool:
        """Tell whether the memory is page-locked, which it never is."""
        return False


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Return the permutation that undoes another."""
    return None if permutation is None else wrap(np.argsort(permutation.value))


_packed = composite(
    "PackPaddedSequenceBackward0",
    lambda x, time, row: getitem(x, time, row, index=(ARRAY, ARRAY)),
)


def pack_padded_sequence(
    input: Tensor,
    lengths: Tensor | Sequence[int],
    batch_first: bool = False,
    enforce_sorted: bool = True,
) -> PackedSequence:
    """Pack a padded tensor.

    Args:
        input: shape ``(time, batch, *)``, or ``(batch, time, *)`` if `batch_first`.
        lengths: of each sequence.
        enforce_sorted: they are sorted already, the longest first.

    Raises:
        RuntimeError: `lengths` do not fit, or are not sorted.
    """
    sizes = np.array([int(n) for n in lengths], np.int64)
    order = None
    if not enforce_sorted:
        order = wrap(np.argsort(-sizes, kind="stable"))
        input = input.index_select(0 if batch_first else 1, order)  # type: ignore[attr-defined]
        sizes = sizes[order.value]
    if batch_first:
        input = input.transpose(0, 1)  # type: ignore[attr-defined]
    _check_lengths(sizes, input)
    running = np.array([(sizes > t).sum() for t in range(sizes.max())], np.int64)
    times = np.repeat(np.arange(len(running)), running)
    rows = np.concatenate([np.arange(n) for n in running])
    return PackedSequence(_packed(input, times, rows), wrap(running), order, None)


def _check_lengths(sizes: Any, input: Tensor) -> None:
    if not sizes.size:
        raise RuntimeError("Cannot pack empty tensors.")
    if sizes.size != input.shape[1]:
        raise RuntimeError(
            "Expected `len(lengths)` to be equal to batch_size, but got "
            f"{sizes.size} (batch_size={input.shape[1]})"
        )
    if (sizes <= 0).any():
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in "
            "'lengths' that is <= 0"
        )
    if (np.diff(sizes) > 0).any():
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` "
            "is True. You can pass `enforce_sorted=False` to pack_padded_sequence "
            "and/or pack_sequence to sidestep this requirement if you do not need ONNX "
            "exportability."
        )


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Return packed sequences as a padded tensor, and their lengths.

    Raises:
        ValueError: a sequence is longer than `total_length`.
    """
    data, running = sequence.data, sequence.batch_sizes.value
    longest = len(running)
    if total_length is not None and total_length < longest:
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence "
            f"in input, but got total_length={total_length} and max sequence length "
            f"being {longest}"
        )
    shape = (total_length or longest, running[0], *data.shape[1:])
    padded = data.new_full(shape, padding_value)
    start = 0
    for t, n in enumerate(running.tolist()):
        padded[t, :n] = data[start : start + n]
        start += n
    lengths = wrap((running[:, None] > np.arange(running[0])).sum(0).astype(np.int64))
    if batch_first:
        padded = padded.transpose(0, 1)
    order = sequence.unsorted_indices
    if order is not None:
        return padded.index_select(0 if batch_first else 1, order), lengths[order]  # type: ignore[index]
    return padded, lengths


def pad_sequence(
    sequences: Tensor | Iterable[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Return sequences as one tensor, filled up to the longest.

    >>> from fad import torch
    >>> torch.nn.utils.rnn.pad_sequence([torch.ones(2), torch.ones(1)], True)
    tensor([[1., 1.],
            [1., 0.]])
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            "pad_sequence: Expected iterable for input sequences, but got arg of type: "
            f"{type(sequences)}"
        )
    found: list[Any] = list(sequences)
    if not found:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(
            f"Expected padding_side to be one of left or right, but got {padding_side}."
        )
    longest = max(len(s) for s in found)
    shape = (len(found), longest) if batch_first else (longest, len(found))
    padded = found[0].new_full((*shape, *found[0].shape[1:]), padding_value)
    for i, s in enumerate(found):
        first = 0 if padding_side == "right" else longest - len(s)
        part = slice(first, first + len(s))
        padded[(i, part) if batch_first else (part, i)] = s
    result: Tensor = padded
    return result


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False
) -> list[Tensor]:
    """Return the sequences of a padded tensor."""
    rows: Any = padded_sequences
    if not batch_first:
        rows = rows.transpose(0, 1)
    places = functions["arange"](rows.shape[1])
    return [row[places < n] for row, n in zip(rows, lengths, strict=True)]  # type: ignore[call-overload]


def pack_sequence(
    sequences: Sequence[Tensor], enforce_sorted: bool = True
) -> PackedSequence:
    """Pack sequences of several lengths."""
    lengths = [len(s) for s in sequences]
    padded = pad_sequence(sequences)
    return pack_padded_sequence(padded, lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Return the sequences that were packed."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
