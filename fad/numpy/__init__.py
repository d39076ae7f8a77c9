"""The NumPy namespace, traced: `import fad.numpy as fnp`.

It has every name of `numpy`. Functions of arrays take traced values and are
differentiable where that makes sense; a call in which nothing is traced is NumPy's own.
Names that do not act on the values of arrays (dtypes, constants, settings, files) are
NumPy's objects, and a few refuse traced values and say why (`passthrough.UNSUPPORTED`).
Only `numpy.random` is left out: its state would be hidden from the transforms.

Beyond NumPy: `expit logistic logit logsumexp relu softplus`.

>>> import fad, fad.numpy as fnp
>>> fad.grad(lambda x: fnp.sum(fnp.sort(x)[:2] ** 2))(fnp.array([3.0, 1.0, 2.0]))
array([0., 2., 4.])
"""

from typing import Any as _Any

import numpy as _np

from . import assignment as _assignment
from . import fft
from . import methods as _methods
from . import operators as _operators
from .updates import *  # noqa: F403
from .contraction import *  # noqa: F403
from .convolution import *  # noqa: F403
from .covariance import *  # noqa: F403
from .creation import *  # noqa: F403
from .cumulative import *  # noqa: F403
from .differences import *  # noqa: F403
from .elementwise import *  # noqa: F403
from .fitting import *  # noqa: F403
from .functional import *  # noqa: F403
from .histograms import *  # noqa: F403
from .inquiry import *  # noqa: F403
from .logistic import *  # noqa: F403
from .nan_reductions import *  # noqa: F403
from .polynomials import *  # noqa: F403
from .predicates import *  # noqa: F403
from .quantiles import *  # noqa: F403
from .ranges import *  # noqa: F403
from .reductions import *  # noqa: F403
from .sets import *  # noqa: F403
from .sorting import *  # noqa: F403
from .statistics import *  # noqa: F403
from .ufuncs import *  # noqa: F403
from .passthrough import lookup as _lookup

ufunc = _np.ufunc  # the module of that name, which is private, would hide it

_BEYOND = ["at", "expit", "logistic", "logit", "logsumexp", "relu", "softplus"]
__array_api_version__ = getattr(_np, "__array_api_version__", "2022.12")
__all__ = sorted({*_np.__all__, *_BEYOND} - {"random"})


def __getattr__(name: str) -> _Any:
    value = globals()[name] = _lookup(name)
    return value


def __dir__() -> list[str]:
    return __all__
