"""The line before the model thread: ages in order, the host's limit of seconds, and what is counted."""

import threading

import pytest

from tlmviz.hosting import limits, metrics
from tlmviz.hosting.limits import Limits
from tlmviz.ui import line as line_module
from tlmviz.ui.line import Line, TooLong


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
