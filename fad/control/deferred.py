"""Work that is done when values are there: `deferred[work]`.

Under `jit`, the reverse mode of a loop whose trip count is not known cannot be written
as a program of static shapes. It is written as one equation that runs the eager
transform when the program runs. Its own derivatives and batches are deferred again.

Public names: `Work`, `deferred`, `defer`, `vjp_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.avals import Aval
from ..core.ir import Eqn
from ..core.tape import Tape
from ..core.trace import Tracer, aval_of, bind, full_lower
from ..ops.batching_rules import at_front, move_to_front
from ..ops.shape import broadcast_to, reshape
from ..transforms.batching import Batch
from ..transforms.forward import Stream
from ..transforms.reverse import backward
from .higher import HigherOrder, given, is_known, or_zeros, spread, strong

__all__ = ["Work", "defer", "deferred", "vjp_of"]


class Work:
    """A function on values of any trace, with the avals of its outputs.

    Attributes:
        name: for printing.
        call: `(*values) -> outputs`.
        out_avals: of the outputs.
        batched: `(size, mask) -> Work` on stacks, of all outputs; a derivative says it,
            because it must be the derivative of the batched function.
        derived: works made of this one, by what they do.
    """

    __slots__ = ("name", "call", "out_avals", "batched", "derived")

    def __init__(
        self,
        name: str,
        call: Callable[..., list[Any]],
        out_avals: Sequence[Aval],
        batched: Callable[[int, Sequence[bool]], Work] | None = None,
    ) -> None:
        self.name = name
        self.call = call
        self.out_avals = [strong(a) for a in out_avals]
        self.batched = batched or (lambda size, mask: _map(self, size, mask))
        self.derived: dict[Any, Work] = {}

    def __str__(self) -> str:
        return self.name

    def derive(self, key: Any, make: Callable[[], Work]) -> Work:
        """Return a derived work, made once."""
        if key not in self.derived:
            self.derived[key] = make()
        return self.derived[key]


class _Deferred(HigherOrder):
    def __init__(self) -> None:
        super().__init__("deferred")

    def run(self, *args: Any, work: Work) -> list[Any]:
        return work.call(*args)

    def infer(self, *avals: Aval, work: Work) -> list[Aval]:
        return work.out_avals

    def forward(
        self, values: Sequence[Any], inputs: Sequence[Any], *, work: Work
    ) -> tuple[list[Any], tuple[Any, ...]]:
        return bind(self, *values, work=work), tuple(values)

    def pullback(self, eqn: Eqn, ct: Any, live: Any = None) -> list[Any]:
        which, cts = given(ct)
        mask = [v is not None for v in eqn.inputs]
        avals = [v.aval for v in eqn.inputs if v is not None]
        found = defer(
            vjp_of(eqn.params["work"], mask, which, avals), *eqn.residuals, *cts
        )
        return spread(mask, found)

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> list[Any]:
        which, ts = given(tangents)
        work: Work = eqn.params["work"]
        return defer(_jvp(work, which), *eqn.residuals, *ts)[len(work.out_avals) :]

    def push(
        self, values: Sequence[Any], tangents: Sequence[Any], *, work: Work
    ) -> tuple[list[Any], list[Any]]:
        which, ts = given(tangents)
        outs = defer(_jvp(work, which), *values, *ts)
        n = len(work.out_avals)
        return outs[:n], outs[n:]

    def is_linear(self, mask: Sequence[bool], *, work: Work) -> bool:
        return False

    def batch(
        self, size: int, args: Sequence[Any], dims: Sequence[Any], *, work: Work
    ) -> tuple[Any, Any]:
        moved = [
            a if d is None else move_to_front(a, d)
            for a, d in zip(args, dims, strict=True)
        ]
        mask = tuple(d is not None for d in dims)
        key = "batch", size, mask
        mapped = work.derive(key, lambda: work.batched(size, mask))
        return defer(mapped, *moved), [0] * len(work.out_avals)


deferred = _Deferred()


def defer(work: Work, *args: Any) -> list[Any]:
    """Do a work now if its values are there, else write it down."""
    if is_known(args):
        return work.call(*args)
    outs: list[Any] = bind(deferred, *args, work=work)
    return outs


def vjp_of(
    work: Work, mask: Sequence[bool], which: Sequence[bool], avals: Sequence[Aval]
) -> Work:
    """Return (values, cotangents in `which`) -> cotangents of the inputs in `mask`."""
    n = len(mask)

    def call(*args: Any) -> list[Any]:
        tape = Tape()
        boxes = [tape.input(a) if m else a for a, m in zip(args[:n], mask, strict=True)]
        outs = work.call(*boxes)
        atoms = [
            o.payload if isinstance(o, Tracer) and o.owner is tape else None
            for o in outs
        ]
        tape.close()
        del outs
        env = backward(atoms, spread(which, args[n:]))
        traced = [b for b, m in zip(boxes, mask, strict=True) if m]
        return [
            or_zeros(env.get(b.payload), a) for b, a in zip(traced, avals, strict=True)
        ]

    def batched(size: int, stacked: Sequence[bool]) -> Work:
        # A differentiated input that all examples share has a cotangent for each.
        values = [s or m for s, m in zip(stacked[:n], mask, strict=True)]
        inner = vjp_of(
            work.batched(size, values), mask, which, [_stack(size, a) for a in avals]
        )
        return _broadcasting(
            inner, size, stacked, [*values, *(True for _ in stacked[n:])]
        )

    key = "vjp", tuple(mask), tuple(which)
    return work.derive(key, lambda: Work(f"vjp({work.name})", call, avals, batched))


def _jvp(work: Work, which: tuple[bool, ...]) -> Work:
    """Return (values, tangents in `which`) -> (outputs, all their tangents)."""
    n = len(which)

    def call(*args: Any) -> list[Any]:
        stream = Stream()
        ts = spread(which, args[n:])
        outs = work.call(
            *[stream.input(a, t) for a, t in zip(args[:n], ts, strict=True)]
        )
        stream.close()
        tangents = [or_zeros(stream.tangent(o), aval_of(o).tangent()) for o in outs]
        return [*(full_lower(stream, o) for o in outs), *tangents]

    def batched(size: int, stacked: Sequence[bool]) -> Work:
        ts = spread(which, stacked[n:])
        joint = [bool(v or t) for v, t in zip(stacked[:n], ts, strict=True)]
        inner = _jvp(work.batched(size, joint), which)
        given_ts = [j for j, w in zip(joint, which, strict=True) if w]
        return _broadcasting(inner, size, stacked, [*joint, *given_ts])

    avals = [*work.out_avals, *(a.tangent() for a in work.out_avals)]
    key = "jvp", which
    return work.derive(key, lambda: Work(f"jvp({work.name})", call, avals, batched))


def _stack(size: int, aval: Aval) -> Aval:
    return Aval((size, *aval.shape), aval.dtype)


def _map(work: Work, size: int, mask: Sequence[bool]) -> Work:
    """Return the work on a stack of examples; all outputs have the batch in front."""

    def call(*args: Any) -> list[Any]:
        batch = Batch(size)
        boxes = [batch.input(a, 0) if m else a for a, m in zip(args, mask, strict=True)]
        outs = [at_front(size, *batch.unbox(o)) for o in work.call(*boxes)]
        batch.open = 0
        return outs

    return Work(f"vmap({work.name})", call, [_stack(size, a) for a in work.out_avals])


def _broadcasting(
    work: Work,
    size: int,
    have: Sequence[bool],
    want: Sequence[bool],
    axes: Sequence[int] | None = None,
) -> Work:
    """Return the work on inputs stacked as `have` says, which wants others stacked.

    Args:
        axes: where the new axis goes, behind those of outer batches.
    """
    places = list(axes or [0] * len(have))

    def call(*args: Any) -> list[Any]:
        return work.call(
            *[
                _repeat(size, a, axis) if w and not h else a
                for a, h, w, axis in zip(args, have, want, places, strict=True)
            ]
        )

    def batched(count: int, stacked: Sequence[bool]) -> Work:
        inner = work.batched(count, stacked)
        shifted = [p + s for p, s in zip(places, stacked, strict=True)]
        return _broadcasting(inner, size, have, want, shifted)

    return Work(work.name, call, work.out_avals, batched)


def _repeat(size: int, x: Any, axis: int) -> Any:
    """Insert an axis of `size` equal slices."""
    shape = aval_of(x).shape
    wide = reshape(x, shape=(*shape[:axis], 1, *shape[axis:]))
    return broadcast_to(wide, shape=(*shape[:axis], size, *shape[axis:]))
