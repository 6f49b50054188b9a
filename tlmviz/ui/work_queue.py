"""The line before the model threads: who waits is told how many are before them, and nobody waits longer than the host
allows."""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from tlmviz.errors import Error
from tlmviz.hosting import limits, metrics
from tlmviz.ui import texts

Result = TypeVar("Result")
LONG = 0.25  # seconds: whoever computes for longer lets the next one begin beside
STANDS_BACK = 5  # niceness of the thread of deep work
BEHIND = 1 / 3  # of the host's seconds may pass with others' deep work: the rest is for one's own
LAST = 8  # pieces of deep work by which the wait for others is estimated
LOOK = 0.2  # seconds between two looks whether who waits still does
_NOBODY = object()
_NOTHING = "_line_nothing"  # a name that no session holds


class TooLong(Error):
    """Work took longer than the host allows."""


@dataclass(frozen=True)
class Turn:
    """Work in line: whose it is, whether it is known to take long, or so long that it is `deep`, and when it came."""

    work: Callable[[], Any]
    who: Hashable
    long: bool
    deep: bool
    future: Future[Any] = field(default_factory=Future)
    came: float = field(default_factory=time.perf_counter)


class Line:
    """Computes for everybody, one at a time, and for each visitor in turn: who has handed in much waits for it alone.

    Where there are several `threads`, work that takes LONG seconds goes on in its own, and the next in line begins
    beside it: one long text does not keep a class waiting. One thread is kept for what is not known to take long, and
    deep work, of many seconds, has one thread, from which the others take the processor.
    """

    def __init__(self, threads: int = 1) -> None:
        self.threads = ThreadPoolExecutor(threads, thread_name_prefix="torch")
        self.deep = ThreadPoolExecutor(1, thread_name_prefix="torch-deep", initializer=_stand_back)
        self.line: OrderedDict[Hashable, deque[Turn]] = OrderedDict()  # by visitor, the next one first
        self.most_long = max(1, threads - 1)
        self.long: dict[Future[Any], bool] = {}  # what is served and known to take long: whether it is deep
        self.waiting: dict[Future[Any], float] = {}  # in the order in which they came, those that are served too
        self.served: dict[Future[Any], float] = {}  # since when
        self.depth: dict[
            Future[Any], float
        ] = {}  # what is deep, in its order, what is served too, and when it began, else inf
        self.took: deque[float] = deque(maxlen=LAST)  # seconds of the deep work that was served last
        self.change = threading.Condition()

    def submit(
        self, work: Callable[[], Result], who: Hashable = None, long: bool = False, deep: bool = False
    ) -> Future[Result]:
        """Hand work in, behind all that this visitor has in line, and one of each other visitor's."""
        turn = Turn(work, who, long or deep, deep)
        with self.change:
            self.line.setdefault(who, deque()).append(turn)
            self.waiting[turn.future] = turn.came
            if deep:
                self.depth[turn.future] = math.inf
            self.change.notify_all()
        metrics.LINE.inc()
        turn.future.add_done_callback(self._done)
        self.threads.submit(self._serve)
        return turn.future

    def _serve(self) -> None:
        """Compute for the first in line, once it is its turn. Called as often as something was handed in."""
        turn = self._first()
        if turn.deep:
            self.deep.submit(self._compute, turn).result()
        else:
            self._compute(turn)

    def _compute(self, turn: Turn) -> None:
        future = turn.future
        if not future.set_running_or_notify_cancel():
            return
        metrics.WAITED.observe(time.perf_counter() - turn.came)
        try:
            result = turn.work()
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)

    def _first(self) -> Turn:
        with self.change:
            while (left := self._left()) > 0 or (who := self._next()) is _NOBODY:
                self.change.wait(left or None)
            turn = self.line[who].popleft()
            rest = self.line.pop(who)
            if rest:
                self.line[who] = rest  # behind everybody else's
            if not turn.future.cancelled():
                self.served[turn.future] = time.perf_counter()
                if turn.long:
                    self.long[turn.future] = turn.deep
                if turn.deep:
                    self.depth[turn.future] = self.served[turn.future]
            return turn

    def _next(self) -> Hashable:
        """Whose turn it is; _NOBODY where all that wait take long, and as many as may do so are served."""
        may_be_long = len(self.long) < self.most_long
        may_be_deep = may_be_long and not any(self.long.values())
        turns = ((who, turns[0]) for who, turns in self.line.items())
        allowed = (who for who, turn in turns if (may_be_deep if turn.deep else may_be_long or not turn.long))
        return next(allowed, _NOBODY)

    def _left(self) -> float:
        """For how many seconds nobody may begin."""
        now = time.perf_counter()
        return max((began + LONG - now for began in self.served.values()), default=0.0)

    def _done(self, future: Future[Any]) -> None:
        metrics.LINE.dec()
        with self.change:
            self.waiting.pop(future, None)
            self.served.pop(future, None)
            self.long.pop(future, None)
            began = self.depth.pop(future, math.inf)
            if began < math.inf:
                self.took.append(time.perf_counter() - began)
            self.change.notify_all()

    def ages(self) -> list[float]:
        """For how many seconds each that is in line has been there, the one that is served first."""
        now = time.perf_counter()
        with self.change:
            return [now - came for came in self.waiting.values()]

    def _before(self, future: Future[Any]) -> tuple[int, float]:
        """How much deep work came before a piece of it, and the seconds that this takes if each takes what the last
        ones did."""
        with self.change:
            before = [*self.depth].index(future) if future in self.depth else 0
            return before, before * sum(self.took) / max(1, len(self.took))

    def wait(self, future: Future[Result]) -> Result:
        """The result. Raises TooLong, in words for the visitor, after the host's limit of seconds, and at once for deep
        work that would wait for others' longer than BEHIND of it.

        Whoever goes on meanwhile waits no longer. What has not begun by then never will; what has begun cannot be
        stopped and goes on.
        """
        allowed = limits.current().seconds or math.inf
        until = time.monotonic() + allowed
        before, expected = self._before(future)
        if expected > BEHIND * allowed and future.cancel():
            metrics.REFUSED.labels("seconds").inc()
            raise TooLong(texts.too_many(before, BEHIND * allowed))
        while not future.done():
            left = until - time.monotonic()
            if left <= 0:
                future.cancel()
                metrics.REFUSED.labels("seconds").inc()
                raise TooLong(texts.too_long(allowed))
            wait([future], min(left, LOOK))
            if not future.done():
                _leave(future)
        return future.result()


def _stand_back() -> None:
    """Let the processor be taken from this thread by whoever wants it (Linux)."""
    with contextlib.suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), STANDS_BACK)


def _leave(future: Future[Any]) -> None:
    """Where the run that waits is to end, as its visitor changed something or went to another page, leave the line."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return
    try:
        st.session_state.get(_NOTHING)  # Streamlit ends a run at whatever it is asked next
    except BaseException:
        future.cancel()
        raise
