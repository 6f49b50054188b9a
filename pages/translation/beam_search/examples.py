"""The examples of the page Beam search: sentences to translate, and beginnings of stories. Each opens the view that reads it."""

from __future__ import annotations

import streamlit as st

from tlmviz.ui import translation

from .controls import STORY, TREE

STORIES = {
    "A girl and a ball": "Once upon a time there was a little girl named Lily. Lily had a red ball.",
    "A sad dragon": "The dragon was sad because",
    "Two friends": "Tom and Anna went to the park. Tom said,",
    "A big box": "One day, a boy found a big box. In the box was",
}


def examples() -> None:
    """Texts for both kinds of search."""
    with st.popover("Examples", width="stretch"):
        for heading, texts, use in (
            ("To translate", translation.EXAMPLES, _translate),
            ("To continue", STORIES, _continue),
        ):
            st.caption(heading)
            for label, text in texts.items():
                st.button(
                    label,
                    key=f"{use.__name__.strip('_')}-{label}",
                    help=text,
                    on_click=use,
                    args=(text,),
                    width="stretch",
                )


def _translate(sentence: str) -> None:
    st.session_state["english"] = sentence
    if st.session_state.get("bview") == STORY:
        st.session_state["bview"] = TREE


def _continue(beginning: str) -> None:
    st.session_state["text"], st.session_state["bview"] = beginning, STORY
