"""torch.utils: data sets and loaders, and checkpointing."""

from . import checkpoint as checkpoint
from . import data as data
