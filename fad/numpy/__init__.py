"""The NumPy namespace, traced: `import fad.numpy as fnp`."""

from . import operators as _operators
from .ufuncs import *  # noqa: F403
from .elementwise import *  # noqa: F403
from .predicates import *  # noqa: F403
from .logistic import *  # noqa: F403
from .reductions import *  # noqa: F403
from .statistics import *  # noqa: F403
from .covariance import *  # noqa: F403
from .sorting import *  # noqa: F403
from .cumulative import *  # noqa: F403
from .differences import *  # noqa: F403
from .contraction import *  # noqa: F403
from .nan_reductions import *  # noqa: F403
from .quantiles import *  # noqa: F403
from .creation import *  # noqa: F403
from .ranges import *  # noqa: F403
from .functional import *  # noqa: F403
from .polynomials import *  # noqa: F403
from .fitting import *  # noqa: F403
from .inquiry import *  # noqa: F403
from . import fft, methods as _methods
