"""Attention layers and the Transformer."""

import copy
import math

import numpy as np
import pytest

import fad
from fad import torch
from fad.torch import nn
from fad.torch.nn import functional as F


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def close(a, b):
    np.testing.assert_allclose(a.detach(), b.detach(), rtol=1e-10, atol=1e-12)


def by_definition(layer, q, k, v):
    """Attention of one example, head by head."""
    width, heads = layer.embed_dim, layer.num_heads
    ws, bs = layer.in_proj_weight.chunk(3), layer.in_proj_bias.chunk(3)
    q, k, v = (x @ w.T + b for x, w, b in zip((q, k, v), ws, bs, strict=True))
    size = width // heads
    outs, weights = [], []
    for h in range(heads):
        at = slice(h * size, (h + 1) * size)
        a = (q[:, at] @ k[:, at].T / math.sqrt(size)).softmax(1)
        outs.append(a @ v[:, at])
        weights.append(a)
    return layer.out_proj(torch.cat(outs, 1)), torch.stack(weights).mean(0)


def test_attention_is_its_definition():
    layer = nn.MultiheadAttention(6, 3)
    nn.init.normal_(layer.in_proj_bias)
    q, k, v = torch.randn(4, 6), torch.randn(5, 6), torch.randn(5, 6)
    for got, known in zip(layer(q, k, v), by_definition(layer, q, k, v), strict=True):
        close(got, known)


def test_masked_sources_do_not_count():
    layer, x = nn.MultiheadAttention(6, 3, batch_first=True), torch.randn(2, 5, 6)
    hidden = torch.tensor([[False] * 3 + [True] * 2] * 2)
    got, _ = layer(x, x, x, key_padding_mask=hidden)
    close(got, layer(x, x[:, :3], x[:, :3])[0])


def test_separate_widths():
    layer = nn.MultiheadAttention(6, 2, kdim=3, vdim=5, add_bias_kv=True)
    y, weights = layer(torch.randn(4, 2, 6), torch.randn(7, 2, 3), torch.randn(7, 2, 5))
    assert (y.shape, weights.shape) == ((4, 2, 6), (2, 4, 8))


def test_a_causal_mask_hides_the_future():
    layer = nn.TransformerEncoderLayer(6, 2, 8, dropout=0.0)
    x = torch.randn(5, 1, 6)
    mask = nn.Transformer.generate_square_subsequent_mask(5)
    y = layer(x, src_mask=mask)
    x = torch.cat([x[:3], torch.randn(2, 1, 6)])
    close(layer(x, src_mask=mask)[:3], y[:3])


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
def test_batch_first_swaps_two_axes():
    model = nn.Transformer(6, 2, 1, 1, 8).eval()
    source, target = torch.randn(4, 2, 6), torch.randn(3, 2, 6)
    expected = model(source, target)
    for part in model.modules():
        if hasattr(part, "batch_first"):
            part.batch_first = True
    got = model(source.transpose(0, 1), target.transpose(0, 1))
    close(got.transpose(0, 1), expected)


def test_norm_first_is_another_order():
    layer = nn.TransformerEncoderLayer(6, 2, 8, 0.0, F.gelu, norm_first=True)
    x = torch.randn(5, 1, 6)
    n = layer.norm1(x)
    h = x + layer.self_attn(n, n, n)[0]
    close(layer(x), h + layer.linear2(F.gelu(layer.linear1(layer.norm2(h)))))


def test_layers_of_a_stack_are_copies():
    layer = nn.TransformerDecoderLayer(6, 2, 8)
    stack = nn.TransformerDecoder(layer, 2, nn.LayerNorm(6)).eval()
    first, second = stack.layers
    assert first is not second
    memory, x = torch.randn(4, 2, 6), torch.randn(3, 2, 6)
    close(stack(x, memory), stack.norm(second(first(x, memory), memory)))


def test_gradients_under_transforms():
    layer = copy.deepcopy(nn.TransformerEncoderLayer(6, 2, 8, dropout=0.0))
    x = torch.randn(3, 4, 6)

    def loss(x):
        return layer(x).pow(2).sum()

    each = fad.vmap(fad.grad(loss))(x)
    variable = x[1].clone().requires_grad_()
    loss(variable).backward()
    close(each[1], variable.grad)
    assert torch.autograd.gradcheck(lambda x: layer(x), x[0].clone().requires_grad_())


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nn.MultiheadAttention(5, 2), AssertionError, "divisible"),
        (lambda: nn.MultiheadAttention(0, 2), ValueError, "greater than 0"),
        (
            lambda: nn.TransformerEncoderLayer(4, 2, activation="tanh"),
            RuntimeError,
            "relu/gelu",
        ),
    ],
)
def test_misfits_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
