"""Recurrent layers and cells as functions of tensors.

A direction of a layer is one operation over the whole sequence (`recurrent`); a stack
of layers runs one after the other, with dropout in between.

Public names: `Layers`, `run_layers`, `rnn_tanh`, `rnn_relu`, `lstm`, `gru`,
`rnn_tanh_cell`, `rnn_relu_cell`, `lstm_cell`, `gru_cell`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..declare import composite, function, functions
from ..tensor import Tensor
from .functional_dropout import dropout as drop
from .functional_linear import linear
from .recurrent import run_direction

__all__ = [
    "Layers",
    "gru",
    "gru_cell",
    "lstm",
    "lstm_cell",
    "rnn_relu",
    "rnn_relu_cell",
    "rnn_tanh",
    "rnn_tanh_cell",
    "run_layers",
]

_steps = composite("StackBackward0", run_direction)
_fused_steps = composite("MkldnnRnnLayerBackward0", run_direction)


class Layers(NamedTuple):
    """How layers are stacked.

    Attributes:
        mode: the name in `recurrent.STEPS`.
        depth: the number of layers.
        bidirectional: each has a second direction, from the end to the start.
        has_biases: the weights of a direction are (w, v, b, c), else (w, v).
        projected: a projection follows the weights.
        dropout: the probability between layers, 0 outside of training.
    """

    mode: str
    depth: int
    bidirectional: bool = False
    has_biases: bool = True
    projected: bool = False
    dropout: float = 0.0


def run_layers(
    x: Tensor,
    state: Sequence[Tensor],
    weights: Sequence[Tensor],
    layers: Layers,
    active: Any = None,
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """Return the outputs of the last layer, and the last states of all.

    Args:
        x: shape ``(time, batch, features)``.
        state: h, and c of an LSTM, shape ``(layers * directions, batch, size)``.
        weights: of all layers and directions, one after another.
        active: booleans ``(time, batch)``, where sequences have not ended, or None.
    """
    directions = 2 if layers.bidirectional else 1
    each = len(weights) // (layers.depth * directions)
    last: list[list[Tensor]] = []
    for depth in range(layers.depth):
        outs = []
        for reverse in range(directions):
            k = depth * directions + reverse
            given = _weights_of(weights[k * each : (k + 1) * each], layers)
            start = [s[k] for s in state]  # type: ignore[index]
            out, *final = _direction(x, given, active, start, layers, bool(reverse))
            outs.append(out)
            last.append(final)
        x = outs[0] if directions == 1 else functions["cat"](outs, -1)
        if layers.dropout and depth < layers.depth - 1:
            x = drop(x, layers.dropout, True)
    stacked = [functions["stack"](parts) for parts in zip(*last, strict=True)]
    return x, tuple(stacked)


def _weights_of(weights: Sequence[Tensor], layers: Layers) -> tuple[Any, ...]:
    """Return (w, v, b, c, projection), with None for those that are not there."""
    w, v, *rest = weights
    b, c = rest[:2] if layers.has_biases else (None, None)
    return w, v, b, c, rest[-1] if layers.projected else None


def _direction(
    x: Tensor,
    weights: tuple[Any, ...],
    active: Any,
    state: Sequence[Tensor],
    layers: Layers,
    reverse: bool,
) -> Any:
    fused = layers.mode == "LSTM" and not layers.projected and active is None
    run = _fused_steps if fused and x.aval.dtype == np.float32 else _steps
    return run(x, *weights, active, *state, mode=layers.mode, reverse=reverse)


def _declare_layers(name: str, mode: str) -> Callable[..., Any]:
    def call(
        input: Tensor,
        hx: Any,
        params: Sequence[Tensor],
        has_biases: bool,
        num_layers: int,
        dropout: float,
        train: bool,
        bidirectional: bool,
        batch_first: bool,
    ) -> tuple[Tensor, ...]:
        x: Any = input.transpose(0, 1) if batch_first else input  # type: ignore[attr-defined]
        p = dropout if train else 0.0
        layers = Layers(mode, num_layers, bidirectional, has_biases, dropout=p)
        state = list(hx) if mode == "LSTM" else [hx]
        y, last = run_layers(x, state, params, layers)
        return (y.transpose(0, 1) if batch_first else y, *last)  # type: ignore[attr-defined]

    call.__doc__ = f"Return the outputs and last states of {mode} layers."
    return function(name, methods=False, out=False)(call)


rnn_tanh = _declare_layers("rnn_tanh", "RNN_TANH")
rnn_relu = _declare_layers("rnn_relu", "RNN_RELU")
lstm = _declare_layers("lstm", "LSTM")
gru = _declare_layers("gru", "GRU")


def _check_cell(x: Tensor, w: Tensor, v: Tensor, *hidden: Tensor) -> None:
    if x.shape[-1] != w.shape[1]:
        raise RuntimeError(
            f"input has inconsistent input_size: got {x.shape[-1]} expected "
            f"{w.shape[1]}"
        )
    for i, h in enumerate(hidden):
        if h.shape[0] != x.shape[0]:
            raise RuntimeError(
                f"Input batch size {x.shape[0]} doesn't match hidden{i} batch size "
                f"{h.shape[0]}"
            )
        if h.shape[1] != v.shape[1]:
            raise RuntimeError(
                f"hidden{i} has inconsistent hidden_size: got {h.shape[1]}, expected "
                f"{v.shape[1]}"
            )


def _declare_simple_cell(name: str) -> Callable[..., Any]:
    def call(
        input: Tensor,
        hx: Tensor,
        w_ih: Tensor,
        w_hh: Tensor,
        b_ih: Tensor | None = None,
        b_hh: Tensor | None = None,
    ) -> Tensor:
        _check_cell(input, w_ih, w_hh, hx)
        total = linear(input, w_ih, b_ih) + linear(hx, w_hh, b_hh)  # type: ignore[operator]
        found: Tensor = functions[name](total)
        return found

    call.__doc__ = f"Return {name}(W x + b + V h + c)."
    return function(f"rnn_{name}_cell", methods=False, out=False)(call)


rnn_tanh_cell = _declare_simple_cell("tanh")
rnn_relu_cell = _declare_simple_cell("relu")


@function("lstm_cell", methods=False, out=False)
def lstm_cell(
    input: Tensor,
    hx: Sequence[Tensor],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Return h' = o tanh(c') and c' = f c + i g of the gates i, f, g, o."""
    h, cell = hx
    _check_cell(input, w_ih, w_hh, h, cell)
    gates: Any = linear(input, w_ih, b_ih) + linear(h, w_hh, b_hh)  # type: ignore[operator]
    i, f, g, o = gates.chunk(4, 1)
    new = f.sigmoid() * cell + i.sigmoid() * g.tanh()
    return o.sigmoid() * new.tanh(), new


@function("gru_cell", methods=False, out=False)
def gru_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """Return n + z (h - n), where n = tanh(W x + b + r (V h + c))."""
    _check_cell(input, w_ih, w_hh, hx)
    given: Any = linear(input, w_ih, b_ih)
    hidden: Any = linear(hx, w_hh, b_hh)
    (ri, zi, ni), (rh, zh, nh) = given.chunk(3, 1), hidden.chunk(3, 1)
    r, z = (ri + rh).sigmoid(), (zi + zh).sigmoid()
    n = (ni + r * nh).tanh()
    found: Tensor = (hx - n) * z + n
    return found
