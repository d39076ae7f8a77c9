"""`torch.func`, `torch.autograd.functional` and forward mode."""

import numpy as np
import pytest

import fad
from fad import torch
from fad.torch.nn.module import Module
from fad.torch.nn.parameter import Parameter

func = torch.func
forward = torch.autograd.forward_ad
X = torch.tensor([1.0, 2.0, 3.0])


def cubic(x):
    return (x**3).sum()


def test_transforms_nest():
    third = func.grad(lambda x: func.grad(lambda y: func.grad(cubic)(y).sum())(x).sum())
    assert third(X).tolist() == [6.0, 6.0, 6.0]
    assert func.hessian(cubic)(X).diagonal().tolist() == [6.0, 12.0, 18.0]


def test_a_result_is_differentiable_by_the_outer_autograd():
    x = X.clone().requires_grad_()
    func.jacrev(lambda x: x**2)(x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]


def test_jacobians_of_trees_keep_the_order_of_keys():
    point = {"w": X, "b": torch.tensor(1.0)}
    jac = func.jacfwd(lambda p: (p["w"] * p["b"], p["b"] ** 2))(point)
    assert [list(row) for row in jac] == [["w", "b"], ["w", "b"]]
    assert jac[0]["w"].shape == (3, 3)
    assert float(jac[1]["b"]) == 2.0


def test_vjp_of_complex_tensors_conjugates():
    z = torch.tensor([1 + 2j])
    _, pullback = func.vjp(lambda z: z * z, z)
    assert pullback(torch.tensor([1 + 0j]))[0].tolist() == [2 - 4j]


def test_detach_cuts_the_derivative_inside_a_transform():
    assert func.grad(lambda x: (x * x.detach()).sum())(X).tolist() == X.tolist()


def test_vmap_takes_trees_and_several_output_dims():
    run = torch.vmap(
        lambda d, k: (d["a"] * k, 7), in_dims=({"a": 1}, None), out_dims=(1, None)
    )
    stacked, constant = run({"a": torch.ones(2, 3)}, 2)
    assert stacked.shape == (2, 3)
    assert constant == 7


def test_vmap_of_grad_agrees_with_fad():
    points = torch.stack([X, X * 2])
    ours = torch.vmap(func.grad(cubic))(points)
    theirs = fad.vmap(fad.grad(cubic))(points)
    assert torch.equal(ours, theirs)


def test_linearize_and_jvp_agree():
    value, linear = func.linearize(torch.sin, X)
    expected = func.jvp(torch.sin, (X,), (torch.ones(3),))
    assert torch.equal(value, expected[0])
    assert torch.allclose(linear(torch.ones(3)), expected[1])


def test_functional_call_leaves_the_module_as_it_was():
    class Scale(Module):
        def __init__(self):
            super().__init__()
            self.weight = Parameter(torch.ones(2))

        def forward(self, x):
            return (self.weight * x).sum()

    model = Scale()
    old = model.weight

    def loss(weights):
        return func.functional_call(model, weights, (X[:2],))

    slope = func.grad(loss)({"weight": torch.tensor([5.0, 6.0])})
    assert slope["weight"].tolist() == [1.0, 2.0]
    assert model.weight is old


def test_hessian_products_agree_with_the_hessian():
    f = torch.autograd.functional
    v = torch.tensor([1.0, 0.0, 2.0])
    full = f.hessian(lambda x: x.prod() + cubic(x), X)
    assert torch.allclose(f.hvp(lambda x: x.prod() + cubic(x), X, v)[1], full @ v)
    assert torch.allclose(f.vhp(lambda x: x.prod() + cubic(x), X, v)[1], v @ full)


@pytest.mark.parametrize("strategy", ["reverse-mode", "forward-mode"])
def test_vectorized_jacobians_agree(strategy):
    f = torch.autograd.functional.jacobian

    def pair(a, b):
        return a * b.sum(), b

    slow = f(pair, (X, X[:2]))
    fast = f(pair, (X, X[:2]), vectorize=True, strategy=strategy)
    for row, other in zip(slow, fast, strict=True):
        assert all(map(torch.equal, row, other))


def test_create_graph_gives_derivatives_of_jacobians():
    x = X.clone().requires_grad_()
    jac = torch.autograd.functional.jacobian(lambda x: x**3, x, create_graph=True)
    (second,) = torch.autograd.grad(jac.sum(), x, create_graph=True)
    (third,) = torch.autograd.grad(second.sum(), x)
    assert third.tolist() == [6.0, 6.0, 6.0]


def test_gradients_carry_tangents():
    w = torch.tensor([2.0, 3.0], requires_grad=True)
    with forward.dual_level():
        x = forward.make_dual(torch.tensor([1.0, 1.0]), torch.tensor([1.0, 10.0]))
        (g,) = torch.autograd.grad((w * w * x).sum(), w)
        assert forward.unpack_dual(g).tangent.tolist() == [4.0, 60.0]
    assert repr(x) == "tensor([1., 1.])"


def test_tangents_pass_through_decompositions():
    with forward.dual_level():
        a = forward.make_dual(torch.eye(2) * 2, torch.eye(2))
        assert forward.unpack_dual(torch.linalg.inv(a)).tangent[0, 0].item() == -0.25
        assert forward.unpack_dual(torch.linalg.svdvals(a)).tangent.tolist() == [1, 1]


def test_a_wrong_backward_is_found():
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 3

    x = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
    with pytest.raises(RuntimeError, match="Jacobian mismatch for output 0"):
        torch.autograd.gradcheck(Wrong.apply, (x,))


def test_gradcheck_of_complex_functions_and_of_forward_mode():
    z = torch.from_numpy(np.array([1 + 2j, 0.5 - 1j])).requires_grad_()
    assert torch.autograd.gradcheck(lambda z: z**2 * z.conj(), (z,))
    assert torch.autograd.gradcheck(torch.sin, (z,), check_forward_ad=True)
    assert torch.autograd.gradcheck(lambda z: z.abs(), (z,), check_batched_grad=True)


def test_transforms_of_fourier_pass_gradcheck():
    x = torch.from_numpy(np.random.default_rng(0).normal(size=(3, 4))).requires_grad_()
    fft = torch.fft
    for f in (fft.fft, fft.rfft2, fft.ihfftn, lambda x: fft.irfftn(fft.rfftn(x) ** 2)):
        assert torch.autograd.gradcheck(f, (x,))


def test_special_functions_have_second_derivatives():
    x = torch.from_numpy(np.array([0.3, 0.6])).requires_grad_()
    special = torch.special
    for name in ("entr", "erfcx", "ndtr", "ndtri", "log_ndtr"):
        assert torch.autograd.gradgradcheck(getattr(special, name), (x,))
    assert torch.autograd.gradgradcheck(
        lambda x: special.legendre_polynomial_p(x, 4), (x,)
    )


def test_dimensions_are_rearranged_by_name():
    x = torch.arange(24.0).reshape(2, 3, 4)
    rearrange = torch.func.rearrange
    assert rearrange(x, "a b c -> c (a b)").tolist() == x.reshape(6, 4).T.tolist()
    split = rearrange(x, "a b (c d) -> a d b c", d=2)
    assert split.tolist() == x.reshape(2, 3, 2, 2).permute(0, 3, 1, 2).tolist()
    assert rearrange(x, "a ... -> ... a").shape == (3, 4, 2)
    assert rearrange(x, "a ... -> a (...)").shape == (2, 12)
    assert rearrange([x, x], "n ... -> ... n").shape == (2, 3, 4, 2)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("a b c -> a b", "Identifiers only on one side of rearrange expression"),
        ("a b -> b a", "Number of dimensions in pattern"),
        ("a a c -> a c", "contains duplicate dimension 'a'"),
        ("a b c", "single '->' separator"),
        ("a 2b c -> c a", "Invalid axis identifier: 2b"),
    ],
)
def test_wrong_patterns_are_refused(pattern, text):
    with pytest.raises(ValueError, match=text):
        torch.func.rearrange(torch.ones(2, 3, 4), pattern)
