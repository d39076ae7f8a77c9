"""Printing jaxprs: names, literals, parameters, programs inside, unused outputs."""

import numpy as np

import fad
import fad.numpy as fnp
from fad.core.avals import Aval
from fad.core.ir import Jaxpr, Lit, Out, Var, new_eqn
from fad.core.pretty import format_jaxpr
from fad.core.primitive import Primitive, registry
from fad.ops.elementary import sin

F = Aval((), np.dtype(float))


def test_empty_program():
    x = Var(F)
    assert str(Jaxpr([x], (), (), (), [x])) == "{ lambda ; a:f64[]. let in (a,) }"
    assert str(Jaxpr([], (), (), (), [])) == "{ lambda ; . let in () }"


def test_constants_stand_before_the_semicolon():
    c, x = Var(Aval((3,), F.dtype)), Var(F)
    text = str(Jaxpr([x], [c], [np.ones(3)], (), [c, x]))
    assert text == "{ lambda a:f64[3] ; b:f64[]. let in (a, b) }"


def test_literals_are_written_in_line():
    text = str(
        Jaxpr([], (), (), (), [Lit(2.0, F), Lit(np.int8(3), Aval((), np.dtype("i1")))])
    )
    assert text == "{ lambda ; . let in (2.0:f64[], 3:i8[]) }"


def test_parameters_stand_in_brackets():
    text = str(fad.make_jaxpr(lambda x: fnp.sum(x, axis=1))(np.zeros((2, 3))))
    assert "reduce_sum[axis=(1,)] a" in text


def test_names_go_on_after_z():
    x = last = Var(F)
    eqns = []
    for _ in range(28):
        last = new_eqn(sin, (last,), {}, None, (), F)
        eqns.append(last)
    lines = str(Jaxpr([x], (), (), eqns, [last])).splitlines()
    assert lines[25].strip() == "z:f64[] = sin y"
    assert lines[26].strip() == "aa:f64[] = sin z"
    assert lines[27].strip() == "ab:f64[] = sin aa"
    assert lines[-1] == "  in (ac,) }"


def test_unused_output_is_an_underscore():
    two = Primitive("two_of_pretty", lambda x: [x, x], multiple_results=True)
    del registry["two_of_pretty"]
    x = Var(F)
    eqn = new_eqn(two, (x,), {}, None, (), [F, F])
    text = str(Jaxpr([x], (), (), [eqn], [Out(eqn, 1, F)]))
    assert "_:f64[] b:f64[] = two_of_pretty a" in text


def test_programs_in_parameters_are_indented():
    x = Var(F)
    inner = Jaxpr([x], (), (), [e := new_eqn(sin, (x,), {}, None, (), F)], [e])
    outer = new_eqn(sin, (x,), {"body": inner, "branches": (inner, inner)}, None, (), F)
    text = str(Jaxpr([x], (), (), [outer], [outer]))
    assert "      body={ lambda ; a:f64[]. let b:f64[] = sin a in (b,) }\n" in text
    assert text.count("sin a in (b,)") == 3


def test_functions_in_parameters_print_their_name():
    def helper():
        pass

    x = Var(F)
    eqn = new_eqn(sin, (x,), {"f": helper}, None, (), F)
    assert "sin[f=helper] a" in str(Jaxpr([x], (), (), [eqn], [eqn]))


def test_width_decides_about_lines():
    jaxpr = fad.make_jaxpr(lambda x: fnp.sin(x))(1.0)
    assert "\n" not in format_jaxpr(jaxpr)
    assert format_jaxpr(jaxpr, width=20).splitlines() == [
        "{ lambda ; a:f64[]. let",
        "    b:f64[] = sin a",
        "  in (b,) }",
    ]
