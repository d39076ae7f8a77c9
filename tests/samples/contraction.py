"""Samples for `fad.ops.contraction`, `einsum` included, and `cross_product`."""

from ._sample import Sample, rng

_g = rng(11)


def _real(*shape):
    return _g.standard_normal(shape)


def _complex(*shape):
    return _g.standard_normal(shape) + 1j * _g.standard_normal(shape)


def _contract(spec, x, y, name):
    return Sample((x, y), dict(spec=spec), name=name)


SAMPLES = {
    "matmul": [
        Sample((_real(3), _real(3)), name="vector vector"),
        Sample((_real(2, 3), _real(3)), name="matrix vector"),
        Sample((_real(3), _real(3, 2)), name="vector matrix"),
        Sample((_real(2, 3), _real(3, 4)), name="matrix matrix"),
        Sample((_real(4, 2, 3), _real(3)), name="stack vector"),
        Sample((_real(3), _real(4, 3, 2)), name="vector stack"),
        Sample((_real(4, 2, 3), _real(3, 2)), name="stack matrix"),
        Sample((_real(2, 3), _real(4, 3, 2)), name="matrix stack"),
        Sample((_real(4, 2, 3), _real(4, 3, 2)), name="stack stack"),
        Sample((_real(5, 1, 2, 3), _real(4, 3, 1)), name="broadcast stacks"),
        Sample((_complex(2, 3), _complex(3, 2)), name="complex"),
        Sample((_real(2, 3), _complex(3)), name="real complex"),
        Sample((_real(2, 0), _real(0, 3)), name="empty sum"),
    ],
    "contract": [
        _contract("ab,bc->ac", _real(2, 3), _real(3, 4), "matmul"),
        _contract("ab,bc->ca", _real(2, 3), _real(3, 4), "output transposed"),
        _contract("abc,bda->dc", _real(2, 3, 4), _real(3, 5, 2), "two axes summed"),
        _contract("bac,bcd->bda", _real(2, 3, 4), _real(2, 4, 2), "batch"),
        _contract("cab,ca->b", _real(2, 3, 4), _real(2, 3), "no free axes of y"),
        _contract("ab,ba->b", _real(2, 3), _real(3, 2), "many short sums"),
        _contract("ab,ab->", _real(2, 3), _real(2, 3), "to a number"),
        _contract("ab,b->ba", _real(2, 3), _real(3), "nothing summed"),
        _contract("a,b->ba", _real(2), _real(3), "outer"),
        _contract("a,->a", _real(2), _real(), "by a number"),
        _contract("ab,bc->ac", _complex(2, 3), _complex(3, 2), "complex"),
    ],
    "cross": [
        Sample((_real(3), _real(3)), name="vectors"),
        Sample((_real(4, 3), _real(3)), name="broadcast"),
        Sample((_real(2, 1, 3), _complex(4, 3)), name="complex"),
    ],
}
