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


def test_a_message_is_what_streamlit_reads(monkeypatch):
    message = BackMsg(load_git_info=True).SerializeToString()
    assert sessions.is_message(message)
    for frame in (b"", b"hello", b"\xff\xfe", message + b"\xff"):
        assert not sessions.is_message(frame)
    monkeypatch.setattr(sessions, "get_max_widget_state_size_bytes", lambda: 4)
    assert sessions.is_message(b"hello")  # refused for its size
