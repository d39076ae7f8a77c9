"""Programs put together at random run as their equations say, and so do gradients."""

import random

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad.backends.registry import executable

ROWS, COLUMNS = 128, 300

OPERATIONS = [
    lambda u, v: fnp.sin(u),
    lambda u, v: u * v * 0.1,
    lambda u, v: u - v,
    lambda u, v: -u,
    lambda u, v: u / (1.0 + v * v),
    lambda u, v: fnp.exp(-u * u),
    lambda u, v: fnp.tanh(u) ** 3,
    lambda u, v: fnp.where(u > 0, u, v),
    lambda u, v: u - fnp.sum(u, axis=1, keepdims=True) * 0.01,
    lambda u, v: u - fnp.sum(u, axis=0) * 0.01,
    lambda u, v: u - fnp.max(u, axis=1, keepdims=True),
    lambda u, v: u / (1.0 + fnp.sum(u * u) * 1e-4),
    lambda u, v: u * v[0] * 0.1,
    lambda u, v: u + v[:, :1],
    lambda u, v: (u.T * 0.5).T + v,
    lambda u, v: (u @ u.T) @ v * 1e-4,
    lambda u, v: u[:, ::-1] * v,
    lambda u, v: fnp.flip(u, 0),
    lambda u, v: fnp.cumsum(u, 1) * 0.01,
    lambda u, v: u.astype(np.float32).astype(np.float64),
    lambda u, v: fnp.reshape(fnp.reshape(u, (ROWS, -1, 3)) * 2.0, (ROWS, COLUMNS)),
]


def random_program(seed):
    chance = random.Random(seed)
    steps = [
        (chance.choice(OPERATIONS), chance.random(), chance.random())
        for _ in range(chance.randint(3, 18))
    ]

    def program(x, y):
        values, outs = [x, y], []
        for operation, a, b in steps:
            u, v = (values[int(t * len(values))] for t in (a, b))
            values.append(operation(u, v))
            if a < 0.15:
                outs.append(fnp.sum(values[-1], axis=int(b * 2)))
        return [values[-1], *outs]

    return program


def gradient(f):
    return fad.grad(lambda x, y: sum(fnp.sum(fnp.sin(o)) for o in f(x, y)), (0, 1))


@pytest.mark.parametrize("seed", range(25))
def test_executables_compute_what_the_equations_say(seed):
    f = random_program(seed)
    x, y = np.random.default_rng(seed).standard_normal((2, ROWS, COLUMNS))
    for program in (f, gradient(f)):
        jaxpr = fad.make_jaxpr(program)(x, y)
        found = executable(jaxpr)(x.copy(), y.copy())
        for a, b in zip(found, fad.eval_jaxpr(jaxpr, x, y), strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_allclose(
                a, b, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(b).max())
            )
