"""Derivatives compared with extrapolated central differences, for tests of functions.

`check_derivatives(f, *args)` checks forward mode along random directions, reverse mode
against forward mode by the pairing Re(ct * t), second order by the same on the
gradient, and vmap against a loop. `f` is a function of arrays that returns an array.
"""

import numpy as np

import fad


def check_derivatives(f, *args, order=2, rtol=1e-7, batch=True):
    """Check `f` at `args`, all of them differentiated."""
    rng = np.random.default_rng(0)
    args = tuple(np.asarray(a) for a in args)
    tangents = tuple(_direction(rng, a) for a in args)
    value, tangent = fad.jvp(f, args, tangents)
    np.testing.assert_allclose(value, f(*args), 1e-12, 1e-14)
    expected = difference(f, args, tangents)
    np.testing.assert_allclose(tangent, expected, rtol, rtol * (1 + _size(expected)))

    out, pull = fad.vjp(f, *args)
    np.testing.assert_allclose(out, value, 1e-12, 1e-14)
    ct = _direction(rng, np.asarray(value))
    cts = pull(ct)
    for a, c in zip(args, cts, strict=True):
        assert np.shape(c) == a.shape and np.asarray(c).dtype == a.dtype
    paired = sum(_pair(c, t) for c, t in zip(cts, tangents, strict=True))
    np.testing.assert_allclose(paired, _pair(ct, tangent), 1e-10, 1e-10)

    if batch:
        _check_batch(f, args)
    if order > 1:
        # the pairing with a fixed covector is linear in f, so it adds no curvature
        slopes = lambda *xs: fad.jvp(f, xs, tangents)[1]
        check_derivatives(slopes, *args, order=order - 1, rtol=50 * rtol, batch=False)


def difference(f, args, tangents, step=1e-3):
    """Return the derivative along `tangents` by Richardson extrapolation."""

    def central(h):
        moved = [
            f(*[a + s * h * t for a, t in zip(args, tangents, strict=True)])
            for s in (1, -1)
        ]
        return (np.asarray(moved[0]) - np.asarray(moved[1])) / (2 * h)

    rows = [central(step / 2**k) for k in range(4)]
    for level in range(1, 4):
        rows = [
            (4**level * b - a) / (4**level - 1)
            for a, b in zip(rows, rows[1:], strict=False)
        ]
    return rows[0]


def _check_batch(f, args):
    stacked = [np.stack([a, 1.25 * a]) for a in args]
    mapped = fad.vmap(f)(*stacked)
    for i in range(2):
        want = f(*[s[i] for s in stacked])
        np.testing.assert_allclose(mapped[i], want, 1e-12, 1e-12)


def _direction(rng, like):
    t = rng.standard_normal(like.shape)
    if like.dtype.kind == "c":
        t = t + 1j * rng.standard_normal(like.shape)
    return t.astype(like.dtype)


def _pair(ct, t):
    return np.sum(np.asarray(ct) * np.asarray(t)).real


def _size(x):
    return float(np.max(np.abs(x), initial=0.0))
