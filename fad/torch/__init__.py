"""fad.torch: PyTorch's tensors, autograd and networks over fad and NumPy.

A script written for PyTorch on a CPU runs with ``import fad.torch as torch``.

>>> from fad import torch
>>> x = torch.tensor([1., 2.], requires_grad=True)
>>> (x * x).sum().backward()
>>> x.grad
tensor([2., 4.])

Functions come from the modules ``ops_*``, which declare them (`fad.torch.declare`).
Packages such as `nn` and `optim` are imported when they are first used.
"""

import importlib as _importlib
import pkgutil as _pkgutil
from typing import Any as _Any

from . import autograd as autograd
from . import conversion as _conversion  # noqa: F401
from . import creation as _creation  # noqa: F401
from . import exchange as _exchange  # noqa: F401
from . import text as _text  # noqa: F401

for _module in sorted(m.name for m in _pkgutil.iter_modules(__path__)):
    if _module.startswith("ops_"):
        _importlib.import_module(f"{__name__}.{_module}")

from math import e, inf, nan, pi  # noqa: E402, F401

from . import operators as _operators  # noqa: E402, F401
from . import tensor as _tensor  # noqa: E402
from .anomaly import (  # noqa: E402, F401
    is_anomaly_check_nan_enabled,
    is_anomaly_enabled,
)
from .declare import functions as _functions  # noqa: E402
from .dtypes import DTYPES as _DTYPES  # noqa: E402
from .dtypes import (  # noqa: E402, F401
    can_cast,
    dtype,
    finfo,
    get_default_dtype,
    iinfo,
    promote_types,
    set_default_dtype,
)
from .missing import no_name as _no_name  # noqa: E402
from .modes import (  # noqa: E402, F401
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .printing import set_printoptions  # noqa: E402, F401
from .random import Generator  # noqa: E402, F401
from .serialization import load, save  # noqa: E402, F401
from .size import Size, device  # noqa: E402, F401
from .tensor import Tensor  # noqa: E402, F401

newaxis = None
globals().update(_DTYPES)
globals().update(_functions)
_tensor.hide_inherited()

_PACKAGES = frozenset(
    """
    nn optim utils distributions linalg fft special func legacy compiler signal testing
    cuda backends amp version
    """.split()
)


_OF_NETWORKS = frozenset(
    """
    adaptive_avg_pool1d adaptive_max_pool1d alpha_dropout avg_pool1d bilinear celu celu_
    channel_shuffle conv1d conv2d conv3d conv_transpose1d conv_transpose2d
    conv_transpose3d cosine_similarity dropout feature_alpha_dropout group_norm gru
    gru_cell hardshrink layer_norm lstm lstm_cell max_pool1d max_pool2d max_pool3d
    pairwise_distance pixel_shuffle pixel_unshuffle prelu rms_norm rnn_relu
    rnn_relu_cell rnn_tanh rnn_tanh_cell rrelu selu selu_ threshold
    """.split()
)
"""Functions of networks that are in this namespace too."""


_HOLDERS = {
    "compile": "compile_api",
    "autocast": "amp",
    "GradScaler": "amp",
    "__version__": "version",
}
"""Names that come from modules which are imported when they are first used."""


def __getattr__(name: str) -> _Any:
    if name in _HOLDERS:
        holder = _importlib.import_module(f"{__name__}.{_HOLDERS[name]}")
        return getattr(holder, name)
    if name in _OF_NETWORKS:
        networks = _importlib.import_module(f"{__name__}.nn")
        return _functions.get(name) or getattr(networks.functional, name)
    if name in _PACKAGES:
        try:
            return _importlib.import_module(f"{__name__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
    raise _no_name(__name__, name, globals())
