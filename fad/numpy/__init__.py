"""The NumPy namespace, traced: `import fad.numpy as fnp`.

It has every name of `numpy`. Functions of arrays take traced values and are
differentiable where that makes sense; a call in which nothing is traced is NumPy's own.
Names that do not act on the values of arrays (dtypes, constants, settings, files) are
NumPy's objects, and a few refuse traced values and say why (`passthrough.UNSUPPORTED`).
Only `numpy.random` is left out: its state would be hidden from the transforms.

Beyond NumPy: `at expit logistic logit logsumexp relu softplus`.

>>> import fad, fad.numpy as fnp
>>> fad.grad(lambda x: fnp.sum(fnp.sort(x)[:2] ** 2))(fnp.array([3.0, 1.0, 2.0]))
array([0., 2., 4.])
"""

# ruff: noqa: F401, F403

from typing import Any as _Any

import numpy as _np

from . import array_methods as _array_methods
from . import assignment as _assignment
from . import fft, linalg
from . import methods as _methods
from . import operators as _operators
from .axes import *
from .contraction import *
from .convolution import *
from .covariance import *
from .creation import *
from .cumulative import *
from .deprecated import *
from .diagonals import *
from .differences import *
from .elementwise import *
from .fitting import *
from .functional import *
from .histograms import *
from .indexing import *
from .inquiry import *
from .joining import *
from .logistic import *
from .manipulation import *
from .nan_reductions import *
from .padding import *
from .passthrough import lookup as _lookup
from .polynomials import *
from .positions import *
from .predicates import *
from .quantiles import *
from .ranges import *
from .rearranging import *
from .reductions import *
from .sets import *
from .sorting import *
from .statistics import *
from .ufuncs import *
from .updates import *

ufunc = _np.ufunc  # the module of that name, which is private, would hide it

_BEYOND = ["at", "expit", "logistic", "logit", "logsumexp", "relu", "softplus"]
__array_api_version__ = getattr(_np, "__array_api_version__", "2022.12")
_NAMES = {n for n in _np.__all__ if not n.startswith("_") or n.startswith("__")}
__all__ = sorted({*_NAMES, *_BEYOND} - {"random"})


def __getattr__(name: str) -> _Any:
    value = globals()[name] = _lookup(name)
    return value


def __dir__() -> list[str]:
    return __all__
