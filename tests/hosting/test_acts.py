"""What one does while a page is drawn anew: it waits for its turn, and nothing that comes behind it ends it."""

import threading

import pytest
import streamlit as st
from starlette.testclient import TestClient
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import StopException

from tlmviz.ui import compute

SCRIPT = """
import streamlit as st
from tlmviz.ui import compute, frame


def count():
    st.session_state["acts"] = st.session_state.get("acts", 0) + 1


@frame.fragment
def part():
    st.button("act", key="act", on_click=count)
    st.text(f"{st.session_state.get('acts', 0)} acts")
    compute.run_in_worker(compute.inside)


if st.checkbox("whole", key="whole"):
    st.markdown("what is below has another place")
    compute.run_in_worker(compute.above)
part()
compute.run_in_worker(compute.below)
"""


class Tab:
    """A tab without a browser: what it was shown last, by kind."""

    def __init__(self, socket):
        self.socket, self.shown = socket, {}

    def press(self, kind, **value):
        element, fragment = self.shown[kind]
        message = BackMsg()
        message.rerun_script.fragment_id = fragment
        message.rerun_script.widget_states.widgets.add(id=element.id, **value)
        self.socket.send_bytes(message.SerializeToString())

    def read(self, until):
        """Read what comes until it is this."""
        while True:
            reply = ForwardMsg()
            reply.ParseFromString(self.socket.receive_bytes())
            said = reply.WhichOneof("type")
            kind = reply.delta.new_element.WhichOneof("type")
            if kind:
                self.shown[kind] = getattr(reply.delta.new_element, kind), reply.delta.fragment_id
            if until in (kind, said):
                return


def stop():
    raise StopException


@pytest.fixture
def release(monkeypatch):
    """Ends what the page computes above, inside and below its fragment; at first there is nothing to end."""
    release = threading.Event()
    for place in ("above", "inside", "below"):
        monkeypatch.setattr(compute, place, lambda: None, raising=False)
    yield release
    release.set()


@pytest.fixture
def tab(tmp_path, monkeypatch, release):
    """A tab that has seen the page."""
    (tmp_path / "script.py").write_text(SCRIPT)
    monkeypatch.setattr(Runtime, "_instance", None)
    with (
        TestClient(st.App(tmp_path / "script.py"), base_url="http://localhost") as client,
        client.websocket_connect("/_stcore/stream", subprotocols=["streamlit"]) as socket,
    ):
        socket.send_bytes(BackMsg(rerun_script={}).SerializeToString())
        tab = Tab(socket)
        tab.read("script_finished")
        yield tab
        release.set()


def test_an_act_that_waits_is_done_although_the_whole_page_is_asked_for_behind_it(tab, release, monkeypatch):
    monkeypatch.setattr(compute, "below", release.wait)
    tab.press("checkbox", bool_value=True)
    tab.read("text")  # the worker computes what is below it
    tab.press("button", trigger_value=True)
    tab.press("checkbox", bool_value=False)
    tab.read("text")  # though it still does
    assert tab.shown["text"][0].body == "1 acts"


def test_a_run_that_ended_while_it_computed_leaves_no_fragment_behind(tab, release, monkeypatch):
    """What it left would draw old data in the place of new, or one key twice."""
    began = threading.Event()
    monkeypatch.setattr(compute, "above", lambda: (began.set(), release.wait()))
    (session,) = Runtime.instance()._session_mgr.list_active_sessions()
    storage = session.session._fragment_storage
    before = set(storage._fragments)
    tab.press("checkbox", bool_value=True)
    assert began.wait(60)
    tab.press("checkbox", bool_value=False)
    tab.read("text")
    release.set()
    for thread in threading.enumerate():
        if thread.name.startswith("ScriptRunner"):
            thread.join()
    assert len(before) == 1 and set(storage._fragments) == before


def test_a_fragment_that_stands_at_two_places_and_is_pressed_at_both_is_drawn_once(tab, release, monkeypatch):
    """As a run of the whole page leaves it that ends behind it, where what is above it has changed."""
    began = threading.Event()
    monkeypatch.setattr(compute, "below", stop)
    before = tab.shown["button"]
    tab.press("checkbox", bool_value=True)
    tab.read("script_finished")
    now = tab.shown["button"]
    assert now[1] != before[1]
    monkeypatch.setattr(compute, "inside", lambda: (began.set(), release.wait()))
    tab.press("button", trigger_value=True)
    assert began.wait(60)
    monkeypatch.setattr(compute, "below", lambda: None)
    for tab.shown["button"] in (before, now):  # in line behind it
        tab.press("button", trigger_value=True)
    tab.socket.send_bytes(BackMsg(file_urls_request={"request_id": "both"}).SerializeToString())
    tab.read("file_urls_response")  # both are in line
    release.set()
    while tab.shown["text"][0].body != "2 acts":
        tab.read("script_finished")
    assert "exception" not in tab.shown
