"""no_grad and its kin, as blocks, decorators and on generators; inference mode."""

import pytest

from fad import torch


def test_modes_nest_and_are_restored_after_errors():
    with pytest.raises(ValueError), torch.no_grad(), torch.enable_grad():
        assert torch.is_grad_enabled()
        raise ValueError
    assert torch.is_grad_enabled()


@pytest.mark.parametrize("decorate", [torch.no_grad(), torch.no_grad])
def test_decorators_with_and_without_parentheses(decorate):
    @decorate
    def flag():
        return torch.is_grad_enabled()

    assert flag() is False
    assert torch.is_grad_enabled()


def test_a_generator_is_in_the_mode_only_while_it_runs():
    @torch.no_grad()
    def numbers():
        got = yield torch.is_grad_enabled()
        yield got, torch.is_grad_enabled()

    it = numbers()
    assert next(it) is False
    assert torch.is_grad_enabled()
    assert it.send("sent") == ("sent", False)


def test_set_grad_enabled_acts_at_once():
    switch = torch.set_grad_enabled(False)
    assert not torch.is_grad_enabled()
    with switch:
        pass
    assert torch.is_grad_enabled()


def test_inference_tensors_stay_so():
    with torch.inference_mode():
        c = torch.ones(2)
        c.add_(1)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        c.add_(1)
    with pytest.raises(RuntimeError, match="do not track version counter"):
        assert c._version == 0
    assert not c.clone().is_inference()
