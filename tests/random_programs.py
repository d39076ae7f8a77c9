"""Random programs: graphs of operations over vectors of length 3, with control flow.

Public names: `N`, `STRAIGHT`, `CONTROL`, `programs`, `law_of`, `close`.
"""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import fad
import fad.numpy as fnp
from fad import lax

N = 3
MATRIX = np.array([[0.3, -0.5, 0.2], [0.1, 0.4, -0.6], [-0.2, 0.3, 0.5]])

STRAIGHT = {
    "sin": fnp.sin,
    "tanh": fnp.tanh,
    "exp": lambda x: fnp.exp(0.3 * fnp.tanh(x)),
    "log": lambda x: fnp.log(2.0 + fnp.sin(x)),
    "sqrt": lambda x: fnp.sqrt(1.5 + fnp.cos(x)),
    "square": lambda x: 0.5 * x**2,
    "matmul": lambda x: MATRIX @ x,
    "flip": lambda x: x[::-1],
    "sum": lambda x: x + fnp.sum(x) * 0.3,
    "cumsum": lambda x: 0.5 * fnp.cumsum(x),
    "where": lambda x: fnp.where(np.array([True, False, True]), x, 2.0 * x),
    "gather": lambda x: x[np.array([0, 0, 2])],
    "concatenate": lambda x: fnp.concatenate([x[1:], x[:1] * 2.0]),
    "negative": lambda x: -x,
}
BINARY = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - 0.7 * y,
    "multiply": lambda x, y: 0.5 * x * y,
    "divide": lambda x, y: x / (2.0 + fnp.cos(y)),
    "outer": lambda x, y: fnp.sum(x[:, None] * fnp.sin(y), axis=1) * 0.3,
    "dot": lambda x, y: x * fnp.dot(x, y) * 0.2,
}


def _until_short(x):
    """Halve a vector until it is shorter than 1; how often depends on the vector."""
    longer = lambda y: fnp.sum(y * y) > 1.0
    return lax.while_loop(longer, lambda y: 0.5 * y + 0.01 * fnp.sin(x), x)


def _with_outputs(x):
    carry, rows = lax.scan(lambda c, row: (0.5 * c + row, c * row), x[0], x)
    return rows + carry


CONTROL = {
    "cond": lambda x: lax.cond(fnp.sum(x) > 0, fnp.sin, lambda y: 0.5 * y * y, x),
    "switch": lambda x: lax.switch(
        fnp.asarray(x[0] > 0, int) + fnp.asarray(x[1] > 0, int),
        [fnp.tanh, lambda y: y - 0.3 * fnp.sum(y), lambda y: MATRIX @ y],
        x,
    ),
    "fori_loop": lambda x: lax.fori_loop(
        0, 3, lambda i, y: 0.6 * fnp.sin(y) + 0.1 * i * x, x
    ),
    "while_loop": _until_short,
    "scan": _with_outputs,
    "scan in reverse": lambda x: lax.scan(
        lambda c, row: (fnp.tanh(c + row), c), 0.1, x, reverse=True
    )[1],
    "map": lambda x: lax.map(lambda row: fnp.sin(row) * row, x),
    "associative_scan": lambda x: lax.associative_scan(
        lambda a, b: a * 0.5 + b, fnp.stack([x, x])
    )[1],
    "checkpoint": fad.checkpoint(lambda x: fnp.sin(fnp.exp(0.3 * fnp.tanh(x)))),
    "jit": fad.jit(lambda x: fnp.cos(x) * x),
    "vmap": lambda x: fad.vmap(lambda row: row * fnp.sin(row))(x),
    "jvp": lambda x: fad.jvp(fnp.sin, (x,), (0.5 * x,))[1],
    "grad": lambda x: fad.grad(lambda y: fnp.sum(fnp.cos(y) * y))(x),
    "nested": lambda x: lax.fori_loop(
        0, 2, lambda i, y: lax.cond(y[0] > 0, fnp.sin, lambda z: 0.5 * z, y), x
    ),
}


@st.composite
def programs(draw, unary=STRAIGHT, certain=()):
    """Return a random function of a vector, and a point.

    Args:
        unary: functions of one vector to choose from, besides `BINARY`.
        certain: names of which one at least occurs.
    """
    names = [draw(st.sampled_from(sorted(certain)))] if certain else []
    for _ in range(draw(st.integers(0 if certain else 1, 3 if certain else 6))):
        names.append(draw(st.sampled_from([*unary, *BINARY])))
    steps = []
    for i, name in enumerate(names):
        places = st.integers(0, i)
        steps.append((name, draw(places), draw(places) if name in BINARY else None))
    seed = draw(st.integers(0, 2**16))

    def program(x):
        values = [x]
        for name, a, b in steps:
            if b is None:
                values.append(unary[name](values[a]))
            else:
                values.append(BINARY[name](values[a], values[b]))
        return values[-1]

    program.__name__ = " ; ".join(
        f"{n} {a} {'' if b is None else b}" for n, a, b in steps
    )
    return program, np.random.default_rng(seed).normal(size=N)


def law_of(cases, examples=25):
    """Return a decorator: run a test on random programs, the same in every run."""
    quiet = settings(
        derandomize=True, database=None, max_examples=examples, deadline=None
    )
    return lambda test: quiet(given(cases)(test))


def close(a, b):
    assert_allclose(a, b, rtol=1e-9, atol=1e-10)
