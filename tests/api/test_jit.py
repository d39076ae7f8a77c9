"""jit: one trace per signature, the same results, and programs used again."""

import numpy as np
import pytest
from counting import python_events

import fad
import fad.numpy as fnp
from fad.core import errors


class Counted:
    """A function that counts how often Python runs it."""

    def __init__(self, f):
        self.f = f
        self.calls = 0
        self.__name__ = "counted"

    def __call__(self, *args, **kwargs):
        self.calls += 1
        return self.f(*args, **kwargs)


X = np.array([0.1, 0.2, 0.3])


def test_traces_once_for_each_signature():
    f = Counted(lambda x: fnp.sin(x) * 2.0)
    g = fad.jit(f)
    for _ in range(3):
        np.testing.assert_allclose(g(X), np.sin(X) * 2)
    assert f.calls == 1
    g(X[:2])
    g(X.astype(np.float32))
    g(0.5)
    g(np.float64(0.5))
    g(1)
    assert f.calls == 6
    g(0.7)
    g(X + 1)
    assert f.calls == 6


def test_weak_arguments_do_not_widen():
    f = fad.jit(lambda x, y: x * y)
    assert f(np.float32(2.0), 3.0).dtype == np.float32
    assert f(np.float32(2.0), np.float64(3.0)).dtype == np.float64
    assert f(2.0, 3.0).dtype == np.float64


def test_results_are_numpy_values():
    assert type(fad.jit(lambda x: x)(2.0)) is np.float64
    assert type(fad.jit(lambda x: x * 2)(2)) is np.int64
    assert type(fad.jit(lambda x: 3.0)(2.0)) is np.float64
    assert type(fad.jit(lambda x: x > 0)(2.0)) is np.bool_


@pytest.mark.parametrize(
    ("name", "transform"),
    [
        ("grad", lambda f: fad.grad(lambda x: fnp.sum(f(x)))),
        ("vjp", lambda f: lambda x: fad.vjp(f, x)[1](X)),
        ("jvp", lambda f: lambda x: fad.jvp(f, (x,), (X,))),
        ("linearize", lambda f: lambda x: fad.linearize(f, x)[1](X)),
        ("vmap", fad.vmap),
        ("hessian", lambda f: fad.hessian(lambda x: fnp.sum(f(x)))),
        ("jit", fad.jit),
    ],
)
def test_transforms_of_jit_use_its_program_again(name, transform):
    f = Counted(lambda x: fnp.sin(x) * x)
    g = fad.jit(f)
    first = transform(g)(X)
    second = transform(g)(X)
    want = transform(lambda x: fnp.sin(x) * x)(X)
    for found in (first, second):
        for a, b in zip(fad.tree.leaves(found), fad.tree.leaves(want), strict=True):
            np.testing.assert_allclose(a, b)
    assert f.calls <= (2 if name == "vmap" else 1)


@pytest.mark.parametrize(
    "transform",
    [
        lambda f: fad.grad(lambda x: fnp.sum(f(x))),
        lambda f: lambda x: fad.jvp(f, (x,), (X,))[1],
        fad.vmap,
    ],
)
def test_jit_of_a_transform_traces_once(transform):
    f = Counted(lambda x: fnp.sin(x) * x)
    g = fad.jit(transform(f))
    for _ in range(3):
        np.testing.assert_allclose(g(X), transform(f.f)(X))
    assert f.calls == 1


def test_derivative_programs_are_compiled_once(monkeypatch):
    import fad.backends.registry as registry

    made = []
    compile_jaxpr = registry._backends["numpy"]
    monkeypatch.setitem(
        registry._backends,
        "numpy",
        lambda j, **given: made.append(j) or compile_jaxpr(j, **given),
    )
    g = fad.grad(fad.jit(lambda x: fnp.sum(fnp.sin(x) * x)))
    g(X)
    count = len(made)
    g(X + 1)
    assert count == len(made) == 2  # forward with residuals, and backward


def test_static_arguments_by_position_and_name():
    def f(x, power, *, flip=False):
        y = x
        for _ in range(power - 1):
            y = y * x
        return -y if flip else y

    g = fad.jit(f, static_argnums=1, static_argnames="flip")
    assert g(2.0, 3) == 8.0
    assert g(2.0, 3, flip=True) == -8.0
    assert g(2.0, power=2) == 4.0
    h = fad.jit(f, static_argnames=("power", "flip"))
    assert h(3.0, 2) == 9.0 and h(3.0, power=3) == 27.0
    assert fad.grad(h)(3.0, 2) == 6.0


def test_negative_static_argnums():
    f = fad.jit(lambda x, n: x * len(range(n)), static_argnums=-1)
    assert f(2.0, 3) == 6.0


def test_unhashable_static_argument_is_refused():
    f = fad.jit(lambda x, shape: x, static_argnums=1)
    with pytest.raises(ValueError, match="tuple instead of a list"):
        f(1.0, [2, 3])


def test_static_arguments_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match="static_argnums"):
        fad.jit(lambda x: x, static_argnums=3)
    with pytest.raises(ValueError, match="static_argnames"):
        fad.jit(lambda x: x, static_argnames="n")


def test_values_equal_but_of_different_type_are_different_static_arguments():
    f = fad.jit(lambda x, n: x * n, static_argnums=1)
    assert f(np.int32(2), 1).dtype == np.int32
    assert f(np.int32(2), 1.0).dtype == np.float64


def test_pytrees_and_keywords():
    f = fad.jit(lambda p, *, scale: {"y": p["a"] * scale, "z": (p["b"], None)})
    out = f({"a": X, "b": 2.0}, scale=3.0)
    np.testing.assert_allclose(out["y"], X * 3)
    assert out["z"] == (2.0, None)


def test_methods():
    class Model:
        scale = 3.0

        @fad.jit
        def free(x):
            return x * 2.0

        def __init__(self):
            self.bound = fad.jit(self.call)

        def call(self, x):
            return x * self.scale

        @fad.jit(static_argnums=0)
        def method(self, x):
            return x * self.scale

    model = Model()
    assert model.bound(2.0) == 6.0
    assert model.method(2.0) == 6.0
    assert Model.free(2.0) == 4.0


def test_keeps_name_and_docstring():
    @fad.jit
    def area(r):
        """Return the area."""
        return r * r

    assert area.__name__ == "area" and area.__doc__ == "Return the area."


def test_closed_over_tracers_are_inputs():
    def outer(w):
        f = fad.jit(lambda x: fnp.sin(w * x))
        return f(2.0) + f(3.0)

    want = 2 * np.cos(1.0) + 3 * np.cos(1.5)
    np.testing.assert_allclose(fad.grad(outer)(0.5), want)
    np.testing.assert_allclose(fad.jit(fad.grad(outer))(0.5), want)
    np.testing.assert_allclose(
        fad.vmap(outer)(np.array([0.5]))[0], np.sin(1) + np.sin(1.5)
    )


def test_one_jitted_function_in_several_traces():
    state = {}
    f = fad.jit(lambda x: x * state["w"])

    def outer(w):
        state["w"] = w
        first = f(2.0)
        state["w"] = w * w
        return first + f(2.0)

    for w in (3.0, 4.0):
        assert fad.grad(outer)(w) == 2 + 4 * w


def test_closed_over_arrays_are_held_by_reference():
    big = np.ones(100_000)
    f = fad.jit(lambda x: fnp.sum(big * x))
    text = f.lower(1.0).as_text()
    assert len(text) < 300
    assert f(2.0) == 200_000


def test_results_share_no_memory_with_arguments_or_constants():
    const = np.ones(3)
    f = fad.jit(lambda x: (x, x[1:], const, fad.stop_gradient(x), x[:, None]))
    x = X.copy()
    for y in f(x):
        assert not np.shares_memory(y, x) and not np.shares_memory(y, const)
        y[...] = 7.0
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(const, 1.0)
    nested = fad.jit(lambda x: f(x)[0])
    assert not np.shares_memory(nested(x), x)


def test_two_results_do_not_share_memory():
    a, b = fad.jit(lambda x: (lambda y: (y, y))(x * 2))(X)
    a[0] = 9.0
    assert b[0] == 0.2


def test_arrays_written_to_after_the_forward_pass_do_not_change_gradients():
    f = fad.jit(lambda x, w: fnp.sum(fnp.sin(x * w)))
    w = X.copy()
    _, pull = fad.vjp(lambda x: f(x, w), X)
    w[...] = 0.0
    np.testing.assert_allclose(pull(1.0)[0], X * np.cos(X * X))


def test_branching_on_a_tracer_names_the_line_and_the_way_out():
    @fad.jit
    def f(x):
        if x > 0:
            return x
        return -x

    with pytest.raises(errors.TracerBoolConversionError) as e:
        f(1.0)
    assert "test_jit.py" in str(e.value) and "fnp.where" in str(e.value)


@pytest.mark.parametrize(
    ("f", "error"),
    [
        (lambda x: float(x), errors.ConcretizationTypeError),
        (lambda x: int(x), errors.ConcretizationTypeError),
        (lambda x: np.asarray(x), errors.TracerArrayConversionError),
        (lambda x: fnp.zeros(x), TypeError),
        (lambda x: [1, 2][x], errors.TracerIntegerConversionError),
        (lambda x: range(x), errors.TracerIntegerConversionError),
    ],
)
def test_values_that_are_not_known_are_refused(f, error):
    with pytest.raises(error):
        fad.jit(f)(1)


def test_boolean_mask_index_is_refused():
    with pytest.raises(errors.NonConcreteBooleanIndexError):
        fad.jit(lambda x: x[x > 0])(X)


def test_leaked_tracer_is_refused():
    kept = []
    fad.jit(lambda x: kept.append(x) or x)(1.0)
    with pytest.raises(errors.UnexpectedTracerError):
        kept[0] + 1.0


@pytest.mark.parametrize("bad", ["text", object()])
def test_arguments_and_results_must_be_arrays(bad):
    with pytest.raises(TypeError, match="static"):
        fad.jit(lambda x: 1.0)(bad)
    with pytest.raises(TypeError, match="outputs"):
        fad.jit(lambda x: bad)(1.0)


def test_not_a_function():
    with pytest.raises(TypeError, match="needs a function"):
        fad.jit(3)


def test_jit_in_jit_is_one_equation_unless_inlined():
    inner = lambda x: fnp.sin(x)
    text = str(fad.make_jaxpr(lambda x: fad.jit(inner)(x))(1.0))
    assert "jit[" in text
    text = str(fad.make_jaxpr(lambda x: fad.jit(inner, inline=True)(x))(1.0))
    assert "jit[" not in text and "sin" in text


def test_disable_jit_runs_python():
    f = Counted(lambda x: x if x > 0 else -x)
    with fad.disable_jit():
        assert fad.jit(f)(-1.0) == 1.0
    with pytest.raises(errors.TracerBoolConversionError):
        fad.jit(f)(-1.0)


def test_options_of_other_libraries_are_accepted():
    f = fad.jit(lambda x: x + 1, donate_argnums=(0,), keep_unused=True)
    np.testing.assert_array_equal(f(X.copy()), X + 1)


def test_lower_shows_costs_and_compiles():
    lowered = fad.jit(lambda x, y: fnp.sin(x @ y)).lower(
        np.ones((2, 3)), np.ones((3, 4))
    )
    assert "matmul" in lowered.as_text() and "sin" in str(lowered.jaxpr)
    cost = lowered.cost()
    assert cost.flops == 2 * 2 * 3 * 4 + 8
    assert cost.bytes == 8 * (6 + 12 + 8 + 8 + 8)
    assert cost.peak_bytes == 8 * (6 + 12 + 8 + 8)
    compiled = lowered.compile()
    np.testing.assert_allclose(
        compiled(np.ones((2, 3)), np.ones((3, 4))), np.sin(np.full((2, 4), 3.0))
    )
    assert "def program" in compiled.as_text()
    with pytest.raises(TypeError, match="compiled for"):
        compiled(np.ones((3, 3)), np.ones((3, 4)))


def test_lower_takes_shapes_and_does_not_run():
    struct = fad.ShapeDtypeStruct((2, 3), np.float32)
    lowered = fad.jit(lambda x: fnp.sum(x, axis=0)).lower(struct)
    assert [repr(a) for a in lowered.out_avals] == ["f32[3]"]
    out = fad.jit(lambda x: {"y": fnp.sum(x, axis=0)}).eval_shape(struct)
    assert out == {"y": fad.ShapeDtypeStruct((3,), np.float32)}


def test_cost_of_a_scan_grows_with_its_length():
    f = lambda x: fad.lax.scan(lambda c, _: (fnp.sin(c), None), x, None, length=10)[0]
    assert fad.jit(f).lower(X).cost().flops == 30


def test_tracing_is_linear_in_the_number_of_operations():
    def work(n):
        def chain(x):
            for _ in range(n):
                x = x + 1.0
            return x

        return python_events(lambda: fad.jit(chain).lower(1.0))

    work(10)
    assert work(1600) < 8.5 * work(200)


def test_errors_at_run_time_propagate():
    f = fad.jit(lambda x: fnp.linalg.cholesky(x))
    with pytest.raises(np.linalg.LinAlgError):
        f(-np.eye(2))


def test_compiled_programs_take_python_numbers_for_numpy_scalars():
    compiled = fad.jit(lambda x: x * 2).lower(fad.ShapeDtypeStruct((), float)).compile()
    assert compiled(2.0) == 4.0
    with pytest.raises(TypeError, match="compiled for"):
        compiled(2)


@pytest.mark.parametrize("size", [10, 100_000])
def test_result_takes_the_memory_of_a_donated_argument(size):
    step = fad.jit(lambda p, g: p - 0.1 * fnp.sin(g) * p, donate_argnums=0)
    p, g = np.full(size, 2.0), np.ones(size)
    q = step(p, g)
    assert np.shares_memory(p, q)
    np.testing.assert_allclose(q, 2.0 - 0.2 * np.sin(1.0))
    np.testing.assert_array_equal(g, 1.0)


def test_donated_argument_that_is_seen_elsewhere_is_left_alone():
    double = fad.jit(lambda x, y: (x * 2, y + 1), donate_argnames="x")
    whole = np.ones(6)
    fixed = np.ones(3)
    fixed.flags.writeable = False
    for x, y in ((whole, whole), (whole[:3], np.ones(3)), (fixed, np.ones(3))):
        a, b = double(x, y)
        assert not np.shares_memory(a, x)
        np.testing.assert_array_equal(a, 2.0)
        np.testing.assert_array_equal(b, 2.0)
    np.testing.assert_array_equal(whole, 1.0)


def test_donated_leaves_of_a_pytree_beside_static_arguments():
    def f(scale, state, x):
        return {k: v * scale for k, v in state.items()}, x

    state = {"a": np.ones(2), "b": np.ones(3)}
    g = fad.jit(f, static_argnums=0, donate_argnums=(1,))
    out, _ = g(3.0, state, np.ones(2))
    assert np.shares_memory(out["a"], state["a"])
    assert np.shares_memory(out["b"], state["b"])


def test_donation_is_no_matter_to_gradients():
    x = np.ones(3)
    f = fad.jit(lambda x: fnp.sin(x) * x, donate_argnums=0)
    fad.grad(lambda x: fnp.sum(f(x)))(x)
    np.testing.assert_array_equal(x, 1.0)
    with pytest.raises(ValueError, match="donate_argnums"):
        fad.jit(lambda x: x, donate_argnums=1)
