"""Work of minutes is not begun unasked: a sentence says how long it takes, and a button begins it."""

from __future__ import annotations

from collections.abc import Hashable

import streamlit as st

from tlmviz.facades.language_model import LanguageModel

PER_SECOND = 1.5e10  # parameters times tokens that two cores read in a second, about
QUICK = 30  # seconds that a visitor waits without being asked
_ASKED = "_asked_for"  # session: the work that was asked for although it takes minutes


def reading_time(lm: LanguageModel, tokens: int) -> float:
    """About how many seconds a model takes to read so many tokens, in long texts or in batches, on a CPU."""
    return lm.n_parameters * tokens / PER_SECOND


def accepted(work: Hashable, seconds: float, sentence: str, button: str) -> bool:
    """Whether work is quick, or was asked for although it is not; else a sentence and a button to ask for it.

    `sentence` has a place {time} for how long it takes; `work` names what is asked for: anything else is asked again.
    """
    if seconds <= QUICK or st.session_state.get(_ASKED) == work:
        return True
    st.info(sentence.format(time=spoken(seconds)))
    return st.button(button, on_click=lambda: st.session_state.update({_ASKED: work}), type="primary")


def spoken(seconds: float) -> str:
    """A time of minutes or hours as one says it."""
    minutes = max(1, round(seconds / 60))
    if minutes < 120:
        return f"about {minutes} minute{'s' * (minutes > 1)}"
    return f"about {round(minutes / 60)} hours"
