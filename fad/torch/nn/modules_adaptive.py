"""Softmax over many classes, the rare ones in clusters (Grave et al. 2017).

The frequent classes have a matrix of their own, the head, which also has one output for
each cluster of rare classes; inside a cluster vectors are projected to fewer numbers.

Public names: `AdaptiveLogSoftmaxWithLoss`.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from ..declare import functions
from ..tensor import Tensor
from .containers import ModuleList, Sequential
from .module import Module
from .modules_linear import Linear

__all__ = ["AdaptiveLogSoftmaxWithLoss"]

_Result = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """Return log-probabilities of targets, and the loss.

    Args:
        cutoffs: where clusters begin, in a list of classes by falling frequency.
        div_value: how much smaller each cluster's projection is.
        head_bias: the head has a bias.

    Raises:
        ValueError: the cutoffs do not rise between 0 and the number of classes.
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        _check(cutoffs, n_classes)
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        where = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **where)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            inner = int(in_features // (div_value ** (i + 1)))
            outer = self.cutoffs[i + 1] - self.cutoffs[i]
            first = Linear(in_features, inner, bias=False, **where)
            second = Linear(inner, outer, bias=False, **where)
            self.tail.append(Sequential(first, second))

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> Any:
        _check_sizes(input_, target_)
        x: Any = input_ if target_.ndim else input_.unsqueeze(0)  # type: ignore[attr-defined]
        target: Any = target_ if target_.ndim else target_.unsqueeze(0)  # type: ignore[attr-defined]
        output = x.new_empty(target.shape[0])
        inside = target.new_empty(target.shape[0])
        used, low = 0, 0
        for i, high in enumerate(self.cutoffs):
            rows = ((target >= low) & (target < high)).nonzero().squeeze(-1)
            if rows.aval.size:
                used += rows.aval.size
                part = target[rows]
                if i == 0:
                    inside = inside.index_copy(0, rows, part)
                else:
                    found = self._in_cluster(i, x.index_select(0, rows), part - low)
                    output = output.index_copy(0, rows, found)
                    inside = inside.index_fill(0, rows, self.shortlist_size + i - 1)
            low = high
        if used != target.shape[0]:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in "
                f"range [{target.min().item()}, {target.max().item()}] were found. "
            )
        return self._result(x, output, inside, bool(target_.ndim))

    def _in_cluster(self, i: int, x: Any, target: Any) -> Any:
        found = self.tail[i - 1](x).log_softmax(dim=1)
        return found.gather(1, target.unsqueeze(1)).squeeze(1)

    def _result(self, x: Any, output: Any, inside: Any, batched: bool) -> Any:
        head = self.head(x).log_softmax(dim=1)
        first = head.gather(1, inside.unsqueeze(1)).squeeze()
        rare = inside >= self.shortlist_size
        output = functions["where"](rare, output, 0.0) + first
        loss = (-output).mean()
        return _Result(output if batched else output.squeeze(0), loss)

    def _get_full_log_prob(self, input: Any, head_output: Any) -> Any:
        head = head_output.log_softmax(dim=1)
        parts = [head[:, : self.shortlist_size]]
        for i, cluster in enumerate(self.tail):
            inner = cluster(input).log_softmax(dim=1)
            parts.append(inner + head[:, self.shortlist_size + i].unsqueeze(1))
        return functions["cat"](parts, 1)

    def log_prob(self, input: Tensor) -> Tensor:
        """Return the log-probabilities of all classes."""
        found: Tensor = self._get_full_log_prob(input, self.head(input))
        return found

    def predict(self, input: Tensor) -> Tensor:
        """Return the most probable class of each input."""
        head: Any = self.head(input)
        best = head.argmax(dim=1)
        rare = best >= self.shortlist_size
        if not rare.any():
            return best  # type: ignore[no-any-return]
        everywhere = self.log_prob(input).argmax(dim=1)  # type: ignore[attr-defined]
        return functions["where"](rare, everywhere, best)  # type: ignore[no-any-return]


def _check(cutoffs: list[int], n_classes: int) -> None:
    if not cutoffs:
        raise ValueError("cutoffs should be a sequence of length larger than 0")
    rising = cutoffs == sorted(cutoffs) and len(set(cutoffs)) == len(cutoffs)
    inside = min(cutoffs) > 0 and max(cutoffs) <= n_classes - 1
    if not rising or not inside or any(int(c) != c for c in cutoffs):
        raise ValueError(
            "cutoffs should be a sequence of unique, positive integers sorted in an "
            "increasing order, where each value is between 1 and n_classes-1"
        )


def _check_sizes(x: Tensor, target: Tensor) -> None:
    if target.ndim == 1:
        if x.shape[0] != target.shape[0]:
            raise RuntimeError(
                "Input and target should have the same size in the batch dimension."
            )
        if x.ndim != 2:
            raise RuntimeError(
                "1D target tensor expects 2D input tensors, but found inputs with size",
                x.shape,
            )
    elif target.ndim == 0:
        if x.ndim != 1:
            raise RuntimeError(
                "0D target tensor expects 1D input tensors, but found inputs with size",
                x.shape,
            )
    else:
        raise RuntimeError(
            "0D or 1D target tensor expected, multi-target not supported"
        )
