"""Keys: the generator is Philox4x64-10, and one key always gives the same numbers."""

import numpy as np
import pytest

import fad
from fad import random
from fad.ops.philox import random_bits


def test_bits_are_those_of_numpys_generator():
    key = np.array([5, 7], np.uint64)
    expected = np.random.Philox(key=key, counter=0).random_raw(300)
    for size in (1, 7, 300):
        got = random.bits(key, (size,))
        np.testing.assert_array_equal(got, expected[:size])


def test_keys_of_a_stack_give_what_each_gives_alone():
    keys = random.split(random.key(3), 4)
    got = random_bits(keys, shape=(5,))
    expected = [random.bits(key, (5,)) for key in keys]
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("seed", [0, 7, -1, 2**70 + 3, np.int32(-5), np.uint64(9)])
def test_key_of_a_seed_holds_its_lowest_128_bits(seed):
    low, high = random.key(seed)
    assert int(low) + (int(high) << 64) == int(seed) % 2**128


@pytest.mark.parametrize("seed", [0, 7, -1])
def test_key_of_a_traced_seed_is_that_of_the_number(seed):
    np.testing.assert_array_equal(fad.jit(random.key)(seed), random.key(seed))


def test_split_keys_differ_from_each_other_and_from_the_keys_folded_in():
    key = random.key(0)
    many = [*random.split(key, 50), *(random.fold_in(key, i) for i in range(50)), key]
    assert len({tuple(k.tolist()) for k in many}) == 101


def test_split_takes_a_shape_and_its_keys_do_not_depend_on_it():
    key = random.key(1)
    assert random.split(key, (2, 3)).shape == (2, 3, 2)
    np.testing.assert_array_equal(
        random.split(key, (2, 3)).reshape(6, 2), random.split(key, 6)
    )
    np.testing.assert_array_equal(random.split(key, 3), random.split(key, 6)[:3])


def test_fold_in_of_a_traced_step():
    key = random.key(1)
    folded = fad.jit(lambda i: random.fold_in(key, i))(5)
    np.testing.assert_array_equal(folded, random.fold_in(key, 5))


def test_streams_of_split_keys_are_uncorrelated():
    keys = random.split(random.key(11), 40)
    draws = np.stack([random.normal(key, (2000,)) for key in keys])
    correlation = np.corrcoef(draws) - np.eye(40)
    assert np.abs(correlation).max() < 4.5 / np.sqrt(2000)


def test_bits_of_neighbouring_seeds_differ_in_half_of_their_positions():
    first, second = (random.bits(random.key(s), (1000,)) for s in (0, 1))
    flips = np.bitwise_count(first ^ second).mean()
    assert abs(flips - 32) < 4 * 4 / np.sqrt(1000)


def test_bits_of_every_width():
    for dtype in (np.uint8, np.uint16, np.uint32, np.uint64):
        got = random.bits(random.key(0), (500,), dtype)
        assert got.dtype == dtype
        half = float(np.iinfo(dtype).max) / 2
        assert abs(got.mean() / half - 1) < 0.1


def test_number_in_the_place_of_a_key_is_refused_with_the_remedy():
    with pytest.raises(TypeError, match=r"fad\.random\.key\(seed\)"):
        random.normal(0, (3,))


def test_array_that_is_no_key_is_refused():
    with pytest.raises(TypeError, match="shape \\(2,\\) and dtype uint64"):
        random.normal(np.zeros(2), (3,))


def test_array_of_keys_is_refused_with_vmap_as_the_remedy():
    with pytest.raises(ValueError, match=r"fad\.vmap\(lambda key: fad\.random\.normal"):
        random.normal(random.split(random.key(0)), (3,))


def test_traced_shape_is_refused():
    with pytest.raises(TypeError, match="shapes are static"):
        fad.jit(lambda n: random.normal(random.key(0), (n,)))(3)


@pytest.mark.parametrize("dtype", [int, bool])
def test_sampler_of_real_numbers_refuses_integer_dtypes(dtype):
    with pytest.raises(TypeError, match="dtype must be a floating one"):
        random.uniform(random.key(0), (3,), dtype)
