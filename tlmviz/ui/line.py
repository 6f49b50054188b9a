"""The line before the model threads: who waits is told how many are before them, and nobody waits longer than the host allows."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from tlmviz.errors import Error
from tlmviz.hosting import limits, metrics
from tlmviz.ui import texts

Result = TypeVar("Result")
LONG = 0.25  # seconds: whoever computes for longer lets the next one begin beside


class TooLong(Error):
    """Work took longer than the host allows."""


class Line:
    """Computes for everybody, in the order in which they came, one at a time.

    Where there are several `threads`, work that takes LONG seconds goes on in its own, and the next in line begins beside it:
    one long text does not keep a class waiting.
    """

    def __init__(self, threads: int = 1) -> None:
        self.threads = ThreadPoolExecutor(threads, thread_name_prefix="torch")
        self.line: deque[tuple[Future[Any], float, Callable[[], Any]]] = deque()  # with the time they came
        self.waiting: dict[
            Future[Any], float
        ] = {}  # in the order in which they came, those that are served too
        self.served: dict[Future[Any], float] = {}  # since when
        self.change = threading.Condition()

    def submit(self, work: Callable[[], Result]) -> Future[Result]:
        """Hand work in, behind all that came before."""
        future, came = Future[Result](), time.perf_counter()
        with self.change:
            self.line.append((future, came, work))
            self.waiting[future] = came
        metrics.LINE.inc()
        future.add_done_callback(self._done)
        self.threads.submit(self._serve)
        return future

    def _serve(self) -> None:
        """Compute for the first in line, once it is its turn. Called as often as something was handed in."""
        future, came, work = self._first()
        if not future.set_running_or_notify_cancel():
            return
        metrics.WAITED.observe(time.perf_counter() - came)
        try:
            result = work()
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)

    def _first(self) -> tuple[Future[Any], float, Callable[[], Any]]:
        with self.change:
            while (left := self._left()) > 0:
                self.change.wait(left)
            first = self.line.popleft()
            if not first[0].cancelled():
                self.served[first[0]] = time.perf_counter()
            return first

    def _left(self) -> float:
        """For how many seconds nobody may begin."""
        now = time.perf_counter()
        return max((began + LONG - now for began in self.served.values()), default=0.0)

    def _done(self, future: Future[Any]) -> None:
        metrics.LINE.dec()
        with self.change:
            self.waiting.pop(future, None)
            self.served.pop(future, None)
            self.change.notify_all()

    def ages(self) -> list[float]:
        """For how many seconds each that is in line has been there, the one that is served first."""
        now = time.perf_counter()
        with self.change:
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
            raise TooLong(texts.too_long(allowed)) from None
