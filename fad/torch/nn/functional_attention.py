"""Attention: weighted means of values, by how well their keys fit a query.

Public names: `scaled_dot_product_attention`, `multi_head_attention_forward`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import numpy as fnp
from ...core.trace import aval_of
from ...ops.activations import softmax
from ...ops.comparison import where
from ..choosing import dropout_mask
from ..declare import composite, functions
from ..mapped_random import drawn
from ..tensor import Tensor, wrap
from .checks import source
from .functional_dropout import dropout
from .functional_linear import linear
from .functional_pad import pad

__all__ = ["multi_head_attention_forward", "scaled_dot_product_attention"]


def _attend(
    q: Any, k: Any, v: Any, mask: Any, *, keep: Any, scale: float, noise: Any
) -> Any:
    """Return softmax(scale q k^T + mask) v; `keep` is a constant mask of booleans."""
    scores = fnp.matmul(q * scale, fnp.swapaxes(k, -1, -2))
    if keep is not None:
        scores = where(keep, scores, -np.inf)
    if mask is not None:
        scores = scores + mask
    weights = softmax(scores, axis=len(aval_of(scores).shape) - 1)
    if noise is not None:
        weights = weights * noise
    return fnp.matmul(weights, v)


_flash = composite("ScaledDotProductFlashAttentionForCpuBackward0", _attend)
_plain = composite("UnsafeViewBackward0", _attend)


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Return softmax(q k^T / sqrt(width)) v.

    Args:
        query: shape ``(*, targets, width)``.
        key: shape ``(*, sources, width)``.
        value: shape ``(*, sources, columns)``.
        attn_mask: booleans, True where attention is allowed, or numbers to add.
        dropout_p: the share of weights that are set to 0.
        is_causal: a target sees the sources up to its own place only.
        scale: instead of 1 / sqrt(width).
        enable_gqa: repeat the heads of keys and values to those of the queries.
    """
    if min(query.ndim, key.ndim, value.ndim) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got "
            f"query.dim: {query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim} "
            "instead."
        )
    if not query.aval.dtype == key.aval.dtype == value.aval.dtype:
        names = [str(x.dtype).removeprefix("torch.") for x in (query, key, value)]
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{names[0]} key.dtype: {names[1]} and value.dtype: {names[2]} instead."
        )
    if is_causal and attn_mask is not None:
        raise RuntimeError(
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when "
            "is_causal=True"
        )
    if enable_gqa:
        groups = query.shape[-3] // key.shape[-3]
        key = key.repeat_interleave(groups, -3)  # type: ignore[attr-defined]
        value = value.repeat_interleave(groups, -3)  # type: ignore[attr-defined]
    targets, sources = query.shape[-2], key.shape[-2]
    keep: Any = np.tri(targets, sources, dtype=bool) if is_causal else None
    mask = attn_mask
    if attn_mask is not None and attn_mask.aval.dtype.kind == "b":
        keep, mask = attn_mask.value, None
    noise = None
    if dropout_p:
        lead = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
        noise = drawn(
            (*lead, targets, sources),
            lambda shape: dropout_mask(
                source(), np.empty(shape, query.aval.dtype), dropout_p
            ),
        )
    if scale is None:
        scale = 1 / math.sqrt(query.shape[-1])
    apply = _flash if query.ndim == 4 and not dropout_p else _plain
    found: Tensor = apply(query, key, value, mask, keep=keep, scale=scale, noise=noise)
    return found


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Return attention by several heads, and its weights.

    Args:
        query: shape ``(targets, batch, width)`` or ``(targets, width)``.
        key: shape ``(sources, batch, key width)``.
        value: shape ``(sources, batch, value width)``.
        key_padding_mask: sources to pass over, shape ``(batch, sources)``.
        attn_mask: pairs to pass over, or numbers to add, shape ``(targets, sources)``
            or ``(batch * heads, targets, sources)``.
        need_weights: return the weights too.
    """
    batched = query.ndim == 3
    if not batched:
        query, key, value = (x.unsqueeze(1) for x in (query, key, value))  # type: ignore[attr-defined]
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)  # type: ignore[attr-defined]
    targets, batch, width = query.shape
    if width != embed_dim_to_check:
        raise AssertionError(
            f"was expecting embedding dimension of {embed_dim_to_check}, but got {width}"
        )
    if width % num_heads:
        raise AssertionError(
            f"embed_dim {width} not divisible by num_heads {num_heads}"
        )
    if use_separate_proj_weight:
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)
    else:
        assert in_proj_weight is not None
        weights = in_proj_weight.chunk(3)  # type: ignore[attr-defined]
    biases = (None,) * 3 if in_proj_bias is None else in_proj_bias.chunk(3)  # type: ignore[attr-defined]
    q, k, v = (
        linear(x, w, b)  # type: ignore[arg-type]
        for x, w, b in zip((query, key, value), weights, biases, strict=True)
    )
    mask = _merged_mask(attn_mask, key_padding_mask, num_heads, q.aval.dtype)
    if bias_k is not None and bias_v is not None:
        k = _appended(k, bias_k.repeat(1, batch, 1))  # type: ignore[attr-defined]
        v = _appended(v, bias_v.repeat(1, batch, 1))  # type: ignore[attr-defined]
        mask = None if mask is None else pad(mask, (0, 1))
    q, k, v = (_split_heads(x, num_heads) for x in (q, k, v))
    if add_zero_attn:
        k, v = (pad(x, (0, 0, 0, 1)) for x in (k, v))
        mask = None if mask is None else pad(mask, (0, 1))
    out, scores = _weighted_values(
        q, k, v, mask, dropout_p if training else 0.0, need_weights
    )
    out = out.transpose(0, 1).reshape(targets * batch, width)
    out = linear(out, out_proj_weight, out_proj_bias).view(targets, batch, width)
    if not need_weights:
        return (out if batched else out.squeeze(1)), None  # type: ignore[attr-defined]
    scores = scores.view(batch, num_heads, targets, -1)
    if average_attn_weights:
        scores = scores.mean(1)
    if batched:
        return out, scores
    return out.squeeze(1), scores.squeeze(0)  # type: ignore[attr-defined]


def _merged_mask(
    attn: Tensor | None, padding: Tensor | None, heads: int, dtype: Any
) -> Any:
    """Return one mask of numbers to add, broadcastable to (batch * heads, t, s)."""
    mask: Any = None if attn is None else _additive(attn, dtype)
    if mask is not None and mask.ndim == 2:
        mask = mask.unsqueeze(0)
    if padding is None:
        return mask
    batch, sources = padding.shape
    rows: Any = _additive(padding, dtype).view(batch, 1, 1, sources)
    rows = rows.expand(-1, heads, -1, -1).reshape(batch * heads, 1, sources)
    return rows if mask is None else mask + rows


def _additive(mask: Tensor, dtype: Any) -> Any:
    if mask.aval.dtype.kind != "b":
        return mask
    return wrap(np.where(mask.value, -np.inf, 0).astype(dtype))


def _appended(x: Tensor, row: Tensor) -> Tensor:
    found: Tensor = functions["cat"]([x, row])
    return found


def _split_heads(x: Any, heads: int) -> Any:
    length, batch, width = x.shape
    return x.view(length, batch * heads, width // heads).transpose(0, 1)


def _weighted_values(
    q: Any, k: Any, v: Any, mask: Any, p: float, need_weights: bool
) -> tuple[Any, Any]:
    if not need_weights:
        return scaled_dot_product_attention(q, k, v, mask, p), None
    scores = (q * math.sqrt(1 / q.shape[-1])) @ k.transpose(-2, -1)
    if mask is not None:
        scores = scores + mask
    weights = functions["softmax"](scores, -1)
    if p:
        weights = dropout(weights, p)
    return weights @ v, weights
