"""Random tensors: the samplers, drawn from the default generator or another.

The numbers are PyTorch's, bit for bit (`fad.torch.sampling`, `choosing`, `integers`).
Sampling has the gradient zero with respect to parameters and to what it overwrites.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import choosing, integers, sampling
from .creation import finish, shape_from
from .declare import composite, function, method
from .dtypes import DTYPES, default_float, dtype, to_numpy
from .filling import empty_as
from .generator import Generator
from .inplace import write_into
from .mapped_random import check_filled, drawn, drawn_by
from .ops_binary import tied
from .random import default_generator
from .tensor import Tensor, tensor_of

__all__: list[str] = []


def _stream(generator: Generator | None) -> Generator:
    return default_generator if generator is None else generator


def _like_dtype(dtype: Any) -> np.dtype[Any]:
    return default_float() if dtype is None else to_numpy(dtype)


def _sampled(name: str, draw: Callable[..., np.ndarray]) -> None:
    """Declare rand or randn, and the function that takes a likeness."""

    def make(
        *size: Any,
        generator: Generator | None = None,
        dtype: dtype | None = None,
        layout: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        pin_memory: bool = False,
        names: Any = None,
    ) -> Tensor:
        size = (size or (names or (),)) if size else ((),)
        stream, d = _stream(generator), _like_dtype(dtype)
        array = drawn(shape_from(size, name), lambda shape: draw(stream, shape, d))
        return finish(array, requires_grad, device)

    def like(
        input: Tensor,
        *,
        generator: Generator | None = None,
        dtype: dtype | None = None,
        layout: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        memory_format: Any = None,
    ) -> Tensor:
        d = input.aval.dtype if dtype is None else to_numpy(dtype)
        stream = _stream(generator)
        array = drawn(input.shape, lambda shape: draw(stream, shape, d))
        return finish(array, requires_grad, device)

    make.__doc__ = f"Return a random tensor of a size, by {name}."
    like.__doc__ = (
        f"Return a random tensor of the shape and dtype of another, by {name}."
    )
    function(name, methods=False)(make)
    function(f"{name}_like", methods=False, out=False)(like)


_sampled("rand", sampling.rand)
_sampled("randn", sampling.randn)


def _integer_arguments(name: str, args: tuple[Any, ...]) -> tuple[int, int, Any]:
    """Read (high, size) or (low, high, size)."""
    if len(args) == 2:
        return 0, int(args[0]), args[1]
    if len(args) == 3:
        return int(args[0]), int(args[1]), args[2]
    raise TypeError(f"{name}() received an invalid combination of arguments")


@function("randint", methods=False)
def randint(
    *args: Any,
    low: int = 0,
    high: int | None = None,
    size: Any = None,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return integers from `low` to below `high`."""
    if size is not None:
        args = (*args, size)
    if high is not None:
        args = (low if len(args) == 1 else args[0], high, args[-1])
    start, stop, shape = _integer_arguments("randint", args)
    d = to_numpy(dtype or DTYPES["int64"])
    sizes = shape_from((shape,), "randint")
    stream = _stream(generator)
    array = drawn(sizes, lambda s: integers.randint(stream, start, stop, s, d))
    return finish(array, requires_grad, device)


@function("randint_like", methods=False, out=False)
def randint_like(
    input: Tensor,
    *bounds: Any,
    low: int = 0,
    high: int | None = None,
    dtype: dtype | None = None,
    generator: Generator | None = None,
    **options: Any,
) -> Tensor:
    """Return integers from `low` to below `high`, in the shape of a tensor."""
    if high is not None:
        bounds = (low, high)
    options.pop("memory_format", None)
    kind = dtype or input.dtype
    return randint(  # type: ignore[no-any-return]
        *bounds, tuple(input.shape), dtype=kind, generator=generator, **options
    )


@function("randperm", methods=False)
def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return the integers below n in random order."""
    d = to_numpy(dtype or DTYPES["int64"])
    stream = _stream(generator)
    array = drawn((n,), lambda _: choosing.randperm(stream, n, d), one_by_one=True)
    return finish(array, requires_grad, device)


def _drawn(node: str, x: Any, array: Any) -> Tensor:
    """Return a sample, with gradient zero to the parameter it was drawn by."""
    out: Tensor = composite(node, lambda x: tied(array, x))(x)
    return out


@function("bernoulli")
def bernoulli(
    input: Tensor, p: float | None = None, *, generator: Generator | None = None
) -> Tensor:
    """Return ones, each with the probability in the tensor (or p), and zeros."""
    stream = _stream(generator)

    def draw(x: Any) -> Any:
        return sampling.bernoulli_(stream, empty_as(x), x if p is None else p)

    array = drawn_by(draw, input.value)
    return _drawn("BernoulliBackward0", input, array)


@function("poisson", methods=False, out=False)
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Return counts with the rates in the tensor."""
    stream = _stream(generator)
    array = drawn_by(lambda x: choosing.poisson(stream, x), input.value)
    return _drawn("PoissonBackward0", input, array)


@function("multinomial")
def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """Return indices chosen with weights, those of each row for it."""
    stream = _stream(generator)

    def draw(x: Any) -> Any:
        return choosing.multinomial(stream, x, num_samples, replacement)

    return tensor_of(drawn_by(draw, input.value, flatten=1))


_normal_of = composite(
    "NormalBackward3", lambda mean, std, *, array: tied(array, mean, std)
)


@function("normal", methods=False)
def normal(
    mean: Any,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return normal values, one for each mean and deviation, or of a size."""
    stream = _stream(generator)
    if size is not None:
        if std < 0:
            raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
        d = _like_dtype(dtype)
        array = drawn(
            shape_from((size,), "normal"),
            lambda shape: sampling.normal_(stream, np.empty(shape, d), mean, std),
        )
        return finish(array, requires_grad, device)
    values = [v.value if isinstance(v, Tensor) else v for v in (mean, std)]
    array = drawn_by(lambda *given: choosing.normal(stream, *given), *values)
    boxes = [v for v in (mean, std) if isinstance(v, Tensor)]
    if len(boxes) == 2:
        result: Tensor = _normal_of(*boxes, array=array)
        return result
    return _drawn(f"NormalBackward{1 if boxes[0] is mean else 2}", boxes[0], array)


def _filling(name: str, node: str, fill: Callable[..., Any]) -> None:
    """Declare a method that overwrites a tensor with samples."""

    def run(self: Tensor, *args: Any, generator: Any = None, **kwargs: Any) -> Tensor:
        stream, dtype = _stream(generator), self.aval.dtype

        def draw(shape: tuple[int, ...]) -> np.ndarray:
            value = self.value
            plain = isinstance(value, np.ndarray) and shape == value.shape
            array = np.empty_like(value) if plain else np.empty(shape, dtype)
            fill(stream, array, *args, **kwargs)
            return array

        def sampled(x: Tensor, *_: Any) -> Tensor:
            return _drawn(node, x, drawn(x.shape, draw))

        check_filled(self.value)
        return write_into(self, sampled, (), {})

    run.__doc__ = f"Overwrite the tensor with samples, by {name}."
    method(name)(run)


def _uniform(
    stream: Any, out: Any, a: float = 0.0, b: float = 1.0, **names: Any
) -> None:
    sampling.uniform_(stream, out, names.get("from", a), names.get("to", b))


def _normal(stream: Any, out: Any, mean: float = 0.0, std: float = 1.0) -> None:
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    sampling.normal_(stream, out, mean, std)


def _integers(stream: Any, out: Any, *bounds: int, **names: Any) -> None:
    low, high = (0, bounds[0]) if len(bounds) == 1 else (*bounds, None, None)[:2]
    low, high = names.get("from", low), names.get("to", high)
    integers.random_(stream, out, low, high)


def _bernoulli(stream: Any, out: Any, p: Any = 0.5) -> None:
    sampling.bernoulli_(stream, out, p.value if isinstance(p, Tensor) else p)


def _exponential(stream: Any, out: Any, lambd: float = 1.0) -> None:
    sampling.exponential_(stream, out, lambd)


_filling("uniform_", "UniformBackward0", _uniform)
_filling("normal_", "NormalBackward0", _normal)
_filling("random_", "RandomBackward1", _integers)
_filling("bernoulli_", "BernoulliBackward2", _bernoulli)
_filling("exponential_", "ExponentialBackward0", _exponential)
_filling("geometric_", "GeometricBackward0", sampling.geometric_)
_filling("cauchy_", "CauchyBackward0", sampling.cauchy_)
_filling("log_normal_", "LogNormalBackward0", sampling.log_normal_)
