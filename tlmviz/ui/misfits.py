"""What a tab says of a widget and cannot be true of it is answered by the widget's default, and one line in the log.

Streamlit (1.67) hands whatever a tab sent to the function that reads this widget's values: a text for a slider ends
that run, and each that follows in the session, with a traceback of kilobytes in the log.
"""

from __future__ import annotations

import logging
from typing import Any

from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state.session_state import Serialized, Value, WStates

# A box of whole numbers is registered as one of any, and says which it is.
ALIKE = {"int_value": "double_value"}
MOST = 10_000  # sessions that are remembered
_named: set[str] = set()  # sessions of which the log has its line
_read = WStates.__getitem__


def keep_out() -> None:
    """Let the sessions of this process answer them so."""
    WStates.__getitem__ = _fitting  # type: ignore[method-assign]


def _fitting(self: WStates, widget: str) -> Any:
    state, metadata = self.states.get(widget), self.widget_metadata.get(widget)
    if not isinstance(state, Serialized) or metadata is None:
        return _read(self, widget)
    sent = state.value.WhichOneof("value")  # None: a widget that was cleared
    try:
        if sent is not None and ALIKE.get(sent, sent) != ALIKE.get(metadata.value_type, metadata.value_type):
            raise TypeError(f"{sent} in place of {metadata.value_type}")
        return _read(self, widget)
    except Exception as error:  # each widget has its own ways to read, and to fail
        _name(widget, error)
        default = metadata.deserializer(None)
        self.states[widget] = Value(default)
        return default
    finally:
        self.widget_metadata[widget] = metadata  # Streamlit takes the kind that was sent for the widget's own


def _name(widget: str, error: Exception) -> None:
    context = get_script_run_ctx()
    session = context.session_id if context else ""
    if session not in _named:
        if len(_named) >= MOST:
            _named.clear()
        _named.add(session)
        logging.getLogger(__name__).warning(
            "A tab sent what is no value of its widget %r (%.200r); it has its default. Others of this session are not "
            "named.",
            widget,
            error,
        )
