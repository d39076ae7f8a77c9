"""What control flow accepts, what it refuses and how, and what it costs."""

import tracemalloc

import numpy as np
import pytest
from counting import python_events

import fad
import fad.numpy as fnp
from fad import lax

X = np.array([1.0, 2.0, 3.0])


class TestCond:
    def test_numbers_are_true_unless_zero(self):
        for pred, want in [(1.5, 1), (0.0, 2), (True, 1), (np.bool_(False), 2), (3, 1)]:
            assert lax.cond(pred, lambda: 1, lambda: 2) == want

    def test_operands_and_results_are_pytrees(self):
        out = lax.cond(
            True,
            lambda p, y: {"a": p["x"] + y, "b": None},
            lambda p, y: {"a": p["x"] - y, "b": None},
            {"x": X},
            2.0,
        )
        np.testing.assert_array_equal(out["a"], X + 2)
        assert out["b"] is None

    def test_operand_by_keyword(self):
        assert lax.cond(False, lambda x: x, lambda x: -x, operand=2.0) == -2.0

    def test_array_predicate_is_refused(self):
        with pytest.raises(TypeError, match="fnp.where"):
            lax.cond(X > 0, lambda: 1.0, lambda: 2.0)

    @pytest.mark.parametrize("pred", ["yes", None, [True]])
    def test_other_predicates_are_refused(self, pred):
        with pytest.raises(TypeError, match="scalar"):
            lax.cond(pred, lambda: 1.0, lambda: 2.0)

    def test_branches_must_agree_in_structure(self):
        with pytest.raises(TypeError, match="structure"):
            lax.cond(True, lambda: (1.0, 2.0), lambda: 1.0)

    @pytest.mark.parametrize("other", [lambda x: x[:2], lambda x: x > 0])
    def test_branches_must_agree_in_type(self, other):
        with pytest.raises(TypeError, match="false_fun.*true_fun|output 0"):
            lax.cond(True, lambda x: x, other, X)

    def test_a_weak_result_takes_the_dtype_of_the_other(self):
        x = np.float32(2.0)
        for pred in (True, False):
            assert lax.cond(pred, lambda: x * x, lambda: 1.0).dtype == np.float32
        with pytest.raises(TypeError):
            lax.cond(True, lambda: np.int64(1), lambda: 0.5)

    def test_functions_are_needed(self):
        with pytest.raises(TypeError, match="functions"):
            lax.cond(True, 1.0, 2.0)

    def test_only_one_branch_runs(self):
        def fail(x):
            return fnp.linalg.cholesky(x)

        out = fad.jit(lambda p: lax.cond(p, lambda x: x, fail, -np.eye(2)))(True)
        np.testing.assert_array_equal(out, -np.eye(2))

    def test_integer_operands_have_no_derivative(self):
        f = lambda x, n: lax.cond(x > 0, lambda u, k: u * k, lambda u, k: u, x, n)
        assert fad.grad(f)(2.0, 3) == 3.0
        assert fad.jit(fad.grad(f))(2.0, 3) == 3.0

    def test_closures_are_differentiated(self):
        def f(a, b):
            return lax.cond(a > 0, lambda x: x * b, lambda x: x * a, 3.0)

        for g in (fad.grad(f, (0, 1)), fad.jit(fad.grad(f, (0, 1)))):
            assert g(1.0, 2.0) == (0.0, 3.0)
            assert g(-1.0, 2.0) == (3.0, 0.0)


class TestNanSafety:
    """A branch not taken leaks nothing, whatever it computes."""

    BRANCHES = [
        (fnp.log, lambda u: 2.0 * u, [2.0, 0.5, 2.0]),
        (fnp.sqrt, lambda u: u, [1.0, 0.5 / np.sqrt(2.0), 1.0]),
        (lambda u: 1.0 / u, lambda u: u * u, [0.0, -0.25, -6.0]),
    ]
    XS = np.array([0.0, 2.0, -3.0])

    @pytest.mark.parametrize("case", BRANCHES)
    @pytest.mark.parametrize("jit", [lambda f: f, fad.jit])
    def test_batched_cond(self, case, jit):
        true_fun, false_fun, want = case
        safe = lambda t: lax.cond(t > 0, true_fun, false_fun, t)
        total = lambda v: fnp.sum(fad.vmap(safe)(v))
        np.testing.assert_allclose(jit(fad.vmap(fad.grad(safe)))(self.XS), want)
        np.testing.assert_allclose(jit(fad.grad(total))(self.XS), want)
        ones = np.ones(3)
        tangent = jit(lambda v: fad.jvp(fad.vmap(safe), (v,), (ones,))[1])(self.XS)
        np.testing.assert_allclose(tangent, want)
        assert np.isfinite(fad.hessian(total)(self.XS)).all()

    def test_shared_operands(self):
        def f(w, t):
            return lax.cond(t > 0, lambda u: fnp.log(u * w), lambda u: u * w, t)

        total = lambda w: fnp.sum(fad.vmap(f, (None, 0))(w, self.XS))
        np.testing.assert_allclose(fad.grad(total)(2.0), 0.5 - 3.0)
        none_taken = lambda w: fnp.sum(fad.vmap(f, (None, 0))(w, -np.abs(self.XS)))
        np.testing.assert_allclose(fad.grad(none_taken)(2.0), -5.0)

    def test_matrices_in_the_branch_not_taken(self):
        def f(t):
            m = fnp.eye(2) * t
            return lax.cond(
                t > 0, lambda a: fnp.sum(fnp.linalg.inv(a)), lambda a: fnp.sum(a), m
            )

        np.testing.assert_allclose(fad.vmap(f)(self.XS), [0.0, 1.0, -6.0])
        g = fad.grad(lambda v: fnp.sum(fad.vmap(f)(v)))(self.XS)
        np.testing.assert_allclose(g, [2.0, -0.5, 2.0])

    def test_finished_examples_of_a_while_loop(self):
        f = lambda t: lax.while_loop(lambda u: u > 1.0, lambda u: fnp.sqrt(u - 1.0), t)
        xs = np.array([0.5, 1.5, 30.0])
        g = fad.grad(lambda v: fnp.sum(fad.vmap(f)(v)))(xs)
        np.testing.assert_allclose(g, [fad.grad(f)(x) for x in xs])
        assert np.isfinite(g).all()


class TestSwitch:
    def test_index_is_clamped(self):
        f = lambda i: lax.switch(i, [lambda: 0, lambda: 1, lambda: 2])
        assert [f(i) for i in (-1, 0, 1, 2, 7)] == [0, 0, 1, 2, 2]
        assert [fad.jit(f)(i) for i in (-1, 0, 1, 2, 7)] == [0, 0, 1, 2, 2]
        np.testing.assert_array_equal(fad.vmap(f)(np.arange(-1, 4)), [0, 0, 1, 2, 2])

    def test_no_branches(self):
        with pytest.raises(ValueError, match="at least one"):
            lax.switch(0, [])

    @pytest.mark.parametrize("index", [1.0, np.arange(2), "a"])
    def test_index_must_be_an_integer_scalar(self, index):
        with pytest.raises(TypeError):
            lax.switch(index, [lambda: 0, lambda: 1])


class TestScan:
    def test_none_for_xs(self):
        carry, ys = lax.scan(lambda c, x: (c + 1, (x, c)), 0, None, length=3)
        assert carry == 3 and ys[0] is None
        np.testing.assert_array_equal(ys[1], [0, 1, 2])

    def test_pytrees(self):
        def body(c, x):
            return {"n": c["n"] + x["a"]}, [x["b"], None]

        carry, ys = lax.scan(body, {"n": 0.0}, {"a": X, "b": np.eye(3)})
        assert carry == {"n": 6.0}
        np.testing.assert_array_equal(ys[0], np.eye(3))

    def test_reverse_keeps_the_order_of_results(self):
        _, ys = lax.scan(lambda c, x: (c + x, c + x), 0.0, X, reverse=True)
        np.testing.assert_array_equal(ys, [6.0, 5.0, 3.0])

    @pytest.mark.parametrize("transform", [lambda f: f, fad.jit])
    def test_length_zero(self, transform):
        f = transform(lambda c: lax.scan(lambda c, x: (c * x, c), c, np.zeros((0,))))
        carry, ys = f(2.0)
        assert carry == 2.0 and ys.shape == (0,)
        assert fad.grad(lambda c: f(c)[0])(2.0) == 1.0

    @pytest.mark.parametrize("out", [lambda c: c, lambda c: (c, c, c), lambda c: None])
    def test_body_must_return_a_pair(self, out):
        with pytest.raises(TypeError, match="pair"):
            lax.scan(lambda c, x: out(c), 0.0, X)

    def test_changed_carry_shows_both(self):
        with pytest.raises(TypeError, match=r"f64\[3\].*f32\[3\]"):
            lax.scan(lambda c, x: (c.astype(np.float32), None), X, X)
        with pytest.raises(TypeError, match=r"f64\[3\].*f64\[2\]"):
            lax.scan(lambda c, x: (c[1:], None), X, X)
        with pytest.raises(TypeError, match="structure"):
            lax.scan(lambda c, x: ((c, c), None), X, X)

    def test_lengths_must_agree(self):
        with pytest.raises(ValueError, match="one leading length"):
            lax.scan(lambda c, x: (c, None), 0.0, (X, X[:2]))
        with pytest.raises(ValueError, match="one leading length"):
            lax.scan(lambda c, x: (c, None), 0.0, X, length=2)
        with pytest.raises(ValueError, match="length="):
            lax.scan(lambda c, x: (c, None), 0.0)
        with pytest.raises(ValueError, match="leading axis"):
            lax.scan(lambda c, x: (c, None), 0.0, 1.0)

    def test_a_weak_carry_takes_the_dtype_of_the_body(self):
        x = X.astype(np.float32)
        carry, ys = lax.scan(lambda c, x: (c + x, c), 0.0, x)
        assert carry.dtype == ys.dtype == np.float32
        carry, _ = lax.scan(lambda c, x: (c + x, None), 0, X)
        assert carry.dtype == np.float64

    def test_prints_its_program(self):
        text = str(
            fad.make_jaxpr(lambda c: lax.scan(lambda c, x: (c * x, c), c, X))(1.0)
        )
        for part in ("scan[", "jaxpr={", "length=3", "num_carry=1", "reverse=False"):
            assert part in text

    def test_body_is_traced_once_however_long(self):
        calls = []

        def body(c, x):
            calls.append(1)
            return fnp.sin(c) + x, None

        fad.grad(lambda c: lax.scan(body, c, np.ones(50))[0])(np.float64(0.5))
        assert len(calls) == 1

    def test_programs_are_used_again(self, monkeypatch):
        import fad.backends.registry as registry

        made = []
        compile_jaxpr = registry._backends["numpy"]
        monkeypatch.setitem(
            registry._backends,
            "numpy",
            lambda j, **given: made.append(j) or compile_jaxpr(j, **given),
        )

        def f(c, w):
            return lax.scan(lambda c, x: (fnp.cos(c * 1.75) + w * x, None), c, X)[0]

        fad.grad(f)(0.5, 2.0)
        fad.grad(f)(0.6, 2.0)  # a length that comes again gets its own source
        count = len(made)
        fad.grad(f)(0.7, 2.0)
        assert count and len(made) == count

    def test_gradient_of_a_weight_is_accumulated(self):
        w = np.random.default_rng(0).standard_normal((50, 50)) / 10

        def loss(w):
            h, _ = lax.scan(
                lambda h, _: (fnp.tanh(w @ h), None), np.ones(50), None, 400
            )
            return fnp.sum(h)

        g = fad.grad(loss)
        g(w)
        tracemalloc.start()
        g(w)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 50 * w.nbytes  # stacks of states; of weights it would be 400

    def test_work_of_a_gradient_is_linear_in_the_length(self):
        def work(n):
            step = lambda c, x: (fnp.sin(c) + x, None)
            f = fad.grad(lambda c: lax.scan(step, c, np.ones(n))[0])
            f(0.5)
            return python_events(lambda: f(0.5))

        assert work(1600) < 8.5 * work(200)

    def test_snapshots_save_memory_at_the_cost_of_steps(self):
        def body(c, x):
            fad.debug.callback(lambda: runs.append(1))
            for _ in range(4):
                c = fnp.sin(c)
            return c + x, None

        def f(c, **options):
            return fnp.sum(lax.scan(body, c, np.ones(64), **options)[0])

        c = np.full(2000, 0.5)
        peaks, counts, grads, runs = [], [], [], []
        for options in ({}, {"checkpoint": 5}):
            g = fad.grad(lambda c, options=options: f(c, **options))
            g(c)
            runs.clear()
            tracemalloc.start()
            grads.append(g(c))
            peaks.append(tracemalloc.get_traced_memory()[1] / c.nbytes)
            tracemalloc.stop()
            counts.append(len(runs))
        np.testing.assert_allclose(*grads, rtol=1e-12)
        assert peaks[0] > 64 * 4 and peaks[1] < 30
        assert counts[0] == 64 and counts[1] <= 64 * 6

    def test_snapshots_must_be_positive(self):
        with pytest.raises(ValueError, match="at least 1"):
            lax.scan(lambda c, x: (c, x), 0.0, X, checkpoint=0)

    def test_integer_results_are_passed_through(self):
        def f(c):
            c, ys = lax.scan(lambda c, i: (c * 2.0, i), c, np.arange(3))
            return c, ys

        out, pull, ys = fad.vjp(f, 1.0, has_aux=True)
        assert out == 8.0 and pull(1.0)[0] == 8.0
        np.testing.assert_array_equal(ys, [0, 1, 2])

    def test_batched_consts_xs_and_carry(self):
        def f(w, c, xs):
            return lax.scan(lambda c, x: (c * w + x, c), c, xs)

        ws, cs, xs = np.array([1.0, 2.0]), np.array([0.5, 1.5]), np.ones((3, 2))
        for axes in [(0, None, None), (None, 0, None), (None, None, 1), (0, 0, 1)]:
            args = [
                a if d is not None else a.take(0, axis=-1)
                for a, d in zip((ws, cs, xs), axes, strict=True)
            ]
            carry, ys = fad.vmap(f, axes)(*args)
            for k in range(2):
                one = [
                    a if d is None else a.take(k, axis=d)
                    for a, d in zip(args, axes, strict=True)
                ]
                c, y = f(*one)
                np.testing.assert_allclose(carry[k], c)
                np.testing.assert_allclose(ys[k], y)


class TestWhileLoop:
    def test_condition_must_be_a_boolean_scalar(self):
        for cond in (lambda u: u, lambda u: X > u, lambda u: (True, True)):
            with pytest.raises(TypeError, match="boolean scalar"):
                lax.while_loop(cond, lambda u: u, 1.0)

    def test_changed_value_shows_both(self):
        with pytest.raises(TypeError, match=r"f64\[3\].*f64\[2\]"):
            lax.while_loop(lambda u: True, lambda u: u[1:], X)
        with pytest.raises(TypeError, match="structure"):
            lax.while_loop(lambda u: True, lambda u: (u, u), X)

    def test_no_step_at_all(self):
        f = lambda x: lax.while_loop(lambda u: u < 0, lambda u: u * u, x)
        assert f(2.0) == 2.0 and fad.grad(f)(2.0) == 1.0
        assert fad.jit(fad.grad(f))(2.0) == 1.0

    def test_weak_start_is_promoted(self):
        out = lax.while_loop(lambda u: u < 3, lambda u: u + 0.75, 0)
        assert out == 3.0 and out.dtype == np.float64

    def test_reverse_mode_through_closures_in_condition_and_body(self):
        def f(x, limit):
            return lax.while_loop(
                lambda u: u < limit * 1.0, lambda u: u * x + 0.1 * limit, x
            )

        def g(x, limit):
            u = x
            while u < limit:
                u = u * x + 0.1 * limit
            return u

        want = fad.grad(g, (0, 1))(1.5, 10.0)
        np.testing.assert_allclose(fad.grad(f, (0, 1))(1.5, 10.0), want)
        np.testing.assert_allclose(fad.jit(fad.grad(f, (0, 1)))(1.5, 10.0), want)

    def test_jacobian_of_a_vector_loop(self):
        m = np.array([[0.5, 1.0], [-0.3, 0.8]])

        def f(x):
            return lax.while_loop(
                lambda s: s[0] < 3, lambda s: (s[0] + 1, fnp.sin(m @ s[1])), (0, x)
            )[1]

        x = np.array([0.3, -0.2])
        np.testing.assert_allclose(fad.jacrev(f)(x), fad.jacfwd(f)(x), rtol=1e-12)
        np.testing.assert_allclose(
            fad.jit(fad.jacrev(f))(x), fad.jacfwd(f)(x), rtol=1e-12
        )


class TestForiLoop:
    def test_empty_range(self):
        assert lax.fori_loop(3, 1, lambda i, v: v + 1.0, 2.0) == 2.0

    def test_traced_bounds(self):
        f = lambda n, x: lax.fori_loop(0, n, lambda i, v: v * x, 1.0)
        assert fad.jit(f)(3, 2.0) == 8.0
        assert fad.jit(fad.grad(f, 1))(3, 2.0) == 12.0
        np.testing.assert_array_equal(
            fad.vmap(f, (0, None))(np.arange(4), 2.0), [1.0, 2.0, 4.0, 8.0]
        )
        np.testing.assert_array_equal(
            fad.vmap(fad.grad(f, 1), (0, None))(np.arange(4), 2.0), [0, 1, 4, 12]
        )

    def test_bounds_must_be_integers(self):
        with pytest.raises(TypeError, match="integer scalar"):
            lax.fori_loop(0.0, 3.0, lambda i, v: v, 1.0)


class TestMap:
    @pytest.mark.parametrize("batch_size", [None, 1, 2, 3, 5, 7])
    def test_batches_change_nothing(self, batch_size):
        xs = {"a": np.arange(5.0), "b": np.arange(10.0).reshape(5, 2)}
        f = lambda x: {"s": x["a"] * fnp.sum(x["b"]), "b": fnp.sin(x["b"])}
        out = lax.map(f, xs, batch_size=batch_size)
        np.testing.assert_allclose(out["s"], xs["a"] * xs["b"].sum(1))
        np.testing.assert_allclose(out["b"], np.sin(xs["b"]))

    def test_batch_size_must_be_positive(self):
        with pytest.raises(ValueError, match="at least 1"):
            lax.map(lambda x: x, X, batch_size=0)


class TestAssociativeScan:
    @pytest.mark.parametrize("n", range(10))
    @pytest.mark.parametrize("reverse", [False, True])
    def test_sums(self, n, reverse):
        x = np.random.default_rng(n).standard_normal((2, n))
        out = lax.associative_scan(fnp.add, x, reverse=reverse, axis=1)
        want = np.cumsum(x[:, ::-1], 1)[:, ::-1] if reverse else np.cumsum(x, 1)
        np.testing.assert_allclose(out, want)

    def test_affine_recurrence_and_its_gradient(self):
        rng = np.random.default_rng(0)
        a, b = rng.standard_normal((2, 7))

        def parallel(a, b):
            compose = lambda f, g: (f[0] * g[0], g[0] * f[1] + g[1])
            return lax.associative_scan(compose, (a, b))[1]

        def serial(a, b):
            return lax.scan(lambda y, ab: (ab[0] * y + ab[1],) * 2, 0.0, (a, b))[1]

        np.testing.assert_allclose(parallel(a, b), serial(a, b))
        for f, g in zip(
            fad.jacrev(parallel, (0, 1))(a, b),
            fad.jacrev(serial, (0, 1))(a, b),
            strict=True,
        ):
            np.testing.assert_allclose(f, g, atol=1e-12)

    def test_refuses_different_lengths(self):
        with pytest.raises(ValueError, match="one length"):
            lax.associative_scan(lambda a, b: a, (X, X[:2]))


class TestLinearTranspose:
    def test_scan(self):
        f = lambda x: lax.scan(lambda c, y: (c * y + x, c), x, X)
        (ct,) = fad.linear_transpose(f, 1.0)((1.0, X))
        np.testing.assert_allclose(ct, fad.vjp(f, 0.0)[1]((1.0, X))[0])

    def test_cond(self):
        f = lambda x: lax.cond(True, lambda u: 3.0 * u, lambda u: -u, x)
        assert fad.linear_transpose(f, 1.0)(2.0)[0] == 6.0
        f = fad.jit(lambda p, x: lax.cond(p, lambda u: 3.0 * u, lambda u: -u, x))
        assert fad.linear_transpose(lambda x: f(False, x), 1.0)(2.0)[0] == -2.0

    def test_what_is_not_linear_is_refused(self):
        f = lambda x: lax.scan(lambda c, y: (fnp.sin(c), None), x, X)[0]
        with pytest.raises(fad.core.errors.NotLinearError):
            fad.linear_transpose(f, 1.0)(2.0)


def test_operand_none_is_an_operand():
    assert lax.cond(True, lambda x: x is None, lambda x: x is None, operand=None)


def test_each_branch_may_have_its_operand():
    f = lambda p, x: lax.cond(p, x, lambda x: 2 * x, 5 * x, lambda y: y + 1)
    assert (f(True, 3.0), f(False, 3.0)) == (6.0, 16.0)
    assert fad.grad(lambda x: f(False, x))(3.0) == 5.0


def test_branches_must_agree_in_kind_even_if_weak():
    for a, b in [(1, 2.0), (2.0, 1), (True, 1)]:
        with pytest.raises(TypeError, match="same shapes and dtypes"):
            lax.cond(True, lambda a=a: a, lambda b=b: b)
    with pytest.raises(TypeError, match="same shapes and dtypes"):
        lax.cond(True, lambda x: x, lambda x: 1, 1.0)
    out = lax.cond(True, lambda x: 1.0, lambda x: x, np.float32(2.0))
    assert out == 1.0 and out.dtype == np.float32


def test_complex_predicates_are_refused():
    with pytest.raises(TypeError, match="real number"):
        lax.cond(1j, lambda: 1, lambda: 2)


def test_condition_of_a_loop_is_one_scalar_and_no_container():
    for condition in [lambda x: (x < 3,), lambda x: x, lambda x: x < X, lambda x: None]:
        with pytest.raises(TypeError, match="one boolean scalar"):
            lax.while_loop(condition, lambda x: x + 1, 0.0)


@pytest.mark.parametrize("jit", [lambda f: f, fad.jit])
def test_counter_has_the_dtype_of_the_bounds(jit):
    loop = lambda lo, hi, v: lax.fori_loop(lo, hi, lambda i, v: v + i, v)
    total = jit(loop)(np.int32(0), np.int32(4), np.int32(0))
    assert total == 6 and total.dtype == np.int32
    assert jit(loop)(0, 4, 0).dtype == np.int64


def test_loops_of_unknown_length_are_not_unrolled():
    loop = lambda n: lax.fori_loop(0, n, lambda i, v: v + 1, 0, unroll=2)
    assert loop(3) == 3
    with pytest.raises(ValueError, match="cannot be unrolled"):
        fad.jit(loop)(3)


def test_disable_jit_runs_python():
    seen = []

    def body(c, x):
        seen.append(float(c))
        return c + x, c

    with fad.disable_jit():
        carry, ys = lax.scan(body, 0.0, X)
        assert lax.cond(True, lambda x: seen.append(x) or x, lambda x: x, 5.0) == 5.0
        assert (
            lax.while_loop(lambda u: u < 3, lambda u: seen.append(u) or u + 1, 1) == 3
        )
    assert carry == 6.0 and seen == [0.0, 1.0, 3.0, 5.0, 1, 2]
    np.testing.assert_array_equal(ys, [0.0, 1.0, 3.0])


def test_dead_results_are_not_computed():
    f = fad.jit(lambda x: lax.scan(lambda c, y: (c * y, fnp.sin(c)), x, X)[0])
    assert f(1.0) == 6.0


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("unroll", [2, 3, 4, 11, 20, True, False])
def test_unrolled_scan_is_the_scan(unroll, reverse):
    xs = np.random.default_rng(0).normal(size=(11, 3))

    def body(carry, x):
        carry = fnp.tanh(0.5 * carry + x)
        return carry, (carry * 2, fnp.sum(x))

    def run(xs, unroll):
        return lax.scan(body, np.ones(3), xs, reverse=reverse, unroll=unroll)

    leaves = fad.tree_util.tree_leaves
    for a, b in zip(leaves(run(xs, unroll)), leaves(run(xs, 1)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    loss = lambda xs, unroll: fnp.sum(run(xs, unroll)[1][0] ** 2)
    for transform in (fad.jit, fad.grad, lambda f: fad.jit(fad.grad(f))):
        unrolled = transform(lambda xs: loss(xs, unroll))(xs)
        plain = transform(lambda xs: loss(xs, 1))(xs)
        np.testing.assert_allclose(unrolled, plain, rtol=1e-10)


def test_unrolled_steps_are_in_one_body():
    f = lambda xs: lax.scan(lambda c, x: (c + x, c), 0.0, xs, unroll=4)
    (loop, rest) = [
        e.params["length"]
        for e in fad.make_jaxpr(f)(np.ones(10)).eqns
        if e.prim.name == "scan"
    ]
    assert (loop, rest) == (2, 2)


def test_unrolled_fori_loop():
    f = lambda n: lax.fori_loop(0, 7, lambda i, v: v * 2 + i, n, unroll=3)
    assert f(1.0) == lax.fori_loop(0, 7, lambda i, v: v * 2 + i, 1.0)
