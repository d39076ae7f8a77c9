"""Integers, masks and choices against PyTorch 2.13's, recorded by running it."""

import zlib

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fad.torch.choosing import (
    draw_seed,
    dropout_mask,
    multinomial,
    randperm,
    shuffled,
)
from fad.torch.generator import Generator
from fad.torch.integers import randint, random_
from fad.torch.sampling import (
    bernoulli_,
    rand,
)

f2, f4, f8, c8 = np.float16, np.float32, np.float64, np.complex64


def seeded(seed):
    return Generator().manual_seed(seed)


def crc(array):
    return zlib.crc32(np.ascontiguousarray(array).tobytes())


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 10, [4, 9, 3, 0, 3]),
        (-5, 5, [-1, 4, -2, -5, -2]),
        (0, 2**28 - 1, [209652404, 130329144, 118924928]),
        (0, 2**28, [130329135, 136432832, 195187451]),
        (
            -(2**62),
            2**62,
            [-3711235831533098449, -642142871786238784, -2716036421228801285],
        ),
    ],
)
def test_randint(low, high, expected):
    assert randint(seeded(0), low, high, (len(expected),)).tolist() == expected


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("bool", [False, True, True, False]),
        ("uint8", [172, 47, 117, 192]),
        ("int8", [44, 47, 117, 64]),
        ("int16", [2732, 10799, 9845, 19648]),
        ("int32", [209652396, 398764591, 924231285, 1478610112]),
        (
            "int64",
            [
                900450186894289455,
                3969543146641149120,
                1895649597198586619,
                827948490035658087,
            ],
        ),
        ("float16", [1277.0, 1017.0, 1661.0, 999.0]),
        ("float32", [8325664.0, 12888472.0, 1484222.0, 2214888.0]),
        (
            "float64",
            [
                8737460674930124.0,
                6375474555111176.0,
                4137753702977065.0,
                8293357854226700.0,
            ],
        ),
    ],
)
def test_random_without_bounds_spans_the_dtype(dtype, expected):
    assert random_(seeded(0), np.empty(4, dtype)).tolist() == expected


def test_random_from_the_least_integer_takes_whole_words():
    values = random_(seeded(0), np.empty(2, np.int64), -(2**63))
    assert values.tolist() == [-8322921849960486353, -5253828890213626688]


def test_bounds_that_a_float_cannot_hold_move_inwards():
    with pytest.warns(UserWarning, match="out of bounds"):
        values = random_(seeded(0), np.empty(3, f4), -(2**25) - 1, 2**25 + 3)
    assert values.tolist() == [-25228768.0, 29665690.0, 18261440.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, 5, (2,)), "'from' to be less than 'to', but got from=5 >= to=5"),
        ((0, 300, (2,), np.uint8), "to - 1 is out of bounds for unsigned char"),
        ((-1, 3, (2,), np.uint8), "from is out of bounds for unsigned char"),
        ((0, 70000, (2,), f2), "to - 1 is out of bounds for c10::Half"),
        ((0, 3, (2,), c8), "handles only integral, floating-point and boolean"),
    ],
)
def test_bounds_that_do_not_fit(arguments, message):
    with pytest.raises(RuntimeError, match=message):
        randint(Generator(), *arguments)


def test_bernoulli_of_a_number_draws_53_bits():
    values = bernoulli_(seeded(2), np.empty(999, f4), 0.3)
    assert crc(values) == 3084309750


@pytest.mark.parametrize(("dtype", "expected"), [(f4, 2381307160), (f8, 3084309750)])
def test_bernoulli_of_an_array_draws_what_its_dtype_holds(dtype, expected):
    p = np.full(999, 0.3, dtype)
    assert crc(bernoulli_(seeded(2), np.empty(999, f4), p)) == expected


def test_bernoulli_broadcasts_the_probabilities():
    values = bernoulli_(
        seeded(2), np.empty((3, 4), bool), np.array([0.0, 1.0, 0.5, 0.5], f4)
    )
    assert values.tolist() == [
        [False, True, False, True],
        [False, True, True, True],
        [False, True, False, False],
    ]


def test_dropout_mask():
    expected = np.array(
        [
            1.4285714626312256,
            0.0,
            1.4285714626312256,
            0.0,
            0.0,
            1.4285714626312256,
            1.4285714626312256,
            0.0,
        ],
        f4,
    )
    assert_array_equal(dropout_mask(seeded(4), np.empty(8, f4), 0.3), expected)


def test_float16_dropout_scales_in_float32():
    assert dropout_mask(seeded(4), np.empty(8, f2), 0.3).max() == 1.4287109375


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_dropout_of_all_or_nothing_draws_nothing(p):
    generator = seeded(4)
    assert_array_equal(dropout_mask(generator, np.empty(3), p), 1 - p)
    assert_array_equal(generator.get_state(), seeded(4).get_state())


def test_a_probability_above_1():
    with pytest.raises(RuntimeError, match=r"p to be in \[0, 1\], but got p=1.5"):
        bernoulli_(Generator(), np.empty(2), 1.5)


@pytest.mark.parametrize("n", [0, 1])
def test_the_shortest_permutations_draw_nothing(n):
    generator = seeded(0)
    assert randperm(generator, n).tolist() == list(range(n))
    assert_array_equal(generator.get_state(), seeded(0).get_state())


@pytest.mark.parametrize(
    ("n", "expected"), [(10, 1883426623), (1000, 1167042831), (99_999, 3768300340)]
)
def test_randperm(n, expected):
    assert crc(randperm(seeded(0), n)) == expected


@pytest.mark.parametrize("n", [2, 3, 7, 100, 2000])
def test_randperm_equals_its_definition_by_swaps(n):
    items, words = list(range(n)), seeded(n).words(n - 1).tolist()
    for i, word in enumerate(words):
        z = i + word % (n - i)
        items[i], items[z] = items[z], items[i]
    assert randperm(seeded(n), n).tolist() == items


def test_randperm_of_too_many():
    with pytest.raises(RuntimeError, match="cannot be greater than 2049 for Half type"):
        randperm(Generator(), 3000, f2)


def test_multinomial_without_replacement():
    weights = np.array([[0.1, 0.2, 0.3, 0.4], [4, 3, 2, 1]], f4)
    assert multinomial(seeded(0), weights, 3).tolist() == [[2, 1, 3], [2, 0, 3]]


def test_multinomial_with_replacement():
    weights = np.array([[0.1, 0.2, 0.3, 0.4], [4, 3, 2, 1]], f4)
    assert multinomial(seeded(0), weights, 6, True).tolist() == [
        [3, 3, 2, 3, 3, 3],
        [0, 0, 1, 0, 1, 0],
    ]


def test_one_choice_with_replacement_is_made_as_without():
    weights = np.array([0.1, 0.2, 0.3, 0.4], f4)
    generator = seeded(8)
    choices = [multinomial(generator, weights, 1, True).item() for _ in range(5)]
    assert choices == [2, 3, 2, 2, 0]


@pytest.mark.parametrize(
    ("weights", "count", "message"),
    [
        ([0.1, -0.1], 1, "either `inf`, `nan` or element < 0"),
        ([0.0, 0.0], 1, "sum of probabilities <= 0"),
        ([0.1, 0.2], 3, "without replacement"),
        ([0.1, 0.2], 0, "cannot sample n_sample <= 0 samples"),
    ],
)
def test_weights_that_are_no_distribution(weights, count, message):
    with pytest.raises(RuntimeError, match=message):
        multinomial(Generator(), np.array(weights), count)


def test_a_shuffling_loader_draws_two_seeds_an_epoch():
    generator = seeded(3)
    epochs = [(draw_seed(generator), shuffled(generator, 6))[1] for _ in range(2)]
    assert epochs == [[2, 4, 0, 1, 3, 5], [3, 2, 0, 1, 4, 5]]
    assert_array_equal(rand(generator, (1,)), np.array([0.5944212079048157], f4))


def test_a_sampler_with_replacement():
    expected = [1, 0, 3, 5, 2, 2, 4, 0, 1]
    assert shuffled(seeded(3), 6, count=9, replacement=True) == expected


def test_a_sampler_of_more_than_all_items_shuffles_again():
    expected = [3, 1, 0, 2, 3, 0, 2, 1, 0]
    assert shuffled(seeded(3), 4, count=9) == expected
