"""What admission control asks of Streamlit: whether there is a session, and what a frame of a tab says."""

from __future__ import annotations

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import get_instance
from streamlit.runtime.runtime_util import get_max_widget_state_size_bytes

from tlmviz.hosting.admission import IGNORED, PRESS, SAID, UNREADABLE

# What a page needs of a browser beside its presses. The rest is for developers: `clear_cache` empties the caches of everybody.
SERVED = {"stop_script", "file_urls_request", "app_heartbeat", "backend_operation_request"}
MOST_STATES = 2000  # widgets of a page, many times over


def exists(session: str) -> bool:
    """Whether a tab can come back to a session: one that is open, or was within the last minutes."""
    return get_instance()._session_mgr.get_session_info(session) is not None


def said(frame: bytes) -> str:
    """What a frame is to the server: PRESS, SAID, IGNORED, or UNREADABLE, of which Streamlit would write a traceback into the
    log, or make a state of every widget that a page has not. It refuses large ones itself."""
    if len(frame) > get_max_widget_state_size_bytes():
        return SAID
    try:
        message = BackMsg.FromString(frame)
    except DecodeError:
        return UNREADABLE
    kind = message.WhichOneof("type")
    if kind == "rerun_script":
        return PRESS if len(message.rerun_script.widget_states.widgets) <= MOST_STATES else UNREADABLE
    return UNREADABLE if kind is None else SAID if kind in SERVED else IGNORED
