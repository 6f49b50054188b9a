"""The line before the model thread: who waits is told how many are before them, and nobody waits longer than the host allows."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from tlmviz.errors import Error
from tlmviz.hosting import limits, metrics

Result = TypeVar("Result")


class TooLong(Error):
    """Work took longer than the host allows."""


class Line:
    """One thread that computes for everybody, in the order in which they came."""

    def __init__(self) -> None:
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="torch")
        self.waiting: dict[Future[Any], float] = {}  # in the order in which they came
        self.lock = threading.Lock()

    def submit(self, work: Callable[[], Result]) -> Future[Result]:
        """Hand work to the thread, behind all that came before."""
        came = time.perf_counter()

        def run() -> Result:
            metrics.WAITED.observe(time.perf_counter() - came)
            return work()

        with self.lock:
            future = self.thread.submit(run)
            self.waiting[future] = came
        metrics.LINE.inc()
        future.add_done_callback(self._done)
        return future

    def _done(self, future: Future[Any]) -> None:
        metrics.LINE.dec()
        with self.lock:
            self.waiting.pop(future, None)

    def ages(self) -> list[float]:
        """For how many seconds each that is in line has been there, the one that is served first."""
        now = time.perf_counter()
        with self.lock:
            return [now - came for came in self.waiting.values()]

    def wait(self, future: Future[Result]) -> Result:
        """The result. Raises TooLong, in words for the visitor, behind the host's limit of seconds.

        What has not begun by then never will; what has begun cannot be stopped and goes on.
        """
        allowed = limits.current().seconds or None
        try:
            return future.result(allowed)
        except TimeoutError:
            if future.done():  # the work itself raised it
                raise
            future.cancel()
            metrics.REFUSED.labels("seconds").inc()
            raise TooLong(
                f"This takes longer than the {allowed:g} seconds that this server gives to a press; shorten the text, or try "
                "again when fewer are here."
            ) from None
