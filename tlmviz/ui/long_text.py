"""Texts that may be longer than a link: bundled stories, or what the user wrote or pasted; the pages on long texts share them."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.kernels.long_context import LONGEST
from tlmviz.analysis.samples import sample_text

from . import compute, inputs, link, texts

Ids = tuple[int, ...]
SAMPLE, OWN = "Sample stories", "Your own text"
IN_LINK = 2000  # characters of an own text that still go into the link
# Streamlit would walk through 16,384 ids for a quarter of a second, at every look into a cache.
HASH_FAST = {tuple: hash}
OWN_TEXT = link.Field("own", "", link.up_to(IN_LINK))


@st.cache_data(max_entries=16, show_spinner=False)
def encoded(name: str, text: str) -> Ids:
    """All ids of a text for a model, behind the token that its texts begin with."""
    return tuple(compute.model(name).tokenizer.encode(text, bos=True))


def source_menu(place, beside, key: str) -> tuple[str, str | None]:
    """A choice, in the link as `key`, between the bundled stories and the user's own text, whose box opens at `beside`.

    Returns SAMPLE or OWN and the text; None when there is nothing to read yet.
    """
    take_example(key)
    source = place.segmented_control(
        "Text",
        (SAMPLE, OWN),
        default=SAMPLE,
        key=key,
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    return source, sample_text() if source == SAMPLE else own_text(beside)


def own_text(place) -> str | None:
    """The text that the user wrote or pasted, in a box that opens at `place`; a sentence asks for one when it is empty."""
    st.session_state.setdefault("own", OWN_TEXT.get())
    with place.popover("Write or paste", width="stretch"):
        typed = st.text_area(
            "Your text",
            key="own",
            height=320,
            persist_state="session",
            placeholder=texts.PASTE_PLACEHOLDER,
            help=texts.paste_help(LONGEST),
        )
    text = inputs.allowed(typed or "")
    OWN_TEXT.keep(text)
    OWN_TEXT.share(hide=len(text) > IN_LINK)
    if not text:
        st.info(texts.EMPTY_TEXT)
        return None
    return text


def take_example(source: str) -> None:
    """An example that was picked becomes the own text, unless the user wrote one; `source` is the key of a page's choice."""
    picked = inputs.examples_picked()
    if picked != st.session_state.setdefault("_examples_taken", picked):
        st.session_state["_examples_taken"] = picked
        if st.session_state.get("own", "") in ("", *inputs.EXAMPLES.values()):
            st.session_state["own"], st.session_state[source] = st.session_state["text"], OWN


def text_line(text: str) -> str:
    """The line of a snippet that gives the user's own text: spelled out, or read from a file where a link cannot hold it."""
    if len(text) <= IN_LINK:
        return f"text = {text!r}"
    return 'text = open("your_text.txt", encoding="utf-8").read()  # what is in the box'


def text_lines(text: str, source: str) -> tuple[str, str]:
    """For a snippet: the import that the bundled stories need (a whole line, or nothing), and the line that gives the text."""
    if source == SAMPLE:
        return "from tlmviz.analysis.samples import sample_text\n", "text = sample_text()"
    return "", text_line(text)
