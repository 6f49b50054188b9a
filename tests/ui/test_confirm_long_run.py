"""Work of minutes: how long it is said to take, and that it waits for its button."""

import pytest
from streamlit.testing.v1 import AppTest

from tlmviz.ui import confirm_long_run


@pytest.mark.parametrize(
    "seconds, said",
    [(31, "about 1 minute"), (89, "about 1 minute"), (200, "about 3 minutes"), (3600 * 2.6, "about 3 hours")],
)
def test_times_as_they_are_said(seconds, said):
    assert confirm_long_run.spoken(seconds) == said


def _page():
    import streamlit as st

    from tlmviz.ui import confirm_long_run

    seconds = st.number_input("seconds", value=600.0, key="seconds")
    if confirm_long_run.accepted(("work", seconds), seconds, "It takes {time}.", "Do it"):
        st.write("done")


def test_long_work_is_asked_for_once():
    app = AppTest.from_function(_page).run()
    assert "10 minutes" in app.info[0].value and not app.markdown
    app.button[0].click().run()
    assert app.markdown[0].value == "done" and not app.info
    app.run()
    assert app.markdown[0].value == "done"  # asked for already
    app.number_input(key="seconds").set_value(900.0).run()
    assert "15 minutes" in app.info[0].value and not app.markdown  # other work


def test_quick_work_is_begun():
    app = AppTest.from_function(_page)
    app.session_state["seconds"] = 3.0
    assert app.run().markdown[0].value == "done"
