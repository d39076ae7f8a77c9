"""Functions of networks without state, as in `torch.nn.functional`.

They are defined by family in the modules `functional_*`.

Public names: the functions.
"""

from typing import Any

from ..missing import no_name
from .functional_activation import *  # noqa: F403
from .functional_adaptive import *  # noqa: F403
from .functional_attention import *  # noqa: F403
from .functional_blocks import *  # noqa: F403
from .functional_class_loss import *  # noqa: F403
from .functional_conv import *  # noqa: F403
from .functional_ctc import *  # noqa: F403
from .functional_dropout import *  # noqa: F403
from .functional_embedding import *  # noqa: F403
from .functional_inplace import *  # noqa: F403
from .functional_linear import *  # noqa: F403
from .functional_loss import *  # noqa: F403
from .functional_margin_loss import *  # noqa: F403
from .functional_norm import *  # noqa: F403
from .functional_pad import *  # noqa: F403
from .functional_piecewise import *  # noqa: F403
from .functional_pool import *  # noqa: F403
from .functional_resize import *  # noqa: F403
from .functional_softmax import *  # noqa: F403
from .functional_unpool import *  # noqa: F403
from .functional_with_indices import *  # noqa: F403


def __getattr__(name: str) -> Any:
    raise no_name(__name__, name, globals())
