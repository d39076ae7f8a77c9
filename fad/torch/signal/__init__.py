"""torch.signal: windows.

Public names: `windows`.
"""

from . import windows

__all__ = ["windows"]
