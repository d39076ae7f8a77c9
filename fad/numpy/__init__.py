"""The NumPy namespace (being built)."""
import numpy as _np
from ..core.trace import Tracer as _T
from ..ops import arithmetic as _a, elementary as _e, reductions as _r, comparison as _c
sin = _e.sin
cos = _e.cos
exp = _e.exp
_T.__mul__ = lambda s, o: _a.mul(s, o)
_T.__rmul__ = lambda s, o: _a.mul(o, s)
_T.__add__ = lambda s, o: _a.add(s, o)
_T.__radd__ = lambda s, o: _a.add(o, s)
_T.__sub__ = lambda s, o: _a.sub(s, o)
_T.__neg__ = lambda s: _a.neg(s)
_T.__truediv__ = lambda s, o: _a.div(s, o)
_T.__gt__ = lambda s, o: _c.gt(s, o)
_T.shape = property(lambda s: s.aval.shape)
_T.dtype = property(lambda s: s.aval.dtype)
_T.ndim = property(lambda s: len(s.aval.shape))
_T.__array_ufunc__ = lambda s, uf, m, *a, **k: {_np.multiply: _a.mul, _np.add: _a.add, _np.sin: _e.sin, _np.cos: _e.cos,_np.exp:_e.exp}[uf](*a)
where = _c.where
def sum(x):
    return _r.reduce_sum(x, axis=tuple(range(_np.ndim(x) if not isinstance(x, _T) else x.ndim)))
