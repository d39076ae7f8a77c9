"""The base of all distributions.

A sample has the shape ``sample_shape + batch_shape + event_shape``: the batch are
distributions side by side, an event is what one of them draws.

Public names: `Distribution`, `ExponentialFamily`, `broadcast`, `sum_rightmost`.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..declare import functions
from ..modes import no_grad
from ..nn.checks import known_to_hold
from ..size import Size
from ..tensor import Tensor
from .constraints import Constraint, is_dependent

__all__ = ["Distribution", "ExponentialFamily", "broadcast", "sum_rightmost"]


class Distribution:
    """A distribution of random numbers.

    Attributes:
        arg_constraints: what has to hold for the parameters, by name.
        support: the values it draws.
        has_rsample: `rsample` is differentiable in the parameters.
    """

    arg_constraints: ClassVar[dict[str, Constraint]] = {}
    support: Any = None
    has_rsample = False
    has_enumerate_support = False
    _validate_args = True

    def __init__(
        self,
        batch_shape: Any = (),
        event_shape: Any = (),
        validate_args: bool | None = None,
    ) -> None:
        self._batch_shape = Size(batch_shape)
        self._event_shape = Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            for name, constraint in self.arg_constraints.items():
                if name in self.__dict__ and not is_dependent(constraint):
                    self._check_parameter(name, constraint)

    def _check_parameter(self, name: str, constraint: Constraint) -> None:
        value = self.__dict__[name]
        if known_to_hold(constraint.check(value).logical_not()):
            raise ValueError(
                f"Expected parameter {name} ({_kind(value)} of shape "
                f"{tuple(value.shape)}) of distribution {self!r} to satisfy the "
                f"constraint {constraint!r}, but found invalid values:\n{value}"
            )

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Choose whether parameters and samples are checked by default."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    @property
    def batch_shape(self) -> Size:
        """The shape of the distributions side by side."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of what one distribution draws."""
        return self._event_shape

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distribution with a larger batch."""
        raise NotImplementedError

    def _copied(self, batch_shape: Any, **attributes: Any) -> Any:
        """Return a distribution of the class with other attributes, unchecked."""
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        new.__dict__.update(attributes)
        new._batch_shape = Size(batch_shape)
        return new

    def _expanded(self, batch_shape: Any, *names: str) -> Any:
        """Return the distribution with parameters of one number each expanded."""
        shape = Size(batch_shape)
        parts = {n: self.__dict__[n].expand(shape) for n in names if n in self.__dict__}
        return self._copied(shape, **parts)

    @property
    def mean(self) -> Any:
        raise NotImplementedError

    @property
    def mode(self) -> Any:
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Any:
        raise NotImplementedError

    @property
    def stddev(self) -> Any:
        """The square root of the variance."""
        return self.variance.sqrt()

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Draw samples that are differentiable in the parameters."""
        raise NotImplementedError

    def sample(self, sample_shape: Any = ()) -> Any:
        """Draw samples."""
        with no_grad():
            return self.rsample(sample_shape)

    def sample_n(self, n: int) -> Any:
        """Draw n samples; the old name of `sample`."""
        return self.sample((n,))

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density, or of the probability, at a value."""
        raise NotImplementedError

    def cdf(self, value: Any) -> Any:
        """Return the probability of smaller values."""
        raise NotImplementedError

    def icdf(self, value: Any) -> Any:
        """Return the value below which a sample lies with a probability."""
        raise NotImplementedError

    def entropy(self) -> Any:
        """Return the entropy in nats."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Any:
        """Return all values of a discrete distribution, in a first dimension."""
        raise NotImplementedError

    def perplexity(self) -> Any:
        """Return the exponential of the entropy."""
        return self.entropy().exp()

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _validate_sample(self, value: Any) -> None:
        """Raise unless a value fits the distribution.

        Raises:
            ValueError: it is no tensor, of another shape, or outside of the support.
        """
        if not self._validate_args:
            return
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape = tuple(self._extended_shape())
        n = len(self._event_shape)
        if n and tuple(value.shape[-n:]) != tuple(self._event_shape):
            raise ValueError(
                "The right-most size of value must match event_shape: "
                f"{value.shape} vs {self._event_shape}."
            )
        for a, b in zip(reversed(value.shape), reversed(shape), strict=False):
            if a not in (1, b) and b != 1:
                raise ValueError(
                    "Value is not broadcastable with batch_shape+event_shape: "
                    f"{value.shape} vs {Size(shape)}."
                )
        support = self.support
        if support is None or is_dependent(support):
            return
        if known_to_hold(support.check(value).logical_not()):
            raise ValueError(
                f"Expected value argument ({_kind(value)} of shape "
                f"{tuple(value.shape)}) to be within the support "
                f"({support!r}) of the distribution {self!r}, but found invalid "
                f"values:\n{value}"
            )

    def __repr__(self) -> str:
        names = [n for n in self.arg_constraints if n in self.__dict__]
        parts = []
        for name in names:
            p = self.__dict__[name]
            parts.append(f"{name}: {p if p.aval.size == 1 else p.shape}")
        return f"{type(self).__name__}({', '.join(parts)})"


class ExponentialFamily(Distribution):
    """A distribution whose density is an exponential of its parameters times values."""


def _kind(value: Any) -> str:
    return type(value).__name__


def broadcast(*values: Any) -> list[Any]:
    """Return parameters as tensors of one shape; numbers take the default dtype.

    Raises:
        ValueError: one is neither a tensor nor a number.
    """
    if not all(isinstance(v, (Tensor, int, float)) for v in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects "
            "implementing __torch_function__."
        )
    like = next((v for v in values if isinstance(v, Tensor)), None)
    options = {} if like is None else {"dtype": like.dtype}
    if like is None:
        values = tuple(float(v) for v in values)
    tensors = [
        v if isinstance(v, Tensor) else functions["tensor"](v, **options)
        for v in values
    ]
    return list(functions["broadcast_tensors"](*tensors))


def sum_rightmost(value: Any, dims: int) -> Any:
    """Return the sum over the last dimensions."""
    if dims == 0:
        return value
    return value.reshape(*value.shape[: value.ndim - dims], -1).sum(-1)
