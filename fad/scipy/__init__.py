"""Functions of SciPy, traced: special, stats, linalg, signal, optimize, integrate.

They take SciPy's arguments and are differentiable in both modes and at every order.
SciPy itself is an optional extra. What is made of NumPy works without it: the logistic,
error and gamma families, most densities, linear algebra, convolution and `odeint`.
The rest (Bessel functions, incomplete gamma and beta functions, the optimizers) raises
an ImportError that says what to install.

>>> import fad
>>> fad.grad(fad.scipy.special.gammaln)(2.0).round(4)
np.float64(0.4228)

Submodules are imported on first use.
"""

import importlib
from types import ModuleType

__all__ = ["integrate", "linalg", "optimize", "signal", "special", "stats"]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
