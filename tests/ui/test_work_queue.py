"""The line before the model thread: ages in order, the host's limit of seconds, and what is counted."""

import os
import threading

import pytest
from streamlit.testing.v1 import AppTest

from tlmviz.hosting import limits, metrics
from tlmviz.hosting.limits import Limits
from tlmviz.ui import work_queue as line_module
from tlmviz.ui.work_queue import STANDS_BACK, Line, TooLong


@pytest.fixture
def held():
    """A line whose thread is busy until `hold` is set."""
    line, hold = Line(), threading.Event()
    line.submit(hold.wait)
    yield line, hold
    hold.set()


def test_who_came_first_has_waited_longest(held):
    line, hold = held
    last = [line.submit(lambda: None) for _ in range(3)][-1]
    ages = line.ages()
    assert len(ages) == 4 and ages == sorted(ages, reverse=True)
    hold.set()
    last.result()
    assert line.submit(line.ages).result() and len(line.ages()) <= 1


def test_the_host_limits_the_seconds_of_a_press(held, monkeypatch):
    line, hold = held
    monkeypatch.setenv(limits.VARIABLE, Limits(seconds=0.05).as_json())
    done, before = [], metrics.REFUSED.labels("seconds")._value.get()
    late = line.submit(lambda: done.append(1))
    with pytest.raises(TooLong, match=r"takes longer than the 0\.05 seconds .* shorten the text"):
        line.wait(late)
    assert metrics.REFUSED.labels("seconds")._value.get() == before + 1
    hold.set()
    assert line.submit(lambda: 7).result() == 7 and not done  # it left the line


def test_who_goes_on_leaves_the_line_unless_it_is_their_turn(monkeypatch):
    """As Streamlit ends a run that is to be run anew: at whatever it does next."""

    class Left(BaseException):
        pass

    class Session:
        def get(self, _):
            raise Left

    monkeypatch.setattr(line_module, "get_script_run_ctx", lambda **_: True)
    monkeypatch.setattr(line_module.st, "session_state", Session())
    line, began, hold, done = Line(), threading.Event(), threading.Event(), []
    served = line.submit(lambda: began.set() or hold.wait(60))
    waits = line.submit(lambda: done.append(1))
    began.wait(60)
    with pytest.raises(Left):
        line.wait(waits)
    assert waits.cancelled()
    hold.set()
    assert line.wait(served) and line.submit(lambda: 7).result(60) == 7 and not done


def test_who_stays_stays_in_line():
    """In a real run of Streamlit that is not to end."""

    def script():
        import threading

        import streamlit as st

        from tlmviz.ui.work_queue import Line

        line, hold = Line(), threading.Event()
        line.submit(lambda: hold.wait(60))
        second = line.submit(lambda: 7)
        threading.Timer(0.5, hold.set).start()
        st.write(f"{line.wait(second)}")

    app = AppTest.from_function(script, default_timeout=60).run()
    assert not app.exception and app.markdown[0].value == "7"


def test_an_error_of_the_work_is_the_works_own(monkeypatch):
    def fail():
        raise TimeoutError("mine")

    monkeypatch.setenv(limits.VARIABLE, Limits(seconds=60).as_json())
    line = Line()
    with pytest.raises(TimeoutError, match="mine"):
        line.wait(line.submit(fail))


def test_the_gauge_follows(held):
    line, hold = held
    more = [line.submit(lambda: None) for _ in range(2)]
    assert metrics.LINE._value.get() >= 3
    hold.set()
    for each in more:
        each.result()


def test_beside_work_that_takes_long_the_next_begins(held):
    several, hold = Line(2), threading.Event()
    several.submit(hold.wait)
    assert several.submit(lambda: 7).result(10) == 7
    assert several.submit(lambda: 8).result(10) == 8
    hold.set()
    alone, _ = held
    second = alone.submit(lambda: 7)
    assert alone.ages() and not second.running()


def test_work_that_is_short_stays_alone(monkeypatch):
    monkeypatch.setattr(line_module, "LONG", 1e6)
    line, hold, at_once, most = Line(3), threading.Event(), [], []

    def work():
        at_once.append(1)
        most.append(len(at_once))
        hold.wait()
        at_once.pop()

    every = [line.submit(work) for _ in range(6)]
    hold.set()
    for each in every:
        each.result(10)
    assert most == [1] * 6


def test_an_error_lets_the_next_one_begin():
    def fail():
        raise ValueError("mine")

    line = Line(2)
    failed = line.submit(fail)
    assert line.submit(lambda: 7).result(10) == 7
    with pytest.raises(ValueError, match="mine"):
        failed.result(10)


def test_visitors_are_served_in_turn(held):
    line, hold = held
    order = []

    def mark(name):
        return lambda: order.append(name)

    every = [line.submit(mark(f"a{number}"), "a") for number in range(3)]
    every += [line.submit(mark("b0"), "b"), line.submit(mark("c0"), "c"), line.submit(mark("b1"), "b")]
    hold.set()
    for each in every:
        each.result(60)
    assert order == ["a0", "b0", "c0", "a1", "b1", "a2"]


def test_what_takes_long_leaves_a_thread_to_what_does_not():
    line, hold = Line(3), threading.Event()
    long = [line.submit(hold.wait, number, long=True) for number in range(4)]
    assert [line.submit(lambda: 7, "press").result(60) for _ in range(3)] == [7] * 3
    assert len(line.long) <= 2 and not any(each.done() for each in long)
    hold.set()
    for each in long:
        each.result(60)
    with line.change:  # a result is there a moment before the line hears of it
        assert line.change.wait_for(lambda: not line.long and not line.line, 60)


def test_deep_work_has_one_thread_which_stands_back_and_leaves_the_others_to_long_work():
    line, hold = Line(3), threading.Event()
    deep = [line.submit(hold.wait, number, deep=True) for number in range(3)]
    priority = line.submit(lambda: os.getpriority(os.PRIO_PROCESS, threading.get_native_id()), "long", long=True)
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert priority.result(60) == own and sum(each.running() for each in deep) == 1
    hold.set()
    for each in deep:
        each.result(60)
    niceness = line.submit(lambda: os.getpriority(os.PRIO_PROCESS, threading.get_native_id()), "a", deep=True)
    assert niceness.result(60) == min(19, own + STANDS_BACK) or not hasattr(os, "setpriority")


def test_who_would_wait_longer_than_the_host_allows_is_told_so_at_once(monkeypatch):
    line, hold = Line(3), threading.Event()
    line.took.extend([8.0, 12.0])  # seconds of the last two; a third of what is allowed may pass for others
    served, *others = [line.submit(hold.wait, number, deep=True) for number in range(8)]
    short = line.submit(lambda: 7, "short")
    monkeypatch.setenv(limits.VARIABLE, Limits(seconds=180).as_json())
    with pytest.raises(
        TooLong, match="7 long texts are before this one, which would wait for more than the 60 seconds"
    ):
        line.wait(others[-1])
    assert others[-1].cancelled() and line.wait(short) == 7
    hold.set()
    assert all(line.wait(each) for each in (served, *others[:-1]))
    with line.change:
        assert line.change.wait_for(lambda: not line.depth, 60)
    assert max([*line.took][2:]) < 60  # they took what they took: what was cancelled is not among them


def test_one_thread_serves_what_takes_long_too(held):
    line, hold = held
    long = line.submit(lambda: 7, "a", long=True)
    hold.set()
    assert long.result(60) == 7


def test_what_leaves_the_line_holds_nobody_up(held):
    line, hold = held
    gone, stays = line.submit(lambda: 1, "a", long=True), line.submit(lambda: 2, "a")
    gone.cancel()
    hold.set()
    assert stays.result(60) == 2 and not line.long
