"""The examples of the page Long context: texts far longer than those of other pages, each made to show something there."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.samples import long_sample_text
from tlmviz.ui import inputs, long_text

from .controls import SOURCE

CHARACTERS = 6000  # about 1,700 tokens, beyond the training length of 1,024


def _repeats() -> str:
    pair = "The cat saw a bird. The dog saw a bird. "
    return (pair * (CHARACTERS // len(pair))).strip()


def _names() -> str:
    stories = long_sample_text()[:CHARACTERS].rpartition("\n\n")[0]
    return f"Zumi met Kavo at the big tree.\n\n{stories}\n\nZumi met Kavo again. Zumi waved and"


def _count() -> str:
    animals = ("cat", "dog", "bird", "frog", "bear")
    days = (f"On day {day}, Tom saw a {animals[day % len(animals)]}." for day in range(1, CHARACTERS // 25))
    return " ".join(days)


TEXTS = {  # label: what it shows, and the text
    "Repeats": ("One pair of sentences again and again: induction heads at any distance", _repeats),
    "Names": ("Two names, stories without them, and the names again: who looks back that far?", _names),
    "Counting days": ("One sentence with a number that grows beyond what training showed", _count),
}


def examples() -> None:
    """Long texts to start from."""
    with st.popover("Examples", width="stretch"):
        for label, (shows, text) in TEXTS.items():
            st.button(label, key=f"example-{label}", help=shows, on_click=_use, args=(text,), width="stretch")


def _use(text) -> None:
    """Read an example; a text that the user wrote stays, and a sentence says so."""
    bundled = ("", *inputs.EXAMPLES.values(), *(make() for _, make in TEXTS.values()))
    if st.session_state.get("own", "") in bundled:
        st.session_state["own"] = text()
    else:
        st.toast("Your own text stays; empty its box to read an example.")
    st.session_state[SOURCE] = long_text.OWN
