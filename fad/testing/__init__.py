"""Check that derivatives are right, in one's own tests.

Public names: `check_grads`, `check_vjp_jvp_duality`, `check_vmap`.

>>> import fad, fad.numpy as fnp
>>> fad.testing.check_grads(lambda x: fnp.exp(x) * x, (0.5,), order=2)
"""

from .checks import check_grads, check_vjp_jvp_duality, check_vmap

__all__ = ["check_grads", "check_vjp_jvp_duality", "check_vmap"]
