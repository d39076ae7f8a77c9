"""Python called from programs, and aids to find faults."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad import lax
from fad.core.errors import UnexpectedTracerError

X = np.array([1.0, 2.0, 3.0])
STRUCT = fad.ShapeDtypeStruct((3,), np.float64)


def numpy_sin(x):
    assert isinstance(x, (np.ndarray, np.generic))
    return np.sin(x)


class TestPureCallback:
    def test_eager_and_under_jit(self):
        f = lambda x: fad.pure_callback(numpy_sin, STRUCT, x) * 2.0
        np.testing.assert_allclose(f(X), 2 * np.sin(X))
        np.testing.assert_allclose(fad.jit(f)(X), 2 * np.sin(X))
        np.testing.assert_allclose(lax.map(lambda s: f(X) * s, X)[1], 4 * np.sin(X))

    def test_pytrees_and_keywords(self):
        def host(p, *, k):
            return {"y": p["x"] * k}

        f = lambda x: fad.pure_callback(host, {"y": STRUCT}, {"x": x}, k=2.0)
        np.testing.assert_allclose(fad.jit(f)(X)["y"], X * 2)

    def test_gradient_says_how_to_give_a_rule(self):
        f = lambda x: fnp.sum(fad.pure_callback(numpy_sin, STRUCT, x))
        for g in (fad.grad(f), fad.grad(fad.jit(f)), lambda x: fad.jvp(f, (x,), (x,))):
            with pytest.raises(ValueError, match="custom_jvp"):
                g(X)

    def test_with_a_rule_of_its_own(self):
        @fad.custom_jvp
        def f(x):
            return fad.pure_callback(numpy_sin, STRUCT, x)

        f.defjvp(lambda p, t: (f(*p), t[0] * fnp.cos(p[0])))
        g = fad.grad(lambda x: fnp.sum(f(x)))
        np.testing.assert_allclose(g(X), np.cos(X))
        np.testing.assert_allclose(fad.jit(g)(X), np.cos(X))

    @pytest.mark.parametrize(
        ("method", "shapes"),
        [
            ("sequential", [((), ())] * 3),
            ("broadcast_all", [((3,), (3,))]),
            ("expand_dims", [((3,), (1,))]),
            ("legacy_vectorized", [((3,), ())]),
        ],
    )
    def test_methods_of_vmap(self, method, shapes):
        seen = []

        def host(x, y):
            seen.append((np.shape(x), np.shape(y)))
            return x * y

        f = lambda x, y: fad.pure_callback(
            host, fad.ShapeDtypeStruct((), float), x, y, vmap_method=method
        )
        np.testing.assert_allclose(fad.vmap(f, (0, None))(X, 2.0), X * 2)
        assert seen == shapes
        np.testing.assert_allclose(fad.jit(fad.vmap(f, (0, None)))(X, 2.0), X * 2)

    def test_vmap_without_a_method_says_what_to_choose(self):
        f = lambda x: fad.pure_callback(np.sin, fad.ShapeDtypeStruct((), float), x)
        with pytest.raises(NotImplementedError, match="sequential"):
            fad.vmap(f)(X)

    @pytest.mark.parametrize(
        "host", [lambda x: x[:2], lambda x: x.astype(complex), lambda x: (x, x)]
    )
    def test_result_must_be_as_declared(self, host):
        with pytest.raises(ValueError, match="declared"):
            fad.pure_callback(host, STRUCT, X)

    def test_is_left_out_if_not_needed(self):
        calls = []
        f = fad.jit(
            lambda x: (fad.pure_callback(lambda v: calls.append(1) or v, STRUCT, x), x)[
                1
            ]
        )
        f(X)
        assert not calls


class TestEffects:
    def test_io_callback_runs_at_each_call_though_its_result_is_not_read(self):
        seen = []

        @fad.jit
        def f(x):
            fad.io_callback(lambda v: seen.append(float(v)), None, x[0])
            return x * 2

        f(X)
        f(X + 1)
        assert seen == [1.0, 2.0]

    def test_order_is_that_of_the_program(self, capsys):
        @fad.jit
        def inner(x):
            fad.debug.print("inner {}", x)
            return x

        @fad.jit
        def f(x):
            fad.debug.print("first {x}", x=x)
            inner(x + 1)
            fad.debug.print("last")
            return x

        f(1.0)
        assert capsys.readouterr().out == "first 1.0\ninner 2.0\nlast\n"

    def test_in_loops_and_branches(self, capsys):
        def body(c, x):
            fad.debug.print("c={}", c)
            return lax.cond(
                x > 1.5, lambda: fad.debug.print("big") or c, lambda: c
            ), None

        fad.jit(lambda c: lax.scan(body, c, X[:2])[0])(0.5)
        assert capsys.readouterr().out == "c=0.5\nc=0.5\nbig\n"
        f = lambda x: lax.while_loop(
            lambda u: u < 3, lambda u: fad.debug.print("u={}", u) or u + 1, x
        )
        fad.jit(f)(np.int64(1))
        assert capsys.readouterr().out == "u=1\nu=2\n"

    @pytest.mark.parametrize("jit", [lambda f: f, fad.jit])
    def test_derivatives_print_once(self, capsys, jit):
        f = lambda x: fad.debug.print("x={}", x) or x * x
        assert fad.grad(jit(f))(3.0) == 6.0
        assert capsys.readouterr().out == "x=3.0\n"
        assert jit(fad.grad(f))(3.0) == 6.0
        assert capsys.readouterr().out == "x=3.0\n"
        assert fad.jvp(jit(f), (3.0,), (1.0,))[1] == 6.0
        assert capsys.readouterr().out == "x=3.0\n"

    def test_scan_gradient_prints_forward_only(self, capsys):
        def body(c, x):
            fad.debug.print("{}", x)
            return c * x, None

        fad.jit(fad.grad(lambda c: lax.scan(body, c, X)[0]))(1.0)
        assert capsys.readouterr().out == "1.0\n2.0\n3.0\n"

    def test_vmap_prints_each_example(self, capsys):
        fad.vmap(lambda x: fad.debug.print("{}", x))(X)
        assert capsys.readouterr().out == "1.0\n2.0\n3.0\n"

    def test_debug_callback(self):
        seen = []
        f = fad.jit(lambda x: fad.debug.callback(seen.append, x) or x)
        f(1.0)
        assert seen == [1.0]

    def test_print_needs_a_string(self):
        with pytest.raises(TypeError, match="format string"):
            fad.debug.print(1.0)


def log_of(x):
    return fnp.sum(fnp.log(x) * 2.0)


class TestNans:
    @pytest.mark.parametrize(
        "transform",
        [lambda f: f, fad.jit, fad.grad, lambda f: fad.jit(fad.value_and_grad(f))],
    )
    def test_names_primitive_and_line(self, transform):
        with fad.debug_nans():
            with pytest.raises(FloatingPointError) as error:
                transform(log_of)(np.array([1.0, -1.0]))
        text = str(error.value)
        assert "invalid value (nan) encountered in log" in text
        assert "test_callbacks.py" in text and "log_of" in text

    def test_inside_loops(self):
        def f(x):
            return lax.scan(lambda c, y: (fnp.sqrt(c - y), None), x, X)[0]

        with fad.debug_nans(), pytest.raises(FloatingPointError, match="sqrt"):
            f(1.5)

    def test_in_the_reverse_pass(self):
        @fad.custom_vjp
        def f(x):
            return x

        f.defvjp(lambda x: (x, x), lambda r, ct: (ct * fnp.inf * 0.0,))
        with fad.debug_nans():
            assert f(1.0) == 1.0
            with pytest.raises(FloatingPointError, match="nan"):
                fad.grad(f)(1.0)

    def test_infinities(self):
        with fad.debug_infs(), pytest.raises(FloatingPointError, match=r"\(inf\).*log"):
            fad.jit(fnp.log)(0.0)
        with fad.debug_nans():
            assert fad.jit(fnp.log)(0.0) == -np.inf

    def test_what_is_finite_passes(self):
        with fad.debug_nans():
            np.testing.assert_allclose(fad.grad(log_of)(X), 2 / X)
            np.testing.assert_allclose(
                fad.jit(fad.hessian(log_of))(X), np.diag(-2 / X**2)
            )
            f = lambda x: lax.while_loop(lambda u: u < 5, lambda u: u * 2, x)
            assert fad.grad(f)(1.0) == 8.0
            assert fad.jit(f)(1.0) == 8.0


class TestLeaks:
    def test_a_leaked_tracer_is_found_at_once(self):
        kept = []
        with fad.checking_leaks():
            with pytest.raises(
                UnexpectedTracerError, match=r"left 1 tracer behind.*f64"
            ):
                fad.jit(lambda x: kept.append(x) or x)(1.0)

    def test_clean_functions_pass(self):
        with fad.checking_leaks():
            assert fad.jit(fad.grad(lambda x: x * fad.jit(fnp.sin)(x)))(0.0) == 0.0
            assert lax.scan(lambda c, x: (c * x, c), 1.0, X)[0] == 6.0


def test_named_calls_bear_the_name_of_the_function():
    def layer(x):
        return fnp.sin(x)

    for f, name in [
        (fad.named_call(layer), "layer"),
        (fad.named_call(layer, name="first"), "first"),
    ]:
        (eqn,) = fad.make_jaxpr(f)(1.0).eqns
        assert str(eqn.source).endswith(f"in {name})")
        assert f.__name__ == "layer"


def test_named_scopes_nest_and_show_in_errors():
    def f(x):
        with fad.named_scope("a"):
            with fad.named_scope("b"):
                return bool(x > 0)

    with pytest.raises(TypeError, match="a/b"):
        fad.jit(f)(1.0)


class TestClosureConvert:
    def test_traced_values_become_arguments(self):
        def f(w, u):
            g, consts = fad.closure_convert(lambda x: fnp.sin(w) * x + u, 1.0)
            assert len(consts) == 1
            return g(3.0, *consts)

        np.testing.assert_allclose(fad.grad(f)(0.5, 1.0), 3 * np.cos(0.5))

    def test_nothing_to_convert(self):
        g, consts = fad.closure_convert(lambda x: x * X, X)
        assert consts == []
        np.testing.assert_allclose(g(X), X * X)

    def test_structure_is_checked(self):
        g, _ = fad.closure_convert(lambda x: x, X)
        with pytest.raises(TypeError, match="converted for"):
            g((X, X))


class TestCustomGradient:
    def test_several_arguments_and_orders(self):
        @fad.custom_gradient
        def f(x, y):
            return x * x * y, lambda ct: (ct * 20.0 * x * y, ct * x * x)

        assert f(3.0, 2.0) == 18.0
        assert fad.grad(f, (0, 1))(3.0, 2.0) == (120.0, 9.0)
        assert fad.jit(fad.grad(f))(3.0, 2.0) == 120.0
        assert fad.grad(fad.grad(f))(3.0, 2.0) == 40.0
        np.testing.assert_array_equal(
            fad.vmap(fad.grad(f), (0, None))(X, 2.0), 40.0 * X
        )

    def test_pair_is_needed(self):
        with pytest.raises(TypeError, match="pair"):
            fad.grad(fad.custom_gradient(lambda x: x))(1.0)
