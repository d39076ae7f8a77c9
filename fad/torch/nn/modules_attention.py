"""Attention by several heads as a layer.

Public names: `MultiheadAttention`.
"""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor
from . import functional as F
from . import init
from .module import Module
from .modules_layer import new_parameter
from .modules_linear import NonDynamicallyQuantizableLinear

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Module):
    """softmax(Q K^T / sqrt(d)) V for several learned projections of Q, K and V.

    >>> from fad import torch
    >>> x = torch.zeros(5, 2, 8)
    >>> y, weights = torch.nn.MultiheadAttention(8, 2)(x, x, x)
    >>> y.shape, weights.shape
    (torch.Size([5, 2, 8]), torch.Size([2, 5, 5]))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim="
                f"{embed_dim} and num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim == self.vdim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self._make_weights(bias, add_bias_kv, {"device": device, "dtype": dtype})
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _make_weights(self, bias: bool, bias_kv: bool, options: dict[str, Any]) -> None:
        width = self.embed_dim
        same = self._qkv_same_embed_dim
        shapes: dict[str, tuple[int, ...] | None] = {
            "q_proj_weight": None if same else (width, width),
            "k_proj_weight": None if same else (width, self.kdim),
            "v_proj_weight": None if same else (width, self.vdim),
            "in_proj_weight": (3 * width, width) if same else None,
            "in_proj_bias": (3 * width,) if bias else None,
        }
        if same:  # the order in which they are registered, and printed
            shapes = {"in_proj_weight": shapes.pop("in_proj_weight"), **shapes}
        for name, shape in shapes.items():
            made = None if shape is None else new_parameter(shape, **options)
            self.register_parameter(name, made)
        self.out_proj = NonDynamicallyQuantizableLinear(width, width, bias, **options)
        for name in ("bias_k", "bias_v"):
            made = new_parameter((1, 1, width), **options) if bias_kv else None
            self.register_parameter(name, made)

    def _reset_parameters(self) -> None:
        for name in (
            "in_proj_weight",
            "q_proj_weight",
            "k_proj_weight",
            "v_proj_weight",
        ):
            if getattr(self, name) is not None:
                init.xavier_uniform_(getattr(self, name))
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for name in ("bias_k", "bias_v"):
            if getattr(self, name) is not None:
                init.xavier_normal_(getattr(self, name))

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Return the attention, and its weights if wanted.

        Args:
            query: shape ``(targets, batch, embed_dim)``, batch first if so made.
            key, value: shapes ``(sources, batch, kdim)``, ``(sources, batch, vdim)``.
            key_padding_mask: sources to pass over, shape ``(batch, sources)``.
            attn_mask: pairs to pass over, or numbers to add.
        """
        swap = self.batch_first and query.ndim == 3
        parts: list[Any] = [query, key, value]
        if swap:
            turned = {id(x): x.transpose(1, 0) for x in parts}
            parts = [turned[id(x)] for x in parts]
        out, weights = F.multi_head_attention_forward(
            *parts,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return out.transpose(1, 0) if swap else out, weights  # type: ignore[attr-defined]
