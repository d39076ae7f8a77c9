"""Samples of the operations of `fad.ops.indexing` and `fad.ops.masks`."""

import numpy as np

from fad.ops.index_layout import ARRAY

from ._sample import Sample, rng

_r = rng(31)
_x = _r.standard_normal((3, 4))
_cube = _r.standard_normal((2, 3, 4))
_z = _x[0] + 1j * _x[1]
_repeated = np.array([0, -1, 0, 2])
_rows = np.array([[0, 2], [1, 0]])
_mask = np.array([[True, False, True, False]] * 2 + [[False, False, True, True]])
_full = slice(None)

_READ = {
    "integer": ((_x,), (1,)),
    "slices": ((_x,), (slice(2, None, -1), slice(1, 3))),
    "new axis": ((_x,), (None, Ellipsis, -1)),
    "everything": ((np.float64(2.0),), ()),
    "one element": ((_x,), (2, 1)),
    "no element": ((_x,), (slice(2, 2),)),
    "complex": ((_z,), (slice(0, 4, 2),)),
    "repeats": ((_x[0], _repeated), (ARRAY,)),
    "rows": ((_x, _rows), (ARRAY,)),
    "columns": ((_x, _repeated), (_full, ARRAY)),
    "pairs": ((_x, np.array([0, 0, 2]), np.array([1, 1, 3])), (ARRAY, ARRAY)),
    "apart": ((_cube, np.array([1, 1, 0]), np.array([3, 3, 0])), (ARRAY, _full, ARRAY)),
    "integer beside": ((_cube, _rows), (1, Ellipsis, ARRAY)),
    "behind": ((_cube, _rows, _rows[0]), (_full, ARRAY, ARRAY)),
    "one number": ((_x, np.array(1)), (_full, ARRAY)),
    "true": ((_x,), (True, 0)),
    "complex repeats": ((_z, _repeated), (ARRAY,)),
}


def _written(x, ids, index):
    shape = _region(x, ids, index).shape
    y = np.cos(np.arange(1.0, np.prod(shape) + 1)).reshape(shape)
    return (y + 1j * y[::-1] if np.iscomplexobj(x) else y)[()]


def _region(x, ids, index):
    arrays = iter(ids)
    return np.asarray(x)[tuple(next(arrays) if e is ARRAY else e for e in index)]


SAMPLES = {
    "getitem": [
        Sample(args, {"index": index}, name=name)
        for name, (args, index) in _READ.items()
    ],
    "scatter": [
        Sample(
            (_written(x, ids, index), *ids),
            {"index": index, "shape": np.shape(x)},
            name=name,
        )
        for name, ((x, *ids), index) in _READ.items()
    ],
}
for _name in ("scatter_add", "scatter_set"):
    SAMPLES[_name] = [
        Sample((x, _written(x, ids, index), *ids), {"index": index}, name=name)
        for name, ((x, *ids), index) in _READ.items()
    ]
SAMPLES["erase"] = SAMPLES["getitem"][:]
SAMPLES["getitem"].append(
    Sample(
        (_x, np.array([2, 0])), {"index": (ARRAY,), "unique": True}, name="no repeats"
    )
)
SAMPLES["select"] = [
    Sample((_x, _mask), {"axis": 0, "count": 6}, name="elements"),
    Sample((_cube, _mask[0]), {"axis": 2, "count": 2}, name="last axis"),
    Sample((_cube, _mask[:2, :3]), {"axis": 0, "count": 4}, name="leading axes"),
    Sample((_cube, _mask[2, 1:]), {"axis": 1, "count": 2}, name="middle axis"),
    Sample((_z, _mask[0]), {"axis": 0, "count": 2}, name="complex"),
    Sample((_x, _mask & False), {"axis": 0, "count": 0}, name="none"),
]
SAMPLES["spread_out"] = [
    Sample((_x.ravel()[:6], _mask), {"axis": 0, "shape": (3, 4)}, name="elements"),
    Sample(
        (_cube[..., :2], _mask[0]), {"axis": 2, "shape": (2, 3, 4)}, name="last axis"
    ),
    Sample(
        (_r.standard_normal((4, 4)), _mask[:2, :3]),
        {"axis": 0, "shape": (2, 3, 4)},
        name="leading axes",
    ),
    Sample((_z[:2], _mask[0]), {"axis": 0, "shape": (4,)}, name="complex"),
]
SAMPLES["scatter_all"] = [
    Sample(
        (_x[0], _x[1, :2], np.float64(0.5)),
        {"indices": ((1,), (2, slice(2)), (1, 3)), "shape": (3, 4)},
        name="overlapping",
    ),
    Sample(
        (_x,), {"indices": ((slice(None, None, -1),),), "shape": (3, 4)}, name="one"
    ),
    Sample(
        (_z, 2 * _z[::2]),
        {"indices": ((Ellipsis,), (slice(1, 3),)), "shape": (4,)},
        name="complex",
    ),
]
