"""Guards: copies of what is small or foreign, locks of what is large, all released."""

import gc
import threading

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fad.core.guard import COPY_LIMIT, LONG_COPY_LIMIT, Guard


def large():
    return np.ones(COPY_LIMIT)


def test_small_arrays_are_copied():
    guard, x = Guard(), np.ones(3)
    kept = guard.keep(x)
    assert kept is not x
    assert x.flags.writeable


def test_large_arrays_are_locked_until_release():
    guard, x = Guard(), large()
    assert guard.keep(x) is x
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 2.0
    guard.release()
    x[0] = 2.0


def test_locks_end_with_the_guard():
    x = large()
    guard = Guard()
    guard.keep(x)
    del guard
    gc.collect()
    assert x.flags.writeable


def test_views_lock_their_owner():
    guard, x = Guard(), np.ones((4, COPY_LIMIT))
    view = x[::2]
    guard.keep(view)
    assert not x.flags.writeable
    assert not view.flags.writeable
    guard.release()
    assert x.flags.writeable
    assert view.flags.writeable


def test_two_guards_release_only_together():
    a, b, x = Guard(), Guard(), large()
    a.keep(x)
    b.keep(x)
    a.release()
    assert not x.flags.writeable
    b.release()
    assert x.flags.writeable


def test_keeping_twice_counts_once():
    guard, x = Guard(), large()
    guard.keep(x)
    guard.keep(x)
    guard.release()
    assert x.flags.writeable


def test_release_twice_is_harmless_and_keep_works_again():
    guard, x = Guard(), large()
    guard.keep(x)
    guard.release()
    guard.release()
    guard.keep(x)
    assert not x.flags.writeable
    guard.release()
    assert x.flags.writeable


def test_read_only_arrays_stay_so():
    guard, x = Guard(), large()
    x.flags.writeable = False
    assert guard.keep(x) is x
    guard.release()
    assert not x.flags.writeable


def test_foreign_memory_that_may_change_is_copied():
    guard = Guard()
    x = np.frombuffer(bytearray(16 * COPY_LIMIT), np.float64)
    kept = guard.keep(x)
    assert not np.shares_memory(kept, x)
    assert x.flags.writeable


def test_copying_guard_gives_one_copy_of_an_array_that_does_not_change():
    guard, x = Guard(LONG_COPY_LIMIT), large()
    a, b = guard.keep(x), guard.keep(x)
    assert a is b
    assert not np.shares_memory(a, x)
    assert x.flags.writeable
    x[0] = 7.0
    assert guard.keep(x)[0] == 7.0
    assert_array_equal(a, large())


def test_many_guards_in_many_threads_leave_arrays_writeable():
    arrays = [large() for _ in range(5)]

    def work():
        for _ in range(200):
            guard = Guard()
            for x in arrays:
                guard.keep(x)
            guard.release()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(30)
    assert not any(t.is_alive() for t in threads)
    assert all(x.flags.writeable for x in arrays)


def test_guard_in_a_reference_cycle_is_released_by_the_collector():
    x = large()
    guard = Guard()
    guard.keep(x)
    cycle = [guard]
    cycle.append(cycle)
    del guard, cycle
    gc.collect()
    assert x.flags.writeable


def test_release_amid_another_guards_keep_is_done_afterwards():
    """The garbage collector may run anywhere, also inside `keep`."""
    from fad.core import guard as module

    a, b, x, y = Guard(), Guard(), large(), large()
    a.keep(x)
    module._busy.append(True)
    a.release()
    assert not x.flags.writeable
    module._busy.clear()
    b.keep(y)
    assert x.flags.writeable
    b.release()


def test_holding_many_arrays_is_linear():
    guard, arrays = Guard(), [large() for _ in range(2000)]
    for x in arrays:
        guard.keep(x)
    guard.release()
    assert all(x.flags.writeable for x in arrays)


def test_copy_of_an_array_with_nan_is_made_once():
    guard, x = Guard(LONG_COPY_LIMIT), np.full(COPY_LIMIT, np.nan)
    assert guard.keep(x) is guard.keep(x)


def test_view_stays_locked_while_another_guard_holds_its_owner():
    a, b, x = Guard(), Guard(), np.ones((4, COPY_LIMIT))
    view = x[1]
    a.keep(view)
    b.keep(x)
    a.release()
    assert not view.flags.writeable
    b.release()
    assert view.flags.writeable
    assert x.flags.writeable


def test_view_is_locked_after_its_owner():
    a, x = Guard(), np.ones((4, COPY_LIMIT))
    view = x[1]
    a.keep(x)
    a.keep(view)
    assert not view.flags.writeable
    a.release()
    assert view.flags.writeable
