"""Every control flow operation agrees with a Python loop under every transform."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad import lax


def step(u):
    return 2.5 * u * (1.0 - u)


W = np.array([[0.3, -0.2], [0.5, 0.1]])


def cond(x):
    return lax.cond(x < 0.35, lambda u: fnp.sin(u) * u, lambda u: fnp.exp(u) * 2.0, x)


def cond_py(x):
    return fnp.sin(x) * x if x < 0.35 else fnp.exp(x) * 2.0


def switch(x):
    i = fnp.where(x < 0.35, 1, 7)
    return lax.switch(i, [fnp.cos, fnp.sin, lambda u: u**3], x)


def switch_py(x):
    return fnp.sin(x) if x < 0.35 else x**3


def scan(x):
    def body(carry, i):
        a, b = carry
        a = fnp.sin(a * b) + i * x
        return (a, b + 0.1), a * x

    (a, b), ys = lax.scan(body, (x, 1.0), np.arange(3.0))
    return a * b + fnp.sum(ys)


def scan_py(x):
    a, b, total = x, 1.0, 0.0
    for i in np.arange(3.0):
        a = fnp.sin(a * b) + i * x
        b = b + 0.1
        total = total + a * x
    return a * b + total


def revolved(x):
    def body(c, i):
        a, n = c
        return (fnp.sin(a) * x + i, n + 1), a * i

    (a, _), ys = lax.scan(body, (x, 0), np.arange(7.0), checkpoint=2)
    return a + fnp.sum(ys)


def revolved_py(x):
    a, total = x, 0.0
    for i in np.arange(7.0):
        a, total = fnp.sin(a) * x + i, total + a * i
    return a + total


def reverse_scan(x):
    _, ys = lax.scan(lambda c, y: (c * y, fnp.cos(c)), x, x * W[0], reverse=True)
    return ys[0] * ys[1]


def reverse_scan_py(x):
    xs = x * W[0]
    return fnp.cos(x * xs[1]) * fnp.cos(x)


def while_loop(x):
    def cond(s):
        return (s[0] < 4) & (s[1] < 50.0)

    return lax.while_loop(cond, lambda s: (s[0] + 1, step(s[1]) + x * x), (0, x))[1]


def while_loop_py(x):
    u = x
    for _ in range(4):
        u = step(u) + x * x
    return u


def fori(x):
    return lax.fori_loop(1, 4, lambda i, v: fnp.sin(v) * x + i, x)


def fori_py(x):
    v = x
    for i in range(1, 4):
        v = fnp.sin(v) * x + i
    return v


def nested(x):
    """A cond and a while loop in a scan."""

    def body(c, w):
        c = lax.cond(c > 0.4, lambda u: u * w, lambda u: u + fnp.sin(w * x), c)
        c = lax.while_loop(lambda u: u < 0.5, lambda u: 1.5 * u + 0.1 * x, c)
        return c, c

    c, ys = lax.scan(body, x, np.array([0.3, 0.7, 1.1]))
    return c + fnp.sum(ys * ys)


def nested_py(x):
    c, total = x, 0.0
    for w in [0.3, 0.7, 1.1]:
        c = c * w if c > 0.4 else c + fnp.sin(w * x)
        while c < 0.5:
            c = 1.5 * c + 0.1 * x
        total = total + c * c
    return c + total


def jit_in_scan(x):
    inner = fad.jit(lambda c, y: fnp.sin(c) * y)
    return lax.scan(lambda c, y: (inner(c, y) + x, None), x, W[0])[0]


def jit_in_scan_py(x):
    c = x
    for y in W[0]:
        c = fnp.sin(c) * y + x
    return c


def grad_in_scan(x):
    g = fad.grad(lambda u: u**3 * x)
    return lax.scan(lambda c, _: (c - 0.1 * g(c), None), x, None, length=3)[0]


def grad_in_scan_py(x):
    c = x
    for _ in range(3):
        c = c - 0.1 * 3 * c**2 * x
    return c


def mapped(x):
    return fnp.sum(lax.map(lambda w: fnp.sin(w * x), W[0], batch_size=2))


def mapped_py(x):
    return fnp.sum(fnp.sin(W[0] * x))


PAIRS = [
    (cond, cond_py),
    (switch, switch_py),
    (scan, scan_py),
    (reverse_scan, reverse_scan_py),
    (revolved, revolved_py),
    (while_loop, while_loop_py),
    (fori, fori_py),
    (nested, nested_py),
    (jit_in_scan, jit_in_scan_py),
    (grad_in_scan, grad_in_scan_py),
    (mapped, mapped_py),
]
XS = np.array([0.2, 0.3, 0.41])


def jvp(f):
    return lambda x: fad.jvp(f, (x,), (1.0,))[1]


def pulled(f):
    return lambda x: fad.vjp(f, x)[1](1.0)[0]


def linearized(f):
    return lambda x: fad.linearize(f, x)[1](1.0)


FIRST = {"grad": fad.grad, "jvp": jvp, "vjp": pulled, "linearize": linearized}
WRAPPED = {
    "value": (lambda f: f, 0),
    "jit": (fad.jit, 0),
    **{name: (t, 1) for name, t in FIRST.items()},
    **{f"jit of {n}": (lambda f, t=t: fad.jit(t(f)), 1) for n, t in FIRST.items()},
    **{f"{n} of jit": (lambda f, t=t: t(fad.jit(f)), 1) for n, t in FIRST.items()},
    "grad of grad": (lambda f: fad.grad(fad.grad(f)), 2),
    "jvp of grad": (lambda f: jvp(fad.grad(f)), 2),
    "grad of jvp": (lambda f: fad.grad(jvp(f)), 2),
    "jvp of jvp": (lambda f: jvp(jvp(f)), 2),
    "jit of grad of grad": (lambda f: fad.jit(fad.grad(fad.grad(f))), 2),
    "grad of jit of grad": (lambda f: fad.grad(fad.jit(fad.grad(f))), 2),
    "third order": (lambda f: fad.grad(jvp(fad.grad(f))), 3),
}


def expected(f, order):
    for _ in range(order):
        f = fad.grad(f)
    return f


@pytest.mark.parametrize("name", WRAPPED)
@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: p[0].__name__)
def test_derivatives_equal_those_of_python_loops(pair, name):
    flow, python = pair
    transform, order = WRAPPED[name]
    want = expected(python, order)
    for x in XS:
        np.testing.assert_allclose(transform(flow)(x), want(x), rtol=1e-11, atol=1e-13)


BATCHED = {
    "vmap": (fad.vmap, 0),
    "jit of vmap": (lambda f: fad.jit(fad.vmap(f)), 0),
    "vmap of jit": (lambda f: fad.vmap(fad.jit(f)), 0),
    "vmap of grad": (lambda f: fad.vmap(fad.grad(f)), 1),
    "vmap of jvp": (lambda f: fad.vmap(jvp(f)), 1),
    "grad of vmap": (lambda f: fad.grad(lambda v: fnp.sum(fad.vmap(f)(v))), 1),
    "jvp of vmap": (
        lambda f: lambda v: fad.jvp(fad.vmap(f), (v,), (np.ones(3),))[1],
        1,
    ),
    "jit of vmap of grad": (lambda f: fad.jit(fad.vmap(fad.grad(f))), 1),
    "jit of grad of vmap": (
        lambda f: fad.jit(fad.grad(lambda v: fnp.sum(fad.vmap(f)(v)))),
        1,
    ),
    "vmap of grad of grad": (lambda f: fad.vmap(fad.grad(fad.grad(f))), 2),
    "grad of vmap of grad": (
        lambda f: fad.grad(lambda v: fnp.sum(fad.vmap(fad.grad(f))(v))),
        2,
    ),
}


@pytest.mark.parametrize("name", BATCHED)
@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: p[0].__name__)
def test_batches_equal_loops_over_examples(pair, name):
    flow, python = pair
    transform, order = BATCHED[name]
    want = [expected(python, order)(x) for x in XS]
    np.testing.assert_allclose(transform(flow)(XS), want, rtol=1e-11, atol=1e-13)
