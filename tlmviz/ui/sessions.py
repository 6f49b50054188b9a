"""What admission control asks of Streamlit: whether a session is one of its own, and what a frame of a tab says."""

from __future__ import annotations

import hmac
import secrets
from types import SimpleNamespace
from uuid import UUID

import streamlit as st
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import app_session

from tlmviz.hosting.admission import IGNORED, PRESS, SAID, UNREADABLE

# What a page needs of a browser beside its presses. The rest is for developers: `clear_cache` empties the caches of
# everybody.
SERVED = {"stop_script", "file_urls_request", "app_heartbeat", "backend_operation_request"}
MOST_STATES = 2000  # widgets of a page, many times over


def sign() -> None:
    """Let the name of each session that begins in this process show that it did."""
    # All that is asked of `uuid` there.
    app_session.uuid = SimpleNamespace(uuid4=_signed)  # type: ignore[attr-defined, assignment]


def issued(session: str) -> bool:
    """Whether a session of this name began here, or in any process of this server, though it may be gone by now."""
    try:
        name = UUID(session)
    except ValueError:
        return False
    signed = hmac.compare_digest(name.bytes[8:], _signature(name.bytes[:8]))
    return signed and session == str(name)  # a name has other spellings


def _signed() -> UUID:
    drawn = secrets.token_bytes(8)
    return UUID(bytes=drawn + _signature(drawn))


def _signature(drawn: bytes) -> bytes:
    secret = str(st.get_option("server.cookieSecret"))  # which the processes of `tlmviz serve` share
    return hmac.digest(secret.encode(), b"session" + drawn, "sha256")[:8]


def said(frame: bytes) -> str:
    """What a frame is to the server: PRESS, SAID, IGNORED, or UNREADABLE, of which Streamlit would write a traceback
    into the log, or make a state of every widget that a page has not."""
    try:
        message = BackMsg.FromString(frame)
    except DecodeError:
        return UNREADABLE
    kind = message.WhichOneof("type")
    if kind == "rerun_script":
        return PRESS if len(message.rerun_script.widget_states.widgets) <= MOST_STATES else UNREADABLE
    return UNREADABLE if kind is None else SAID if kind in SERVED else IGNORED
