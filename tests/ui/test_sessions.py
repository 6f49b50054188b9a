"""What is asked of Streamlit about sessions and frames, of its own session manager and its own messages."""

from types import SimpleNamespace
from unittest.mock import Mock

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.session_manager import ActiveSessionInfo, SessionInfo
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from tlmviz.ui import sessions


def test_a_session_is_there_while_it_is_open_and_for_a_while_after(monkeypatch):
    storage = MemorySessionStorage()
    manager = WebsocketSessionManager(storage, Mock(), Mock(), None)
    monkeypatch.setattr(sessions, "get_instance", lambda: SimpleNamespace(_session_mgr=manager))
    assert not sessions.exists("open") and not sessions.exists("left")
    manager._active_session_info_by_id["open"] = ActiveSessionInfo(Mock(), Mock())
    storage.save(SessionInfo(None, Mock(id="left")))
    assert sessions.exists("open") and sessions.exists("left") and not sessions.exists("any")


def test_a_frame_is_a_press_a_message_or_nothing_that_is_let_through(monkeypatch):
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
    monkeypatch.setattr(sessions, "get_max_widget_state_size_bytes", lambda: 4)
    assert sessions.said(b"hello") == "said"  # refused for its size
