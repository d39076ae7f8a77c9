"""Linear algebra of `fad.torch`: derivatives, dtypes, and the texts of errors."""

import numpy as np
import pytest

from fad import torch

RNG = np.random.default_rng(5)
SQUARE = RNG.normal(size=(3, 3)) + 3 * np.eye(3)
WEIGHTS = torch.from_numpy(RNG.normal(size=(3, 3)))
linalg = torch.linalg


def leaf(values):
    return torch.from_numpy(np.array(values)).requires_grad_()


FUNCTIONS = {
    "inv": linalg.inv,
    "det": linalg.det,
    "slogdet": lambda a: linalg.slogdet(a).logabsdet,
    "solve": lambda a: linalg.solve(a, WEIGHTS),
    "solve from the right": lambda a: linalg.solve(a, WEIGHTS, left=False),
    "solve vector": lambda a: linalg.solve(a, WEIGHTS[0]),
    "solve_triangular": lambda a: linalg.solve_triangular(a, WEIGHTS, upper=True),
    "cholesky": lambda a: linalg.cholesky(a @ a.mT),
    "qr": lambda a: linalg.qr(a).R,
    "svdvals": linalg.svdvals,
    "eigvalsh": lambda a: linalg.eigvalsh(a + a.mT),
    "eigvals": lambda a: linalg.eigvals(a).abs(),
    "pinv": linalg.pinv,
    "lu": lambda a: linalg.lu(a).U,
    "lu_solve": lambda a: linalg.lu_solve(*linalg.lu_factor(a), WEIGHTS),
    "lstsq": lambda a: linalg.lstsq(a, WEIGHTS).solution,
    "matrix_exp": linalg.matrix_exp,
    "matrix_power": lambda a: linalg.matrix_power(a, -3),
    "multi_dot": lambda a: linalg.multi_dot([a, WEIGHTS, a]),
    "cond": linalg.cond,
    "nuclear norm": lambda a: linalg.norm(a, "nuc"),
    "matrix_norm": lambda a: linalg.matrix_norm(a, 1),
    "cross": lambda a: linalg.cross(a, WEIGHTS),
    "kron": lambda a: torch.kron(a, WEIGHTS),
    "tensordot": lambda a: torch.tensordot(a, a, dims=([0], [1])),
    "einsum": lambda a: torch.einsum("ij,kj,k->i", a, WEIGHTS, a[0]),
    "addbmm": lambda a: torch.addbmm(a, WEIGHTS[None], a[None], beta=2, alpha=3),
    "cdist": lambda a: torch.cdist(a, WEIGHTS),
    "pdist": torch.pdist,
    "cholesky_inverse": torch.cholesky_inverse,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_first_and_second_derivatives_are_right(name):
    a = leaf(SQUARE)
    assert torch.autograd.gradcheck(FUNCTIONS[name], (a,))
    assert torch.autograd.gradgradcheck(FUNCTIONS[name], (a,), atol=1e-4)


@pytest.mark.parametrize("name", ["inv", "svdvals", "matrix_exp", "lu", "cdist"])
def test_vmap_agrees_with_a_loop(name):
    stack = torch.from_numpy(RNG.normal(size=(4, 3, 3)))
    found = torch.vmap(FUNCTIONS[name])(stack)
    one_by_one = torch.stack([FUNCTIONS[name](a) for a in stack])
    assert torch.allclose(found, one_by_one)


def test_single_precision_stays_single():
    a = torch.from_numpy(SQUARE.astype(np.float32))
    for function in (linalg.inv, linalg.det, linalg.svdvals, linalg.matrix_exp):
        assert function(a).dtype == torch.float32
    assert linalg.eigvals(a).dtype == torch.complex64


def test_products_name_the_dtypes_that_differ():
    with pytest.raises(RuntimeError, match="same dtype, but got: float != double"):
        torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.float64)


def test_a_singular_matrix_of_a_stack_is_named():
    stack = torch.stack([torch.eye(2), torch.zeros(2, 2)])
    with pytest.raises(linalg.LinAlgError, match=r"linalg.inv: \(Batch element 1\)"):
        linalg.inv(stack)
    assert linalg.inv_ex(stack).info.tolist() == [0, 1]


def test_matrices_of_integers_are_refused():
    with pytest.raises(RuntimeError, match="linalg.det: Expected a floating point"):
        linalg.det(torch.ones(2, 2, dtype=torch.int64))


def test_an_absent_name_lists_near_ones():
    with pytest.raises(AttributeError, match="near names are .*svdvals"):
        linalg.svdvalz  # noqa: B018


def test_chains_are_multiplied_in_the_cheapest_order():
    tall, wide = torch.ones(50, 1), torch.ones(1, 50)
    assert torch.equal(linalg.multi_dot([wide, tall, wide]), torch.full((1, 50), 50.0))
