"""The laws hold for random programs with control flow and transforms inside."""

import numpy as np
from random_programs import CONTROL, STRAIGHT, close, law_of, programs

import fad
import fad.numpy as fnp
from fad.testing import check_grads, check_vjp_jvp_duality

law = law_of(programs(STRAIGHT | CONTROL, certain=CONTROL), examples=40)
WEIGHTS = np.array([1.0, -0.5, 2.0])


def scalar(f):
    return lambda x: fnp.sum(f(x) * WEIGHTS)


@law
def test_jvp_and_vjp_are_transposes(case):
    check_vjp_jvp_duality(case[0], (case[1],), directions=1)


@law
def test_derivatives_are_the_limits_of_differences(case):
    check_grads(case[0], (case[1],), order=2, directions=1)


@law
def test_compiled_is_eager(case):
    f, x = case
    close(fad.jit(f)(x), f(x))


@law
def test_gradient_of_compiled_is_compiled_gradient(case):
    f, x = case
    expected = fad.grad(scalar(f))(x)
    close(fad.jit(fad.grad(scalar(f)))(x), expected)
    close(fad.grad(scalar(fad.jit(f)))(x), expected)
    close(fad.grad(fad.jit(scalar(f)))(x), expected)


@law
def test_vmap_is_a_loop(case):
    f, x = case
    xs = np.stack([x, 0.3 * x, -x, 2.0 * x])
    close(fad.vmap(f)(xs), np.stack([f(row) for row in xs]))
    slope = fad.grad(scalar(f))
    close(fad.vmap(slope)(xs), np.stack([slope(row) for row in xs]))


@law
def test_compiled_vmap_is_a_loop(case):
    f, x = case
    xs = np.stack([x, -x, 2.0 * x])
    close(fad.jit(fad.vmap(f))(xs), np.stack([f(row) for row in xs]))
    close(fad.vmap(fad.jit(f))(xs), np.stack([f(row) for row in xs]))


@law
def test_checkpoint_is_plain(case):
    f, x = case
    saved = fad.checkpoint(f)
    close(saved(x), f(x))
    close(fad.grad(scalar(saved))(x), fad.grad(scalar(f))(x))
    close(fad.jit(fad.grad(scalar(saved)))(x), fad.grad(scalar(f))(x))


@law
def test_hessians_are_the_same_in_every_mix_of_modes(case):
    f, x = case
    first = fad.hessian(scalar(f))(x)
    close(first, first.T)
    close(fad.jacrev(fad.jacfwd(scalar(f)))(x), first)
    close(fad.jacfwd(fad.grad(scalar(f)))(x), first)
    close(fad.jit(fad.hessian(scalar(f)))(x), first)


@law
def test_linearize_is_jvp(case):
    f, x = case
    v = np.array([0.3, -1.0, 0.7])
    out, push = fad.linearize(f, x)
    close(out, f(x))
    close(push(v), fad.jvp(f, (x,), (v,))[1])
