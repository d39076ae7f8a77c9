"""Linear algebra: `numpy.linalg` on traced values.

Everything works on stacks of matrices, in real and complex, single and double
precision, and is differentiable at every order where the mathematics is. At the edges:

    symmetric input     `eigh` and `cholesky` have the gradient of the symmetric part
    equal eigenvalues   functions of the values are exact; vectors get finite gradients
    singular matrices   `det` is exact (the adjugate), `slogdet` gives infinities
    deficient rank      `pinv` and `lstsq` for changes that keep the rank
    norms at zero       gradient 0

>>> import fad, fad.numpy as fnp
>>> import numpy as np
>>> fad.grad(fnp.linalg.det)(np.array([[1.0, 2.0], [2.0, 4.0]]))
array([[ 4., -2.],
       [-2.,  1.]])

Public names: those of `numpy.linalg`.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from ..core.trace import aval_of, concrete_value
from ..ops import contraction, factorizations, spectral
from ..ops import linalg as ops
from ..ops.arithmetic import real
from ..ops.comparison import eq, gt, isnan, logical_and, logical_not, where
from ..ops.contraction import swap_last
from ..ops.diagonals import diagonal as take_diagonal
from ..ops.indexing import slice_along
from ..ops.infer_rules import normalize_axes
from ..ops.norms import norm as p_norm
from ..ops.reductions import reduce_max, reduce_or, reduce_sum
from ..ops.shape import broadcast_to, expand_dims, index_along, reshape, transpose
from ..ops.stacks import hermitian as hermitian_part
from . import contraction as products
from .convert import cast, no_out, operand
from .dispatch import implements
from .matrix_norms import matrix_norm, norm, vector_norm
