"""Methods and protocols of tracers that belong to no one family of functions.

NumPy asks a tracer three things: `__array_ufunc__` (see `ufunc`), `__array_function__`,
which the table of `implements` answers, and `__array_namespace__`, which is this
package. What turns a tracer into plain numbers (`float`, `item`, `tolist`, `format`)
works where values are known, and has no derivative.

Public names: none; importing the module installs them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ..core.errors import ConcretizationTypeError
from ..core.source import user_source
from ..core.trace import Tracer
from ..ops import arithmetic
from .creation import array, check_device
from .dispatch import call_traced, implementations
from .passthrough import UNSUPPORTED, unsupported

__all__: list[str] = []

_MADE_LIKE = frozenset(
    getattr(np, name)
    for name in "empty eye identity ones tri zeros frombuffer fromfile fromstring "
    "loadtxt genfromtxt".split()
)
"""Functions that NumPy sends here for `like=` alone; their arrays are plain."""


def array_function(
    self: Tracer,
    func: Callable[..., Any],
    types: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """Answer a NumPy function that was called with a tracer."""
    if not all(issubclass(t, (Tracer, np.ndarray)) for t in types):
        return NotImplemented
    implementation = implementations.get(func)
    if implementation is not None:
        return call_traced(implementation, args, kwargs)
    if func in _MADE_LIKE:
        return func(*args, **kwargs)
    name = getattr(func, "__name__", repr(func))
    if name in UNSUPPORTED and getattr(np, name, None) is func:
        return unsupported(name)(*args, **kwargs)
    raise TypeError(
        f"fad has no rule for {func.__module__}.{name}, called on a traced value at "
        f"{user_source()}. Write it with functions of fad.numpy, give it a rule with "
        "fad.custom_jvp, or cut the derivative with fad.stop_gradient."
    )


def array_namespace(self: Tracer, *, api_version: str | None = None) -> Any:
    """Return `fad.numpy`, the namespace of the Array API standard."""
    np.empty(0).__array_namespace__(api_version=api_version)  # refuses unknown versions
    from .. import numpy

    return numpy


def to_device(self: Tracer, device: Any, /, *, stream: Any = None) -> Tracer:
    """Return the array itself: there is one device, "cpu"."""
    check_device(device)
    if stream is not None:
        raise ValueError("The stream argument to to_device() is not supported")
    return self


def astype(
    self: Tracer,
    dtype: Any,
    order: Any = "K",
    casting: Any = "unsafe",
    subok: bool = True,
    copy: bool = True,
) -> Any:
    """Convert to a dtype; the result of an integer one has no derivative."""
    target = np.dtype(dtype)
    if not np.can_cast(self.dtype, target, casting):
        raise TypeError(
            f"Cannot cast array data from {self.dtype!r} to {target!r} according to "
            f"the rule {casting!r}"
        )
    return array(self, target, copy=copy or None)


def view(self: Tracer, dtype: Any = None, type: Any = None) -> Any:
    """Return the array itself, if it is asked for with its own dtype.

    Raises:
        TypeError: the bytes would have to be read as another dtype.
    """
    if type not in (None, np.ndarray) or (dtype not in (None, self.dtype, np.ndarray)):
        raise TypeError(
            f"view({dtype or type!r}) would read the bytes of the traced value "
            f"{self.aval!r} as something else; use astype to convert, real and imag "
            "for the parts of complex values, and x + 1j * y to join them"
        )
    return self[...]  # type: ignore[index]


def item(self: Tracer, *args: Any) -> Any:
    """Return one known element as a Python number, without derivatives."""
    return np.asarray(_value(self, item)).item(*args)


def tolist(self: Tracer) -> Any:
    """Return known values as nested lists of Python numbers, without derivatives."""
    return np.asarray(_value(self, tolist)).tolist()


def _value(x: Tracer, asker: Callable[..., Any]) -> Any:
    return x._known(
        asker, ConcretizationTypeError, "Compute the number outside the function."
    )


def formatted(self: Tracer, spec: str) -> str:
    """Format a known number by `spec`; without a `spec` it is `str`."""
    if not spec:
        return str(self)
    value = _value(self, format)
    if self.shape:
        raise TypeError(
            f"a format such as {spec!r} is for one number, and this is an array of "
            f"shape {self.shape}; format its elements"
        )
    return format(value, spec)


def copied(self: Tracer, memo: Any = None) -> Any:
    """Return a copy that later writes into the original do not reach."""
    return arithmetic.copy(self)


def refuse_pickle(self: Tracer, protocol: Any) -> NoReturn:
    """Say why a tracer cannot be pickled."""
    raise TypeError(
        f"A traced value {self.aval!r} cannot be pickled: it lives inside one call of "
        f"a transformed function ({self.owner.name}). Return it from the function, for "
        "example with has_aux=True, and pickle the plain result."
    )


def clip(
    self: Tracer, min: Any = None, max: Any = None, out: Any = None, **kwargs: Any
) -> Any:
    """Limit the values to [min, max]."""
    return np.clip(self, min, max, out=out, **kwargs)


def round(self: Tracer, decimals: int = 0, out: Any = None) -> Any:
    """Round to a number of decimals."""
    return np.round(self, decimals, out=out)


def conjugate(self: Tracer) -> Any:
    """Return the complex conjugate."""
    return arithmetic.conj(self)


def _missing(self: Tracer, name: str) -> NoReturn:
    hint = ""
    if not name.startswith("_") and name in dir(np.ndarray):
        hint = (
            ": it is about memory or bytes, which a traced value does not have; take "
            "it of the plain array outside the transformed function"
        )
    raise AttributeError(f"a traced value has no attribute {name!r}{hint}")


_METHODS: dict[str, Any] = {
    "__array_function__": array_function,
    "__array_namespace__": array_namespace,
    "__copy__": copied,
    "__deepcopy__": copied,
    "__format__": formatted,
    "__getattr__": _missing,
    "__reduce_ex__": refuse_pickle,
    "astype": astype,
    "clip": clip,
    "conj": conjugate,
    "conjugate": conjugate,
    "device": property(lambda self: "cpu"),
    "item": item,
    "itemsize": property(lambda self: self.dtype.itemsize),
    "nbytes": property(lambda self: self.size * self.dtype.itemsize),
    "round": round,
    "to_device": to_device,
    "tolist": tolist,
    "view": view,
}
for _name, _method in _METHODS.items():
    setattr(Tracer, _name, _method)
