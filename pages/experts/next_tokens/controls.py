"""The controls of the page "Next tokens": a text, what the modules read, and who proposes what is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from tlmviz.errors import BadText
from tlmviz.language_model import LanguageModel
from tlmviz.ui import link

from . import compute

KEY = "aheadview"
LONGEST = 120  # tokens of the page: all their chains are sent whole
MOST_NEW = 120
VIEWS = ("Predictions", "Writing")
OWN, GIVEN = "what was predicted", "the text"
MODULES, SMALLER = "Its own modules", "A smaller model"
DEFAULT = "Once upon a time there was a little girl named Lily. She loved to play outside. One day, she saw a big dog."
BEGINNING = "Once upon a time there was a little girl named Lily. One day,"
PLACE = link.Field(
    "nplace", 0, link.whole(0, LONGEST)
)  # from 1; 0 is the last of the chains that are right the furthest
STEP = link.Field("npass", 0, link.whole(0, MOST_NEW))  # from 1; 0 is the first that keeps all it proposed


@dataclass(frozen=True)
class Choice:
    """A view, its text, what the modules read, who proposes, how many tokens are written at which temperature, and the position
    and the pass that are shown (from 1; 0 as in PLACE and STEP)."""

    view: str
    text: str
    reads: str
    proposer: str
    count: int
    temperature: float
    place: int
    step: int

    @property
    def writing(self) -> bool:
        """Whether text is written, not looked at."""
        return self.view == VIEWS[1]

    @property
    def lm(self) -> LanguageModel:
        """The model that predicts or writes."""
        return compute.model(compute.LARGE if self.writing and self.proposer == SMALLER else compute.NAME)

    @property
    def draft(self) -> LanguageModel | None:
        """The model that proposes; None where the model itself does."""
        return compute.model(compute.DRAFT) if self.writing and self.proposer == SMALLER else None


def choose() -> Choice | None:
    """Draw the controls and return what they say; None without a text that can be read, which a sentence says."""
    views, more, rest = st.columns([0.28, 0.36, 0.36], vertical_alignment="bottom")
    view = str(
        views.segmented_control(
            "View", VIEWS, default=VIEWS[0], key="nview", bind="query-params", required=True
        )
    )
    reads, proposer, count, temperature = OWN, MODULES, 40, 0.0
    if view == VIEWS[0]:
        reads = str(
            more.segmented_control(
                "The modules read",
                (OWN, GIVEN),
                default=OWN,
                key="nreads",
                bind="query-params",
                required=True,
            )
        )
    else:
        proposer = str(
            more.segmented_control(
                "Proposals from",
                (MODULES, SMALLER),
                default=MODULES,
                key="nfrom",
                bind="query-params",
                required=True,
            )
        )
        left, right = rest.columns(2, vertical_alignment="bottom")
        count = int(left.number_input("New tokens", 1, MOST_NEW, 40, key="nnew", bind="query-params"))
        temperature = float(right.slider("Temperature", 0.0, 1.5, 0.0, 0.1, key="ntemp", bind="query-params"))
    text = st.text_input(
        "Text", DEFAULT if view == VIEWS[0] else BEGINNING, key="ntext" if view == VIEWS[0] else "nbegin",
        bind="query-params", live="150ms", label_visibility="collapsed",
    )  # fmt: skip
    PLACE.share()
    STEP.share()
    choice = Choice(view, text or "", reads, proposer, count, temperature, PLACE.get(), STEP.get())
    try:
        length = len(choice.lm.encode(choice.text))
        if length > LONGEST:
            raise BadText(f"This text has {length:,} tokens; this page shows 1 to {LONGEST}, so shorten it.")
    except BadText as error:
        (st.warning if text else st.info)(str(error))
        return None
    return choice


def keep() -> None:
    """Callback of the picture: another position or pass is looked at."""
    message: dict[str, Any] = st.session_state.get(KEY) or {}
    for field, name, most in ((PLACE, "place", LONGEST), (STEP, "step", MOST_NEW)):
        if message.get(name) is not None:
            field.keep(min(max(int(message[name]), 0), most))
