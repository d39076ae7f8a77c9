"""torch.func: random numbers under vmap, no_grad inside transforms, other names."""

import pytest

from fad import torch

FN = torch.nn.functional
X = torch.ones(3, 4)

SAMPLERS = {
    "rand": lambda x: torch.rand(4),
    "rand_like": torch.rand_like,
    "randn": lambda x: torch.randn(4),
    "randint": lambda x: torch.randint(0, 100, (4,)),
    "normal": lambda x: torch.normal(0.0, 1.0, (4,)),
    "dropout": FN.dropout,
    "normal_": lambda x: x.clone().normal_(),
}
OF_VALUES = {
    "bernoulli": lambda x: torch.bernoulli(x * 0.5),
    "normal": lambda x: torch.normal(x, 1.0),
    "multinomial": lambda x: torch.multinomial(x, 2),
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_random_numbers_are_an_error_by_default(name):
    with pytest.raises(RuntimeError, match="called random operation while in random"):
        torch.vmap(SAMPLERS[name])(X)


@pytest.mark.parametrize("name", SAMPLERS)
def test_the_same_numbers_are_those_of_one_example(name):
    torch.manual_seed(3)
    found = torch.vmap(SAMPLERS[name], randomness="same")(X)
    torch.manual_seed(3)
    one = SAMPLERS[name](X[0])
    assert found.tolist() == [one.tolist()] * 3


@pytest.mark.parametrize("name", ["rand_like", "dropout", "normal_"])
def test_different_numbers_are_those_of_all_examples(name):
    torch.manual_seed(3)
    found = torch.vmap(SAMPLERS[name], randomness="different")(X)
    torch.manual_seed(3)
    assert found.tolist() == SAMPLERS[name](X).tolist()


@pytest.mark.parametrize("name", OF_VALUES)
def test_numbers_that_depend_on_values_are_drawn_for_all(name):
    torch.manual_seed(3)
    found = torch.vmap(OF_VALUES[name], randomness="different")(X)
    torch.manual_seed(3)
    assert found.tolist() == OF_VALUES[name](X).tolist()
    with pytest.raises(RuntimeError, match="same randomness with a batched tensor"):
        torch.vmap(OF_VALUES[name], randomness="same")(X)


def test_maps_within_maps_have_their_own_way():
    def inner(x):
        return torch.vmap(lambda y: y + torch.rand(1), randomness="same")(x)

    torch.manual_seed(0)
    found = torch.vmap(inner, randomness="different")(torch.zeros(3, 4))
    torch.manual_seed(0)
    assert found[:, 0, 0].tolist() == torch.rand(3).tolist()
    assert (found == found[:, :1]).all()


@pytest.mark.parametrize("how", ["same", "different"])
def test_chunks_draw_what_all_at_once_do(how):
    f = lambda x: x + torch.rand(2)
    x = torch.zeros(5, 2)
    torch.manual_seed(0)
    whole = torch.vmap(f, randomness=how)(x)
    torch.manual_seed(0)
    assert torch.vmap(f, randomness=how, chunk_size=2)(x).tolist() == whole.tolist()


def test_a_tensor_that_is_the_same_for_all_gets_no_different_values():
    f = lambda x: torch.empty(2).uniform_()
    with pytest.raises(RuntimeError, match="different inplace randomness"):
        torch.vmap(f, randomness="different")(X)


def test_jacfwd_takes_random_numbers_if_it_is_told_to():
    f = lambda x: x + torch.rand(3)
    x = torch.arange(3.0)
    with pytest.raises(RuntimeError, match="randomness error mode"):
        torch.func.jacfwd(f)(x)
    assert torch.func.jacfwd(f, randomness="same")(x).tolist() == torch.eye(3).tolist()


def through(x):
    with torch.no_grad():
        y = x * x
    return y * x


def test_no_grad_inside_cuts_reverse_mode_only():
    x = torch.tensor(3.0)
    assert torch.func.grad(through)(x).item() == 9.0
    assert torch.func.hessian(through)(x).item() == 6.0
    one = torch.tensor(1.0)
    assert torch.func.jvp(through, (x,), (one,))[1].item() == 27.0


def test_no_grad_outside_leaves_a_transform_alone():
    x = torch.tensor(3.0, requires_grad=True)
    with torch.no_grad():
        g = torch.func.grad(lambda x: x**3)(x)
    assert (g.item(), g.requires_grad) == (27.0, False)
    assert torch.func.grad(lambda x: x**3)(x).requires_grad


def test_no_grad_between_transforms_cuts_the_outer_one():
    def f(x):
        with torch.no_grad():
            g = torch.func.grad(lambda y: y**3 * x)(x)
        return g * x

    assert torch.func.grad(f)(torch.tensor(2.0)).item() == 24.0


def test_enable_grad_inside_no_grad_records():
    def f(x):
        with torch.no_grad(), torch.enable_grad():
            return x * x

    assert torch.func.grad(f)(torch.tensor(2.0)).item() == 4.0


def test_a_write_under_no_grad_changes_values_and_no_history():
    def f(x):
        y = x * 1
        with torch.no_grad():
            y[0] = 5.0
        return (y * y).sum()

    assert torch.func.grad(f)(torch.arange(3.0)).tolist() == [10.0, 2.0, 4.0]


def test_a_linear_function_checks_its_tangents():
    _, push = torch.func.linearize(torch.sin, torch.zeros(3))
    with pytest.raises(RuntimeError, match=r"tangent:0 with shape torch.Size\(\[2\]\)"):
        push(torch.ones(2))
    with pytest.raises(RuntimeError, match="tangent:0 with dtype torch.float64"):
        push(torch.ones(3).double())


def test_batch_norms_are_mapped_without_running_statistics():
    norm = torch.nn.BatchNorm1d(3)
    with pytest.raises(RuntimeError, match="Batch norm got a batched tensor as input"):
        torch.vmap(norm)(torch.ones(2, 4, 3))
    assert norm.running_mean.tolist() == [0, 0, 0]
    torch.func.replace_all_batch_norm_modules_(norm)
    assert torch.vmap(norm)(torch.randn(2, 4, 3)).shape == (2, 4, 3)


def test_branches_on_mapped_values_are_refused():
    with pytest.raises(RuntimeError, match="data-dependent control flow"):
        torch.vmap(lambda x: x if x > 0 else -x)(torch.ones(2))


def test_functional_call_takes_tensors_only():
    with pytest.raises(TypeError, match="3 is not an instance of torch.Tensor"):
        torch.func.functional_call(torch.nn.Linear(2, 1), {"weight": 3}, torch.ones(2))


def test_a_value_inside_transforms_can_be_looked_at():
    seen = []

    def f(x):
        seen.append(torch.func.debug_unwrap(x).tolist())
        return x.sum()

    torch.vmap(f)(X)
    torch.func.grad(f)(torch.ones(2))
    assert seen == [X.tolist(), [1.0, 1.0]]
