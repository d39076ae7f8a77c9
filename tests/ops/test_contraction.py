import itertools

import numpy as np
import pytest

import fad
from fad.core.primitive import registry
from fad.ops.contraction import contract, matmul, outer, tensordot
from fad.ops.einsum import einsum, parse
from fad.testing import check_grads, check_vjp_jvp_duality

rng = np.random.default_rng(5)


def real(*shape):
    return rng.standard_normal(shape)


RANKS = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 2)),
    ((2, 3), (3, 4)),
    ((5, 2, 3), (3,)),
    ((5, 2, 3), (3, 4)),
    ((3,), (5, 3, 4)),
    ((2, 3), (5, 3, 4)),
    ((1, 2, 3), (5, 3, 4)),
    ((5, 1, 2, 3), (6, 3, 1)),
]


@pytest.mark.parametrize(("s", "t"), RANKS)
def test_cotangents_of_matmul_are_those_of_its_sum_of_products(s, t):
    x, y = real(*s), real(*t)
    out, pull = fad.vjp(matmul, x, y)
    ct = np.asarray(real(*np.shape(out)))[()]
    check_vjp_jvp_duality(matmul, (x, y))
    found = pull(ct)
    assert [c.shape for c in found] == [s, t]
    for i, (c, v) in enumerate(zip(found, (x, y), strict=True)):
        for index in np.ndindex(v.shape):
            unit = np.zeros(v.shape)
            unit[index] = 1.0
            want = np.sum(ct * np.matmul(*((unit, y) if i == 0 else (x, unit))))
            np.testing.assert_allclose(c[index], want, 1e-12, 1e-12)


@pytest.mark.parametrize(("s", "t"), RANKS)
def test_vmap_of_matmul_batches_any_axes(s, t):
    for i, j in itertools.product([None, 0, -1], repeat=2):
        if i is j is None:
            continue
        xs = real(*s) if i is None else np.stack([real(*s) for _ in range(3)], i)
        ys = real(*t) if j is None else np.stack([real(*t) for _ in range(3)], j)
        got = fad.vmap(matmul, in_axes=(i, j))(xs, ys)
        loop = [
            np.matmul(
                xs if i is None else xs.take(b, i), ys if j is None else ys.take(b, j)
            )
            for b in range(3)
        ]
        np.testing.assert_allclose(got, np.stack(loop), 1e-12)


def test_matrix_products_and_their_cotangents_are_single_blas_calls():
    program = fad.make_jaxpr(lambda x, w, ct: fad.vjp(matmul, x, w)[1](ct))
    names = [e.prim.name for e in program(real(4, 2), real(2, 3), real(4, 3)).eqns]
    assert sorted(names) == ["matmul", "matmul", "transpose", "transpose"]


def test_weights_of_a_stack_get_their_cotangent_in_one_product():
    program = fad.make_jaxpr(lambda x, w, ct: fad.vjp(matmul, x, w)[1](ct)[1])
    names = [
        e.prim.name for e in program(real(5, 4, 2), real(2, 3), real(5, 4, 3)).eqns
    ]
    assert names == ["contract"]


def test_vmap_over_vectors_times_one_matrix_is_one_matrix_product():
    program = fad.make_jaxpr(fad.vmap(matmul, in_axes=(0, None)))(
        real(5, 2), real(2, 3)
    )
    assert [e.prim.name for e in program.eqns] == ["matmul"]


def test_contraction_is_not_conjugated():
    x, y = real(2, 3) + 1j * real(2, 3), real(3) + 1j * real(3)
    ct = real(2) + 1j * real(2)
    gx, gy = fad.vjp(matmul, x, y)[1](ct)
    np.testing.assert_allclose(gx, np.outer(ct, y))
    np.testing.assert_allclose(gy, ct @ x)


def test_real_factor_of_a_complex_product_gets_a_real_cotangent():
    gx, _ = fad.vjp(matmul, real(2, 3), real(3) + 1j * real(3))[1](np.ones(2) + 0j)
    assert gx.dtype == np.float64


@pytest.mark.parametrize("dtype", [bool, np.int8, np.float32, np.complex64])
@pytest.mark.parametrize(
    "spec", ["ab,bc->ac", "ab,ab->a", "ab,ab->", "a,b->ab", "ab,bc->ca", "ab,cb->c"]
)
def test_contract_gives_the_values_and_dtypes_of_einsum(spec, dtype):
    sizes = dict(a=2, b=3, c=4)
    parts = spec.split("->")[0].split(",")
    x, y = (rng.integers(-2, 3, [sizes[c] for c in p]).astype(dtype) for p in parts)
    if spec == "ab,cb->c":  # a label that one factor has alone is einsum's business
        x = x[0]
        spec = "b,cb->c"
    got, want = contract(x, y, spec=spec), np.einsum(spec, x, y)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want)


def test_contract_names_axes_of_different_sizes():
    with pytest.raises(ValueError, match="axes called b have sizes 3 and 4"):
        fad.make_jaxpr(lambda x, y: contract(x, y, spec="ab,bc->ac"))(
            real(2, 3), real(4, 2)
        )


def test_matmul_of_a_number_is_refused():
    with pytest.raises(ValueError, match=r"multiply by a number with \*"):
        fad.make_jaxpr(lambda x: matmul(x, real(3)))(2.0)


def test_tensordot_and_outer_agree_with_numpy():
    x, y = real(2, 3, 4), real(4, 5, 2)
    got = tensordot(x, y, ((2, 0), (0, 2)))
    np.testing.assert_allclose(got, np.tensordot(x, y, ((2, 0), (0, 2))))
    np.testing.assert_allclose(outer(x[0, 0], y[0, 0]), np.outer(x[0, 0], y[0, 0]))


FORMS = [
    ("ii->", (4, 4)),
    ("ii->i", (4, 4)),
    ("iij->ij", (3, 3, 2)),
    ("ijij->ji", (2, 3, 2, 3)),
    ("iii", (3, 3, 3)),
    ("ba", (2, 3)),
    ("ij->", (2, 3)),
    ("abcd->bd", (3, 2, 3, 2)),
    ("nd,nn->d", (4, 2), (4, 4)),
    ("i,i", (2,), (1,)),
    ("ij,jk->ik", (2, 3), (1, 4)),
    ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)),
    ("...,...", (2, 3), (3,)),
    ("i...,j->...ij", (2, 4), (3,)),
    ("ij,jk,kl", (2, 3), (3, 4), (4, 5)),
    ("ii,ij,jk,l->ik", (3, 3), (3, 2), (2, 4), (5,)),
    ("i,i,i->i", (3,), (1,), (3,)),
    ("a,,b", (2,), (), (3,)),
    ("ij,ij", (0, 3), (0, 3)),
]


@pytest.mark.parametrize(("form", "shapes"), [(f, s) for f, *s in FORMS])
def test_every_form_of_einsum_has_values_gradients_and_batches(form, shapes):
    f = lambda *xs: einsum(parse(form, [np.ndim(x) for x in xs]), xs)
    xs = tuple(np.asarray(real(*s))[()] for s in shapes)
    np.testing.assert_allclose(f(*xs), np.einsum(form, *xs), 1e-12, 1e-12)
    check_grads(f, xs, order=2)
    check_vjp_jvp_duality(f, xs)
    stacks = [np.stack([np.asarray(x), 2 * np.asarray(x)]) for x in xs]
    for i, out in enumerate(fad.vmap(f)(*stacks)):
        np.testing.assert_allclose(
            out, np.einsum(form, *[s[i] for s in stacks]), 1e-12, 1e-12
        )


def test_gradient_of_a_trace_is_the_identity():
    grad = fad.grad(lambda a: einsum(parse("ii->", [2]), [a]))(real(3, 3))
    np.testing.assert_array_equal(grad, np.eye(3))


def test_gradient_of_a_broadcast_operand_has_its_shape():
    f = lambda x, y: einsum(parse("i,i", [1, 1]), [x, y])
    gx, gy = fad.grad(f, argnums=(0, 1))(np.array([1.0, 2.0]), np.array([5.0]))
    np.testing.assert_array_equal(gx, [5.0, 5.0])
    np.testing.assert_array_equal(gy, [3.0])


def test_long_products_are_contracted_pair_by_pair_in_a_cheap_order():
    xs = [real(2, 50), real(50, 50), real(50, 2)]
    f = lambda *xs: einsum(parse("ij,jk,kl->il", [2, 2, 2]), xs)
    program = fad.make_jaxpr(f)(*xs)
    assert [e.aval.size for e in program.eqns] == [100, 4]


@pytest.mark.parametrize("optimize", [False, True, "optimal", ["", (1, 2), (0, 1)]])
def test_every_path_gives_the_same_sum(optimize):
    xs = [real(2, 3), real(3, 4), real(4, 5)]
    got = einsum(parse("ij,jk,kl", [2, 2, 2]), xs, optimize)
    np.testing.assert_allclose(got, xs[0] @ xs[1] @ xs[2])


@pytest.mark.parametrize(
    ("form", "shapes", "message"),
    [
        ("ij,j", [(2, 2)], "subscripts for 2 operands, got 1"),
        ("ij", [(2,)], "names 2 axes of an operand that has 1"),
        ("i%", [(2, 2)], "invalid subscript '%'"),
        ("ij->ik", [(2, 2)], "output subscript 'k', which no operand has"),
        ("ij->ii", [(2, 2)], "output subscript 'i' multiple times"),
        ("ij,jk", [(2, 3), (4, 2)], "'j' has sizes 3 and 4"),
        ("ii", [(1, 3)], "repeated in an operand of shape"),
    ],
)
def test_malformed_einsums_say_what_is_wrong(form, shapes, message):
    xs = [real(*s) for s in shapes]
    with pytest.raises(ValueError, match=message):
        einsum(parse(form, [x.ndim for x in xs]), xs)


def test_nothing_but_the_factors_is_kept():
    for name in ("matmul", "contract"):
        plan = registry[name].plan(0b111)
        assert set(plan.picks) == {0, 1}
        assert registry[name].plan(0b101).picks == (1,)
