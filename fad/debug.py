"""Look at values while programs run: `fad.debug.print`, `fad.debug.callback`.

>>> import fad
>>> y = fad.grad(lambda x: fad.debug.print("x is {}", x) or x * x)(3.0)
x is 3.0
"""

from .control.callback import debug_callback as callback
from .control.callback import debug_print as print

__all__ = ["callback", "print"]
