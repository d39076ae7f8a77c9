"""Programs that write in place, run in every transform, for tests of assignment.

`same(program)` asserts that a program of one array returns what it returns in NumPy.
"""

import numpy as np

import fad

X = np.arange(1.0, 13.0).reshape(3, 4) / 7
V = np.array([0.5, -1.5, 2.0])

TRANSFORMS = {
    "vjp": lambda f, x: fad.vjp(f, x)[0],
    "jvp": lambda f, x: fad.jvp(f, (x,), (np.cos(x),))[0],
    "vmap": lambda f, x: [a[1] for a in fad.vmap(f)(np.stack([2 * x, x]))],
    "make_jaxpr": lambda f, x: fad.eval_jaxpr(fad.make_jaxpr(f)(x), x),
    "nested": lambda f, x: fad.vjp(lambda y: fad.jvp(f, (y,), (y,))[0], x)[0],
}


def same(program, ways=tuple(TRANSFORMS)):
    """Assert that a program of one array returns NumPy's result in every transform."""
    want = program(np.array(X))
    for name in ways:
        got = TRANSFORMS[name](lambda x: [program(1.0 * x)], X)[0]
        np.testing.assert_allclose(got, want, rtol=1e-13, err_msg=name)
