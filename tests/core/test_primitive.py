"""Primitives: declared once; formulas are read by parameter name; plans are cached."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fad
from fad.core.primitive import (
    ANS,
    ARGS,
    AVALS,
    Formula,
    Primitive,
    mask_key,
    registry,
)
from fad.ops.arithmetic import mul
from fad.ops.kinds import elementwise, opaque


@pytest.fixture(autouse=True)
def _registry_is_left_as_it_was():
    before = dict(registry)
    yield
    registry.clear()
    registry.update(before)


def test_formula_reads_by_parameter_name():
    formula = Formula(lambda t, x, ans, args, avals, *, axis: t)
    assert formula.reads == (0, ANS, ARGS, AVALS)
    assert formula.params == ("axis",)


def test_formula_with_an_unknown_name_is_refused():
    with pytest.raises(KeyError, match="q"):
        Formula(lambda t, q: t)


def test_plan_keeps_what_the_traced_inputs_formulas_name():
    plan = mul.plan(mask_key([object(), None]))
    assert plan.mask == (True, False)
    assert plan.picks == (1,)
    assert plan.consts == (1,)
    assert mul.plan(mask_key([object(), None])) is plan
    assert mul.plan(mask_key([object(), object()])).picks == (1, 0)


def test_elementwise_primitive_of_ones_own_in_every_transform():
    cube = elementwise(
        "cube_of_tests", lambda x: x**3, [lambda t, x: t * (x * x) * 3.0]
    )
    f = lambda x: cube(x)
    assert fad.grad(f)(2.0) == 12.0
    assert fad.grad(fad.grad(f))(2.0) == 12.0
    assert fad.jvp(f, (2.0,), (1.0,)) == (8.0, 12.0)
    assert_allclose(fad.vmap(fad.grad(f))(np.array([1.0, 2.0])), [3.0, 12.0])
    assert "cube_of_tests a" in str(fad.make_jaxpr(f)(2.0))


def test_opaque_primitive_has_its_vjp_by_transposition():
    prim = opaque(
        "scale_of_tests",
        lambda x, y: np.sum(x) * y,
        lambda ans, primals, tangents: (
            tangents[0].sum() * primals[1] + primals[0].sum() * tangents[1]
        ),
        infer=lambda x, y: y,
    )
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    f = lambda x, y: fad.numpy.sum(prim(x, y) * np.array([1.0, 10.0]))
    gx, gy = fad.grad(f, argnums=(0, 1))(x, y)
    assert_allclose(gx, [43.0, 43.0])
    assert_allclose(gy, [3.0, 30.0])


def test_missing_rules_are_named():
    bare = Primitive("bare_of_tests", lambda x: x)
    assert repr(bare) == "<primitive primitive bare_of_tests>"
    with pytest.raises(
        NotImplementedError, match="bare_of_tests has no derivative rule"
    ):
        fad.grad(lambda x: bare(x))(1.0)
    with pytest.raises(NotImplementedError, match="bare_of_tests has no shape rule"):
        fad.make_jaxpr(lambda x: bare(x))(1.0)
    with pytest.raises(NotImplementedError, match="bare_of_tests has no batching rule"):
        fad.vmap(lambda x: bare(x))(np.ones(2))
