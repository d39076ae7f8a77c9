"""Functions that call a Python function on parts of arrays.

The function may branch on values, so traced arrays are taken apart, the function is
called on every part, and the results are put together again; each call is
differentiated as it comes. A function that is written over whole arrays is faster, and
so is `fad.vmap` of one without branches.

Public names: `vectorize frompyfunc apply_along_axis apply_over_axes ndenumerate`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..core.errors import TracerArrayConversionError
from ..core.trace import Tracer, aval_of
from ..ops.infer_rules import normalize_axes
from ..ops.shape import broadcast_to, expand_dims, move_axis, reshape
from .convert import array_from, cast, operand
from .dispatch import implements, is_plain
from .gufunc_signature import Signature

__all__ = [
    "apply_along_axis",
    "apply_over_axes",
    "frompyfunc",
    "ndenumerate",
    "vectorize",
]


def _check_excluded(excluded: frozenset[Any]) -> None:
    for which in excluded:
        if not isinstance(which, (int, str)):
            raise TypeError(
                "vectorize: excluded holds positions and names of arguments, got "
                f"{which!r}"
            )
        if isinstance(which, int) and which < 0:
            raise ValueError(f"vectorize: excluded has the negative position {which}")


class vectorize:
    """Call a function on every element of broadcast arrays.

    Args:
        pyfunc: the function; without one, the result is a decorator.
        otypes: dtypes of the outputs.
        doc: the docstring; the function's own by default.
        excluded: positions and names of arguments that are passed whole.
        cache: see `numpy.vectorize`; traced calls compute every element once anyway.
        signature: axes that belong to one call, as in "(m,n),(n)->(m)".

    >>> import fad, fad.numpy as fnp
    >>> relu = fnp.vectorize(lambda t: t if t > 0 else 0.0 * t)
    >>> fad.grad(lambda x: fnp.sum(relu(x)))(fnp.array([-1.0, 2.0]))
    array([0., 1.])
    """

    def __init__(
        self,
        pyfunc: Any = np._NoValue,
        otypes: Any = None,
        doc: str | None = None,
        excluded: Any = None,
        cache: bool = False,
        signature: str | None = None,
    ) -> None:
        self._options = dict(
            otypes=otypes, doc=doc, excluded=excluded, cache=cache, signature=signature
        )
        self.excluded = frozenset(excluded or ())
        _check_excluded(self.excluded)
        self.signature = None if signature is None else Signature(signature)
        self.pyfunc = pyfunc
        self.plain: Any = None
        if pyfunc is not np._NoValue:
            self.plain = np.vectorize(pyfunc, **self._options)  # type: ignore[arg-type]
            functools.update_wrapper(self, pyfunc, updated=())
            self.__doc__ = self.plain.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function on the elements, or wrap it when used as a decorator."""
        if self.plain is None:
            return vectorize(*args, **self._options, **kwargs)  # type: ignore[misc]
        if is_plain(args, kwargs):
            try:
                return self.plain(*args, **kwargs)
            except TracerArrayConversionError:  # the function closes over a tracer
                return self._traced(args, kwargs)
        return self._traced(args, kwargs)

    def _traced(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        places = [i for i in range(len(args)) if i not in self.excluded]
        names = [name for name in kwargs if name not in self.excluded]
        mapped = [args[i] for i in places] + [kwargs[name] for name in names]

        def call(*parts: Any) -> Any:
            positional, named = list(args), dict(kwargs)
            for i, part in zip(places, parts, strict=False):
                positional[i] = part
            named.update(zip(names, parts[len(places) :], strict=True))
            return self.pyfunc(*positional, **named)

        outs = call_on_parts(call, mapped, self.signature)
        dtypes = _dtypes(self._options["otypes"], len(outs))
        outs = [cast(o, dtype) for o, dtype in zip(outs, dtypes, strict=True)]
        return outs[0] if len(outs) == 1 else tuple(outs)


def _dtypes(otypes: Any, count: int) -> list[Any]:
    return [None] * count if otypes is None else [np.dtype(t) for t in otypes]


def call_on_parts(
    function: Callable[..., Any], args: Sequence[Any], signature: Signature | None
) -> list[Any]:
    """Call `function` on elements, or on the core axes of `signature`; stack results.

    Returns:
        The list of outputs.
    """
    args = [operand(a) for a in args]
    signature = signature or Signature.elementwise(len(args))
    avals = [aval_of(a) for a in args]
    outer, sizes = signature.match([a.shape for a in avals])
    spread = []
    for a, aval, core in zip(args, avals, signature.inputs, strict=True):
        shape = outer + aval.shape[len(aval.shape) - len(core) :]
        spread.append(a if aval.shape == shape else broadcast_to(a, shape=shape))
    results = [_as_tuple(function(*[a[i] if outer else a for a in spread]))
               for i in np.ndindex(outer)]  # fmt: skip
    if not results:
        raise ValueError(
            "cannot call a vectorized function on inputs of size 0 while tracing: it "
            "never runs, so its result is unknown"
        )
    shapes = [[aval_of(operand(r)).shape for r in row] for row in results]
    signature.check(shapes, sizes)
    return [_stacked(column, outer) for column in zip(*results, strict=True)]


def _as_tuple(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def _stacked(parts: Sequence[Any], outer: tuple[int, ...]) -> Any:
    if not outer:
        return operand(parts[0])
    out = array_from(list(parts))
    return reshape(out, shape=outer + tuple(aval_of(out).shape[1:]))


class frompyfunc:
    """Turn a function of `nin` scalars into one of arrays, with `nout` outputs.

    Plain calls return arrays of objects, as NumPy's do; traced calls return arrays of
    the numbers that the function returns.
    """

    def __init__(
        self, func: Callable[..., Any], /, nin: int, nout: int, **kwargs: Any
    ) -> None:
        self.func = func
        self.plain = np.frompyfunc(func, nin, nout, **kwargs)
        self.nin, self.nout = nin, nout

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function on every element of the broadcast arguments."""
        if is_plain(args, kwargs):
            return self.plain(*args, **kwargs)
        if kwargs or len(args) != self.nin:
            raise TypeError(
                f"a traced call takes the {self.nin} inputs of the function and no "
                f"options, got {len(args)} inputs and the options {sorted(kwargs)}"
            )
        outs = call_on_parts(self.func, args, None)
        return outs[0] if self.nout == 1 else tuple(outs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain, name)

    def __repr__(self) -> str:
        return repr(self.plain)


def _moved_back(out: Any, outer: int, axis: int) -> Any:
    """Put the axes of one call's result, which are last, in the place of `axis`."""
    for k in range(len(aval_of(out).shape) - outer):
        out = move_axis(out, outer + k, axis + k)
    return out


def _along_axis(
    func1d: Callable[..., Any], axis: Any, arr: Any, args: Any, kwargs: Any
) -> Any:
    arr = operand(arr)
    (axis,) = normalize_axes(axis, aval_of(arr).ndim)
    moved = move_axis(arr, axis, aval_of(arr).ndim - 1)
    outer = tuple(aval_of(moved).shape[:-1])
    if 0 in outer:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    parts = [operand(func1d(moved[i], *args, **kwargs)) for i in np.ndindex(outer)]
    return _moved_back(_stacked(parts, outer), len(outer), axis)


@implements(np.apply_along_axis)
def _traced_along_axis(
    func1d: Callable[..., Any], axis: Any, arr: Any, *args: Any, **kwargs: Any
) -> Any:
    return _along_axis(func1d, axis, arr, args, kwargs)


def apply_along_axis(
    func1d: Callable[..., Any], axis: Any, arr: Any, *args: Any, **kwargs: Any
) -> Any:
    """Call a function on the one-dimensional slices along `axis`."""
    try:
        return _traced_along_axis(func1d, axis, arr, *args, **kwargs)
    except TracerArrayConversionError:
        if not is_plain((arr, *args), kwargs):
            raise
        return _along_axis(func1d, axis, arr, args, kwargs)  # func1d closes over one


@implements(np.apply_over_axes)
def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Any:
    """Call `func(a, axis)` for one axis after the other."""
    value = operand(a)
    rank = aval_of(value).ndim
    for axis in axes if isinstance(axes, (tuple, list, np.ndarray)) else (axes,):
        axis = int(axis) + rank if axis < 0 else int(axis)
        result = func(value, axis)
        if aval_of(result).ndim == rank - 1:
            result = expand_dims(result, axis)
        if aval_of(result).ndim != rank:
            raise ValueError(
                "function is not returning an array of the correct shape: it may drop "
                f"the axis or keep it; {aval_of(value)} became {aval_of(result)}"
            )
        value = result
    return value


class ndenumerate:
    """Iterate over pairs of index tuple and element.

    >>> import fad.numpy as fnp
    >>> list(fnp.ndenumerate([[7.0]]))
    [((0, 0), np.float64(7.0))]
    """

    def __init__(self, arr: Any) -> None:
        self.arr = arr if isinstance(arr, Tracer) else array_from(arr)
        self.iter = self._pairs()

    def _pairs(self) -> Iterator[tuple[tuple[int, ...], Any]]:
        for index in np.ndindex(self.arr.shape):
            yield index, self.arr[index]

    def __next__(self) -> tuple[tuple[int, ...], Any]:
        return next(self.iter)

    def __iter__(self) -> ndenumerate:
        return self
