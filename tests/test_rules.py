"""Every primitive has every rule: each is tried on every sample of each primitive.

A primitive without a sample, or without a rule, fails. The samples are in
`tests/samples`, one module for each module of `fad.ops`.
"""

import importlib
import itertools
import pkgutil

import numpy as np
import pytest
from numpy.testing import assert_allclose
from samples import SAMPLES

import fad
import fad.control
import fad.ops
from fad.core.avals import Aval
from fad.core.primitive import Primitive, registry
from fad.core.trace import aval_of
from fad.ops.stacks import hermitian
from fad.testing import check_grads, check_vjp_jvp_duality

for _package in (fad.ops, fad.control):  # `fad` itself imports some of these later
    for _module in pkgutil.iter_modules(_package.__path__):
        importlib.import_module(f"{_package.__name__}.{_module.name}")

ELSEWHERE = {
    "collective": "tests/api/test_collectives.py",
    "callback": "test_callbacks",
}
"""Kinds that act between examples or on the world: not rules of one call."""

PRIMITIVES = {n: p for n, p in registry.items() if p.kind not in ELSEWHERE}

CASES = [
    pytest.param(PRIMITIVES[name], sample, id=f"{name}[{sample.name or i}]")
    for name in PRIMITIVES
    for i, sample in enumerate(SAMPLES.get(name, []))
]
every_case = pytest.mark.parametrize(("prim", "sample"), CASES)


def is_inexact(x):
    return np.asarray(x).dtype.kind in "fc"


def differentiated(sample):
    if sample.diff is not None:
        return list(sample.diff)
    return [i for i, x in enumerate(sample.args) if is_inexact(x)]


DIFFERENTIABLE = [case for case in CASES if differentiated(case.values[1])]
every_differentiable_case = pytest.mark.parametrize(("prim", "sample"), DIFFERENTIABLE)


def as_list(prim, out):
    return list(out) if prim.multiple_results else [out]


def of_differentiated(prim, sample, args=None):
    """The primitive as a function of its differentiated inputs, and their values."""
    args = list(sample.args if args is None else args)
    positions = differentiated(sample)

    def f(*new):
        full = list(args)
        for i, x in zip(positions, new, strict=True):
            full[i] = hermitian(x) if sample.hermitian else x
        return as_list(prim, prim(*full, **sample.params))

    return f, [
        x if hasattr(x, "aval") else np.asarray(x)[()]
        for x in map(args.__getitem__, positions)
    ]


def half_precision_of(x):
    """The value in single precision, if it is in double."""
    x = np.asarray(x)
    single = {"f": np.float32, "c": np.complex64}.get(x.dtype.kind)
    return x[()] if single is None else x.astype(single)[()]


def as_weak(x):
    """A Python number for a real or complex scalar, else the value."""
    return x.item() if np.ndim(x) == 0 and isinstance(x, np.generic) else x


CHANGES = (np.asarray, half_precision_of, as_weak)


def evaluate(prim, args, params):
    """Run the implementation, without warnings of what single precision overflows."""
    with np.errstate(all="ignore"):
        return as_list(prim, prim.impl(*args, **params))


@pytest.mark.parametrize("name", PRIMITIVES)
def test_primitive_has_samples(name):
    assert SAMPLES.get(name), f"add samples of {name} to tests/samples"


def test_samples_are_of_primitives():
    assert not SAMPLES.keys() - PRIMITIVES.keys()


@pytest.mark.parametrize("prim", PRIMITIVES.values(), ids=PRIMITIVES)
@pytest.mark.parametrize(
    "rule", ["infer", "make_plan", "pushforward", "pullback", "batch"]
)
def test_primitive_has_rule(prim, rule):
    inherited = getattr(getattr(prim, rule), "__func__", None)
    missing = inherited is getattr(Primitive, rule)
    assert not missing or (rule == "batch" and prim.batched is not None)


@every_case
def test_infer_agrees_with_impl_in_every_precision_and_for_weak_numbers(prim, sample):
    changes = (np.asarray, as_weak) if sample.typed else CHANGES
    for change in changes:
        args = [change(x) for x in sample.args]
        outs = evaluate(prim, args, sample.params)
        avals = as_list(prim, prim.infer(*[aval_of(x) for x in args], **sample.params))
        assert all(isinstance(a, Aval) for a in avals)
        expected = [(np.shape(o), np.asarray(o).dtype) for o in outs]
        assert [(a.shape, a.dtype) for a in avals] == expected


@every_case
def test_program_computes_what_eager_does(prim, sample):
    f = lambda *args: prim(*args, **sample.params)
    args = [np.asarray(x)[()] for x in sample.args]
    jaxpr = fad.make_jaxpr(f)(*args)
    outs = as_list(prim, prim(*args, **sample.params))
    for got, expected in zip(fad.eval_jaxpr(jaxpr, *args), outs, strict=True):
        assert np.asarray(got).dtype == np.asarray(expected).dtype
        np.testing.assert_array_equal(got, expected)


@every_differentiable_case
def test_derivatives_agree_with_differences(prim, sample):
    f, xs = of_differentiated(prim, sample)
    check_grads(
        f, xs, order=sample.order, rtol=sample.tol, atol=sample.tol, directions=3
    )


@every_differentiable_case
def test_jvp_and_vjp_are_transposes_and_linearize_is_jvp(prim, sample):
    f, xs = of_differentiated(prim, sample)
    check_vjp_jvp_duality(f, xs)


def stacked(x, axis, scale):
    """Three examples of x along `axis`, none the same if it is inexact."""
    factors = (
        [1.0, 1.0 + 0.03 * scale, 1.0 - 0.02 * scale] if is_inexact(x) else [1] * 3
    )
    if scale == 0:
        factors = [1, 1, 1]
    rows = [np.asarray(x if k == 1 else x * k) for k in factors]
    return np.stack(rows, axis=axis)


def ways_to_batch(count):
    """Batch axes of `count` inputs: all in front, at the back, each alone, mixed."""
    ways = [(0,) * count, (-1,) * count]
    if count > 1:
        ways += [
            tuple(0 if i == j else None for i in range(count)) for j in range(count)
        ]
        ways += [tuple(-(i % 2) for i in range(count))]
    return ways if count <= 3 else [*ways[:2], ways[-1], ways[2], ways[count]]


def batch_ways(prim, sample):
    """The ways to batch a sample's inputs, and stacks of them."""
    positions = set(differentiated(sample))
    for dims in dict.fromkeys(ways_to_batch(len(sample.args))):
        args = [
            x if d is None else stacked(x, d, i in positions)
            for i, (x, d) in enumerate(zip(sample.args, dims, strict=True))
        ]
        yield dims, args


def examples(args, dims):
    for i in range(3):
        yield [
            a if d is None else np.take(a, i, axis=d)
            for a, d in zip(args, dims, strict=True)
        ]


def assert_is_loop(mapped, loop, rtol=1e-10):
    for got, *expected in zip(mapped, *loop, strict=True):
        expected = np.stack([np.asarray(e) for e in expected])
        assert got.shape == expected.shape
        assert got.dtype == expected.dtype
        if got.dtype != fad.float0:
            assert_allclose(got, expected, rtol=rtol, atol=rtol)


@every_case
def test_vmap_is_a_loop(prim, sample):
    if not sample.args:
        return
    f = lambda *args: as_list(prim, prim(*args, **sample.params))
    for dims, args in batch_ways(prim, sample):
        mapped = fad.vmap(f, in_axes=dims)(*args)
        assert_is_loop(mapped, [f(*example) for example in examples(args, dims)])


@every_differentiable_case
def test_vmap_of_vjp_is_a_loop_of_vjps(prim, sample):
    def pulled(*args):
        f, xs = of_differentiated(prim, sample, args)
        out, pull = fad.vjp(f, *xs)
        return pull([cotangent(o) for o in out])

    for dims, args in itertools.islice(batch_ways(prim, sample), 3):
        mapped = fad.vmap(pulled, in_axes=dims)(*args)
        loop = [pulled(*example) for example in examples(args, dims)]
        assert_is_loop(mapped, loop)


def cotangent(out):
    """Some cotangent of an output, the same for every example."""
    if out.dtype.kind not in "fc":
        return np.zeros(out.shape, fad.float0)
    size = int(np.prod(out.shape))
    return np.cos(np.arange(1.0, size + 1)).reshape(out.shape).astype(out.dtype)[()]


@every_differentiable_case
def test_single_precision_stays_single(prim, sample):
    args = [x if sample.typed else half_precision_of(x) for x in sample.args]
    f, xs = of_differentiated(prim, sample, args)
    with np.errstate(all="ignore"):
        out, pull = fad.vjp(f, *xs)
        cts = pull([cotangent(o) for o in out])
        _, tangents = fad.jvp(f, xs, [np.ones_like(x) for x in xs])
    assert [o.dtype for o in out] == [np.asarray(o).dtype for o in f(*xs)]
    assert [c.dtype for c in cts] == [x.dtype for x in xs]
    assert [
        t.dtype for t, o in zip(tangents, out, strict=True) if o.dtype.kind in "fc"
    ] == [o.dtype for o in out if o.dtype.kind in "fc"]
