"""Recurrent layers are loops of their cells, whatever the shape of the sequences."""

import numpy as np
import pytest

import fad
from fad import torch
from fad.torch import nn

rnn = nn.utils.rnn
KINDS = {"RNN": nn.RNNCell, "LSTM": nn.LSTMCell, "GRU": nn.GRUCell}


def layer(kind, *sizes, **options):
    torch.manual_seed(0)
    return getattr(nn, kind)(*sizes, **options).double()


def states(h):
    return h if isinstance(h, tuple) else (h,)


def cell_of(kind, network, suffix="l0"):
    cell = KINDS[kind](network.input_size, network.hidden_size).double()
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        setattr(cell, name, getattr(network, f"{name}_{suffix}"))
    return cell


def looped(cell, x, h=None):
    outs = []
    for row in x:
        h = cell(row, h)
        outs.append(states(h)[0])
    return torch.stack(outs), h


def close(a, b):
    np.testing.assert_allclose(a.detach(), b.detach(), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("kind", KINDS)
def test_a_layer_is_a_loop_of_its_cell(kind):
    network, x = layer(kind, 3, 4), torch.randn(5, 2, 3, dtype=torch.float64)
    y, h = network(x)
    expected, last = looped(cell_of(kind, network), x)
    close(y, expected)
    for got, known in zip(states(h), states(last), strict=True):
        close(got[0], known)


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_are_those_of_the_loop(kind):
    network, x = layer(kind, 3, 4), torch.randn(5, 2, 3, dtype=torch.float64)
    parameters = list(network.parameters())
    weights = torch.randn(5, 2, 4, dtype=torch.float64)
    got = torch.autograd.grad((network(x)[0] * weights).sum(), parameters)
    y, _ = looped(cell_of(kind, network), x)
    expected = torch.autograd.grad((y * weights).sum(), parameters)
    for a, b in zip(got, expected, strict=True):
        close(a, b)


@pytest.mark.parametrize("kind", KINDS)
def test_second_direction_runs_from_the_end(kind):
    network = layer(kind, 3, 4, bidirectional=True)
    x = torch.randn(5, 2, 3, dtype=torch.float64)
    y, _ = network(x)
    backwards, _ = looped(cell_of(kind, network, "l0_reverse"), x.flip(0))
    close(y[..., 4:], backwards.flip(0))


@pytest.mark.parametrize("kind", KINDS)
def test_layers_are_stacked(kind):
    network = layer(kind, 3, 4, num_layers=2)
    x = torch.randn(5, 2, 3, dtype=torch.float64)
    below, _ = looped(cell_of(kind, network), x)
    above = KINDS[kind](4, 4).double()
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        setattr(above, name, getattr(network, f"{name}_l1"))
    close(network(x)[0], looped(above, below)[0])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bidirectional", [False, True])
def test_packed_sequences_are_those_alone(kind, bidirectional):
    network = layer(kind, 3, 4, 2, bidirectional=bidirectional)
    sequences = [torch.randn(n, 3, dtype=torch.float64) for n in (2, 5, 3)]
    packed = rnn.pack_sequence(sequences, enforce_sorted=False)
    out, h = network(packed)
    for i, (y, x) in enumerate(zip(rnn.unpack_sequence(out), sequences, strict=True)):
        alone, last = network(x)
        close(y, alone)
        for got, known in zip(states(h), states(last), strict=True):
            close(got[:, i], known)


@pytest.mark.parametrize("kind", KINDS)
def test_batch_first_swaps_two_axes(kind):
    network = layer(kind, 3, 4)
    x = torch.randn(5, 2, 3, dtype=torch.float64)
    expected, _ = network(x)
    network.batch_first = True
    close(network(x.transpose(0, 1))[0].transpose(0, 1), expected)


def test_projection_multiplies_the_state():
    network = layer("LSTM", 3, 4, proj_size=2)
    y, (h, c) = network(torch.randn(5, 2, 3, dtype=torch.float64))
    assert (y.shape, h.shape, c.shape) == ((5, 2, 2), (1, 2, 2), (1, 2, 4))
    close(y[-1], h[0])


@pytest.mark.parametrize("kind", KINDS)
def test_transforms_go_through(kind):
    network, x = layer(kind, 3, 4), torch.randn(6, 5, 3, dtype=torch.float64)

    def loss(parameters, x):
        return torch.func.functional_call(network, parameters, (x,))[0].pow(2).sum()

    parameters = {k: v.detach() for k, v in network.named_parameters()}
    each = fad.vmap(fad.grad(loss), (None, 0))(parameters, x)
    one = fad.grad(loss)(parameters, x[2])
    for name in parameters:
        close(each[name][2], one[name])


def test_padding_and_packing_are_undone():
    sequences = [torch.arange(n) + 10 * n for n in (3, 1, 4)]
    padded = rnn.pad_sequence(sequences, batch_first=True, padding_value=-1)
    assert padded.tolist() == [[30, 31, 32, -1], [10, -1, -1, -1], [40, 41, 42, 43]]
    lengths = torch.tensor([3, 1, 4])
    for a, b in zip(rnn.unpad_sequence(padded, lengths, True), sequences, strict=True):
        assert a.tolist() == b.tolist()
    packed = rnn.pack_sequence(sequences, enforce_sorted=False)
    assert packed.batch_sizes.tolist() == [3, 2, 2, 1]
    again, found = rnn.pad_packed_sequence(packed, True, -1)
    assert again.tolist() == padded.tolist()
    assert found.tolist() == [3, 1, 4]


def test_packing_is_differentiable():
    x = torch.ones(4, 3, requires_grad=True)
    packed = rnn.pack_padded_sequence(x, [4, 2, 1])
    (packed.data * torch.arange(1.0, 8.0)).sum().backward()
    assert x.grad.tolist() == [[1, 2, 3], [4, 5, 0], [6, 0, 0], [7, 0, 0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rnn.pack_padded_sequence(torch.ones(4, 2), [1, 4]), "must be sorted"),
        (lambda: rnn.pack_padded_sequence(torch.ones(4, 2), [4, 0]), "greater than 0"),
        (
            lambda: rnn.pack_padded_sequence(torch.ones(4, 2), [4]),
            "equal to batch_size",
        ),
        (lambda: rnn.pad_sequence([]), "empty list"),
        (lambda: nn.LSTM(3, 4)(torch.ones(5, 2, 2)), "Expected 3, got 2"),
        (lambda: nn.GRU(3, 4)(torch.ones(5, 2, 3), torch.ones(1, 3, 4)), "hidden size"),
        (lambda: nn.RNNCell(3, 4)(torch.ones(2, 2)), "inconsistent input_size"),
    ],
)
def test_misfits_are_refused(call, message):
    with pytest.raises(RuntimeError, match=message):
        call()
