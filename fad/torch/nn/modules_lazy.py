"""Layers that learn the size of their input from the first one.

Public names: `LazyLinear`, `LazyConv1d` ... `LazyConvTranspose3d`, `LazyBatchNorm1d`
... `LazyInstanceNorm3d`.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..modes import no_grad
from . import modules_conv as conv
from . import modules_running_norm as norms
from .lazy import LazyModuleMixin, UninitializedBuffer, UninitializedParameter
from .modules_linear import Linear

__all__ = ["LazyLinear"]


class LazyLinear(LazyModuleMixin, Linear):
    """`Linear` whose `in_features` are those of the first input."""

    cls_to_become = Linear

    def __init__(
        self,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw the parameters anew, if they have shapes."""
        if not self.has_uninitialized_params() and self.in_features:
            super().reset_parameters()

    def initialize_parameters(self, input: Any) -> None:  # type: ignore[override]
        """Give the parameters their shapes, by an input."""
        if self.has_uninitialized_params():
            with no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:
            self.in_features = input.shape[-1]


class _LazyConv(LazyModuleMixin):
    """A convolution whose `in_channels` are those of the first input."""

    def __init__(self, out_channels: int, *args: Any, **kwargs: Any) -> None:
        bias = kwargs.get("bias", True)
        where = {k: kwargs.get(k) for k in ("device", "dtype")}
        module: Any = self
        super().__init__(0, 0, *args, **{**kwargs, "bias": False})
        module.out_channels = out_channels
        module.weight = UninitializedParameter(**where)
        if bias:
            module.bias = UninitializedParameter(**where)

    def reset_parameters(self) -> None:
        """Draw the parameters anew, if they have shapes."""
        module: Any = self
        if module.in_channels and not self.has_uninitialized_params():
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Any, *args: Any, **kwargs: Any) -> None:
        """Give the parameters their shapes, by an input."""
        module: Any = self
        if not self.has_uninitialized_params():
            return
        with no_grad():
            module.in_channels = self._channels_of(input)
            if module.in_channels % module.groups:
                raise ValueError("in_channels must be divisible by groups")
            ends = (module.out_channels, module.in_channels // module.groups)
            if module.transposed:
                ends = (module.in_channels, module.out_channels // module.groups)
            module.weight.materialize((*ends, *module.kernel_size))
            if module.bias is not None:
                module.bias.materialize((module.out_channels,))
            module.reset_parameters()

    def _channels_of(self, input: Any) -> int:
        module: Any = self
        rank = module.rank
        if input.ndim not in (rank + 1, rank + 2):
            raise RuntimeError(
                f"Expected {rank + 1}D (unbatched) or {rank + 2}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {input.shape}"
            )
        return int(input.shape[1] if input.ndim == rank + 2 else input.shape[0])


class _LazyNorm(LazyModuleMixin):
    """A norm whose `num_features` are the channels of the first input."""

    cls_to_become: ClassVar[Any]

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        module: Any = self
        super().__init__(0, eps, momentum, False, False, device, dtype)
        module.affine, module.track_running_stats = affine, track_running_stats
        if affine:
            module.weight = UninitializedParameter(device=device, dtype=dtype)
            if bias:
                module.bias = UninitializedParameter(device=device, dtype=dtype)
        if track_running_stats:
            module.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            module.running_var = UninitializedBuffer(device=device, dtype=dtype)
            module.num_batches_tracked = norms.wrap(norms.np.array(0))

    def reset_parameters(self) -> None:
        """Reset the parameters, if they have shapes."""
        module: Any = self
        if not self.has_uninitialized_params() and module.num_features:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Any) -> None:  # type: ignore[override]
        """Give the parameters their shapes, by an input."""
        module: Any = self
        if not self.has_uninitialized_params():
            return
        module.num_features = input.shape[1]
        both = (*module._parameters.values(), *module._buffers.values())
        for tensor in both:
            if isinstance(tensor, (UninitializedParameter, UninitializedBuffer)):
                tensor.materialize((module.num_features,))
        module.reset_parameters()


def _declare(prefix: str, base: type, source: Any, defaults: dict[str, Any]) -> None:
    """Declare the lazy class of each dimension."""
    for rank in (1, 2, 3):
        name = f"{prefix}{rank}d"
        plain = getattr(source, name)
        text = f"`{name}` that learns its number of channels from the first input."
        body = {"cls_to_become": plain, "__doc__": text, "__module__": __name__}
        globals()[f"Lazy{name}"] = type(f"Lazy{name}", (base, plain), body | defaults)
        __all__.append(f"Lazy{name}")


def _instance_norm_init(
    self: Any,
    eps: float = 1e-5,
    momentum: float = 0.1,
    affine: bool = False,
    track_running_stats: bool = False,
    device: Any = None,
    dtype: Any = None,
) -> None:
    _LazyNorm.__init__(self, eps, momentum, affine, track_running_stats, device, dtype)


_declare("Conv", _LazyConv, conv, {})
_declare("ConvTranspose", _LazyConv, conv, {})
_declare("BatchNorm", _LazyNorm, norms, {})
_declare("InstanceNorm", _LazyNorm, norms, {"__init__": _instance_norm_init})
