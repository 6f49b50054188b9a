"""What admission control asks of Streamlit: whether there is a session, and whether a frame is a message of a browser's."""

from __future__ import annotations

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import get_instance
from streamlit.runtime.runtime_util import get_max_widget_state_size_bytes


def exists(session: str) -> bool:
    """Whether a tab can come back to a session: one that is open, or was within the last minutes."""
    return get_instance()._session_mgr.get_session_info(session) is not None


def is_message(frame: bytes) -> bool:
    """Whether Streamlit reads a frame; else it would write a traceback into the log. It refuses large ones itself."""
    if len(frame) > get_max_widget_state_size_bytes():
        return True
    try:
        return BackMsg.FromString(frame).WhichOneof("type") is not None
    except DecodeError:
        return False
