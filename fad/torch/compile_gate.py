"""Who may use the tensors of compiled functions: many that run, or one that traces.

While a function is traced its tensors hold tracers (`fad.torch.compile_program`), so no
other thread may run a program then.

Public names: `GATE`, `Gate`.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

__all__ = ["GATE", "Gate"]


class Gate:
    """Lets many threads through to run, or one to trace."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._running = self._tracing = self._waiting = 0
        self._tracer: int | None = None

    def enter(self) -> None:
        """Begin to run; wait until nobody else traces."""
        with self._lock:
            if self._tracing:
                me = threading.get_ident()
                self._wait(lambda: not self._tracing or self._tracer == me)
            self._running += 1

    def leave(self) -> None:
        """End to run."""
        with self._lock:
            self._running -= 1
            if self._waiting:
                self._changed.notify_all()

    @contextlib.contextmanager
    def trace(self) -> Iterator[None]:
        """Wait until nobody else runs or traces."""
        me = threading.get_ident()
        with self._lock:
            self._wait(
                lambda: self._tracer == me or not (self._tracing or self._running)
            )
            self._tracing += 1
            self._tracer = me
        try:
            yield
        finally:
            with self._lock:
                self._tracing -= 1
                if not self._tracing:
                    self._tracer = None
                self._changed.notify_all()

    def _wait(self, free: Callable[[], bool]) -> None:
        self._waiting += 1
        self._changed.wait_for(free)
        self._waiting -= 1


GATE = Gate()
"""The one of all compiled functions: they may share tensors."""
