"""torch.autograd.function: `Function` and what its context is.

Public names: `Function`, `FunctionCtx`, `once_differentiable`.
"""

from ..function import Function, once_differentiable
from ..function_context import Context as FunctionCtx

__all__ = ["Function", "FunctionCtx", "once_differentiable"]
