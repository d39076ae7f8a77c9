"""Seeds, words and states against PyTorch 2.13's, recorded by running it."""

import copy
import pickle
import zlib

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fad.torch.generator import Generator
from fad.torch.sampling import (
    rand,
    randn,
)

f2, f4, f8, c8 = np.float16, np.float32, np.float64, np.complex64


def seeded(seed):
    return Generator().manual_seed(seed)


def crc(array):
    return zlib.crc32(np.ascontiguousarray(array).tobytes())


def test_the_default_seed_gives_the_state_of_a_new_torch_generator():
    assert crc(Generator().get_state()) == 3499555337


def test_only_the_low_32_bits_of_a_seed_count():
    assert rand(seeded(2**35 + 7), (1,)) == rand(seeded(7), (1,))


@pytest.mark.parametrize("seed", [-1, 2**64 - 1])
def test_a_negative_seed_counts_down_from_2_to_the_64(seed):
    generator = seeded(seed)
    assert generator.initial_seed() == 2**64 - 1
    assert_array_equal(rand(generator, (1,)), np.array([0.9937993884086609], f4))


def test_a_float_seed_is_refused():
    with pytest.raises(RuntimeError, match="expected a long, but got float"):
        Generator().manual_seed(1.5)


def test_a_seed_beyond_64_bits_is_refused():
    with pytest.raises(ValueError, match="Overflow when unpacking long long"):
        Generator().manual_seed(2**64)


def test_the_state_after_draws_is_torchs_byte_for_byte():
    generator = seeded(3)
    randn(generator, (3,))
    assert crc(generator.get_state()) == 3748557049
    rand(generator, (624 - 8,))
    assert crc(generator.get_state()) == 2645981133


def test_a_state_brings_back_the_stream_and_the_spare_normal():
    generator = seeded(3)
    randn(generator, (3,))
    state = generator.get_state()
    expected = randn(generator, (5,))
    assert_array_equal(randn(Generator().set_state(state), (5,)), expected)


def test_an_invalid_state_is_refused():
    with pytest.raises(RuntimeError, match="Invalid mt19937 state"):
        Generator().set_state(np.zeros(5056, np.uint8))
    with pytest.raises(RuntimeError, match="of size 5056 but found .* to be 5"):
        Generator().set_state(np.zeros(5, np.uint8))
    with pytest.raises(TypeError, match="must be a torch.ByteTensor"):
        Generator().set_state(np.zeros(5056))


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))]
)
def test_copies_continue_the_stream(copied):
    generator = seeded(3)
    randn(generator, (3,))
    other = copied(generator)
    assert_array_equal(randn(other, (5,)), randn(generator, (5,)))


def test_values_drawn_one_by_one_leave_the_stream_where_they_end():
    generator, other = seeded(1), seeded(1)
    with generator.one_by_one() as uniform:
        values = [uniform() for _ in range(300)]
    assert_array_equal(values, other.uniform53(300))
    assert_array_equal(generator.get_state(), other.get_state())
