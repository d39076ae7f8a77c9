"""torch.nn.utils: gradients clipped, parameters as one vector, padded sequences.

Public names: `clip_grad_norm_`, `clip_grad_norm`, `clip_grad_value_`,
`clip_grads_with_norm_`, `get_total_norm`, `parameters_to_vector`,
`vector_to_parameters`, `rnn`.
"""

from . import rnn
from .clipping import (
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from .vectors import parameters_to_vector, vector_to_parameters

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    "parameters_to_vector",
    "rnn",
    "vector_to_parameters",
]
