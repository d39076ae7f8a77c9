"""`custom_jvp` and its arguments: nondiff ones, keywords, rules per argument."""

from functools import partial

import pytest

import fad
import fad.numpy as fnp


def test_nondiff_arguments_come_first_and_as_they_are():
    @partial(fad.custom_jvp, nondiff_argnums=(0, 2))
    def apply(f, x, mode):
        assert mode == "mode"
        return f(x)

    @apply.defjvp
    def _(f, mode, primals, tangents):
        assert mode == "mode"
        (x,), (t,) = primals, tangents
        return f(x), 5.0 * t

    assert fad.grad(lambda x: apply(fnp.sin, x, "mode"))(1.0) == 5.0


def test_nondiff_argnames_and_negative_argnums():
    @partial(fad.custom_jvp, nondiff_argnames=("power",))
    def by_name(x, power):
        return x**power

    by_name.defjvp(lambda power, p, t: (by_name(p[0], power), power * t[0]))
    assert fad.grad(by_name)(2.0, 7) == 7.0
    assert fad.grad(lambda x: by_name(x, power=7))(2.0) == 7.0

    @partial(fad.custom_jvp, nondiff_argnums=-1)
    def last(x, power):
        return x**power

    last.defjvp(lambda power, p, t: (last(p[0], power), power * t[0]))
    assert fad.grad(last)(2.0, 7) == 7.0


def test_keywords_and_defaults_are_resolved_by_the_signature():
    @fad.custom_jvp
    def f(x, y=2.0, z=3.0):
        return x * y * z

    @f.defjvp
    def _(primals, tangents):
        assert len(primals) == 3
        return f(*primals), tangents[0] + 10.0 * tangents[1] + 100.0 * tangents[2]

    assert fad.grad(lambda x: f(x))(1.0) == 1.0
    assert fad.grad(lambda y: f(1.0, y=y))(1.0) == 10.0
    assert fad.grad(lambda z: f(y=1.0, z=z, x=1.0))(1.0) == 100.0


def test_keyword_only_arguments_are_refused():
    @fad.custom_jvp
    def f(x, *, scale):
        return x * scale

    f.defjvp(lambda p, t: (p[0], t[0]))
    with pytest.raises(TypeError, match=r"\['scale'\] of f are keyword-only"):
        f(1.0, scale=2.0)


def test_defjvps_adds_up_rules_per_argument_and_none_is_zero():
    @fad.custom_jvp
    def f(x, y, z):
        return x * y * z

    f.defjvps(lambda t, ans, x, y, z: 2.0 * t, None, lambda t, ans, x, y, z: ans * t)
    assert fad.grad(f, argnums=(0, 1, 2))(2.0, 3.0, 4.0) == (2.0, 0.0, 24.0)
    assert fad.jvp(f, (2.0, 3.0, 4.0), (1.0, 1.0, 1.0)) == (24.0, 26.0)
    assert fad.grad(f, argnums=1)(2.0, 3.0, 4.0) == 0.0


def test_defjvps_refuses_nondiff_arguments_and_wrong_counts():
    f = partial(fad.custom_jvp, nondiff_argnums=(0,))(lambda n, x: x)
    with pytest.raises(TypeError, match="use defjvp"):
        f.defjvps(lambda t, ans, x: t)
    g = fad.custom_jvp(lambda x, y: x)
    g.defjvps(lambda t, ans, x, y: t)
    with pytest.raises(TypeError, match="1 rules by defjvps.*but 2 arguments"):
        fad.grad(g)(1.0, 2.0)
