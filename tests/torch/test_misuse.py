"""Wrong arguments get PyTorch's errors, not Python's from inside."""

import pytest

from fad import torch


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: torch.sin(1.0), "sin(): argument 'input' (position 1) must be Tensor"),
        (lambda: torch.sum([1, 2]), "must be Tensor, not list"),
        (lambda: torch.softmax(torch.ones(2)), 'positional arguments: "dim"'),
        (lambda: torch.exp(torch.ones(2), foo=1), "got an unexpected keyword argument"),
        (lambda: torch.ones(2.0), "must be tuple of ints, not float"),
        (lambda: torch.rand(2, "a"), "at pos 2 with error"),
        (lambda: torch.full(2, 3.0), "must be tuple of ints, not int"),
    ],
)
def test_wrong_arguments_name_function_and_argument(call, text):
    with pytest.raises(TypeError) as caught:
        call()
    assert text in str(caught.value)


@pytest.mark.parametrize("name", ["floor_divide", "heaviside"])
def test_backward_of_what_pytorch_does_not_differentiate(name):
    x = torch.tensor([1.0, -2.0], requires_grad=True)
    for _ in range(30):  # also once such calls are compiled
        y = getattr(torch, name)(x, torch.tensor([0.5, 2.0]))
        assert "grad_fn=<NotImplemented>" in repr(y)
        with pytest.raises(RuntimeError, match=f"derivative for aten::{name} is not"):
            y.sum().backward()


def test_a_number_that_does_not_fit_an_integer_dtype_is_refused():
    for value, dtype in ((300, torch.uint8), (-129, torch.int8), (2**40, torch.int32)):
        with pytest.raises(RuntimeError, match="without overflow"):
            torch.tensor([value], dtype=dtype)
    assert torch.tensor(-1, dtype=torch.uint8).item() == 255


def test_devices():
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        torch.ones(2, device="cuda")
    with pytest.raises(RuntimeError, match="at start of device string: gpu"):
        torch.device("gpu")
    with pytest.raises(RuntimeError, match="computes on the CPU only"):
        torch.ones(2, device="mps")
