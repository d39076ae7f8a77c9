"""Samples of operations with programs inside."""

import numpy as np

import fad
import fad.numpy as fnp
from fad.control.custom_vmap import _Rule
from fad.control.deferred import Work
from fad.control.policies import dots_saveable, nothing_saveable
from fad.control.root import _TangentSolve
from fad.core.avals import Aval
from fad.core.pytree import tree_structure

from ._sample import Sample, rng

_g = rng(11)
X = _g.standard_normal(3)
Y = _g.standard_normal((4, 3))


def program(f, *args):
    return fad.make_jaxpr(f)(*args)


def body(f, *args):
    return program(lambda *a: list(f(*a)), *args)


def both(x, y):
    return fnp.sin(x) * y, fnp.sum(x * x)


BOTH = body(both, X, X)
ZERO = np.float64(0.0)


def _branches():
    return tuple(
        body(f, X, X)
        for f in (
            both,
            lambda x, y: (x * y, fnp.sum(fnp.exp(y))),
            lambda x, y: (y, ZERO),
        )
    )


def _scan(jaxpr, consts, carry, reverse=False):
    return dict(
        jaxpr=jaxpr, length=4, num_consts=consts, num_carry=carry, reverse=reverse
    )


W = _g.standard_normal((3, 3)) / 2
CELL = body(
    lambda w, h, c, x: (fnp.tanh(w @ h + x), c + 1, fnp.sin(h) * x),
    W,
    X,
    np.int64(0),
    X,
)
PLAIN = body(lambda c, x: (c * x, c + x), X, X)


def _loop():
    cond = program(lambda n, c, u: n < 3, np.int64(0), X, X)
    step = body(lambda w, n, c, u: (n + 1, fnp.sin(c) * w, u + c), X, np.int64(0), X, X)
    return dict(cond_jaxpr=cond, body_jaxpr=step, cond_nconsts=0, body_nconsts=1)


A = np.array([[3.0, 0.5, 0.1], [0.2, 2.0, 0.3], [0.4, 0.1, 4.0]])


def _solve():
    return dict(
        programs=(
            body(lambda a, x: [a @ x], A, X),
            body(lambda a, x: [a.T @ x], A, X),
            body(lambda a, b: [fnp.linalg.solve(a, b)], A, X),
            body(lambda a, b: [fnp.linalg.solve(a.T, b)], A, X),
        ),
        counts=(1, 1, 1, 1),
    )


ROOT = np.cbrt(np.array([2.0, 3.0, 5.0]))


def _root():
    f = body(lambda a, x: [x**3 - a], ROOT, ROOT)
    solve = lambda g, y: y / g(np.ones(3))
    return dict(f=f, solve=_TangentSolve(solve, tree_structure(0.0)))


def _custom_vmap():
    tree = tree_structure((0.0, 0.0))
    jaxpr = body(lambda x, y: [fnp.sin(x) * y], X, X)

    def rule(size, mask, x, y):
        return (fnp.sin(x) * y,), (True,)

    return dict(jaxpr=jaxpr, rule=_Rule(rule, "f", tree, tree_structure((0.0,)), 0))


WORK = Work("both", both, [Aval((3,), X.dtype), Aval((), X.dtype)])

SAMPLES = {
    "jit": [Sample((X, X + 1), dict(jaxpr=BOTH, name="both"), typed=True)],
    "checkpoint": [
        Sample((X, X + 1), dict(jaxpr=BOTH, policy=nothing_saveable), typed=True),
        Sample((X, X + 1), dict(jaxpr=BOTH, policy=dots_saveable), typed=True),
    ],
    "cond": [
        Sample(
            (np.int64(k), X, X + 1), dict(branches=_branches()), typed=True, name=str(k)
        )
        for k in range(3)
    ],
    "scan": [
        Sample((W, X, np.int64(0), Y), _scan(CELL, 1, 2), typed=True, name="cell"),
        Sample((X, Y), _scan(PLAIN, 0, 1, True), typed=True, name="reverse"),
    ],
    "revolve": [
        Sample((X, Y), {**_scan(PLAIN, 0, 1), "snapshots": 2}, typed=True),
        Sample((X, Y), {**_scan(PLAIN, 0, 1, True), "snapshots": 1}, typed=True),
    ],
    "while": [Sample((X, np.int64(0), X, X + 1), _loop(), typed=True)],
    "deferred": [Sample((X, X + 1), dict(work=WORK), typed=True)],
    "linear_solve": [Sample((A, A, A, A, X), _solve(), diff=(4,), typed=True)],
    "root": [Sample((ROOT**3, ROOT), _root(), diff=(), typed=True)],
    "find_root": [Sample((X, X), dict(jaxpr=BOTH), diff=(), typed=True)],
    "custom_vmap": [Sample((X, X + 1), _custom_vmap(), typed=True)],
    "name": [Sample((X,), dict(name="x")), Sample((np.float64(2.0),), dict(name="x"))],
    "pick_lane": [
        Sample((np.array([False, True, True]), np.arange(6.0).reshape(3, 2)), diff=()),
        Sample((np.array([False, False]), np.arange(2.0)), diff=()),
    ],
}
