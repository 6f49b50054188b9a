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
    assert shown[0] == (0.25, "Reading …") and not app.get("progress")


class bar:
    """What the page of the test waits for."""

    drawn: threading.Event

    @staticmethod
    def work(tell):
        tell(0.25)
        assert bar.drawn.wait(60)
        return "read"
