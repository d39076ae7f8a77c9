"""Recurrent layers as functions over fad's operations.

One direction of one layer is a single operation over the whole sequence:

    RNN     h' = f(W x + b + V h + c)
    LSTM    i, f, o = sigmoid(...), g = tanh(...);  c' = f c + i g;  h' = o tanh(c')
    GRU     r, z = sigmoid(...);  n = tanh(W x + b + r (V h + c));  h' = n + z (h - n)

The products with the inputs are done for all times at once, before the loop.

Public names: `STEPS`, `GATES`, `run_direction`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.trace import aval_of
from ...ops.activations import relu, sigmoid
from ...ops.comparison import where
from ...ops.contraction import swap_last
from ...ops.elementary import tanh
from ...ops.indexing import getitem
from ...ops.shape import flip, stack

__all__ = ["GATES", "STEPS", "run_direction"]


def _gate(x: Any, i: int, size: int) -> Any:
    return getitem(x, index=(Ellipsis, slice(i * size, (i + 1) * size)))


def _rnn(activation: Callable[[Any], Any]) -> Callable[..., tuple[Any, ...]]:
    def step(given: Any, hidden: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
        return (activation(given + hidden),)

    return step


def lstm_step(given: Any, hidden: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the next h and c."""
    cell = state[1]
    size = aval_of(cell).shape[-1]
    total = given + hidden
    i, f, g, o = (_gate(total, k, size) for k in range(4))
    cell = sigmoid(f) * cell + sigmoid(i) * tanh(g)
    return sigmoid(o) * tanh(cell), cell


def gru_step(given: Any, hidden: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the next h."""
    h = state[0]
    size = aval_of(h).shape[-1]
    r, z = (sigmoid(_gate(given, k, size) + _gate(hidden, k, size)) for k in range(2))
    n = tanh(_gate(given, 2, size) + r * _gate(hidden, 2, size))
    return (n + z * (h - n),)


STEPS: dict[str, Callable[..., tuple[Any, ...]]] = {
    "RNN_TANH": _rnn(tanh),
    "RNN_RELU": _rnn(relu),
    "LSTM": lstm_step,
    "GRU": gru_step,
}
GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "LSTM": 4, "GRU": 3}
"""How many blocks of rows the weights have."""


def affine(x: Any, weight: Any, bias: Any) -> Any:
    """Return x A^T + b."""
    out = x @ swap_last(weight)
    return out if bias is None else out + bias


def run_direction(
    x: Any,
    w: Any,
    v: Any,
    b: Any,
    c: Any,
    projection: Any,
    active: Any,
    *state: Any,
    mode: str,
    reverse: bool,
) -> tuple[Any, ...]:
    """Return the outputs of all times, shape ``(time, batch, size)``, and the last state.

    Args:
        x: inputs, shape ``(time, batch, features)``.
        w, v: the weights of inputs and of the state.
        b, c: their biases, or None.
        projection: what h is multiplied with, or None.
        active: booleans ``(time, batch)``, where sequences have not ended; beyond, the
            state stays and the output is 0. None if all are as long.
        state: h, and c of an LSTM, shape ``(batch, size)``.
    """
    step = STEPS[mode]
    times = aval_of(x).shape[0]
    given = affine(x, w, b)
    outputs = []
    for t in range(times - 1, -1, -1) if reverse else range(times):
        now = getitem(given, index=(t,))
        new = step(now, affine(state[0], v, c), state)
        if projection is not None:
            new = (new[0] @ swap_last(projection), *new[1:])
        if active is not None:
            alive = getitem(active, index=(t, slice(None), None))
            new = tuple(where(alive, n, s) for n, s in zip(new, state, strict=True))
        state = new
        out = state[0] if active is None else where(alive, state[0], 0)
        outputs.append(out)
    stacked = stack(outputs)
    return (flip(stacked, axis=(0,)) if reverse else stacked), *state
