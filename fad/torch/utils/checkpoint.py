"""Checkpointing: backward computes again what forward did not keep.

    y = checkpoint(function, x, use_reentrant=False)

The function runs as always and its graph is made, but what the nodes would save goes to
a `_Frame`, which counts it and keeps nothing. When backward first asks for a saved
value, the frame runs the function again, takes the values in the same order, and stops
as soon as it has them all. The reentrant variant runs the function without a graph and
differentiates a second run inside backward (an `autograd.Function`).

Public names: `checkpoint`, `checkpoint_sequential`, `set_checkpoint_early_stop`,
`noop_context_fn`, `CheckpointError`, `CheckpointFunction`.
"""

from __future__ import annotations

import contextlib
import contextvars
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..autograd.function import Function
from ..backprop import backward
from ..modes import changed, current, enable_grad, no_grad
from ..packing import Everything
from ..random import get_rng_state, set_rng_state
from ..tensor import Tensor

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "checkpoint",
    "checkpoint_sequential",
    "noop_context_fn",
    "set_checkpoint_early_stop",
]

_early_stop: contextvars.ContextVar[bool] = contextvars.ContextVar(
    "fad_torch_checkpoint_early_stop", default=True
)


class CheckpointError(RuntimeError):
    """The second run of a function did not save what the first one did."""


class _Stop(Exception):
    """All values that backward needs have been computed."""


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Choose whether a second run stops when it has saved all that is needed."""
    token = _early_stop.set(enable)
    try:
        yield
    finally:
        _early_stop.reset(token)


def noop_context_fn() -> tuple[Any, Any]:
    """Return two contexts that do nothing."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def _metadata(tensor: Tensor) -> dict[str, Any]:
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


class _Frame:
    """One checkpointed call.

    Attributes:
        call: runs the function.
        describe: what of a saved tensor has to be the same in both runs.
        context: of the second run.
        rng: the state of the generator before the first run, or None.
        saved: the descriptions of what the first run saved.
        found: what the second run saved and backward has not asked for yet.
    """

    def __init__(
        self,
        call: Callable[[], Any],
        describe: Callable[[Tensor], Any],
        context: Any,
        preserve: bool,
    ) -> None:
        self.call = call
        self.describe = describe
        self.context = context
        self.rng = get_rng_state() if preserve else None
        self.early = _early_stop.get()
        self.saved: list[Any] = []
        self.found: dict[int, Tensor] = {}

    def run(self, context: Any) -> Any:
        """Do the first run."""
        with _saving(Everything((self.pack, self.unpack))), context:
            return self.call()

    def pack(self, tensor: Tensor) -> int:
        self.saved.append(self.describe(tensor))
        return len(self.saved) - 1

    def unpack(self, place: int) -> Tensor:
        if place not in self.found:
            self._run_again()
        return self.found.pop(place)

    def _run_again(self) -> None:
        found: list[Tensor] = []

        def pack(tensor: Tensor) -> Tensor:
            found.append(tensor)
            if self.early and len(found) == len(self.saved):
                raise _Stop
            return tensor

        hooks = Everything((pack, lambda tensor: tensor))
        with _with_rng(self.rng), enable_grad(), _saving(hooks), self.context:
            with contextlib.suppress(_Stop):
                self.call()
        self._check(found)
        self.found = dict(enumerate(found))

    def _check(self, found: Sequence[Tensor]) -> None:
        if len(found) != len(self.saved):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved "
                "during the original forward and recomputation.\n"
                f"Number of tensors saved during forward: {len(self.saved)}\n"
                f"Number of tensors saved during recomputation: {len(found)}."
            )
        lines = []
        for i, (known, tensor) in enumerate(zip(self.saved, found, strict=True)):
            if known != self.describe(tensor):
                lines.append(
                    f"tensor at position {i}:\nsaved metadata: {known}\n"
                    f"recomputed metadata: {self.describe(tensor)}"
                )
        if lines:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors "
                "have different metadata than during the forward pass.\n"
                + "\n".join(lines)
            )


@contextlib.contextmanager
def _saving(hooks: Everything) -> Iterator[None]:
    with changed(saved_hooks=(*current().saved_hooks, hooks), anomaly=False):
        yield


@contextlib.contextmanager
def _with_rng(state: Tensor | None) -> Iterator[None]:
    """Run with an earlier state of the generator, and put the present one back."""
    if state is None:
        yield
        return
    now = get_rng_state()
    set_rng_state(state)
    try:
        yield
    finally:
        set_rng_state(now)


_DESCRIPTIONS: dict[str, Callable[[Tensor], Any]] = {
    "default": _metadata,
    "none": lambda tensor: None,
}


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Call a function; what backward needs of it is computed again in backward.

    Args:
        function: takes and returns tensors, and what else it likes.
        use_reentrant: False is better: gradients reach what the function closes over,
            and `autograd.grad` works.
        context_fn: returns the contexts of the first and of the second run.
        determinism_check: ``"default"``, or ``"none"`` to let the second run save
            tensors of other shapes.
        preserve_rng_state: the second run draws the same random numbers.
        debug: taken for PyTorch's sake; the errors say what differs in any case.

    Raises:
        ValueError: keyword arguments, or contexts, with `use_reentrant`.
        CheckpointError: in backward, if the second run is another computation.

    >>> from fad import torch
    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> f = lambda x: (x * x).exp()
    >>> y = torch.utils.checkpoint.checkpoint(f, x, use_reentrant=False)
    >>> y.sum().backward()
    >>> torch.allclose(x.grad, 2 * x * (x * x).exp())
    True
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed "
            "explicitly. Starting in PyTorch 2.9, calling checkpoint without "
            "use_reentrant will raise an exception. use_reentrant=False is "
            "recommended, but if you need to preserve the current default behavior, "
            "you can pass use_reentrant=True. Refer to docs for more details on the "
            "differences between the two variants.",
            stacklevel=2,
        )
        use_reentrant = True
    if use_reentrant:
        if kwargs:
            raise ValueError(f"Unexpected keyword arguments: {','.join(kwargs)}")
        if context_fn is not noop_context_fn or debug:
            raise ValueError(
                "Passing `context_fn` or `debug` is only supported when "
                "use_reentrant=False."
            )
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    if determinism_check not in _DESCRIPTIONS:
        raise ValueError(
            f"determinism_check should be one of {list(_DESCRIPTIONS)}, but got "
            f"{determinism_check}"
        )
    first, second = context_fn()
    frame = _Frame(
        lambda: function(*args, **kwargs),
        _DESCRIPTIONS[determinism_check],
        second,
        preserve_rng_state,
    )
    frame.early &= early_stop
    return frame.run(first) if current().grad else function(*args, **kwargs)


class CheckpointFunction(Function):
    """The reentrant variant: a node whose backward runs a backward of its own."""

    @staticmethod
    def forward(ctx: Any, function: Any, preserve: bool, *args: Any) -> Any:
        if not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            warnings.warn(
                "None of the inputs have requires_grad=True. Gradients will be None",
                stacklevel=4,
            )
        ctx.function = function
        ctx.rng = get_rng_state() if preserve else None
        ctx.inputs = [None if isinstance(a, Tensor) else a for a in args]
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.save_for_backward(*[args[i] for i in ctx.places])
        with no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        if current().selective:
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with "
                ".grad() or passing an `inputs` parameter to .backward(). To resolve "
                "this error, you can either set use_reentrant=False, or call "
                ".backward() without passing the `inputs` argument."
            )
        args = list(ctx.inputs)
        for i, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            args[i] = tensor.detach().requires_grad_(tensor.requires_grad)
        with _with_rng(ctx.rng), enable_grad():
            outs = ctx.function(*args)
        outs = (outs,) if isinstance(outs, Tensor) else outs
        pairs = [
            (o, g)
            for o, g in zip(outs, grads, strict=True)
            if isinstance(o, Tensor) and o.requires_grad
        ]
        if not pairs:
            raise RuntimeError(
                "none of output has requires_grad=True, this checkpoint() is not "
                "necessary"
            )
        backward([o for o, _ in pairs], [g for _, g in pairs])
        return (None, None, *[a.grad if isinstance(a, Tensor) else None for a in args])


def checkpoint_sequential(
    functions: Any,
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    **kwargs: Any,
) -> Any:
    """Run modules one after another, all segments but the last checkpointed.

    Args:
        functions: a `Sequential`, or a list of modules or functions.
        segments: into how many they are divided.
    """
    parts = list(functions.children()) if hasattr(functions, "children") else functions
    parts = list(parts)
    size = len(parts) // segments

    def between(start: int, stop: int) -> Callable[[Any], Any]:
        def run(x: Any) -> Any:
            for part in parts[start:stop]:
                x = part(x)
            return x

        return run

    stop = 0
    for start in range(0, size * (segments - 1), size):
        stop = start + size
        input = checkpoint(
            between(start, stop), input, use_reentrant=use_reentrant, **kwargs
        )
    return between(stop, len(parts))(input)
