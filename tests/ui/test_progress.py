"""Work in the model thread that tells how far it is, with a bar while a page waits for it."""

import threading

import pytest
from streamlit.testing.v1 import AppTest

from tlmviz.errors import BadText
from tlmviz.ui import progress


def test_the_result_and_what_was_told():
    begun = progress.begin(lambda tell: [tell(0.5), tell(7.0), 3][-1])
    assert begun.wait("…") == 3 and begun.share == 1.0
    assert begun.wait("…") == 3  # asked again: at once


def test_an_error_is_raised_where_one_waits():
    def work(tell):
        raise BadText("No.")

    begun = progress.begin(work)
    for _ in range(2):
        with pytest.raises(BadText):
            begun.wait("…")


def test_a_bar_is_shown_while_it_lasts_and_then_taken_away(monkeypatch):
    """The work ends when the page has drawn its bar."""
    drawn, shown = threading.Event(), []
    real = progress.DeltaGenerator.progress

    def noted(self, share, text):
        shown.append((share, text))
        drawn.set()
        return real(self, share, text)

    monkeypatch.setattr(progress.DeltaGenerator, "progress", noted)

    def page():
        import streamlit as st

        from tests.ui.test_progress import bar
        from tlmviz.ui import progress

        st.write(progress.begin(bar.work).wait("Reading …"))

    bar.drawn = drawn
    app = AppTest.from_function(page, default_timeout=60).run()
    assert not app.exception and app.markdown[0].value == "read"
    assert shown[0][0] == 0.25 and shown[0][1].startswith("Reading …") and not app.get("progress")


@pytest.mark.parametrize(
    "share, after, said", [(0.05, 10, ""), (0.25, 10, " 30 s left"), (0.5, 0.2, ""), (1.0, 10, "")]
)
def test_the_time_left(monkeypatch, share, after, said):
    work, clock = progress.Work(), [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    assert work.left == ""  # it stands in line
    work.tell(0.0)
    clock[0] += after
    work.tell(share)
    assert work.left == said


def test_work_that_nobody_waits_for_ends_and_begins_anew(monkeypatch):
    """A page that is run again leaves its bar by an exception."""
    calls, go_on = [], threading.Event()

    class Gone(BaseException):
        pass

    def gone(self, share, text):
        raise Gone

    def begun(key):
        if key not in kept:
            kept[key] = progress.begin(work)
        return kept[key]

    def work(tell):
        calls.append(1)
        assert len(calls) > 1 or go_on.wait(60)
        tell(0.5)
        return "done"

    kept: dict = {}
    begun.clear = kept.pop
    monkeypatch.setattr(progress.DeltaGenerator, "progress", gone)
    with pytest.raises(Gone):
        progress.going(begun, "x").wait("…")
    left = kept["x"]
    go_on.set()
    assert isinstance(left.future.exception(60), progress.Stopped)
    again = progress.going(begun, "x")
    assert again is not left and again.future.result(60) == again.wait("…") == "done"
    assert progress.going(begun, "x") is again


def test_work_that_another_waits_for_goes_on(monkeypatch):
    work = progress.Work(waiting=1)

    def gone(self, place, sentence):
        raise KeyboardInterrupt

    monkeypatch.setattr(progress.Work, "_watch", gone)
    with pytest.raises(KeyboardInterrupt):
        work.wait("…")
    assert not work.stopped and work.waiting == 1
    work.tell(0.5)


class bar:
    """What the page of the test waits for."""

    drawn: threading.Event

    @staticmethod
    def work(tell):
        tell(0.25)
        assert bar.drawn.wait(60)
        return "read"
