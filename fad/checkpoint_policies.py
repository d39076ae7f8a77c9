"""Policies for `fad.checkpoint`: which values its reverse pass keeps.

>>> import fad, numpy as np
>>> layer = lambda w, x: np.tanh(x @ w)
>>> saving = fad.checkpoint(layer, policy=fad.checkpoint_policies.dots_saveable)
>>> float(fad.grad(lambda w: saving(w, np.eye(2)).sum())(np.zeros((2, 2))).sum())
4.0
"""

from .control.policies import (
    checkpoint_dots,
    dots_saveable,
    dots_with_no_batch_dims_saveable,
    everything_saveable,
    nothing_saveable,
    save_any_names_but_these,
    save_anything_except_these_names,
    save_from_both_policies,
    save_only_these_names,
)

__all__ = [
    "checkpoint_dots",
    "dots_saveable",
    "dots_with_no_batch_dims_saveable",
    "everything_saveable",
    "nothing_saveable",
    "save_any_names_but_these",
    "save_anything_except_these_names",
    "save_from_both_policies",
    "save_only_these_names",
]
