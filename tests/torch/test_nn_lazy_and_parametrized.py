"""Lazy modules, parametrizations, adaptive softmax, averaged models, LBFGS's memory."""

import copy

import numpy as np
import pytest

from fad import torch
from fad.torch.nn.utils import parametrizations, parametrize, stateless

nn = torch.nn
FN = nn.functional


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def lazy(cls, *args, **kwargs):
    with pytest.warns(UserWarning, match="Lazy modules are a new feature"):
        return cls(*args, **kwargs)


LAZY = {
    "Linear": ((3,), (4, 5)),
    "Conv1d": ((3, 2), (4, 5, 6)),
    "Conv2d": ((3, 2), (4, 5, 6, 6)),
    "ConvTranspose1d": ((3, 2), (4, 5, 6)),
    "BatchNorm1d": ((), (4, 5)),
    "BatchNorm2d": ((), (4, 5, 6, 6)),
    "InstanceNorm1d": ((1e-5, 0.1, True), (4, 5, 6)),
}


@pytest.mark.parametrize("name", LAZY)
def test_a_lazy_module_becomes_an_ordinary_one(name):
    args, shape = LAZY[name]
    module = lazy(getattr(nn, f"Lazy{name}"), *args)
    x = torch.randn(shape)
    torch.manual_seed(1)
    y = module(x)
    assert type(module) is getattr(nn, name)
    size = shape[-1] if name == "Linear" else shape[1]
    torch.manual_seed(1)
    plain = getattr(nn, name)(size, *args)
    assert repr(module) == repr(plain)
    np.testing.assert_array_equal(y.detach().numpy(), plain(x).detach().numpy())
    assert module(x).shape == y.shape


def test_parameters_without_a_shape_say_so():
    module = lazy(nn.LazyLinear, 3)
    assert str(module.weight) == "<UninitializedParameter>"
    assert module.weight.requires_grad
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninit"):
        _ = module.weight.shape
    with pytest.raises(ValueError, match="Attempted to use an uninitialized"):
        module.weight + 1


def test_an_optimizer_takes_lazy_parameters():
    module = lazy(nn.LazyLinear, 3)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    module(torch.ones(1, 2)).sum().backward()
    before = module.weight.detach().clone()
    optimizer.step()
    np.testing.assert_allclose(
        (before - module.weight).detach().numpy(), 0.1, rtol=1e-5
    )


def test_a_lazy_module_takes_shapes_from_a_state():
    module = lazy(nn.LazyLinear, 3)
    plain = nn.Linear(4, 3)
    module.load_state_dict(plain.state_dict())
    x = torch.randn(2, 4)
    assert module(x).tolist() == plain(x).tolist()
    assert type(copy.deepcopy(module)) is nn.Linear


def test_a_buffer_is_saved_if_it_is_persistent():
    module = nn.Module()
    module.kept = nn.Buffer(torch.ones(2))
    module.left = nn.Buffer(torch.ones(2), persistent=False)
    assert list(module.state_dict()) == ["kept"]
    assert [name for name, _ in module.named_buffers()] == ["kept", "left"]


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).T


class Exp(nn.Module):
    def forward(self, x):
        return x.exp()

    def right_inverse(self, y):
        return y.log()


def test_a_parametrized_tensor_is_computed_and_differentiated():
    layer = parametrize.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())
    assert (layer.weight == layer.weight.T).all()
    assert type(layer).__name__ == "ParametrizedLinear"
    assert list(layer.state_dict()) == ["bias", "parametrizations.weight.original"]
    layer(torch.ones(3)).sum().backward()
    grad = layer.parametrizations.weight.original.grad
    assert grad.tolist() == [[1, 2, 2], [0, 1, 2], [0, 0, 1]]
    with parametrize.cached():
        assert layer.weight is layer.weight
    value = layer.weight.tolist()
    parametrize.remove_parametrizations(layer, "weight")
    assert type(layer) is nn.Linear
    assert layer.weight.tolist() == value


def test_a_parametrized_tensor_is_assigned_by_the_right_inverse():
    layer = nn.Linear(2, 2)
    with torch.no_grad():
        layer.weight.abs_()
    parametrize.register_parametrization(layer, "weight", Exp())
    layer.weight = torch.full((2, 2), 3.0)
    np.testing.assert_allclose(layer.weight.detach().numpy(), 3.0, rtol=1e-6)
    original = layer.parametrizations.weight.original
    parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)
    assert layer.weight is original


def test_wrong_parametrizations_are_refused():
    class Row(nn.Module):
        def forward(self, x):
            return x[0]

    with pytest.raises(ValueError, match="may not change the shape of the tensor"):
        parametrize.register_parametrization(nn.Linear(2, 2), "weight", Row())
    with pytest.raises(ValueError, match="does not have a parameter, a buffer"):
        parametrize.register_parametrization(nn.Linear(2, 2), "zork", Row())


def test_weight_norm_separates_norms_and_directions():
    layer = nn.Linear(3, 2)
    weight = layer.weight.detach().clone()
    parametrizations.weight_norm(layer)
    np.testing.assert_allclose(layer.weight.detach().numpy(), weight.numpy(), rtol=1e-6)
    norms = layer.parametrizations.weight.original0
    np.testing.assert_allclose(
        norms.detach().numpy()[:, 0], np.linalg.norm(weight.numpy(), axis=1), rtol=1e-6
    )
    layer(torch.ones(3)).sum().backward()
    direction = layer.parametrizations.weight.original1
    inner = (direction.grad * direction).sum(1).detach().numpy()
    np.testing.assert_allclose(inner, 0, atol=1e-6)


def test_the_older_weight_norm_is_computed_before_forward():
    layer = nn.Linear(3, 2)
    with pytest.warns(FutureWarning, match="weight_norm. is deprecated"):
        nn.utils.weight_norm(layer)
    assert list(layer.state_dict()) == ["bias", "weight_g", "weight_v"]
    with torch.no_grad():
        layer.weight_g.fill_(1.0)
    layer(torch.ones(3))
    norms = np.linalg.norm(layer.weight.detach().numpy(), axis=1)
    np.testing.assert_allclose(norms, 1, rtol=1e-6)
    nn.utils.remove_weight_norm(layer)
    assert list(layer.state_dict()) == ["bias", "weight"]


@pytest.mark.parametrize("older", [False, True])
def test_spectral_norm_bounds_the_greatest_singular_value(older):
    make = nn.utils.spectral_norm if older else parametrizations.spectral_norm
    layer = make(nn.Linear(4, 3))
    for _ in range(30):
        layer(torch.ones(4))
    assert np.linalg.norm(layer.weight.detach().numpy(), 2) == pytest.approx(
        1, rel=1e-4
    )
    layer.eval()
    assert layer(torch.ones(4)).tolist() == layer(torch.ones(4)).tolist()


@pytest.mark.parametrize("how", ["matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4)])
def test_orthogonal_weights_stay_orthogonal(how, shape):
    layer = parametrizations.orthogonal(nn.Linear(*shape), orthogonal_map=how)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.3)
    for _ in range(3):
        optimizer.zero_grad()
        layer(torch.ones(shape[0])).sum().backward()
        optimizer.step()
    w = layer.weight.detach().numpy()
    square = w @ w.T if w.shape[0] <= w.shape[1] else w.T @ w
    np.testing.assert_allclose(square, np.eye(len(square)), atol=2e-6)


def test_adaptive_softmax_is_a_distribution_and_its_loss():
    layer = nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10], div_value=2.0)
    x, target = torch.randn(6, 8), torch.tensor([0, 3, 5, 11, 19, 2])
    every = layer.log_prob(x)
    np.testing.assert_allclose(every.exp().sum(1).detach().numpy(), 1, rtol=1e-5)
    found = layer(x, target)
    chosen = every.gather(1, target.unsqueeze(1)).squeeze(1)
    np.testing.assert_allclose(
        found.output.detach().numpy(), chosen.detach().numpy(), rtol=1e-5
    )
    assert found.loss.item() == pytest.approx(-chosen.mean().item())
    assert layer.predict(x).tolist() == every.argmax(1).tolist()
    with pytest.raises(RuntimeError, match=r"Target values should be in \[0, 19\]"):
        layer(x[:1], torch.tensor([20]))
    with pytest.raises(ValueError, match="cutoffs should be a sequence of unique"):
        nn.AdaptiveLogSoftmaxWithLoss(8, 20, [10, 4])


def test_batch_norms_are_fused_into_the_layer_before():
    conv, norm = nn.Conv2d(3, 4, 2).eval(), nn.BatchNorm2d(4).eval()
    norm.running_mean.normal_()
    norm.running_var.uniform_(0.5, 2)
    x = torch.randn(2, 3, 5, 5)
    fused = nn.utils.fuse_conv_bn_eval(conv, norm)
    np.testing.assert_allclose(
        fused(x).detach().numpy(), norm(conv(x)).detach().numpy(), atol=1e-5
    )


def test_stateless_calls_warn_of_their_new_name():
    with pytest.warns(FutureWarning, match="torch.func.functional_call"):
        out = stateless.functional_call(
            nn.Linear(2, 1, bias=False), {"weight": torch.ones(1, 2)}, torch.ones(2)
        )
    assert out.item() == 2.0


def test_pruned_weights_stay_at_zero():
    prune = nn.utils.prune
    layer = prune.l1_unstructured(nn.Linear(3, 2), "weight", amount=2)
    least = layer.weight_orig.abs().view(-1).topk(2, largest=False).indices
    assert layer.weight_mask.view(-1)[least].tolist() == [0, 0]
    prune.random_unstructured(layer, "weight", amount=0.5)
    assert int((layer.weight == 0).sum()) == 4
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    layer(torch.ones(3)).sum().backward()
    optimizer.step()
    layer(torch.ones(3))
    assert int((layer.weight == 0).sum()) == 4
    assert prune.is_pruned(layer)
    prune.remove(layer, "weight")
    assert list(layer.state_dict()) == ["bias", "weight"]
    assert int((layer.weight == 0).sum()) == 4


def test_channels_are_pruned_by_their_norms():
    layer = nn.Linear(4, 5)
    norms = layer.weight.detach().norm(dim=1)
    nn.utils.prune.ln_structured(layer, "weight", amount=2, n=2, dim=0)
    pruned = (layer.weight_mask.sum(1) == 0).nonzero().squeeze(-1).tolist()
    assert sorted(pruned) == sorted(norms.topk(2, largest=False).indices.tolist())


def test_several_parameters_are_pruned_as_one():
    a, b = nn.Linear(3, 2), nn.Linear(2, 2)
    prune = nn.utils.prune
    pairs = [(a, "weight"), (b, "weight")]
    prune.global_unstructured(pairs, pruning_method=prune.L1Unstructured, amount=4)
    kept = torch.cat([m.weight_mask.view(-1) for m, _ in pairs])
    values = torch.cat([m.weight_orig.detach().abs().view(-1) for m, _ in pairs])
    assert values[kept == 0].max() <= values[kept == 1].min()


swa = torch.optim.swa_utils


def test_an_averaged_model_is_the_mean_of_models():
    model = nn.Linear(2, 1)
    averaged = swa.AveragedModel(model)
    values = []
    for _ in range(3):
        with torch.no_grad():
            model.weight.add_(1.0)
        averaged.update_parameters(model)
        values.append(model.weight.detach().numpy().copy())
    np.testing.assert_allclose(
        averaged.module.weight.detach().numpy(), np.mean(values, axis=0), rtol=1e-6
    )
    assert averaged.n_averaged.item() == 3


def test_exponential_averages_agree_whichever_way():
    model = nn.Linear(2, 1)
    one = swa.AveragedModel(model, avg_fn=swa.get_ema_avg_fn(0.9))
    many = swa.AveragedModel(model, multi_avg_fn=swa.get_ema_multi_avg_fn(0.9))
    for _ in range(3):
        with torch.no_grad():
            model.weight.add_(1.0)
        one.update_parameters(model)
        many.update_parameters(model)
    a, b = (m.module.weight.detach().numpy() for m in (one, many))
    np.testing.assert_allclose(a, b, rtol=1e-6)


def test_running_statistics_are_those_of_the_data():
    model = nn.Sequential(nn.BatchNorm1d(3))
    data = [torch.randn(4, 3) for _ in range(3)]
    swa.update_bn(data, model)
    whole = np.mean([d.numpy().mean(0) for d in data], axis=0)
    np.testing.assert_allclose(model[0].running_mean.numpy(), whole, rtol=1e-5)
    assert model[0].momentum == 0.1


def test_the_learning_rate_is_annealed_to_a_constant():
    optimizer = torch.optim.SGD(nn.Linear(2, 1).parameters(), lr=0.1)
    schedule = swa.SWALR(optimizer, 0.05, anneal_epochs=4, anneal_strategy="linear")
    rates = []
    for _ in range(6):
        optimizer.step()
        schedule.step()
        rates.append(schedule.get_last_lr()[0])
    assert rates == pytest.approx([0.0875, 0.075, 0.0625, 0.05, 0.05, 0.05])


def rosenbrock(search):
    w = torch.tensor([-1.5, 2.0, 0.3, 1.0], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [w],
        lr=0.1 if search is None else 1,
        max_iter=5,
        history_size=2,
        line_search_fn=search,
    )

    def closure():
        optimizer.zero_grad()
        loss = ((1 - w[:-1]) ** 2 + 100 * (w[1:] - w[:-1] ** 2) ** 2).sum()
        loss.backward()
        return loss

    return [optimizer.step(closure).item() for _ in range(6)]


EXPECTED = {
    None: [
        1465.8,
        685.405173761,
        266.220542695,
        118.620393537,
        53.1025021387,
        24.0724795183,
    ],
    "strong_wolfe": [
        1465.8,
        4.12133077407,
        3.90122326146,
        3.85197527984,
        3.73163658793,
        3.70747067,
    ],
}


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_lbfgs_with_a_short_memory_takes_pytorchs_steps(search):
    np.testing.assert_allclose(rosenbrock(search), EXPECTED[search], rtol=1e-9)
