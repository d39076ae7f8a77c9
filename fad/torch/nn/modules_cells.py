"""One step of a recurrent layer: RNNCell, LSTMCell, GRUCell.

Public names: `RNNCellBase`, `RNNCell`, `LSTMCell`, `GRUCell`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..tensor import Tensor, wrap
from . import functional_recurrent as F
from . import init
from .module import Module
from .modules_layer import new_parameter

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "RNNCellBase"]


class RNNCellBase(Module):
    """What the three have in common."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        self.weight_ih = new_parameter((rows, input_size), dtype, device)
        self.weight_hh = new_parameter((rows, hidden_size), dtype, device)
        for name in ("bias_ih", "bias_hh"):
            made = new_parameter(rows, dtype, device) if bias else None
            self.register_parameter(name, made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters anew, uniform in +-1 / sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0.0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        shown = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            shown += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            shown += f", nonlinearity={self.nonlinearity}"
        return shown

    def _weights(self) -> tuple[Any, ...]:
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def _check_rank(self, value: Tensor, what: str) -> None:
        if value.ndim not in (1, 2):
            raise ValueError(
                f"{type(self).__name__}: Expected {what} to be 1D or 2D, got "
                f"{value.ndim}D instead"
            )

    def _batched(self, x: Tensor, *states: Tensor | None) -> list[Any]:
        """Return the input and the states with a batch dimension; zeros for None."""
        single = x.ndim == 1
        rows = x.unsqueeze(0) if single else x  # type: ignore[attr-defined]
        found: list[Any] = [rows]
        for h in states:
            if h is None:
                zeros = np.zeros((rows.shape[0], self.hidden_size), x.aval.dtype)
                found.append(wrap(zeros))
            else:
                found.append(h.unsqueeze(0) if single else h)  # type: ignore[attr-defined]
        return found

    def _stepped(self, step: Any, input: Tensor, hx: Tensor | None) -> Tensor:
        """Do a step whose state is one tensor."""
        self._check_rank(input, "input")
        if hx is not None:
            self._check_rank(hx, "hidden")
        x, h = self._batched(input, hx)
        out: Tensor = step(x, h, *self._weights())
        return out.squeeze(0) if input.ndim == 1 else out  # type: ignore[attr-defined, no-any-return]


class RNNCell(RNNCellBase):
    """h' = tanh(W x + b + V h + c), or relu."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._stepped(self._step, input, hx)

    def _step(self, *args: Any) -> Tensor:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        step = F.rnn_tanh_cell if self.nonlinearity == "tanh" else F.rnn_relu_cell
        out: Tensor = step(*args)
        return out


class LSTMCell(RNNCellBase):
    """A step of long short-term memory; the state is a pair (h, c)."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: Any = None) -> tuple[Tensor, Tensor]:
        self._check_rank(input, "input")
        if hx is not None:
            for i, value in enumerate(hx):
                self._check_rank(value, f"hx[{i}]")
        x, h, c = self._batched(input, *((None, None) if hx is None else hx))
        h, c = F.lstm_cell(x, (h, c), *self._weights())
        return (h.squeeze(0), c.squeeze(0)) if input.ndim == 1 else (h, c)


class GRUCell(RNNCellBase):
    """A step of gated recurrent units."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._stepped(F.gru_cell, input, hx)
