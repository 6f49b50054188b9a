"""The browser's address on a declared page: the page's own fields and the frame's, written once a run.

The server never writes query parameters by Streamlit, which makes a history entry of each. It hands the whole query to
the browser, which puts it into the entry it is at, or begins one where a text, the model or the part that is open is
another.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from urllib.parse import parse_qs, urlencode

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from .components.scripts import component

SLOT = "_link_"  # begins the session's names of all that follows from a link
OWNER = "_address_of"  # session: the declared page that writes the address; absent on others
_COUNTS = "_address_counts"  # session: that what the link says is to be taken yet
_SAID = "_address_said"  # session: what the link said that was arrived by last
_DRAWN = "_address_drawn"  # session: keys of the widgets that were drawn since
_FIELDS = "_address"  # session: key -> what the address says, whether that is the default, and what the field is
# Fields of which another value is another entry of the history.
ENTRY = ("text", "english", "model", "mt", "smodel", "emodel")
TYPED, PART = "typed", "part"  # kinds of a page's own fields: a text, and which part of it is open
# Session: the fragment that said what its pictures read in place of what the address says, and that.
_READ = "_address_read"
# The fragment that is run, which writes the address at its end.
_INSIDE: ContextVar[str] = ContextVar("inside", default="")
_component = component("tlmviz_address", Path(__file__).parent / "components" / "address")


def owned() -> bool:
    """Whether the page that is shown writes its address here."""
    return OWNER in st.session_state


def navigated() -> bool:
    """Whether the browser went to another entry of its history: Back, Forward, or along a card."""
    context = get_script_run_ctx()
    return bool(context and context.is_history_navigation)


def begin(page: str) -> None:
    """Begin a run of the declared `page`. What its link says counts on arrival, and where Back or a card led."""
    if st.session_state.get(OWNER) != page or navigated():
        said = _read()
        st.session_state.update({OWNER: page, _FIELDS: {}, _COUNTS: True, _SAID: said, _DRAWN: set()})
        st.session_state.pop(_READ, None)
        for key in said:  # what a link names counts, and not what the session holds
            st.session_state.pop(f"{SLOT}{key}", None)


def counts(page: str) -> bool:
    """Whether what the link of `page` says is to be taken now: once after each arrival."""
    if st.session_state.get(OWNER) != page:  # the page is run without the app around it
        begin(page)
    return bool(st.session_state.pop(_COUNTS, False))


def given() -> dict[str, str]:
    """What the link says: key -> value; of a key that is repeated, its values with commas."""
    if owned() and navigated():  # `write` has Streamlit forget it in the midst of the run
        return dict(st.session_state[_SAID])
    return _read()


def _read() -> dict[str, str]:
    context = get_script_run_ctx()
    if context and navigated():  # Streamlit leaves out what other pages' widgets were bound to
        return {key: ",".join(values) for key, values in parse_qs(context.query_string, keep_blank_values=True).items()}
    return {key: ",".join(st.query_params.get_all(key)) for key in st.query_params}


def first_drawn(key: str) -> bool:
    """Whether a widget is drawn for the first time since its page was gone to: to Streamlit it is not the last
    page's."""
    drawn = st.session_state.setdefault(_DRAWN, set())
    new = key not in drawn
    drawn.add(key)
    return new


def put(key: str, text: str, default: bool, kind: str = "") -> None:
    """Say a field's value in the address; a `default` is said by *Copy link* alone. Another value of the `kind` TYPED
    or PART begins an entry of the history, as one of ENTRY does."""
    st.session_state.setdefault(_FIELDS, {})[key] = text, default, kind


def query() -> dict[str, str]:
    """The address of this session as it is written: what differs from the defaults."""
    return {key: text for key, (text, default, _) in st.session_state.get(_FIELDS, {}).items() if not default}


def whole() -> dict[str, str]:
    """The link of this session with the defaults in it, so that it shows the same when one of them is changed."""
    return {key: text for key, (text, default, _) in st.session_state.get(_FIELDS, {}).items() if text or not default}


def pictures_read(**fields: str) -> None:
    """Say what the pictures of this fragment show, whatever text and model the address carries along.

    `fields` are some of `ENTRY`, "" where nothing is shown of one. What is saved names them; they count until the
    fragment is run again.
    """
    st.session_state[_READ] = _INSIDE.get(), fields


@contextmanager
def written_by(name: str) -> Iterator[None]:
    """Hand the address to the browser at the end of the fragment `name`, unless that runs within another one, which
    does.

    Every run hands it over: of a run that the next one cuts short, Streamlit may drop what it had sent.
    """
    if _INSIDE.get():
        yield
        return
    token = _INSIDE.set(name)
    if st.session_state.get(_READ, ("", {}))[0] == name:
        del st.session_state[_READ]
    try:
        yield
    finally:
        _INSIDE.reset(token)
    if st.session_state.get(_FIELDS):
        _write(name)


def _write(name: str) -> None:
    if navigated():
        _forget_the_query()
    every = whole()
    carried = {key: every[key] for key in ENTRY if key in every}
    shown = carried | st.session_state.get(_READ, ("", {}))[1]
    data = {
        "query": urlencode(query()),
        "whole": urlencode(every),
        "entry": urlencode(carried | _of_kind(TYPED)),
        "part": urlencode(_of_kind(PART)),
        "shown": urlencode(shown),
        "back": navigated(),
        "time": time.time(),
    }
    with st.container(key=f"address-{name}"):
        _component(key=f"address-{name}-view", data=data)


def _of_kind(wanted: str) -> dict[str, str]:
    return {key: text for key, (text, _, kind) in st.session_state[_FIELDS].items() if kind == wanted}


def _forget_the_query() -> None:
    """Streamlit remembers the query that Back led to, and would say that one, and not the address, to a new server."""
    if context := get_script_run_ctx():
        with context.session_state.query_params() as params:
            params.clear_with_no_forward_msg(preserve_embed=True)
            params._send_query_param_msg()
