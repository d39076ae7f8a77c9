"""Elementary functions (to be completed)."""

from __future__ import annotations

import numpy as np

from .arithmetic import mul, neg
from .kinds import elementwise

sin = elementwise("sin", np.sin, [lambda t, x: t * cos(x)], scalar="sin")
cos = elementwise("cos", np.cos, [lambda t, x: -(t * sin(x))], scalar="cos")
exp = elementwise("exp", np.exp, [lambda t, ans: t * ans], scalar="exp")
