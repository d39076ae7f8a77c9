"""torch.compile: programs of functions and modules of tensors."""

import copy
import dataclasses
import threading

import numpy as np
import pytest

import fad
from fad import torch
from fad.torch.compile_api import CompiledFunction, InvalidBackend, Unsupported

FN = torch.nn.functional


def programs(compiled):
    """Return what a compiled function has for its signatures: program or reason."""
    call = compiled._call if isinstance(compiled, torch.nn.Module) else compiled
    return [e.program or str(e.reason) for es in call._known.values() for e in es]


def network():
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Linear(3, 5),
        torch.nn.BatchNorm1d(5),
        torch.nn.Tanh(),
        torch.nn.Linear(5, 1),
    )


def losses(model, steps=4):
    torch.manual_seed(1)
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    found = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = FN.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


def test_a_function_gives_values_and_gradients_of_every_order():
    f = torch.compile(lambda x: (x**3).sum(), fullgraph=True)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = f(x)
    assert "CompiledFunctionBackward" in repr(y.grad_fn)
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x, create_graph=True)
    (third,) = torch.autograd.grad(h.sum(), x)
    assert (g.tolist(), h.tolist(), third.tolist()) == ([3, 12], [6, 12], [6, 6])


def test_training_sees_every_step_of_the_optimizer():
    model, other = network(), network()
    compiled = torch.compile(other, fullgraph=True)
    np.testing.assert_allclose(losses(compiled), losses(model), rtol=1e-6)
    assert len(programs(compiled)) == 1
    pairs = zip(model.state_dict().values(), other.state_dict().values(), strict=True)
    for a, b in pairs:
        np.testing.assert_allclose(b.numpy(), a.numpy(), rtol=1e-5, atol=1e-6)


def test_running_statistics_are_written_and_counted():
    layer = torch.nn.BatchNorm1d(2)
    run = torch.compile(layer, fullgraph=True)
    version = layer.running_mean._version
    run(torch.ones(4, 2))
    run(torch.ones(4, 2))
    assert layer.num_batches_tracked.item() == 2
    np.testing.assert_allclose(layer.running_mean.numpy(), 0.19, rtol=1e-6)
    assert layer.running_mean._version > version


def test_train_and_eval_are_two_programs():
    model = network()
    run = torch.compile(model, fullgraph=True)
    x = torch.ones(4, 3)
    a = run(x)
    b = run.eval()(x)
    assert not model.training
    np.testing.assert_allclose(b.detach().numpy(), model(x).detach().numpy(), rtol=1e-6)
    run.train()
    assert len(programs(run)) == 2
    assert a.shape == b.shape


def test_each_shape_dtype_and_mode_has_a_program():
    f = torch.compile(lambda x: x * 2)
    x = torch.ones(2)
    for v in (x, torch.ones(3), x.double(), x.clone().requires_grad_()):
        f(v)
    with torch.no_grad():
        assert not f(x.clone().requires_grad_()).requires_grad
    assert len(programs(f)) == 5
    f(torch.zeros(2))
    assert len(programs(f)) == 5


def test_a_tensor_of_the_closure_is_no_constant():
    w = torch.tensor([2.0], requires_grad=True)
    f = torch.compile(lambda x: x * w, fullgraph=True)
    x = torch.tensor([3.0])
    assert f(x).tolist() == [6.0]
    with torch.no_grad():
        w.fill_(5.0)
    y = f(x)
    y.backward()
    assert (y.tolist(), w.grad.tolist()) == ([15.0], [3.0])
    w.requires_grad_(False)
    assert not f(x).requires_grad


CHANGES = {
    "hook": lambda m: m[2].register_forward_hook(lambda mod, i, o: o * 2),
    "parameter": lambda m: setattr(
        m[0], "weight", torch.nn.Parameter(torch.ones(5, 3))
    ),
    "state": lambda m: m.load_state_dict({k: v + 1 for k, v in m.state_dict().items()}),
    "frozen": lambda m: m.requires_grad_(False),
    "layer": lambda m: m.append(torch.nn.Tanh()),
    "exchanged": lambda m: m.__setitem__(2, torch.nn.Identity()),
    "eval": lambda m: m.eval(),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_module_that_is_changed_is_seen(what):
    model, x = network(), torch.randn(4, 3)
    run = torch.compile(model, fullgraph=True)
    run(x)
    CHANGES[what](model)
    a, b = run(x), model(x)
    assert a.requires_grad == b.requires_grad
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-5)


@dataclasses.dataclass
class Options:
    factor: float
    weight: torch.Tensor


def test_objects_and_containers_among_arguments_are_seen():
    f = torch.compile(
        lambda x, *, options, lists: (x * options.factor * options.weight, len(lists)),
        fullgraph=True,
    )
    x, lists, options = torch.ones(1), [1], Options(2.0, torch.ones(1))

    def found():
        out, count = f(x, options=options, lists=lists)
        return out.item(), count

    assert found() == (2.0, 1)
    options.factor = 3.0
    assert found() == (3.0, 1)
    options.weight.fill_(2.0)
    assert found() == (6.0, 1)
    lists.append(2)
    assert found() == (6.0, 2)
    options = Options(1.0, torch.ones(1))
    assert found() == (1.0, 2)


def test_a_whole_training_step_runs_as_it_is():
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)

    @torch.compile
    def step(x):
        optimizer.zero_grad()
        loss = (w * x).sum()
        loss.backward()
        optimizer.step()
        return loss

    found = [step(torch.ones(2)).item() for _ in range(3)]
    assert found == pytest.approx([2.0, 1.8, 1.6])


def test_derivatives_of_all_kinds_go_through():
    f = torch.compile(lambda x: (x.sin() * x).cumsum(0))
    x = torch.arange(3.0, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(f, x)
    assert torch.autograd.gradgradcheck(f, x)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x.detach(), torch.ones_like(x))
        tangent = torch.autograd.forward_ad.unpack_dual(f(dual)).tangent
    row = torch.func.jacrev(f)(x.detach()).sum(1)
    np.testing.assert_allclose(tangent.numpy(), row.numpy())


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 2.0
        self.calls = 0
        self.steps = [1.0]

    def forward(self, x):
        for s in self.steps:
            x = x + s
        return x * self.scale


def test_an_attribute_that_changes_is_seen():
    model = Scaled()
    run = torch.compile(model, fullgraph=True)
    x = torch.ones(1)
    assert run(x).item() == 4.0
    model.scale = 3.0
    assert run(x).item() == 6.0
    model.steps.append(1.0)
    assert run(x).item() == 9.0
    model.scale = 2.0
    model.steps.pop()
    assert run(x).item() == 4.0
    assert len(programs(run)) == 3


def test_a_global_and_a_helper_are_seen(monkeypatch):
    monkeypatch.setitem(globals(), "FACTOR", torch.tensor(2.0))
    monkeypatch.setitem(globals(), "HELPER", lambda x: x * FACTOR)  # noqa: F821
    f = torch.compile(lambda x: HELPER(x), fullgraph=True)  # noqa: F821
    assert f(torch.ones(1)).item() == 2.0
    monkeypatch.setitem(globals(), "FACTOR", torch.tensor(5.0))
    assert f(torch.ones(1)).item() == 5.0
    monkeypatch.setitem(globals(), "HELPER", lambda x: x - 1)
    assert f(torch.ones(1)).item() == 0.0


def test_an_array_of_numpy_that_changes_is_seen():
    w, kinds = np.ones(2, np.float32), {"a"}
    f = torch.compile(lambda x: x * torch.from_numpy(w) * len(kinds), fullgraph=True)
    assert f(torch.ones(2)).tolist() == [1, 1]
    w[0] = 3
    assert f(torch.ones(2)).tolist() == [3, 1]
    kinds.add("b")
    assert f(torch.ones(2)).tolist() == [6, 2]


def test_a_function_that_reaches_too_much_runs_as_it_is():
    many = list(range(20_000))
    f = lambda x: x + many[7]
    assert torch.compile(f)(torch.ones(1)).item() == 8.0
    with pytest.raises(Unsupported, match="container of many items"):
        torch.compile(f, fullgraph=True)(torch.ones(1))


def branches(x):
    if x.sum() > 0:
        return x * 2
    return -x


def test_a_branch_on_values_runs_as_it_is():
    f = torch.compile(branches)
    x = torch.tensor([1.0], requires_grad=True)
    f(x).backward()
    assert (f(-x).item(), x.grad.item()) == (1.0, 2.0)
    with pytest.raises(Unsupported, match="Data-dependent branching") as error:
        torch.compile(branches, fullgraph=True)(x)
    assert "branches cannot be compiled as one graph" in str(error.value)


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda x: x.item() * x, "value of a tensor"),
        (lambda x: torch.bernoulli(x / 2), "random numbers that depend on the values"),
        (lambda x: x * torch.manual_seed(3).initial_seed(), "changes a generator"),
        (lambda x: x.sum().backward(), "gradients"),
        (lambda x: ((y := x * 2), y.t()), "views of one tensor"),
        (lambda x: x[x > 0], "a shape depends on the values"),
        (lambda x: x.numpy().sum(), "value of a tensor"),
    ],
)
def test_what_cannot_be_a_program_is_refused_as_a_whole_graph(function, why):
    with pytest.raises(Unsupported, match=why):
        torch.compile(function, fullgraph=True)(torch.ones(2, 2))


def noisy(x):
    x = FN.dropout(x, 0.5) + torch.rand(4) * torch.randint(0, 9, (4,))
    return FN.alpha_dropout(x, 0.5, training=True) + torch.randn_like(x)


def test_random_numbers_are_the_stream_of_the_uncompiled_function():
    compiled = torch.compile(noisy, fullgraph=True)
    torch.manual_seed(0)
    a = [compiled(torch.ones(4)).tolist() for _ in range(3)]
    torch.manual_seed(0)
    assert a == [noisy(torch.ones(4)).tolist() for _ in range(3)]
    assert len(programs(compiled)) == 1


def test_a_generator_of_its_own_is_drawn_from():
    generator = torch.Generator().manual_seed(3)
    f = torch.compile(lambda x: x + torch.rand(2, generator=generator), fullgraph=True)
    a = [f(torch.zeros(2)).tolist() for _ in range(2)]
    generator.manual_seed(3)
    assert a == [torch.rand(2, generator=generator).tolist() for _ in range(2)]


MODELS = {
    "recurrent": (lambda: torch.nn.GRU(4, 6, 2, dropout=0.2), (5, 3, 4)),
    "transformer": (lambda: torch.nn.TransformerEncoderLayer(8, 2, 16), (5, 3, 8)),
    "convolution": (
        lambda: torch.nn.Sequential(
            torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.MaxPool2d(2)
        ),
        (2, 3, 8, 8),
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_layers_train_the_same_compiled(name):
    make, shape = MODELS[name]
    found = []
    for compiled in (False, True):
        torch.manual_seed(0)
        model = make()
        call = torch.compile(model, fullgraph=True) if compiled else model
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            out = call(torch.ones(shape))
            loss = (out[0] if isinstance(out, tuple) else out).square().mean()
            loss.backward()
            optimizer.step()
        found.append([loss.item(), *(p.detach().numpy() for p in model.parameters())])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-6)


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.seen = []

    def forward(self, x):
        self.calls += 1
        self.seen.append(self.calls)
        return x + self.calls


def test_a_function_that_changes_objects_changes_them_once_a_call():
    model = Counting()
    run = torch.compile(model)
    found = [run(torch.zeros(1)).item() for _ in range(12)]
    assert found == list(range(1, 13))
    assert model.seen == list(range(1, 13))


def test_what_exec_defines_is_watched():
    space = {"nn": torch.nn}
    exec(
        "class Steps(nn.Module):\n"
        "    n = 0\n"
        "    def forward(self, x):\n"
        "        self.n += 1\n"
        "        return x * self.n\n",
        space,
    )
    model = space["Steps"]()
    run = torch.compile(model)
    assert [run(torch.ones(1)).item() for _ in range(3)] == [1, 2, 3]
    assert model.n == 3


def test_writes_into_arguments_have_their_history_and_version():
    def f(x, y):
        x.mul_(y)
        return x + 1

    x = torch.tensor([1.0, 2.0])
    y = torch.tensor([3.0, 4.0], requires_grad=True)
    out = torch.compile(f, fullgraph=True)(x, y)
    assert x.tolist() == [3.0, 8.0]
    assert x.requires_grad
    assert x._version == 1
    (x.sum() + out.sum()).backward()
    assert y.grad.tolist() == [2.0, 4.0]


def test_an_argument_that_is_returned_is_the_same_object():
    x, y = torch.ones(2), torch.zeros(2)
    f = torch.compile(lambda x, y: (y, {"x": x}, x + y, 3, "a", None), fullgraph=True)
    out = f(x, y)
    assert out[0] is y
    assert out[1]["x"] is x
    assert out[3:] == (3, "a", None)


def test_a_view_of_an_argument_shares_its_memory():
    x = torch.ones(2, 3)
    row, _, whole = torch.compile(
        lambda x: (x[0], x.mul_(2) + 1, x.t()), fullgraph=True
    )(x)
    assert row.tolist() == [2, 2, 2]
    row.add_(5)
    assert x.tolist() == [[7, 7, 7], [2, 2, 2]]
    assert whole._base is x
    y = (x * 1).requires_grad_()
    torch.compile(lambda y: y[1], fullgraph=True)(y).sum().backward()
    assert y.grad.tolist() == [[0, 0, 0], [1, 1, 1]]


def test_a_constant_of_the_program_is_not_lent():
    f = torch.compile(lambda x: torch.arange(3), fullgraph=True)
    f(torch.ones(1)).add_(7)
    assert f(torch.ones(1)).tolist() == [0, 1, 2]


def test_the_same_tensor_twice_is_another_signature():
    f = torch.compile(lambda x, y: (x.add_(1), y * 2)[1], fullgraph=True)
    x = torch.zeros(1)
    assert f(x, torch.zeros(1)).item() == 0.0
    assert f(x, x).item() == 4.0


def test_a_write_after_the_call_is_noticed_by_backward():
    f = torch.compile(lambda x, w: x * w, fullgraph=True)
    w = torch.ones(2, requires_grad=True)
    x = torch.ones(2)
    y = f(x, w)
    x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_no_grad_inside_cuts_gradients():
    @torch.compile(fullgraph=True)
    def f(x):
        with torch.no_grad():
            y = x * x
        return x * y

    x = torch.tensor(3.0, requires_grad=True)
    f(x).backward()
    assert x.grad.item() == 9.0


def test_transforms_go_through_a_compiled_function():
    f = torch.compile(lambda x: (x**2).sum())
    x = torch.tensor([1.0, 2.0])
    assert torch.func.grad(f)(x).tolist() == [2.0, 4.0]
    assert torch.vmap(f)(torch.stack([x, x])).tolist() == [5.0, 5.0]
    assert fad.jit(f)(x).item() == 5.0


def test_a_compiled_function_inside_another_is_part_of_it():
    inner = torch.compile(lambda x: x * 2)
    outer = torch.compile(lambda x: inner(x) + 1, fullgraph=True)
    assert outer(torch.ones(1)).item() == 3.0
    inner(torch.ones(2))
    outer(torch.ones(1))
    assert len(programs(outer)) == 1


def test_errors_of_the_function_are_its_own():
    f = torch.compile(lambda x, y: x + y)
    with pytest.raises(RuntimeError, match="must match the size of tensor b"):
        f(torch.ones(2), torch.ones(3))


def test_compiler_tells_and_disables():
    seen = []

    @torch.compiler.disable
    def outside(x):
        seen.append(torch.compiler.is_compiling())
        return x

    def f(x):
        return x * (2 if torch.compiler.is_compiling() else 3)

    assert torch.compile(f)(torch.ones(1)).item() == 2.0
    assert f(torch.ones(1)).item() == 3.0
    torch.compile(lambda x: outside(x) + 1)(torch.ones(1))
    assert seen == [False]
    compiled = torch.compile(f)
    compiled(torch.ones(1))
    torch.compiler.reset()
    compiled(torch.ones(1))
    assert len(programs(compiled)) == 1


def test_options_are_checked_as_pytorch_does():
    with pytest.raises(RuntimeError, match="Unrecognized mode=foo, should be one of"):
        torch.compile(abs, mode="foo")
    with pytest.raises(RuntimeError, match="Either mode or options can be specified"):
        torch.compile(abs, mode="default", options={})
    with pytest.raises(AssertionError, match="A callable function is expected, but"):
        torch.compile(3)
    with pytest.raises(InvalidBackend, match="Invalid backend: 'foo', see"):
        torch.compile(lambda x: x, backend="foo")(torch.ones(1))
    assert torch.compile(abs, disable=True) is abs


def test_a_compiled_module_is_a_module():
    model = network()
    run = torch.compile(model)
    assert repr(run).startswith("OptimizedModule(\n  (_orig_mod): Sequential(")
    assert list(run.state_dict())[0] == "_orig_mod.0.weight"
    run.extra = 3
    assert model.extra == 3
    copied = copy.deepcopy(run)
    assert copied._orig_mod is copied._call.function
    x = torch.ones(2, 3)
    assert copied(x).tolist() == network()(x).tolist()


def test_a_module_compiles_itself():
    model = network()
    model.compile(fullgraph=True)
    assert isinstance(model.forward, CompiledFunction)
    np.testing.assert_allclose(losses(model), losses(network()), rtol=1e-6)


def test_a_method_may_be_decorated():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.ones(1))

        @torch.compile(fullgraph=True)
        def forward(self, x, *, k=1):
            return x * self.w * k

    model = Model()
    model(torch.ones(1), k=3).backward()
    assert model.w.grad.item() == 3.0
    with torch.no_grad():
        model.w.fill_(2.0)
    assert model(torch.ones(1)).item() == 2.0


def test_threads_compile_and_run_at_once():
    torch.manual_seed(0)
    model = network().eval()
    compiled = torch.compile(model, fullgraph=True)
    inputs = [torch.randn(n, 3) for n in range(2, 10)]
    expected = [model(x).detach().numpy() for x in inputs]
    wrong = []

    def work(start):
        for i in range(40):
            k = (start + i) % len(inputs)
            found = compiled(inputs[k]).detach().numpy()
            if not np.allclose(found, expected[k], atol=1e-6):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
