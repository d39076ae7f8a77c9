"""Traced functions compared with NumPy's, for tests of `fad.numpy`.

`check_agrees("sum", x, axis=0)` calls `fnp.sum` on `x` under jvp, vjp, vmap and
staging, and asserts values, dtypes, shapes and error types of `np.sum(x, axis=0)`.
"""

import warnings

import numpy as np

import fad
import fad.numpy as fnp

ALL_WAYS = ("jvp", "vjp", "vmap", "staged")
KNOWN_VALUES = ("jvp", "vjp")


def check_agrees(name, x, *args, ways=ALL_WAYS, rtol=None, **kwargs):
    """Compare `fnp.<name>(x, *args, **kwargs)` with NumPy's in several transforms."""
    x = np.asarray(x)
    want = _outcome(lambda: getattr(np, name)(x, *args, **kwargs))
    f = lambda v: getattr(fnp, name)(v, *args, **kwargs)
    for way in ways:
        if way in ("vmap", "staged") or x.dtype.kind in "fc":
            got = _outcome(lambda way=way: _WAYS[way](f, x))
            _compare(got, want, f"{name} under {way}", rtol)


def _outcome(call):
    """Return a result or an exception, without NumPy's warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call()
        except Exception as error:
            return error


def _under_vmap(f, x):
    out = fad.vmap(f)(np.stack([x, x]))
    return fad.tree.map(lambda o: o[1], out)


def _staged(f, x):
    leaves, tree = fad.tree.flatten(f(x))
    jaxpr = fad.make_jaxpr(f)(x)
    return fad.tree.unflatten(tree, fad.eval_jaxpr(jaxpr, x))


_WAYS = {
    "jvp": lambda f, x: fad.jvp(f, (x,), (np.ones_like(x),))[0],
    "vjp": lambda f, x: fad.vjp(f, x)[0],
    "vmap": _under_vmap,
    "staged": _staged,
}


def _compare(got, want, what, rtol):
    if isinstance(want, Exception) or isinstance(got, Exception):
        if not (isinstance(want, Exception) and isinstance(got, type(want))):
            raise AssertionError(f"{what}: {got!r} instead of {want!r}")
    elif isinstance(want, (tuple, list)):
        assert len(got) == len(want), what
        for g, w in zip(got, want, strict=True):
            _compare(g, w, what, rtol)
    else:
        got, want = np.asarray(got), np.asarray(want)
        assert (got.dtype, got.shape) == (want.dtype, want.shape), what
        digits = np.finfo(want.dtype).eps if want.dtype.kind in "fc" else 0
        tol = 40 * digits if rtol is None else rtol
        np.testing.assert_allclose(got, want, tol, tol, err_msg=what)
