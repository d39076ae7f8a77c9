"""Continuous samples against PyTorch 2.13's on a CPU, recorded by running it.

Long results are compared by their CRC-32. Results that pass through the C library's
float64 functions are compared to 14 digits, as that library's last bit may differ.
"""

import zlib

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fad.torch.choosing import (
    normal,
    poisson,
)
from fad.torch.generator import Generator
from fad.torch.integers import random_
from fad.torch.sampling import (
    bernoulli_,
    cauchy_,
    exponential_,
    geometric_,
    log_normal_,
    normal_,
    rand,
    randn,
    uniform_,
)

f2, f4, f8, c8 = np.float16, np.float32, np.float64, np.complex64


def seeded(seed):
    return Generator().manual_seed(seed)


def crc(array):
    return zlib.crc32(np.ascontiguousarray(array).tobytes())


def close(array, expected):
    assert_allclose(np.ravel(array), expected, rtol=1e-14, atol=0)


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        (f2, [0.496337890625, 0.76806640625, 0.0885009765625]),
        (f4, [0.49625658988952637, 0.7682217955589294, 0.08847743272781372]),
        (f8, [0.9700530018065531, 0.707819864399788, 0.45938294312745087]),
        (
            c8,
            [
                (0.49625658988952637 + 0.7682217955589294j),
                (0.08847743272781372 + 0.13203048706054688j),
                (0.30742281675338745 + 0.6340786814689636j),
            ],
        ),
    ],
)
def test_rand(dtype, expected):
    assert_array_equal(rand(seeded(0), (3,), dtype), np.array(expected, dtype))


@pytest.mark.parametrize(
    ("dtype", "expected"), [(f2, 3295092374), (f4, 2914257370), (f8, 3283655913)]
)
def test_uniform_rounds_once(dtype, expected):
    assert crc(uniform_(seeded(0), np.empty(9999, dtype), -0.7, 1.3)) == expected


def test_a_value_that_rounds_to_the_bound_becomes_the_least():
    values = uniform_(seeded(0), np.empty(9999, f2), 0.0, 1.0)
    assert values.max() < 1
    assert crc(values) == 750539963


def test_values_are_laid_down_in_the_order_of_memory():
    out = np.empty((3, 2), f4).T
    assert_array_equal(uniform_(seeded(0), out).T.ravel(), rand(seeded(0), (6,)))


def test_uniform_bounds_out_of_order():
    with pytest.raises(RuntimeError, match="found from=1 > to=0"):
        uniform_(Generator(), np.empty(2), 1, 0)


def test_uniform_of_integers():
    with pytest.raises(NotImplementedError, match="not implemented for 'Long'"):
        rand(Generator(), (2,), np.int64)


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (15, 3599280333),
        (16, 928954846),
        (17, 1319852905),
        (40, 1915543752),
        (100_001, 2190912669),
    ],
)
def test_float32_normals_are_exact(count, expected):
    assert crc(randn(seeded(7), (count,))) == expected


def test_float32_normals_scale_with_one_rounding():
    values = normal_(seeded(7), np.empty(9999, f4), 0.3, 1.7)
    assert crc(values) == 2637583361


def test_float16_normals_draw_only_full_blocks():
    generator = seeded(7)
    assert crc(randn(generator, (40,), f2)) == 2916407701
    assert_array_equal(generator.words(1), seeded(7).words(49)[-1:])


def test_few_float64_normals():
    close(
        normal_(seeded(7), np.empty(5), 0.3, 1.7),
        [
            0.05044833427550816,
            1.6364402078300109,
            1.9095967353067258,
            -1.5943848361437523,
            3.1743432138501966,
        ],
    )


def test_many_float64_normals():
    close(
        randn(seeded(7), (20,), f8)[::4],
        [
            0.06626753966449943,
            1.457454937932726,
            -1.3131496578292892,
            1.7421050311620636,
            -1.6677291342328766,
        ],
    )


def test_complex_normals_share_the_variance():
    expected = np.array(
        [
            (-0.10379981249570847 + 0.5558858513832092j),
            (0.6695039868354797 - 0.7879602313041687j),
        ],
        c8,
    )
    assert_array_equal(randn(seeded(7), (2,), c8), expected)
    assert crc(randn(seeded(7), (99,), c8)) == 61732485


def test_the_second_value_of_a_pair_waits_for_the_next_call():
    generator = seeded(7)
    values = [float(randn(generator, ())) for _ in range(5)]
    assert_array_equal(values, randn(seeded(7), (5,)))


def test_gaps_in_memory_mean_scalar_normals():
    out = np.empty((32, 2), f4)[:, 0]
    few = [
        randn(generator := seeded(7), (8,)),
        *(randn(generator, (8,)) for _ in "abc"),
    ]
    assert_array_equal(normal_(seeded(7), out), np.concatenate(few))


def test_normal_of_tensors():
    mean, std = np.array([1, 2, 3], f4), np.array([0.1, 0.2, 0.3], f4)
    assert_array_equal(
        normal(seeded(2), mean, std),
        np.array([1.0392296314239502, 1.955287218093872, 2.9041500091552734], f4),
    )
    assert_array_equal(
        normal(seeded(2), mean, 0.5),
        np.array([1.19614839553833, 1.8882180452346802, 2.84024977684021], f4),
    )
    assert_array_equal(
        normal(seeded(2), 0.5, std),
        np.array([0.539229691028595, 0.4552871882915497, 0.4041499197483063], f4),
    )


def test_a_negative_standard_deviation():
    with pytest.raises(
        RuntimeError, match="normal expects std >= 0.0, but found std -1"
    ):
        normal_(Generator(), np.empty(2), 0, -1)


def test_nothing_is_drawn_for_nothing():
    generator = seeded(7)
    for fill in (uniform_, normal_, random_, bernoulli_, exponential_):
        fill(generator, np.empty((0, 3)))
    assert_array_equal(generator.get_state(), seeded(7).get_state())


def test_exponential():
    close(
        exponential_(seeded(5), np.empty(3), 2.0),
        [0.5136321057077944, 0.15038900231472843, 0.22379054741513027],
    )


def test_geometric():
    values = geometric_(seeded(5), np.empty(6, np.int64), 0.2)
    assert values.tolist() == [2, 7, 5, 6, 6, 1]


def test_cauchy():
    close(
        cauchy_(seeded(5), np.empty(3), 0.3, 1.7),
        [1.1131432283645948, -1.2988410360706677, -0.49456704983055644],
    )


def test_log_normal():
    close(
        log_normal_(seeded(5), np.empty(3), 0.3, 0.7),
        [0.9600724529946381, 0.8845509963123139, 0.913321466188719],
    )


def test_log_normal_overflows_to_infinity():
    assert np.isinf(log_normal_(seeded(5), np.empty(3), 1e4, 1.0)).all()


def test_poisson():
    rates = np.array([0.0, 0.1, 1.0, 5.0, 10.0, 100.0, 1e6])
    assert poisson(seeded(5), rates).tolist() == [
        0.0,
        0.0,
        0.0,
        7.0,
        9.0,
        110.0,
        998576.0,
    ]
