"""Jaxprs: reachable equations in order, and a validator that names the fault."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad.core.avals import Aval
from fad.core.ir import Jaxpr, Lit, Out, Var, key_of, new_eqn, program, validate
from fad.ops.arithmetic import add
from fad.ops.elementary import sin

F = Aval((), np.dtype(float))


def equation(prim, *inputs, aval=F):
    return new_eqn(prim, inputs, {}, None, (), aval)


def wrong_sin(x):
    return equation(sin, x, aval=Aval((2,), F.dtype))


def chain(x, count):
    for _ in range(count):
        x = equation(sin, x)
    return x


def test_program_is_what_the_outputs_reach_in_order():
    x = Var(F)
    a = equation(sin, x)
    dead = equation(sin, a)
    b = equation(add, a, a)
    assert program([b]) == [a, b]
    assert dead not in program([b, a, x, None])


def test_program_of_a_deep_chain_needs_no_recursion():
    assert len(program([chain(Var(F), 100_000)])) == 100_000


def test_equation_stands_for_its_output():
    a = equation(sin, Var(F))
    assert a.eqn is a
    assert a.outputs == [a]
    assert a.avals_out == [F]
    assert key_of(a) is a
    assert "sin f64[] -> f64[]" in repr(a)


def test_output_of_several_is_known_by_equation_and_index():
    a = equation(sin, Var(F))
    assert key_of(Out(a, 1, F)) == (a, 1)
    assert key_of(Out(a, 1, F)) == key_of(Out(a, 1, F))


def test_valid_program_is_returned():
    x = Var(F)
    jaxpr = Jaxpr([x], (), (), [a := equation(sin, x)], [a, x, Lit(1.0, F)])
    assert validate(jaxpr) is jaxpr


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda x, a: Jaxpr([x], [], [], [], [a]), "output of the program reads"),
        (lambda x, a: Jaxpr([], [], [], [a], [a]), "before it is defined"),
        (lambda x, a: Jaxpr([x, x], [], [], [a], [a]), "twice"),
        (lambda x, a: Jaxpr([x], [], [], [a, a], [a]), "stands twice"),
        (lambda x, a: Jaxpr([x], [Var(F)], [], [a], [a]), "1 constant variables"),
        (lambda x, a: Jaxpr([x], [], [], [a], ["a"]), "not an atom"),
        (
            lambda x, a: Jaxpr([x], [], [], [e := wrong_sin(x)], [e]),
            "ought to have the outputs",
        ),
    ],
)  # fmt: skip
def test_validator_names_the_fault(make, text):
    x = Var(F)
    with pytest.raises(ValueError, match=text):
        validate(make(x, equation(sin, x)))


def test_validator_takes_every_program_that_tracing_makes():
    f = lambda x, w: fnp.sum(fnp.tanh(w @ x) ** 2)
    args = np.ones(3), np.ones((2, 3))
    for g in (f, fad.grad(f), fad.hessian(f)):
        jaxpr = fad.make_jaxpr(g)(*args)
        assert validate(jaxpr) is jaxpr
    validate(fad.make_jaxpr(fad.vmap(f, (None, 0)))(args[0], np.ones((4, 2, 3))))
