"""torch.autograd.function: `Function` and what its context is.

Public names: `Function`, `FunctionCtx`, `once_differentiable`.
"""

from ..function import Context as FunctionCtx
from ..function import Function, once_differentiable

__all__ = ["Function", "FunctionCtx", "once_differentiable"]
