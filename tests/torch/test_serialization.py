"""Saved files: what comes back, what is shared, what is refused."""

import io
import pickle

import numpy as np
import pytest

from fad import torch
from fad.torch.nn.parameter import Parameter


def _back(thing, **options):
    file = io.BytesIO()
    torch.save(thing, file)
    file.seek(0)
    return torch.load(file, **options)


@pytest.mark.parametrize(
    "dtype", [torch.bool, torch.uint8, torch.int64, torch.float16, torch.complex64]
)
def test_values_and_dtype_come_back(dtype):
    x = torch.tensor([[0, 1, 2]]).to(dtype)
    y = _back(x)
    assert y.dtype is dtype
    assert y.tolist() == x.tolist()


def test_tensors_that_share_memory_share_it_again():
    x = torch.arange(6.0).reshape(2, 3)
    back = _back([x, x[1], x.t()])
    back[0][1, 0] = 9.0
    assert back[1].tolist() == [9.0, 4.0, 5.0]
    assert back[2].tolist() == [[0.0, 9.0], [1.0, 4.0], [2.0, 5.0]]


def test_parameters_and_flags_come_back():
    w = _back({"w": Parameter(torch.ones(2)), "x": torch.ones(1, requires_grad=True)})
    assert isinstance(w["w"], Parameter)
    assert w["w"].requires_grad
    assert w["x"].requires_grad


class _Calls:
    def __reduce__(self):
        return pytest.fail, ("a file ran code",)


def test_a_file_cannot_run_code():
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        _back(_Calls())


class Settings:
    """Something that a file may hold once it is allowed."""


def test_a_class_can_be_allowed():
    from fad.torch import serialization

    serialization.add_safe_globals([Settings])
    try:
        assert isinstance(_back(Settings()), Settings)
    finally:
        serialization.clear_safe_globals()


def test_a_tensor_beyond_its_storage_is_refused():
    from fad.torch.serialization import _rebuild_tensor

    with pytest.raises(pickle.UnpicklingError, match="exceeds its storage"):
        _rebuild_tensor(np.zeros(3), 1, (3,), (1,), False)


def test_what_is_no_archive_is_refused():
    with pytest.raises(pickle.UnpicklingError, match="no zip archive"):
        torch.load(io.BytesIO(b"nothing"))
