"""Samples of the operations of `fad.ops.shape`."""

import numpy as np

from ._sample import Sample, rng

_r = rng(32)
_x = _r.standard_normal((2, 3))
_cube = _r.standard_normal((2, 3, 4))
_z = _x + 1j * _r.standard_normal((2, 3))
_empty = np.zeros((0, 3))

SAMPLES = {
    "reshape": [
        Sample((_x,), {"shape": (3, 2)}, name="matrix"),
        Sample((_cube.T,), {"shape": (24,)}, name="flat"),
        Sample((np.float64(2.0),), {"shape": (1, 1)}, name="scalar"),
        Sample((_z,), {"shape": (6, 1)}, name="complex"),
        Sample((_empty,), {"shape": (3, 0)}, name="empty"),
    ],
    "transpose": [
        Sample((_x,), {"axes": (1, 0)}, name="matrix"),
        Sample((_cube,), {"axes": (2, 0, 1)}, name="cycle"),
        Sample((np.float64(2.0),), {"axes": ()}, name="scalar"),
        Sample((_z,), {"axes": (1, 0)}, name="complex"),
    ],
    "broadcast_to": [
        Sample((_x[0],), {"shape": (2, 3)}, name="leading axis"),
        Sample((_x[:, :1],), {"shape": (4, 2, 3)}, name="axis of one"),
        Sample((np.float64(2.0),), {"shape": (2, 2)}, name="scalar"),
        Sample((np.float64(2.0),), {"shape": ()}, name="no axis"),
        Sample((_z[0],), {"shape": (2, 3)}, name="complex"),
        Sample((_x[:1],), {"shape": (0, 3)}, name="empty"),
    ],
    "flip": [
        Sample((_x,), {"axis": (1,)}, name="columns"),
        Sample((_cube,), {"axis": (0, 2)}, name="two axes"),
        Sample((_z,), {"axis": (0,)}, name="complex"),
        Sample((_x,), {"axis": ()}, name="no axis"),
    ],
    "concatenate": [
        Sample((_x, 2 * _x, _x[:1]), {"axis": 0}, name="rows"),
        Sample((_x, _x[:, :1]), {"axis": 1}, name="columns"),
        Sample((_x, _z), {"axis": 0}, name="real and complex"),
        Sample((_x, np.arange(6).reshape(2, 3)), {"axis": 0}, name="integers too"),
        Sample((_empty, _x), {"axis": 0}, name="empty"),
        Sample((_x[0],), {"axis": 0}, name="one"),
    ],
    "diagonal": [
        Sample((_x,), {"offset": 0, "axis1": 0, "axis2": 1}, name="wide"),
        Sample((_x.T,), {"offset": -1, "axis1": 0, "axis2": 1}, name="tall"),
        Sample((_cube,), {"offset": 1, "axis1": 2, "axis2": 0}, name="two of three"),
        Sample((_x,), {"offset": 5, "axis1": 0, "axis2": 1}, name="outside"),
        Sample((_z,), {"offset": 0, "axis1": 0, "axis2": 1}, name="complex"),
    ],
}
