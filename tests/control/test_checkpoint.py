"""Checkpointing changes what is kept, never a value or a derivative."""

import tracemalloc

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad import checkpoint_policies as policies

rng = np.random.default_rng(0)
W = rng.standard_normal((4, 4)) / 2
X = rng.standard_normal((3, 4))


def layer(w, x):
    h = fad.checkpoint_name(fnp.sin(x @ w), "hidden")
    return fnp.exp(-h * h) @ w + fnp.cos(x)


def loss(layer, w, x):
    for _ in range(3):
        x = layer(w, x)
    return fnp.sum(x * x)


POLICIES = {
    "default": None,
    "everything": policies.everything_saveable,
    "nothing": policies.nothing_saveable,
    "dots": policies.dots_saveable,
    "dots without batch": policies.dots_with_no_batch_dims_saveable,
    "names": policies.save_only_these_names("hidden"),
    "other names": policies.save_any_names_but_these("hidden"),
    "except names": policies.save_anything_except_these_names("hidden"),
    "both": policies.save_from_both_policies(
        policies.dots_saveable, policies.save_only_these_names("hidden")
    ),
}

TRANSFORMS = {
    "value": lambda f: f,
    "grad": lambda f: fad.grad(f, (0, 1)),
    "jit of grad": lambda f: fad.jit(fad.grad(f, (0, 1))),
    "grad of jit": lambda f: fad.grad(fad.jit(f), (0, 1)),
    "jvp": lambda f: lambda w, x: fad.jvp(f, (w, x), (W, X))[1],
    "linearize": lambda f: lambda w, x: fad.linearize(f, w, x)[1](W, X),
    "vmap of grad": lambda f: fad.vmap(fad.grad(f, 1), in_axes=(None, 0)),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("policy", POLICIES)
def test_values_and_derivatives_are_unchanged(policy, transform):
    saving = fad.checkpoint(layer, policy=POLICIES[policy])
    t = TRANSFORMS[transform]
    found = t(lambda w, x: loss(saving, w, x))(W, X)
    want = t(lambda w, x: loss(layer, w, x))(W, X)
    for a, b in zip(fad.tree.leaves(found), fad.tree.leaves(want), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("policy", POLICIES)
def test_second_order_is_unchanged(policy):
    saving = fad.checkpoint(layer, policy=POLICIES[policy])
    found = fad.hessian(lambda x: loss(saving, W, x))(X)
    want = fad.hessian(lambda x: loss(layer, W, x))(X)
    np.testing.assert_allclose(found, want, rtol=1e-10, atol=1e-10)


def residual_origins(policy):
    saving = fad.checkpoint(layer, policy=policy)
    return [o for _, o in fad.saved_residuals(saving, W, X)]


def test_by_default_only_arguments_are_kept():
    assert all("argument" in o for o in residual_origins(None))


def test_dots_saveable_keeps_matrix_products_only():
    origins = residual_origins(policies.dots_saveable)
    assert any("matmul" in o for o in origins)
    assert all("matmul" in o or "argument" in o for o in origins)


def test_named_values_are_kept_by_name():
    origins = residual_origins(policies.save_only_these_names("hidden"))
    assert any("named 'hidden'" in o for o in origins)
    assert all("named 'hidden'" in o or "argument" in o for o in origins)


def test_names_that_are_not_to_be_saved_are_computed_anew():
    origins = residual_origins(policies.save_anything_except_these_names("hidden"))
    assert not any("hidden" in o or "sin" in o for o in origins)
    assert any("output of" in o for o in origins)


def peak(f, x):
    f(x)
    tracemalloc.start()
    f(x)
    _, top = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return top


def test_memory_of_a_gradient_is_lower():
    def part(x):
        for _ in range(10):
            x = fnp.sin(x)
        return x

    def chain(part):
        def f(x):
            for _ in range(10):
                x = part(x)
            return fnp.sum(x)

        return fad.grad(f)

    x = np.full(20_000, 0.5)
    plain, saving = peak(chain(part), x), peak(chain(fad.checkpoint(part)), x)
    assert plain > 100 * x.nbytes
    assert saving < 30 * x.nbytes


def test_the_function_is_not_run_twice_forward():
    calls = []

    @fad.checkpoint
    def f(x):
        calls.append(1)
        return fnp.sin(x)

    fad.grad(f)(0.5)
    assert len(calls) == 1


def test_python_branches_on_static_arguments():
    def f(x, negative):
        return -x if negative else x * x

    g = fad.checkpoint(f, static_argnums=(1,))
    assert fad.grad(g)(3.0, True) == -1.0
    assert fad.grad(g)(3.0, False) == 6.0


def test_branching_on_a_traced_argument_says_what_to_do():
    f = fad.checkpoint(lambda x: x if x > 0 else -x)
    with pytest.raises(fad.core.errors.TracerBoolConversionError, match="where"):
        fad.grad(f)(1.0)


def test_pytrees_and_keywords():
    f = fad.checkpoint(lambda p, *, scale: {"y": p["a"] * scale + p["b"][0]})
    g = fad.grad(lambda p: f(p, scale=3.0)["y"])
    assert g({"a": 1.0, "b": [2.0]}) == {"a": 3.0, "b": [1.0]}


def test_closed_over_values_are_differentiated():
    def outer(w):
        return fad.checkpoint(lambda x: fnp.sin(w * x))(2.0)

    np.testing.assert_allclose(fad.grad(outer)(0.5), 2 * np.cos(1.0))


def test_checkpoint_in_scan():
    def f(c0):
        body = fad.checkpoint(lambda c, x: (fnp.sin(c * x), c))
        c, ys = fad.lax.scan(body, c0, X[0])
        return c + fnp.sum(ys)

    def g(c):
        total = 0.0
        for x in X[0]:
            total, c = total + c, fnp.sin(c * x)
        return c + total

    np.testing.assert_allclose(fad.grad(f)(0.7), fad.grad(g)(0.7))
    np.testing.assert_allclose(fad.jit(fad.grad(f))(0.7), fad.grad(g)(0.7))


def test_printing_residuals(capsys):
    fad.print_saved_residuals(lambda a, b: fnp.sin(a) * b["w"], 1.0, {"w": np.ones(2)})
    text = capsys.readouterr().out
    assert "f64[2] from the argument args[1]['w']" in text
    assert "output of sin from" in text and "test_checkpoint.py" in text


def test_names_must_be_strings():
    with pytest.raises(TypeError, match="one by one"):
        policies.save_only_these_names(["a", "b"])
