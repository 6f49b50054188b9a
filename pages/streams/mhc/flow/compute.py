"""Computes the view "Flow" of the page mHC, cached: the matrices of a whole family, and passes with other iterations."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.streams.mhc import compute as page
from pages.streams.mhc.controls import Reading
from tlmviz.analysis.streams import iterations as analysis
from tlmviz.analysis.streams.iterations import Rerun
from tlmviz.analysis.streams.mixing import Mixing
from tlmviz.ui import compute

from .component import payload
from .controls import Choice, made_in_picture

_SENT = "_sf_sent"  # session: the key and the bytes that were sent last
COUNTS = (0, 1, 2, 3, 5, 10, 20)  # iterations behind the curves
NEW_TOKENS = 40


@dataclass(frozen=True)
class Member:
    """One model of a family: its kind of connection, its name, and its matrices on the text."""

    kind: str
    model: str
    mixing: Mixing


@st.cache_resource(max_entries=64, show_spinner=False)
def rerun(reading: Reading, iterations: int) -> Rerun:
    """One pass with so many Sinkhorn iterations."""
    lm = reading.lm
    return compute.run_in_worker(
        lambda: analysis.rerun(lm, reading.text, iterations), compute.about(reading.text)
    )


@st.cache_data(max_entries=64, show_spinner=False)
def written(reading: Reading, iterations: int) -> str:
    """What the model writes behind the text with so many iterations."""
    lm = reading.lm
    return compute.run_in_worker(
        lambda: analysis.written(lm, reading.text, iterations, NEW_TOKENS), compute.about(reading.text)
    )


def members(choice: Choice) -> list[Member]:
    """The family of the model that reads, the constrained one with as many iterations as are chosen."""
    found = []
    for kind, model in page.family(choice.reading.model).items():
        reading = choice.reading.by(model)
        trained = reading.connection.iterations
        if kind == "manifold" and choice.iterations not in (None, trained):
            found.append(Member(kind, model, rerun(reading, choice.iterations).mixing))
        else:
            found.append(Member(kind, model, page.mixing(reading)))
    return found


def sent(choice: Choice) -> bytes:
    """What the picture is sent: the same bytes again where the choice was made in it, as it needs no word of that."""
    last = st.session_state.get(_SENT)
    key = choice.reading, choice.iterations, choice.window
    if last is not None and last[0] == key and made_in_picture():
        return last[1]
    data = payload(
        members(choice), choice.reading.tokens, choice.reading.sublayers, choice.window, choice.state()
    )
    st.session_state[_SENT] = key, data
    return data
