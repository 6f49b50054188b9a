"""What a tab sends that is no value of a widget: the page goes on with the default, and the log has one line."""

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.state.session_state import WStates
from streamlit.testing.v1 import AppTest

from tlmviz.ui import misfits


def page():
    import streamlit as st

    st.write(st.slider("Number", 0, 9, 3) + st.number_input("Another", 0.0, 9.0, 2.0) + len(st.text_input("Text")))


@pytest.fixture
def app(monkeypatch):
    monkeypatch.setattr(WStates, "__getitem__", WStates.__getitem__)  # as it was, after the test
    monkeypatch.setattr(misfits, "_named", set())
    misfits.keep_out()
    return AppTest.from_function(page).run()


def sent(app, **values):
    """The app after a frame that says the same of every widget."""
    states = WidgetStates()
    for element in (*app.slider, *app.number_input, *app.text_input):
        widget = states.widgets.add(id=element.id)
        for kind, value in values.items():
            target = getattr(widget, kind)
            target.data.extend(value) if isinstance(value, list) else setattr(widget, kind, value)
    return app._run(states)


WRONG = (
    {"string_value": "nonsense"},
    {"bool_value": True},
    {"json_value": "{"},
    {"string_array_value": ["x"]},
    {"int_array_value": [1, 2, 3]},
    {"double_value": float("nan")},
    {"double_array_value": [float("nan")] * 3},
)


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_a_value_of_the_wrong_kind_is_the_default_and_one_line(app, wrong, caplog):
    for _ in range(3):  # the session is not lost either
        sent(app, **wrong)
        assert not app.exception and app.slider[0].value == 3 and app.number_input[0].value == 2
    (line,) = [record for record in caplog.records if record.name == misfits.__name__]
    assert line.levelname == "WARNING" and "\n" not in line.getMessage() and len(line.getMessage()) < 400
    app.slider[0].set_value(7).run()
    assert app.slider[0].value == 7


def test_a_widget_that_was_cleared_keeps_its_kind(app):
    sent(app)
    sent(app, string_value="nonsense")
    assert not app.exception and app.number_input[0].value == 2


def test_a_whole_number_is_a_number(app, caplog):
    """As a browser says it of a box of whole numbers."""
    states = WidgetStates()
    states.widgets.add(id=app.number_input[0].id, int_value=4)
    app._run(states)
    assert app.number_input[0].value == 4 and not caplog.records


def test_what_fits_is_read(app, caplog):
    app.slider[0].set_value(5)
    app.number_input[0].set_value(1.5)
    app.text_input[0].set_value("four").run()
    assert float(app.markdown[0].value.strip("`")) == 10.5
    assert not caplog.records
