"""The errors of fad: each subclasses a built-in one and teaches the way out.

Messages say what happened (operation, shapes, dtypes, the user's line), why, and what
to write instead; each class docstring shows failing and fixed code.

Public names: the error classes.
"""

from __future__ import annotations

__all__ = [
    "ConcretizationTypeError",
    "InPlaceError",
    "NonConcreteBooleanIndexError",
    "NotLinearError",
    "TracerArrayConversionError",
    "TracerBoolConversionError",
    "TracerIntegerConversionError",
    "UnexpectedTracerError",
]


class ConcretizationTypeError(TypeError):
    """A number was asked of a value that is not known while tracing.

    Fails::

        fad.make_jaxpr(lambda x: float(x) + 1.0)(2.0)

    Works: stay with array operations, `lambda x: x + 1.0`, or evaluate outside `jit`.
    """


class TracerBoolConversionError(ConcretizationTypeError):
    """`if`, `while`, `and` or `bool()` met a value that is not known while tracing.

    Fails under `jit`, `make_jaxpr` and `vmap`::

        lambda x: x if x > 0 else -x

    Works: `lambda x: fnp.where(x > 0, x, -x)`. Under `grad` and `jvp` alone, plain `if`
    and `while` on values work.
    """


class TracerIntegerConversionError(TypeError):
    """An index, `range` or a shape needs an integer that is not known while tracing.

    Fails: `make_jaxpr(lambda n: [1, 2, 3][n])(1)`. Works: `fnp.take([1, 2, 3], n)`, or
    pass `n` as a static argument.
    """


class TracerArrayConversionError(TypeError):
    """A tracer was turned into a plain `numpy.ndarray`, which would lose derivatives.

    Fails::

        def f(x):
            out = np.zeros(3)
            out[0] = x[0] ** 2        # writing a tracer into a plain array
            return out.sum()

    Works: build the array from its parts, `fnp.stack([x[0] ** 2, 0.0, 0.0])`, or write
    into a traced array: `out = fnp.zeros_like(x); out = out.at[0].set(x[0] ** 2)`.
    """


class NonConcreteBooleanIndexError(IndexError):
    """A boolean mask that is not known while tracing was used as an index.

    Fails: `make_jaxpr(lambda x: x[x > 0])(x)`: the result's shape depends on values.
    Works: `fnp.where(x > 0, x, 0.0)`, which keeps the shape.
    """


class UnexpectedTracerError(TypeError):
    """A tracer was used after the transform that made it had finished.

    Fails::

        kept = []
        fad.grad(lambda x: kept.append(x) or x * x)(1.0)
        kept[0] + 1.0

    Works: return what is needed later, for example with `has_aux=True`.
    """


class NotLinearError(NotImplementedError, ValueError):
    """A function that has to be linear is not.

    Fails: `fad.linear_transpose(fnp.sin, 1.0)`. Works: pass `fad.linearize(f, x)[1]`,
    the linear map that is the derivative of `f` at `x`.
    """


class InPlaceError(ValueError):
    """NumPy's in-place assignment has no faithful meaning on this traced value.

    Fails: `y = fnp.broadcast_to(x, (3, 3)); y[0] = 1.0`. Works:
    `y = y.at[0].set(1.0)`, which makes a new array.
    """
