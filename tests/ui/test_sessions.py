"""What is asked of Streamlit about sessions and frames, of its own session manager and its own messages."""

import asyncio
import uuid
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import Mock

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import app_session
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.script_data import ScriptData
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from tlmviz.ui import sessions


def new_session():
    """The name of a session that Streamlit's own manager begins."""

    async def begin():
        manager = WebsocketSessionManager(MemorySessionStorage(), Mock(), Mock(), None)
        return manager.connect_session(Mock(), ScriptData(__file__, False), {})

    with ThreadPoolExecutor(1) as other:  # in this thread browsers' tests have a loop
        return other.submit(asyncio.run, begin()).result()


@pytest.fixture
def signed(monkeypatch):
    monkeypatch.setattr(app_session, "uuid", uuid)  # as it was, after the test
    sessions.sign()


def test_a_session_that_began_here_is_known_by_its_name(signed):
    name = new_session()
    assert sessions.issued(name) and sessions.issued(new_session())
    # Another spelling of it would be another tab's.
    for other in (name.upper(), name.replace("-", ""), f"{{{name}}}", str(uuid.uuid4()), "any", "", "é" * 36):
        assert not sessions.issued(other)


def test_all_processes_of_a_server_know_its_sessions_and_another_server_does_not(signed, monkeypatch):
    monkeypatch.setattr(sessions.st, "get_option", {"server.cookieSecret": "ours"}.__getitem__)
    ours = new_session()
    monkeypatch.setattr(sessions.st, "get_option", {"server.cookieSecret": "theirs"}.__getitem__)
    assert not sessions.issued(ours) and sessions.issued(new_session())


def test_a_frame_is_a_press_a_message_or_nothing_that_is_let_through():
    press = BackMsg()
    for number in range(sessions.MOST_STATES):
        press.rerun_script.widget_states.widgets.add().id = str(number)
    assert sessions.said(press.SerializeToString()) == "press"
    press.rerun_script.widget_states.widgets.add()
    assert sessions.said(press.SerializeToString()) == "unreadable"
    message = BackMsg(stop_script=True).SerializeToString()
    assert sessions.said(message) == "said"
    for frame in (b"", b"hello", b"\xff\xfe", message + b"\xff"):
        assert sessions.said(frame) == "unreadable"
    for kind in ("clear_cache", "load_git_info", "set_run_on_save", "debug_shutdown_runtime"):
        assert sessions.said(BackMsg(**{kind: True}).SerializeToString()) == "ignored"
