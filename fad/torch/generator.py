"""The source of randomness: PyTorch's CPU generator, word for word.

PyTorch draws from the Mersenne Twister MT19937, seeded as Matsumoto and Nishimura's
``init_genrand`` with the low 32 bits of the seed. NumPy carries the same engine, so
a `Generator` is NumPy's bit generator plus what PyTorch keeps beside it: the whole
64-bit seed, and the second value of the last Box-Muller pair.

From one 32-bit word ``a``, or two words ``a, b`` in the order drawn:

- `Generator.words`: ``a``;
- `Generator.wide_words`: ``w = a << 32 | b``;
- `Generator.uniform24`: the low 24 bits of ``a``, times ``2**-24`` (float32);
- `Generator.uniform53`: the low 53 bits of ``w``, times ``2**-53`` (float64).

The state is PyTorch's block of 5056 bytes, so states travel both ways: seed, number
of words left, 624 state words, and the kept normal value. `fad.torch.sampling` and
`fad.torch.choosing` turn words into samples.

Public names: `Generator`, `DEFAULT_SEED`.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

__all__ = ["DEFAULT_SEED", "Generator"]

DEFAULT_SEED = 67280421310721  # what a new torch.Generator() is seeded with


class Generator:
    """A stream of pseudo-random numbers equal to ``torch.Generator``'s on a CPU.

    Attributes:
        spare_normal: The second value of the last Box-Muller pair, which the next
            scalar normal draw returns first; None when there is none.

    >>> generator = Generator().manual_seed(0)
    >>> generator.uniform24(3)
    array([0.4962566 , 0.7682218 , 0.08847743], dtype=float32)
    >>> generator.initial_seed()
    0
    """

    __slots__ = ("_engine", "_fresh", "_seed", "_seeder", "spare_normal")

    spare_normal: float | None

    def __init__(self) -> None:
        self._make_engine()
        self.manual_seed(DEFAULT_SEED)

    def manual_seed(self, seed: int) -> Generator:
        """Restart the stream from `seed` and return the generator.

        Args:
            seed: From ``-2**63`` to ``2**64 - 1``; a negative one counts from
                ``2**64`` down. Only its low 32 bits choose the stream.

        Raises:
            RuntimeError: `seed` is not an int (a bool is none).
            ValueError: `seed` does not fit in 64 bits.

        >>> Generator().manual_seed(-1).initial_seed() == 2**64 - 1
        True
        """
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
            kind = type(seed).__name__
            raise RuntimeError(f"manual_seed expected a long, but got {kind}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = int(seed) % 2**64
        self._seeder.seed(self._seed % 2**32)
        self._fresh = True
        self.spare_normal = None
        return self

    def seed(self) -> int:
        """Restart the stream from the system's entropy; return the seed taken.

        >>> generator = Generator()
        >>> generator.seed() == generator.initial_seed()
        True
        """
        self.manual_seed(secrets.randbits(53))
        return self._seed

    def initial_seed(self) -> int:
        """Return the seed the stream was last started from.

        >>> Generator().initial_seed()
        67280421310721
        """
        return self._seed

    def get_state(self) -> np.ndarray:
        """Return the state as PyTorch's 5056 bytes, an array of uint8.

        >>> Generator().get_state().shape
        (5056,)
        """
        state = np.zeros((), _STATE)
        inner = self._engine.state["state"]
        state["seed"] = self._seed
        # The words still to come before the next twist, plus one; none came yet when
        # the words are the seed's own.
        state["left"] = 1 if self._fresh else _WORDS + 1 - inner["pos"]
        state["next"] = 0 if self._fresh else inner["pos"]
        state["seeded"] = 1
        state["words"] = inner["key"]
        state["has_normal"] = self.spare_normal is not None
        state["normal"] = self.spare_normal or 0.0
        return np.frombuffer(state.tobytes(), np.uint8).copy()

    def set_state(self, state: np.ndarray) -> Generator:
        """Continue from a state of `get_state`, or PyTorch's; return the generator.

        Args:
            state: 5056 values of dtype uint8.

        Raises:
            TypeError: `state` is not an array of uint8.
            RuntimeError: It has another size or holds no valid state.

        >>> first = Generator().manual_seed(3)
        >>> second = Generator().set_state(first.get_state())
        >>> bool((first.words(9) == second.words(9)).all())
        True
        """
        if not isinstance(state, np.ndarray) or state.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if state.size != _STATE.itemsize:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {_STATE.itemsize} but "
                f"found the input RNG state size to be {state.size}"
            )
        fields = np.frombuffer(state.tobytes(), _STATE)[0]
        left, following = int(fields["left"]), int(fields["next"])
        if fields["seeded"] != 1 or not 0 < left <= _WORDS or following > _WORDS:
            raise RuntimeError("Invalid mt19937 state")
        self._seed = int(fields["seed"])
        self._fresh = left == 1 and following == 0
        position = _WORDS if left == 1 else following
        inner: Any = {"key": fields["words"].astype(np.uint32), "pos": position}
        self._engine.state = {"bit_generator": "MT19937", "state": inner}
        self.spare_normal = float(fields["normal"]) if fields["has_normal"] else None
        return self

    def clone_state(self) -> Generator:
        """Return a new generator that continues as this one does.

        >>> first = Generator().manual_seed(3)
        >>> int(first.clone_state().words(1)[0]) == int(first.words(1)[0])
        True
        """
        return Generator().set_state(self.get_state())

    def words(self, count: int) -> np.ndarray:
        """Draw `count` words of 32 bits, as uint64.

        >>> Generator().manual_seed(0).words(2)
        array([2357136044, 2546248239], dtype=uint64)
        """
        if count:
            self._fresh = False
        return self._engine.random_raw(count)

    def wide_words(self, count: int) -> np.ndarray:
        """Draw `count` words of 64 bits, as uint64; each takes two words.

        >>> Generator().manual_seed(0).wide_words(1)
        array([10123822223749065263], dtype=uint64)
        """
        words = self.words(2 * count)
        return np.asarray(words[0::2] << np.uint64(32) | words[1::2])

    def uniform24(self, count: int) -> np.ndarray:
        """Draw `count` float32 values from [0, 1), multiples of ``2**-24``.

        >>> Generator().manual_seed(1).uniform24(1)
        array([0.7576316], dtype=float32)
        """
        low = (self.words(count) & np.uint64(2**24 - 1)).astype(np.float32)
        return low * np.float32(2.0**-24)

    def uniform53(self, count: int) -> np.ndarray:
        """Draw `count` float64 values from [0, 1), multiples of ``2**-53``.

        >>> Generator().manual_seed(1).uniform53(1)
        array([0.06105327])
        """
        return (self.wide_words(count) & np.uint64(2**53 - 1)) * 2.0**-53

    @contextlib.contextmanager
    def one_by_one(self) -> Iterator[Callable[[], float]]:
        """Lend a function that draws one `uniform53` value a call.

        It reads ahead, and gives back on exit what was not asked for: for rejection
        samplers, which cannot say how much they will need. Draw nothing else inside.

        >>> generator = Generator().manual_seed(1)
        >>> with generator.one_by_one() as uniform:
        ...     print(round(uniform(), 4))
        0.0611
        """
        before, fresh, taken = self._engine.state, self._fresh, 0

        def values() -> Iterator[float]:
            nonlocal taken
            while True:
                for value in self.uniform53(256).tolist():
                    taken += 1
                    yield value

        try:
            yield values().__next__
        finally:
            self._engine.state, self._fresh = before, fresh
            self.words(2 * taken)

    def __getstate__(self) -> np.ndarray:
        return self.get_state()

    def __setstate__(self, state: np.ndarray) -> None:
        self._make_engine()
        self.set_state(state)

    def _make_engine(self) -> None:
        self._engine = np.random.MT19937(0)
        self._seeder = np.random.RandomState(self._engine)  # seeds it by init_genrand


_WORDS = 624  # words in MT19937's state

_STATE = np.dtype(
    [
        ("seed", "<u8"),
        ("left", "<i4"),
        ("seeded", "<i4"),
        ("next", "<u8"),
        ("words", "<u8", _WORDS),
        ("unused_x", "<f8"),
        ("normal", "<f8"),
        ("unused_rho", "<f8"),
        ("has_normal", "<i4"),
        ("gap", "V4"),
        ("unused_normal32", "<f4"),
        ("has_normal32", "?"),
        ("end", "V3"),
    ]
)
