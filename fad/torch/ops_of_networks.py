"""Functions of networks under the names that `torch` itself has for them.

They take PyTorch's internal arguments, such as a number for the reduction; the usual
ones are in `torch.nn.functional`.

Public names: none; the functions are declared into `fad.torch`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .declare import function, functions
from .inplace import write_into
from .tensor import Tensor

__all__: list[str] = []

_REDUCTIONS = ("none", "mean", "sum")


def _networks() -> Any:
    from .nn import functional

    return functional


@function("constant_pad_nd", methods=False, out=False)
def constant_pad_nd(input: Tensor, pad: Sequence[int], value: float = 0) -> Tensor:
    """Return the tensor with constants around it."""
    found: Tensor = _networks().pad(input, list(pad), "constant", value)
    return found


def _loss(name: str, *before: str) -> None:
    """Declare a loss whose last argument is a number for the reduction.

    Args:
        before: the names of arguments between the target and the reduction.
    """

    def call(input: Tensor, *args: Any, reduction: int = 0, **options: Any) -> Tensor:
        positions = len(before) + (2 if name in _THREE else 1)
        if len(args) > positions:
            *args, reduction = args[: positions + 1]  # type: ignore[assignment]
        named = dict(zip(before, args[positions - len(before) :], strict=False))
        rest = args[: positions - len(before)]
        run = getattr(_networks(), name)
        found: Tensor = run(
            input, *rest, **named, **options, reduction=_REDUCTIONS[reduction]
        )
        return found

    call.__doc__ = f"Return `torch.nn.functional.{name}`, its reduction by number."
    function(name, methods=False, out=False)(call)


_THREE = ("cosine_embedding_loss", "margin_ranking_loss", "triplet_margin_loss")
_loss("binary_cross_entropy_with_logits", "weight", "pos_weight")
_loss("kl_div")
_loss("hinge_embedding_loss", "margin")
_loss("margin_ranking_loss", "margin")
_loss("cosine_embedding_loss", "margin")
_loss("triplet_margin_loss", "margin", "p", "eps", "swap")
_loss("poisson_nll_loss", "log_input", "full", "eps")


@function("batch_norm", methods=False, out=False)
def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = False,
) -> Tensor:
    """Normalise each channel over the batch."""
    found: Tensor = _networks().batch_norm(
        input, running_mean, running_var, weight, bias, training, momentum, eps
    )
    return found


@function("instance_norm", methods=False, out=False)
def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = False,
) -> Tensor:
    """Normalise each channel of each example."""
    found: Tensor = _networks().instance_norm(
        input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps
    )
    return found


@function("embedding", methods=False, out=False)
def embedding(
    weight: Tensor,
    indices: Tensor,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Return rows of a matrix by their numbers."""
    padding = None if padding_idx < 0 else padding_idx
    found: Tensor = _networks().embedding(
        indices,
        weight,
        padding,
        scale_grad_by_freq=scale_grad_by_freq,
        sparse=sparse,
    )
    return found


@function("grid_sampler", methods=False, out=False)
def grid_sampler(
    input: Tensor,
    grid: Tensor,
    interpolation_mode: int,
    padding_mode: int,
    align_corners: bool,
) -> Tensor:
    """Return values between the elements of images, modes by number."""
    modes = ("bilinear", "nearest", "bicubic")
    paddings = ("zeros", "border", "reflection")
    found: Tensor = _networks().grid_sample(
        input,
        grid,
        modes[interpolation_mode],
        paddings[padding_mode],
        align_corners,
    )
    return found


functions["grid_sampler_2d"] = functions["grid_sampler_3d"] = grid_sampler


@function("affine_grid_generator", methods=False, out=False)
def affine_grid_generator(
    theta: Tensor, size: Sequence[int], align_corners: bool
) -> Tensor:
    """Return where an affine map puts the points of a grid."""
    found: Tensor = _networks().affine_grid(theta, list(size), align_corners)
    return found


def _in_place(name: str, *defaults: Any) -> None:
    """Declare ``torch.name_``: the function of networks, written into its input."""

    def call(input: Tensor, *args: Any, **options: Any) -> Tensor:
        run = getattr(_networks(), name)
        return write_into(input, run, (*args, *defaults[len(args) :]), options)

    call.__doc__ = f"Overwrite a tensor with `{name}` of it."
    function(f"{name}_", methods=False, out=False)(call)


for _name in ("dropout", "alpha_dropout", "feature_alpha_dropout"):
    _in_place(_name)
for _name in ("threshold", "rrelu"):
    _in_place(_name)
