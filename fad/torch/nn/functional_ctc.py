"""Connectionist temporal classification (Graves et al., 2006).

The loss is the negative log probability of a label sequence, summed over all ways to
stretch it over time. With blanks put around the labels, l' = (_, l1, _, l2, ..., _),

    a_t(s) = logsumexp(a_t-1(s), a_t-1(s-1), a_t-1(s-2) if l'_s != l'_s-2) + y_t(l'_s)

for all examples at once; an example stops when its time is over.

Public names: `ctc_loss`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import numpy as fnp
from ...ops.comparison import where
from ...ops.special import logaddexp
from ..declare import composite
from ..tensor import Tensor
from .loss_reduction import checked_reduction, reduced_tensor

__all__ = ["ctc_loss"]


def _forward(y: Any, *, labels: Any, times: Any, lengths: Any, blank: int) -> Any:
    """Return the loss of every example.

    Args:
        y: logarithms of probabilities, shape ``(time, n, classes)``.
        labels: shape ``(n, longest)``, filled up with anything.
    """
    total, n, _ = y.shape
    longest = labels.shape[1]
    stretched = np.full((n, 2 * longest + 1), blank)
    stretched[:, 1::2] = labels
    rows = np.arange(n)[:, None]
    skip = np.zeros(stretched.shape, bool)
    skip[:, 2:] = (stretched[:, 2:] != blank) & (stretched[:, 2:] != stretched[:, :-2])
    places = np.arange(stretched.shape[1])
    never = np.full((n, 2), -np.inf, y.dtype)
    first = places < 2
    a = where(
        first & (places < 2 * lengths[:, None] + 1), y[0][rows, stretched], -np.inf
    )
    for t in range(1, total):
        padded = fnp.concatenate([never, a], axis=1)
        one, two = padded[:, 1:-1], where(skip, padded[:, :-2], -np.inf)
        moved = logaddexp(logaddexp(a, one), two) + y[t][rows, stretched]
        a = where((t < times)[:, None], moved, a)
    padded = fnp.concatenate([never[:, :1], a], axis=1)
    ends = padded[np.arange(n), 2 * lengths + 1]
    before = padded[np.arange(n), 2 * lengths]
    return -logaddexp(ends, before)


_ctc = composite("CtcLossBackward0", _forward)


def _numbers(x: Any) -> Any:
    return np.asarray(x.value if isinstance(x, Tensor) else x, np.int64).reshape(-1)


def _label_rows(targets: Any, lengths: Any) -> Any:
    """Return labels as rows, from rows or from all in one row."""
    labels = targets.value.astype(np.int64)
    if labels.ndim == 2:
        return labels
    longest = int(lengths.max(initial=0))
    out = np.zeros((len(lengths), longest), np.int64)
    start = 0
    for row, length in zip(out, lengths, strict=True):
        row[:length] = labels[start : start + length]
        start += length
    return out


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Return the loss of label sequences for sequences of probabilities.

    Args:
        log_probs: logarithms of probabilities, shape ``(time, n, classes)`` or
            ``(time, classes)``.
        targets: labels, shape ``(n, longest)``, or all one after the other.
        input_lengths: times, shape ``(n,)``.
        target_lengths: numbers of labels, shape ``(n,)``.
        blank: the class that stands for no label.
        zero_infinity: impossible sequences cost 0, not infinity.
    """
    reduction = checked_reduction(reduction)
    times, lengths = _numbers(input_lengths), _numbers(target_lengths)
    single = log_probs.ndim == 2
    y: Any = log_probs.unsqueeze(1) if single else log_probs  # type: ignore[attr-defined]
    labels = _label_rows(targets, lengths)
    if single and targets.ndim == 1:
        labels = labels.reshape(1, -1)
    loss = _ctc(y, labels=labels, times=times, lengths=lengths, blank=blank)
    if zero_infinity:
        loss = loss.masked_fill(loss == float("inf"), 0.0)
    if single:
        loss = loss.squeeze(0)
    if reduction == "mean":
        from ..tensor import wrap

        divisor = np.maximum(lengths, 1).astype(y.aval.dtype)
        return (loss / wrap(divisor.reshape(loss.shape))).mean()  # type: ignore[no-any-return]
    return reduced_tensor(loss, reduction)
