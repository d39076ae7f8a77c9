"""Small arguments for every function of NumPy's namespace, `linalg` and `fft`.

A function that is not in `ARGUMENTS` takes the first of `CANDIDATES` that it accepts.
`WITH_OPTIONS` has calls with keywords.
"""

import warnings

import numpy as np

X, Y = np.linspace(0.1, 0.8, 8), np.linspace(-1.0, 1.0, 8)
M = np.arange(16.0).reshape(4, 4) + 20 * np.eye(4)
INTS = np.array([0, 3, 5])
OUT = np.empty(8)

CANDIDATES = [
    (X,),
    (M,),
    (X, Y),
    (X, 2),
    (X, INTS),
    (M, M),
    (INTS,),
    (INTS, INTS + 1),
    (2.0, 5.0),
    ((2, 3),),
    (4,),
]

ARGUMENTS = {
    "apply_along_axis": (lambda v: v, 0, M),
    "apply_over_axes": (np.sum, M, [0]),
    "array": ([1.0, 2.0, 3.0],),
    "astype": (X, np.float32),
    "bincount": (INTS,),
    "block": ([[M, M], [M, M]],),
    "broadcast_to": (X, (4, 8)),
    "can_cast": (np.float32, np.float64),
    "choose": (np.array([0, 1]), [X[:2], Y[:2]]),
    "clip": (Y, -0.5, 0.5),
    "compress": (X > 0.5, X),
    "copyto": (OUT, X),
    "cross": (M[0, :3], M[1, :3]),
    "digitize": (X, np.array([0.0, 0.25, 0.5])),
    "einsum": ("ij,jk->ik", M, M),
    "einsum_path": ("ij,jk->ik", M, M),
    "expand_dims": (X, 0),
    "extract": (X > 0.5, X),
    "fill_diagonal": (M.copy(), 1.0),
    "fromfunction": (lambda i, j: i + j, (2, 3)),
    "fromiter": ([1.0, 2.0], float),
    "frompyfunc": (abs, 1, 1),
    "full": ((2, 3), 1.5),
    "full_like": (X, 1.5),
    "insert": (X, 1, 7.0),
    "interp": (X, np.array([0.0, 0.5, 1.0]), np.array([1.0, 3.0, 2.0])),
    "isnat": (np.array(["2020-01-01", "NaT"], "M8[D]"),),
    "kaiser": (4, 2.0),
    "ldexp": (X, np.arange(8)),
    "lexsort": ((X, Y),),
    "linalg.lstsq": (M, X[:4]),
    "matvec": (M, M[0]),
    "moveaxis": (M, 0, 1),
    "nanpercentile": (X, 30.0),
    "nanquantile": (X, 0.3),
    "percentile": (X, 30.0),
    "piecewise": (X, [X > 0.5], [1.0, 2.0]),
    "place": (OUT, X > 0.5, X),
    "polyfit": (X, Y, 1),
    "put": (OUT, INTS, X[:3]),
    "put_along_axis": (M.copy(), np.array([[0, 1, 2, 3]]), 1.0, 0),
    "putmask": (OUT, X > 0.5, X),
    "quantile": (X, 0.3),
    "ravel_multi_index": ((INTS, INTS), (6, 6)),
    "reshape": (X, (2, 4)),
    "resize": (X, (2, 3)),
    "rollaxis": (M, 1),
    "searchsorted": (np.array([0.0, 0.5, 1.0]), X),
    "select": ([X > 0.5], [X]),
    "swapaxes": (M, 0, 1),
    "take": (X, INTS),
    "take_along_axis": (M, np.array([[0, 1, 2, 3]]), 0),
    "trim_zeros": (np.array([0.0, 1.0, 0.0]),),
    "unravel_index": (INTS, (6, 6)),
    "vecmat": (M[0], M),
    "where": (X > 0.5, X, Y),
    **dict.fromkeys(
        "column_stack concat concatenate dstack hstack row_stack stack vstack".split(),
        ((X, Y),),
    ),
    **dict.fromkeys("array_split hsplit split".split(), (X, 2)),
    **dict.fromkeys("argpartition delete partition repeat roll tile".split(), (X, 2)),
    "vsplit": (M, 2),
    "dsplit": (X.reshape(1, 1, 8), 2),
    "geomspace": (2.0, 5.0),
    "linspace": (2.0, 5.0),
    "logspace": (2.0, 5.0),
}

WITH_OPTIONS = [
    ("sum", (M,), {"axis": 0}),
    ("mean", (M,), {"axis": 0, "keepdims": True}),
    ("concatenate", ((M, M),), {"axis": 1}),
    ("argmax", (M,), {"axis": 1}),
    ("add", (X, Y), {"out": OUT}),
    ("exp", (X,), {"out": OUT, "where": X > 0.5}),
    ("linalg.norm", (M,), {"axis": 0}),
    ("arange", (0.0, 4.0, 1.0), {}),
    ("zeros", ((2, 4),), {}),
    ("asarray", (X,), {"dtype": float}),
    ("pad", (X, 1), {"constant_values": 0.5}),
]


def arguments_of(name, function):
    """Return arguments that a function takes, or None if none here fit."""
    if name in ARGUMENTS:
        return ARGUMENTS[name]
    return next((args for args in CANDIDATES if accepts(function, args)), None)


def accepts(function, args):
    """Tell whether a function takes arguments."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            function(*args)
        except (TypeError, ValueError, IndexError, np.linalg.LinAlgError):
            return False
    return True
