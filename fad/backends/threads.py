"""Blocks of rows on several cores.

NumPy lets other threads run while it computes on arrays, so blocks of one group of
equations can run side by side. The rows are cut in `PIECES` pieces, always the same,
and sums over rows are added up in their order: results do not depend on how many
threads there are.

There are as many threads as OMP_NUM_THREADS says, as for BLAS, or as there are cores.
The calling thread takes pieces like all others, so that a busy pool delays nobody.

Public names: `LARGE`, `run_pieces`, `thread_count`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import cache, reduce
from typing import Any

__all__ = ["LARGE", "run_pieces", "thread_count"]

LARGE = 1 << 20
"""Elements of an array from which it pays to wake other threads."""

PIECES = 8


def thread_count() -> int:
    """Return how many threads may compute at once; a browser has one."""
    if sys.platform in ("emscripten", "wasi"):
        return 1
    wanted = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0]
    if wanted.isdecimal() and int(wanted) > 0:
        return int(wanted)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _pool() -> ThreadPoolExecutor | None:
    helpers = min(thread_count(), PIECES) - 1
    return ThreadPoolExecutor(helpers, "fad") if helpers else None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads are not forked


def run_pieces(
    piece: Callable[[int, int], Sequence[Any]],
    rows: int,
    step: int,
    combines: Sequence[Callable[[Any, Any], Any]],
) -> list[Any]:
    """Run a function of (start, stop) on pieces of `rows`, and combine what it returns.

    Args:
        piece: returns a partial result for each function in `combines`.
        rows: how many there are.
        step: pieces start at multiples of it.
        combines: how to join two partial results that follow each other.
    """
    length = step * -(-rows // (step * PIECES))
    bounds = [(i, min(i + length, rows)) for i in range(0, rows, length)]
    results: list[Any] = [None] * len(bounds)
    todo = iter(range(len(bounds)))
    helpers = _wake(lambda: _work(piece, bounds, todo, results), len(bounds) - 1)
    try:
        _work(piece, bounds, todo, results)
    finally:
        for _ in todo:  # after an error nobody begins another piece
            pass
        for helper in helpers:
            if not helper.cancel():
                helper.result()
    return [
        reduce(c, column)
        for c, column in zip(combines, zip(*results, strict=True), strict=False)
    ]


def _wake(work: Callable[[], None], most: int) -> list[Future[None]]:
    pool = _pool()
    if pool is None:
        return []
    count = min(thread_count() - 1, most)
    return [pool.submit(copy_context().run, work) for _ in range(count)]


def _work(
    piece: Callable[[int, int], Any],
    bounds: Sequence[tuple[int, int]],
    todo: Iterator[int],
    results: list[Any],
) -> None:
    """Do pieces that nobody does, until none is left."""
    for i in todo:  # `next` of a range iterator is one step of the interpreter
        results[i] = piece(*bounds[i])
