"""Writes through views by strides, windows, expansion and parts of complex numbers."""

import numpy as np
import pytest

from fad import torch


def tracked(n):
    x = torch.arange(float(n), requires_grad=True)
    return x, x * 1


def square_gradient(x, y):
    (y * y).sum().backward()
    return x.grad.tolist()


def node(t):
    return type(t.grad_fn).__name__


def test_a_write_through_as_strided_has_its_gradient():
    x, y = tracked(6)
    view = y.as_strided((2, 2), (2, 1), 1)
    view.mul_(10)
    assert y.tolist() == [0, 10, 20, 30, 40, 5]
    assert (node(y), node(view)) == ("CopySlices", "AsStridedBackward0")
    assert square_gradient(x, y) == [0, 200, 400, 600, 800, 10]


def test_as_strided_sees_the_memory_of_the_base():
    x = torch.arange(6.0).reshape(2, 3)
    assert x.T.as_strided((6,), (1,)).tolist() == [0, 1, 2, 3, 4, 5]
    assert x[1].as_strided((2,), (1,)).tolist() == [3, 4]
    assert x[1].as_strided((2,), (1,), 0).tolist() == [0, 1]


def test_as_strided_of_a_view_has_the_gradient_of_the_view():
    x, y = tracked(6)
    part = y.reshape(2, 3).T
    part.as_strided((2,), (1,), 2).mul_(2)
    assert square_gradient(x, y) == [0, 2, 16, 24, 8, 10]


@pytest.mark.parametrize(
    ("size", "stride", "text"),
    [
        ((7,), (1,), "setStorage: sizes [7], strides [1], storage offset 0"),
        ((2, 2), (1,), "mismatch in length of strides and shape"),
        ((2,), (-1,), "as_strided: Negative strides are not supported"),
    ],
)
def test_as_strided_refuses_what_is_not_in_memory(size, stride, text):
    with pytest.raises(RuntimeError) as error:
        torch.arange(6.0).as_strided(size, stride)
    assert text in str(error.value)


def test_as_strided_scatter_writes_into_a_copy():
    x = torch.arange(6.0)
    out = torch.as_strided_scatter(x, torch.ones(2), (2,), (3,))
    assert out.tolist() == [1, 1, 2, 1, 4, 5]
    assert x.tolist() == [0, 1, 2, 3, 4, 5]


def test_a_write_through_windows_has_its_gradient():
    x, y = tracked(6)
    windows = y.unfold(0, 3, 3)
    windows.mul_(2)
    assert node(windows) == "AsStridedBackward0"
    assert square_gradient(x, y) == [0, 8, 16, 24, 32, 40]


def test_a_write_to_one_element_of_overlapping_windows_is_seen_by_all():
    x, y = tracked(4)
    windows = y.unfold(0, 2, 1)
    windows[1, 0] = 100
    assert windows.tolist() == [[0, 100], [100, 2], [2, 3]]
    assert square_gradient(x, y) == [0, 0, 4, 6]


def test_a_row_of_an_expanded_tensor_may_be_written_to():
    x, y = tracked(3)
    wide = y.expand(2, 3)
    wide[0].mul_(3)
    assert wide.tolist() == [[0, 3, 6]] * 2
    (wide * wide).sum().backward()
    assert x.grad.tolist() == [0, 36, 72]


REFUSED = [
    lambda x: x.add_(1),
    lambda x: x.copy_(torch.ones(2, 3)),
    lambda x: x.__setitem__((slice(None), slice(1, None)), 7),
    lambda x: torch.add(torch.ones(2, 3), 1, out=x),
]


@pytest.mark.parametrize("write", REFUSED)
def test_elements_that_are_one_in_memory_are_not_written_to(write):
    with pytest.raises(RuntimeError, match="more than one element of the written-to"):
        write(torch.arange(3.0).expand(2, 3))


def test_elements_that_are_one_in_memory_may_get_one_value():
    x = torch.arange(3.0)
    x.expand(2, 3).fill_(4)
    assert x.tolist() == [4, 4, 4]
    x.expand(2, 3).zero_()
    assert x.tolist() == [0, 0, 0]
    wide = x.expand(2, 3)
    with pytest.warns(UserWarning, match="masked_fill_ on expanded tensors"):
        wide.masked_fill_(wide == 0, 5.0)
    assert x.tolist() == [5, 5, 5]


def complex_pair():
    z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    return z, z * 1


def numeric(function, z):
    """Return PyTorch's gradient of a real function of complex numbers."""
    found, h = [], 1e-3
    for i in range(len(z)):
        parts = []
        for step in (h, 1j * h):
            ends = []
            for sign in (1, -1):
                w = np.array(z, complex)
                w[i] += sign * step
                ends.append(function(w))
            parts.append((ends[0] - ends[1]) / (2 * h))
        found.append(complex(*parts))
    return found


def test_a_write_through_pairs_has_its_gradient():
    z, y = complex_pair()
    pairs = torch.view_as_real(y)
    pairs[:, 1].mul_(3)
    assert (node(y), node(pairs)) == ("CopySlices", "ViewAsRealBackward0")
    (y.abs() ** 2 * torch.tensor([1.0, 2.0])).sum().backward()
    weights = np.array([1, 2])
    want = numeric(
        lambda w: ((w.real**2 + 9 * w.imag**2) * weights).sum(), z.detach().numpy()
    )
    np.testing.assert_allclose(z.grad.numpy(), want, rtol=1e-5)


@pytest.mark.parametrize("part", ["real", "imag"])
def test_a_write_through_a_part_leaves_the_other(part):
    z, y = complex_pair()
    getattr(y, part).mul_(3)
    (y * torch.tensor([1 + 1j, 2 - 1j])).real.sum().backward()
    k = np.array([1 + 1j, 2 - 1j])
    a, b = (3, 1) if part == "real" else (1, 3)
    want = numeric(
        lambda w: ((a * w.real + 1j * b * w.imag) * k).real.sum(), z.detach().numpy()
    )
    np.testing.assert_allclose(z.grad.numpy(), want, rtol=1e-5)


def test_a_write_through_complex_numbers_has_its_gradient():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = x * 1
    z = torch.view_as_complex(y)
    z.mul_(2j)
    assert (node(y), node(z)) == ("CopySlices", "ViewAsComplexBackward0")
    (y * torch.tensor([[1.0, 10.0], [100.0, 1000.0]])).sum().backward()
    assert x.grad.tolist() == [[20, -2], [2000, -200]]


def test_a_view_of_a_leaf_as_pairs_is_not_written_to():
    z = torch.ones(2, dtype=torch.complex64, requires_grad=True)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires"):
        torch.view_as_real(z).mul_(2)


def test_a_long_chain_of_reshapes_remembers_one():
    x = torch.ones(8, requires_grad=True)
    y = x * 1
    for _ in range(500):
        y = y.reshape(2, 4).view(8)
    assert len(y._view.steps) == 1
    y[0] = 5.0
    y.sum().backward()
    assert x.grad.tolist() == [0.0] + [1.0] * 7
