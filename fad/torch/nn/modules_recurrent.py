"""Recurrent layers over whole sequences: RNN, LSTM, GRU.

Sequences have the shape ``(time, batch, features)``, ``(batch, time, features)`` with
`batch_first`, ``(time, features)`` for one alone, or are packed
(`torch.nn.utils.rnn`).

Public names: `RNNBase`, `RNN`, `LSTM`, `GRU`.
"""

from __future__ import annotations

import math
import numbers
import warnings
from typing import Any

import numpy as np

from ...ops.index_layout import ARRAY
from ...ops.indexing import getitem, scatter
from ..declare import composite
from ..tensor import Tensor, wrap
from . import init
from .functional_recurrent import Layers, run_layers
from .module import Module
from .modules_layer import new_parameter
from .recurrent import GATES
from .utils.rnn import PackedSequence

__all__ = ["GRU", "LSTM", "RNN", "RNNBase"]

_AT = (ARRAY, ARRAY)
_spread = composite(
    "PadPackedSequenceBackward0",
    lambda data, time, row, *, shape: scatter(
        data, time, row, index=_AT, shape=shape, unique=True
    ),
)
_gathered = composite(
    "CatBackward0", lambda x, time, row: getitem(x, time, row, index=_AT)
)


class RNNBase(Module):
    """What the three have in common.

    Attributes:
        mode: ``"RNN_TANH"``, ``"RNN_RELU"``, ``"LSTM"`` or ``"GRU"``.
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        _check_options(input_size, hidden_size, num_layers, dropout, proj_size)
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._names: list[str] = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse")[: 2 if bidirectional else 1]:
                self._add_weights(f"l{layer}{suffix}", layer, device, dtype)
        self.reset_parameters()

    def _add_weights(self, place: str, layer: int, device: Any, dtype: Any) -> None:
        rows = GATES[self.mode] * self.hidden_size
        directions = 2 if self.bidirectional else 1
        size = self.proj_size or self.hidden_size
        shapes: dict[str, tuple[int, ...]] = {
            "weight_ih": (rows, size * directions if layer else self.input_size),
            "weight_hh": (rows, size),
        }
        if self.bias:
            shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
        if self.proj_size:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        for name, shape in shapes.items():
            setattr(self, f"{name}_{place}", new_parameter(shape, dtype, device))
            self._names.append(f"{name}_{place}")

    def reset_parameters(self) -> None:
        """Draw the parameters anew, uniform in +-1 / sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def flatten_parameters(self) -> None:
        """Do nothing: on a GPU it would lay the parameters out in one piece."""

    @property
    def all_weights(self) -> list[list[Any]]:
        """The parameters of each layer and direction."""
        each = len(self._names) // (self.num_layers * (1 + self.bidirectional))
        flat = [getattr(self, n) for n in self._names]
        return [flat[i : i + each] for i in range(0, len(flat), each)]

    def extra_repr(self) -> str:
        shown = f"{self.input_size}, {self.hidden_size}"
        for name, usual in _USUAL.items():
            if getattr(self, name) != usual:
                shown += f", {name}={getattr(self, name)}"
        return shown

    def forward(self, input: Any, hx: Any = None) -> Any:
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        if input.ndim not in (2, 3):
            raise ValueError(
                f"{type(self).__name__}: Expected input to be 2D or 3D, got "
                f"{input.ndim}D instead"
            )
        batched = input.ndim == 3
        self._check_rank(hx, batched)
        x = input if batched else input.unsqueeze(1)
        if batched and self.batch_first:
            x = x.transpose(0, 1)
        self._check_input(x)
        if hx is not None and not batched:
            hx = tuple(h.unsqueeze(1) for h in self._parts(hx))
        y, last = run_layers(x, self._start(hx, x), self._flat(), self._layers())
        if not batched:
            return y.squeeze(1), self._joined([h.squeeze(1) for h in last])  # type: ignore[attr-defined]
        return y.transpose(0, 1) if self.batch_first else y, self._joined(last)  # type: ignore[attr-defined]

    def _forward_packed(self, packed: PackedSequence, hx: Any) -> Any:
        running = packed.batch_sizes.value
        times = np.repeat(np.arange(len(running)), running)
        rows = np.concatenate([np.arange(n) for n in running])
        data = packed.data
        self._check_input(data)
        shape = (len(running), int(running[0]), data.shape[-1])
        x = _spread(data, times, rows, shape=shape)
        order, back = packed.sorted_indices, packed.unsorted_indices
        if hx is not None and order is not None:
            hx = tuple(h.index_select(1, order) for h in self._parts(hx))
        active = np.arange(shape[1]) < running[:, None]
        start = self._start(hx, x)
        y, last = run_layers(x, start, self._flat(), self._layers(), active)
        out = PackedSequence(_gathered(y, times, rows), packed.batch_sizes, order, back)
        if back is not None:
            last = tuple(h.index_select(1, back) for h in last)  # type: ignore[attr-defined]
        return out, self._joined(last)

    def _parts(self, hx: Any) -> tuple[Tensor, ...]:
        return tuple(hx) if isinstance(hx, (tuple, list)) else (hx,)

    def _joined(self, states: Any) -> Any:
        return states[0]

    def _flat(self) -> list[Tensor]:
        return [getattr(self, name) for name in self._names]

    def _layers(self) -> Layers:
        p = self.dropout if self.training else 0.0
        return Layers(
            self.mode,
            self.num_layers,
            self.bidirectional,
            self.bias,
            bool(self.proj_size),
            p,
        )

    def _sizes(self) -> tuple[int, ...]:
        """Return the sizes of the states."""
        return (self.hidden_size,)

    def _start(self, hx: Any, x: Tensor) -> list[Tensor]:
        """Return the first states, zeros if none are given."""
        count = self.num_layers * (2 if self.bidirectional else 1)
        shapes = [(count, x.shape[1], size) for size in self._sizes()]
        if hx is None:
            return [wrap(np.zeros(shape, x.aval.dtype)) for shape in shapes]
        states = self._parts(hx)
        for i, (h, shape) in enumerate(zip(states, shapes, strict=True)):
            if tuple(h.shape) != shape:
                which = f"hidden[{i}]" if len(shapes) > 1 else "hidden"
                raise RuntimeError(
                    f"Expected {which} size {shape}, got {list(h.shape)}"
                )
        return list(states)

    def _check_input(self, x: Tensor) -> None:
        weight = getattr(self, self._names[0])
        if x.dtype is not weight.dtype:
            raise ValueError(
                f"RNN input dtype ({x.dtype}) does not match weight dtype "
                f"({weight.dtype}). Convert input: input.to({weight.dtype}), or convert "
                f"model: model.to({x.dtype})"
            )
        if x.shape[-1] != self.input_size:
            raise RuntimeError(
                "input.size(-1) must be equal to input_size. Expected "
                f"{self.input_size}, got {x.shape[-1]}"
            )

    def _check_rank(self, hx: Any, batched: bool) -> None:
        if hx is None or hx.ndim == (3 if batched else 2):
            return
        given, wanted = ("batched", 3) if batched else ("unbatched", 2)
        raise RuntimeError(
            f"For {given} {wanted}-D input, hx should also be {wanted}-D but got "
            f"{hx.ndim}-D tensor"
        )


_USUAL = {
    "proj_size": 0,
    "num_layers": 1,
    "bias": True,
    "batch_first": False,
    "dropout": 0,
    "bidirectional": False,
}


def _check_options(
    input_size: Any, hidden_size: Any, num_layers: int, dropout: Any, proj_size: int
) -> None:
    number = isinstance(dropout, numbers.Number) and not isinstance(dropout, bool)
    if not number or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability "
            "of an element being zeroed"
        )
    if dropout > 0 and num_layers == 1:
        warnings.warn(
            "dropout option adds dropout after all but last recurrent layer, so "
            "non-zero dropout expects num_layers greater than 1, but got "
            f"dropout={dropout} and num_layers={num_layers}",
            stacklevel=4,
        )
    for name, size in (("input_size", input_size), ("hidden_size", hidden_size)):
        if not isinstance(size, int):
            raise TypeError(f"{name} should be of type int, got: {type(size).__name__}")
    if hidden_size <= 0:
        raise ValueError("hidden_size must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ValueError(
            "proj_size should be a positive integer or zero to disable projections"
        )
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")


def _refuse_projection(options: dict[str, Any]) -> None:
    if "proj_size" in options:
        raise ValueError(
            "proj_size argument is only supported for LSTM, not RNN or GRU"
        )


class RNN(RNNBase):
    """h' = tanh(W x + b + V h + c), or relu.

    >>> from fad import torch
    >>> y, h = torch.nn.RNN(3, 4)(torch.zeros(5, 2, 3))
    >>> y.shape, h.shape
    (torch.Size([5, 2, 4]), torch.Size([1, 2, 4]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        *args: Any,
        **options: Any,
    ) -> None:
        _refuse_projection(options)
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(
                f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'."
            )
        mode = f"RNN_{nonlinearity.upper()}"
        super().__init__(mode, input_size, hidden_size, num_layers, *args, **options)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Long short-term memory; the state is a pair (h, c).

    >>> from fad import torch
    >>> y, (h, c) = torch.nn.LSTM(3, 4, num_layers=2)(torch.zeros(5, 2, 3))
    >>> y.shape, h.shape
    (torch.Size([5, 2, 4]), torch.Size([2, 2, 4]))
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__("LSTM", *args, **options)

    def _sizes(self) -> tuple[int, ...]:
        return self.proj_size or self.hidden_size, self.hidden_size

    def _joined(self, states: Any) -> Any:
        return tuple(states)

    def _check_rank(self, hx: Any, batched: bool) -> None:
        wanted = 3 if batched else 2
        if hx is None or (hx[0].ndim == wanted and hx[1].ndim == wanted):
            return
        given = "batched" if batched else "unbatched"
        raise RuntimeError(
            f"For {given} {wanted}-D input, hx and cx should also be {wanted}-D but "
            f"got ({hx[0].ndim}-D, {hx[1].ndim}-D) tensors"
        )


class GRU(RNNBase):
    """Gated recurrent units."""

    def __init__(self, *args: Any, **options: Any) -> None:
        _refuse_projection(options)
        super().__init__("GRU", *args, **options)
