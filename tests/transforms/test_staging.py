"""Staging writes every operation down; programs evaluate on values of any trace."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fad
from fad.core.avals import Aval
from fad.core.trace import staging_trace
from fad.ops.arithmetic import add, mul
from fad.ops.elementary import sin
from fad.transforms.staging import eval_jaxpr, hoist_tracers, stage

F = Aval((), np.dtype(float))


def test_stage_takes_flat_functions():
    jaxpr = stage(lambda x, y: [mul(x, y), x], [F, F])
    assert eval_jaxpr(jaxpr, 2.0, 3.0) == [6.0, 2.0]


def test_operations_without_tracers_are_captured():
    jaxpr = stage(lambda x: [add(x, sin(1.0))], [F])
    assert [e.prim.name for e in jaxpr.eqns] == ["sin", "add"]


def test_the_same_constant_is_one_variable():
    c = np.ones(3)
    jaxpr = stage(lambda x: [add(add(x, c), c)], [F])
    assert len(jaxpr.consts) == 1
    assert_array_equal(jaxpr.consts[0], c)


def test_a_constant_is_captured_as_it_is_when_it_is_used():
    def f(x):
        buffer = np.ones(3)
        y = mul(x, buffer)
        buffer[0] = 5.0
        return [mul(y, buffer)]

    jaxpr = stage(f, [Aval((3,), np.dtype(float))])
    assert_array_equal(eval_jaxpr(jaxpr, np.ones(3))[0], f(np.ones(3))[0])


def test_constants_nobody_reads_are_left_out():
    c = np.ones(3)
    jaxpr = stage(lambda x: [add(x, 1.0), add(c, 1.0)][:1], [F])
    assert jaxpr.consts == ()


def test_ambient_trace_ends_with_an_error():
    def f(x):
        raise KeyError

    with pytest.raises(KeyError):
        stage(f, [F])
    assert staging_trace() is None


def test_tracers_of_outer_traces_are_hoisted_to_inputs():
    def f(c):
        jaxpr, values = hoist_tracers(stage(lambda x: [mul(x, add(c, 1.0))], [F]))
        assert len(jaxpr.inputs) == 2
        assert [v.payload for v in values] == [c.payload]
        return eval_jaxpr(jaxpr, c, 5.0)[0]

    assert fad.grad(f)(3.0) == 5.0


def test_eval_jaxpr_runs_under_every_trace():
    jaxpr = stage(lambda x: [sin(mul(x, 2.0))], [F])
    run = lambda x: eval_jaxpr(jaxpr, x)[0]
    assert_allclose(fad.grad(run)(0.5), 2 * np.cos(1.0))
    assert_allclose(fad.vmap(fad.grad(run))(np.array([0.5])), [2 * np.cos(1.0)])
    assert_allclose(fad.jvp(run, (0.5,), (1.0,))[1], 2 * np.cos(1.0))
