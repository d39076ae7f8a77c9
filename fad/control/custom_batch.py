"""Calls made of other calls: mapped over a batch, or with their closure as arguments.

Under `vmap` the function and its rules run on tracers of that very `vmap`, so that what
they close over of it fits in. Every output, tangent and cotangent of an output has its
batch axis in front; inputs keep theirs where they are.

Public names: `batch_call`, `close_call`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.errors import UnexpectedTracerError
from ..core.ir import Jaxpr
from ..core.trace import Tracer
from ..ops.arithmetic import mul
from ..ops.batching_rules import at_front
from ..ops.reductions import reduce_sum
from ..ops.shape import move_axis
from ..transforms.batching import Batch
from ..transforms.staging import eval_jaxpr
from .custom_call import Call, Residuals, refuse_tracers_of

__all__ = ["batch_call", "close_call"]

Dims = Sequence[int | None]


def batch_call(trace: Batch, call: Call, jaxpr: Jaxpr | None, dims: Dims) -> Call:
    """Return the call on stacked leaves with batch axes `dims`."""
    mapped = _Mapped(trace, call, jaxpr, dims)
    return Call(
        call.name,
        mapped.fun,
        None if call.jvp is None else mapped.jvp,
        None if call.fwd is None else mapped.fwd,
        None if call.bwd is None else mapped.bwd,
    )


class _Mapped:
    def __init__(
        self, trace: Batch, call: Call, jaxpr: Jaxpr | None, dims: Dims
    ) -> None:
        self.trace = trace
        self.call = call
        self.jaxpr = jaxpr
        self.dims = dims

    def fun(self, *leaves: Any) -> list[Any]:
        with self.trace.resumed():
            boxes = self.box(leaves)
            if self.jaxpr is not None:
                return self.stack(eval_jaxpr(self.jaxpr, *boxes))
            return self.stack(self.call.fun(*boxes))

    def jvp(
        self, primals: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[list[Any], list[Any]]:
        with self.trace.resumed():
            boxes = [
                self.box_tangent(t, d) for t, d in zip(tangents, self.dims, strict=True)
            ]
            outs, t_outs = self.call.jvp(self.box(primals), boxes)  # type: ignore[misc]
            return self.stack(outs), self.stack(t_outs)

    def fwd(
        self, primals: Sequence[Any], perturbed: Sequence[bool]
    ) -> tuple[list[Any], Residuals]:
        with self.trace.resumed():
            outs, kept = self.call.fwd(self.box(primals), perturbed)  # type: ignore[misc]
            pairs = [self.trace.unbox(leaf) for leaf in kept.leaves]
            about = (kept.about, [d for _, d in pairs])
            return self.stack(outs), Residuals([v for v, _ in pairs], about)

    def bwd(self, kept: Residuals, cts: Sequence[Any]) -> list[Any]:
        with self.trace.resumed():
            about, dims = kept.about
            inner = Residuals(self._box(kept.leaves, dims), about)
            boxes = self._box(cts, [0] * len(cts))
            found = self.call.bwd(inner, boxes)  # type: ignore[misc]
            return [self.gather(c, d) for c, d in zip(found, self.dims, strict=True)]

    def box(self, leaves: Sequence[Any]) -> list[Any]:
        return self._box(leaves, self.dims)

    def _box(self, leaves: Sequence[Any], dims: Dims) -> list[Any]:
        return [
            v if d is None or v is None else self.trace.input(v, d)
            for v, d in zip(leaves, dims, strict=True)
        ]

    def box_tangent(self, t: Any, dim: int | None) -> Any:
        """Box a tangent; one of an inner linear tape is stacked in every case."""
        inner = isinstance(t, Tracer) and t.owner.level > self.trace.level
        if dim is None and inner:
            return self.trace.input(at_front(self.trace.size, t, None), 0)
        return t if t is None or dim is None else self.trace.input(t, dim)

    def stack(self, values: Sequence[Any]) -> list[Any]:
        """Unbox values to stacks with the batch axis in front; None stays."""
        refuse_tracers_of(self.trace, self.call.name, values, inner_only=True)
        return [
            None if v is None else at_front(self.trace.size, *self.trace.unbox(v))
            for v in values
        ]

    def gather(self, ct: Any, dim: int | None) -> Any:
        """Unbox the cotangent of an input: stacked along `dim`, or summed if None."""
        if ct is None:
            return None
        stacked, found = self.trace.unbox(ct)
        if dim is not None:
            return move_axis(at_front(self.trace.size, stacked, found), 0, dim)
        if found is None:
            return mul(stacked, self.trace.size)
        return reduce_sum(stacked, axis=(found,))


def close_call(call: Call, jaxpr: Jaxpr, count: int) -> Call:
    """Return a call whose first `count` leaves are what the function closed over."""
    if not count:
        return call

    def drop(leaves: Sequence[Any], perturbed: Sequence[bool]) -> list[Any]:
        if any(perturbed[:count]):
            raise UnexpectedTracerError(
                f"{call.name}, which has a custom derivative rule, closes over a value "
                "that is being differentiated. Its rule says nothing of derivatives by "
                "that value: pass it as an argument and let the rule cover it, or cut "
                "it off with fad.stop_gradient."
            )
        return list(leaves[count:])

    def jvp(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        perturbed = [t is not None for t in tangents]
        return call.jvp(drop(primals, perturbed), tangents[count:])  # type: ignore[misc]

    def fwd(primals: Sequence[Any], perturbed: Sequence[bool]) -> Any:
        return call.fwd(drop(primals, perturbed), perturbed[count:])  # type: ignore[misc]

    def bwd(kept: Residuals, cts: Sequence[Any]) -> list[Any]:
        return [None] * count + call.bwd(kept, cts)  # type: ignore[misc]

    return Call(
        call.name,
        lambda *leaves: eval_jaxpr(jaxpr, *leaves),
        None if call.jvp is None else jvp,
        None if call.fwd is None else fwd,
        None if call.bwd is None else bwd,
    )
